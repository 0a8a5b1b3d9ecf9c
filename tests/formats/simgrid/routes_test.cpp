// The routes of SimGrid platforms are those of SimGrid itself. tests/data/simgrid/routes.txt holds, for each
// platform, a digest of the routes between all pairs of hosts that SimGrid 3.32 found. It is independent of the
// names and the order of links: each link is known by its bandwidth, latency, kind, and the pairs whose routes
// pass it.
#include "engine/error.h"
#include "formats/load_machine.h"
#include "machine/machine.h"
#include "places.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <sstream>

namespace orrery::routes_test {
namespace {

std::uint64_t digest(std::string_view bytes) { // FNV-1a
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3U;
    return hash;
}

std::string digest_words(const Platform& platform) {
    std::vector<std::pair<std::string, HostId>> hosts;
    for (std::uint32_t i = 0; i < platform.host_count(); ++i) {
        hosts.emplace_back(platform.topology().host_name({i}), HostId{i});
        EXPECT_EQ(platform.topology().find_host(hosts.back().first), HostId{i});
    }
    std::sort(hosts.begin(), hosts.end());
    std::string text;
    const auto print = [](double value) {
        char buffer[64];
        std::snprintf(buffer, sizeof buffer, "%.17g", value);
        return std::string(buffer);
    };
    for (const auto& [name, host] : hosts) {
        text += fmt::format("{}host {} {} {}", text.empty() ? "" : "\n", name, print(platform.host(host).speed),
                            platform.host(host).cores);
    }
    std::map<std::uint32_t, std::string> uses; // link and the pairs that pass it, four bytes each
    std::uint32_t pair = 0;
    std::size_t total = 0;
    for (const auto& [from_name, from] : hosts) {
        for (const auto& [to_name, to] : hosts) {
            std::vector<LinkId> links;
            platform.route(from, to, links);
            for (const LinkId link : links) {
                for (unsigned shift = 0; shift < 32; shift += 8) {
                    uses[link.value] += static_cast<char>(pair >> shift & 0xffU);
                }
            }
            total += links.size();
            ++pair;
        }
    }
    std::vector<std::string> rows;
    for (const auto& [link, pairs] : uses) {
        const Link& each = platform.link({link});
        rows.push_back(fmt::format("{} {} {} {:016x}", print(each.bandwidth), each.latency.ps(),
                                   each.sharing == Sharing::fat_pipe ? "fat" : "shared", digest(pairs)));
    }
    std::sort(rows.begin(), rows.end());
    for (const std::string& row : rows) text += "\n" + row;
    return fmt::format("{} {} {} {:016x}", hosts.size(), uses.size(), total, digest(text));
}

TEST(SimGridRoutes, AreThoseOfSimGrid) {
    std::ifstream in(test_data() + "/simgrid/routes.txt");
    ASSERT_TRUE(in);
    int platforms = 0;
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with("#")) continue;
        const auto blank = line.find(' ');
        const std::string file = fmt::format("{}/simgrid/{}.xml", test_data(), line.substr(0, blank));
        const std::vector<std::string> quirks{"topology.simgrid_quirks=yes"};
        EXPECT_EQ(digest_words(*load_machine(file, quirks).platform), line.substr(blank + 1)) << file;
        ++platforms;
    }
    EXPECT_GE(platforms, 60);
}

// The quirks are off unless asked for, and then only concern the topologies that have them.
TEST(SimGridRoutes, WithoutQuirksDifferOnlyWhereSimGridHasThem) {
    const std::vector<std::string> quirks{"topology.simgrid_quirks=yes"};
    const auto same = [&](const std::string& name) {
        const std::string file = fmt::format("{}/simgrid/{}.xml", test_data(), name);
        return digest_words(*load_machine(file).platform) == digest_words(*load_machine(file, quirks).platform);
    };
    EXPECT_TRUE(same("platforms/wan"));
    EXPECT_TRUE(same("platforms/ft64"));
    EXPECT_FALSE(same("platforms/ft64_3"));
    EXPECT_FALSE(same("platforms/torus64"));
    EXPECT_FALSE(same("networks/fly0"));
    EXPECT_FALSE(same("networks/flat4")); // FATPIPE
}

} // namespace
} // namespace orrery::routes_test
