// How long a machine of 100,000 hosts takes to build with each generator, what memory it takes, and how fast
// routes are found on it. One process per machine, so that each memory figure is its own.
//   platform [HOSTS]
#include "engine/units.h"
#include "formats/load_machine.h"
#include "machine/machine.h"

#include <cmath>
#include <cstdio>
#include <ctime>
#include <fmt/format.h>
#include <fstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace orrery;

namespace {

// CPU seconds of this process so far, user and system.
double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// Peak resident memory of this process, in bytes.
Bytes peak_memory() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("VmHWM:")) return std::stoull(line.substr(6)) * 1024;
    }
    return 0;
}

void measure(const std::string& name, const std::string& text) {
    const Bytes before = peak_memory();
    const double start = cpu_seconds();
    const Machine machine = machine_from_text(text, text.starts_with("<") ? "bench.xml" : "bench.toml");
    const double build = cpu_seconds() - start;
    const Bytes memory = peak_memory() - before;
    const Platform& platform = *machine.platform;
    constexpr std::uint32_t routes = 1'000'000;
    std::vector<LinkId> links;
    std::uint64_t length = 0;
    const double routing = cpu_seconds();
    for (std::uint32_t i = 0; i < routes; ++i) {
        links.clear();
        platform.route({i * 7919U % platform.host_count()}, {i * 104729U % platform.host_count()}, links);
        length += links.size();
    }
    const double each = (cpu_seconds() - routing) / routes;
    fmt::print("{:<32} {:>8} {:>10} {:>8.3f} s {:>10} {:>7.1f} {:>7.0f} ns\n", name,
               format_count(platform.host_count()), format_count(platform.link_count()), build,
               format_bytes(memory), static_cast<double>(length) / routes, each * 1e9);
}

} // namespace

int main(int argc, char** argv) {
    const std::uint64_t hosts = argc > 1 ? parse_count(argv[1]) : 100'000;
    const auto root = [&](double power) {
        return static_cast<std::uint64_t>(std::ceil(std::pow(hosts, 1 / power)));
    };
    const std::string link = "[link]\nbandwidth = '100 Gbit/s'\nlatency = '1 us'\n[topology]\n";
    const std::uint64_t radix = root(3); // of a tree of three levels, a torus of three dimensions
    const std::uint64_t ring6 = root(6);
    const std::uint64_t cabinets = hosts / 100;
    const std::vector<std::pair<std::string, std::string>> machines{
        {"crossbar", fmt::format("{}type = 'crossbar'\nhosts = {}", link, hosts)},
        {"cluster with backbone",
         fmt::format("{}type = 'cluster'\nhosts = {}\n[backbone]\nbandwidth = '1 TB/s'", link, hosts)},
        {"cabinets of 100",
         fmt::format("{}type = 'cabinets'\ncabinets = {}\nhosts_per_cabinet = 100", link, cabinets)},
        {"fat tree, 3 levels, full",
         fmt::format("{0}type = 'fat-tree'\nlevels = '3; {1},{1},{1}; 1,{1},{1}; 1,1,1'", link, radix)},
        {"torus, 3 dimensions", fmt::format("{0}type = 'torus'\ndimensions = '{1}x{1}x{1}'", link, radix)},
        {"torus, 6 dimensions",
         fmt::format("{0}type = 'torus'\ndimensions = '{1}x{1}x{1}x{1}x{1}x{1}'", link, ring6)},
        {"hypercube",
         fmt::format("{}type = 'hypercube'\ndimensions = {}", link, std::lround(std::log2(hosts)))},
        {"dragonfly, groups of 512",
         fmt::format("{}type = 'dragonfly'\ngroups = {}\nrouters = 32\nhosts_per_router = 16\nblue = 4", link,
                     (hosts + 511) / 512)},
        {"graph, ring of 100 switches",
         [&] {
             std::string text = link + "type = 'graph'\n";
             for (std::uint64_t i = 0; i < 100; ++i) {
                 text +=
                     fmt::format("[[hosts]]\nnames = 'h{0}-[0-{1}]'\nswitch = 's{0}'\n[[switches]]\nnames = "
                                 "'s{0}'\n[[cables]]\nfrom = 's{0}'\nto = 's{2}'\n",
                                 i, hosts / 100 - 1, (i + 1) % 100);
             }
             return text;
         }()},
        {"SimGrid XML, flat cluster",
         fmt::format("<platform version='4.1'><cluster id='c' prefix='n' suffix='' radical='0-{}' speed='1Gf' "
                     "bw='10GBps' lat='1us'/></platform>",
                     hosts - 1)},
    };
    fmt::print("{:<32} {:>8} {:>10} {:>10} {:>10} {:>7} {:>10}\n", "", "hosts", "links", "build", "memory",
               "length", "a route");
    for (const auto& [name, text] : machines) {
        std::fflush(stdout);
        const pid_t child = fork();
        if (child == 0) {
            measure(name, text);
            std::fflush(stdout);
            _exit(0);
        }
        waitpid(child, nullptr, 0);
    }
}
