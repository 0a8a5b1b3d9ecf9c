#include "formats/exchange/writers.h"

#include "engine/error.h"
#include "engine/units.h"
#include "formats/myrinet/map_file.h"
#include "machine/platform.h"

#include <fmt/format.h>
#include <iterator>
#include <map>
#include <set>

namespace orrery {

namespace {

std::string toml_string(std::string_view value) {
    std::string out = "\"";
    for (const char c : value) {
        if (c == '"' || c == '\\') out += '\\';
        if (c == '\n') {
            out += "\\n";
        } else {
            out += c;
        }
    }
    return out + "\"";
}

// A name as [[hosts]] and [[switches]] list it.
std::string listed(const std::string& name) {
    if (name.find_first_of(",[]") != std::string::npos) {
        throw InputError(
            fmt::format("the name '{}' holds a comma or a bracket, which machine files cannot", name));
    }
    return toml_string(name);
}

// Exactly, in the unit that a person would take if it can.
std::string exact_bandwidth(double value) {
    constexpr double giga = 1e9;
    const std::string short_form = fmt::format("{} GB/s", value / giga);
    return parse_bandwidth(short_form) == value ? short_form : fmt::format("{} B/s", value);
}

std::string exact_rate(double value) {
    constexpr double giga = 1e9;
    const std::string short_form = fmt::format("{} Gflop/s", value / giga);
    return parse_rate(short_form) == value ? short_form : fmt::format("{} flop/s", value);
}

std::string exact_time(Time time) {
    constexpr std::int64_t thousand = 1000;
    if (time.ps() % (thousand * thousand) == 0) return fmt::format("{} us", time.ps() / thousand / thousand);
    if (time.ps() % thousand == 0) return fmt::format("{} ns", time.ps() / thousand);
    return fmt::format("{} ps", time.ps());
}

class TomlWriter {
  public:
    TomlWriter(const Fabric& fabric, const Machine& machine) : fabric_(fabric), machine_(machine) {}

    std::string write(const std::string& routes) {
        out_ = fmt::format("# {}, with its wiring\n[machine]\n", fabric_.platform().topology().words());
        add("name = {}\n", toml_string(machine_.name));
        if (!machine_.description.empty()) add("description = {}\n", toml_string(machine_.description));
        find_usual_cable();
        find_usual_host();
        add("\n[link]\nbandwidth = {}\nlatency = {}\n", toml_string(exact_bandwidth(usual_.first)),
            toml_string(exact_time(usual_.second)));
        out_ += "\n[topology]\ntype = \"graph\"\nthrough_hosts = false\n";
        if (!routes.empty()) add("\n[routing]\npolicy = \"file\"\nfile = {}\n", toml_string(routes));
        write_settings();
        write_hosts();
        write_switches();
        write_cables();
        return std::move(out_);
    }

  private:
    template <typename... Values> void add(fmt::format_string<Values...> pattern, Values&&... values) {
        fmt::format_to(std::back_inserter(out_), pattern, std::forward<Values>(values)...);
    }

    [[nodiscard]] std::pair<double, Time> kind_of(const Channel& channel) const {
        if (channel.bandwidth > 0) return {channel.bandwidth, channel.latency};
        const NodeId host = fabric_.is_host(channel.from) ? channel.from : channel.to; // it sits on a router
        return {injection_bandwidth(fabric_, HostId{host.value}), channel.latency};
    }

    template <typename Use> void each_cable(Use&& use) const {
        for (std::uint32_t i = 0; i < fabric_.channel_count(); ++i) {
            const Channel& channel = fabric_.channel({i});
            if (fabric_.is_channel({i}) && channel.from < channel.to) use(channel);
        }
    }

    // The kind of cable that most are of.
    void find_usual_cable() {
        std::map<std::pair<double, Time>, std::uint64_t> kinds;
        each_cable([&](const Channel& channel) { ++kinds[kind_of(channel)]; });
        std::uint64_t most = 0;
        for (const auto& [kind, count] : kinds) {
            if (count <= most) continue;
            most = count;
            usual_ = kind;
        }
    }

    // What [host] says: as those with speeds by burst size, which have no speed in [[hosts]], or as most.
    void find_usual_host() {
        std::map<std::pair<std::uint32_t, double>, std::uint64_t> kinds;
        std::uint64_t most = 0;
        for (const Host& host : fabric_.platform().hosts()) {
            const std::uint64_t count = ++kinds[{host.cores, host.speed}];
            const bool first_with_bursts = host.bursts > usual_host_.bursts;
            if (!first_with_bursts && (count <= most || host.bursts != usual_host_.bursts)) continue;
            most = count;
            usual_host_ = host;
        }
    }

    // What the machine says beside its hardware, section by section.
    void write_settings() {
        std::map<std::string, std::map<std::string, std::string>> sections;
        const auto take = [&](const std::string& key, const std::string& value) {
            const std::size_t dot = key.rfind('.');
            if (dot != std::string::npos) sections[key.substr(0, dot)][key.substr(dot + 1)] = value;
        };
        for (const auto& [key, setting] : machine_.hardware.all()) {
            if (key.starts_with("loopback.") || key.starts_with("provenance.") ||
                key == "host.speed_by_burst" || key == "host.counts") {
                take(key, setting.value);
            }
        }
        take("host.cores", std::to_string(usual_host_.cores));
        take("host.speed", exact_rate(usual_host_.speed));
        for (const auto& [key, setting] : machine_.settings.all()) {
            if (!key.starts_with("routing.") && !key.ends_with(".source")) take(key, setting.value);
        }
        for (const auto& [section, values] : sections) {
            add("\n[{}]\n", section);
            for (const auto& [key, value] : values) add("{} = {}\n", toml_string(key), toml_string(value));
        }
    }

    // Runs of equal hosts.
    void write_hosts() {
        const Platform& platform = fabric_.platform();
        for (std::uint32_t i = 0; i < platform.host_count();) {
            const Host& host = platform.host({i});
            out_ += "\n[[hosts]]\nnames = [";
            for (const char* comma = ""; i < platform.host_count() && platform.host({i}) == host;
                 ++i, comma = ", ") {
                add("{}{}", comma, listed(platform.topology().host_name({i})));
            }
            out_ += "]\n";
            if (host.cores != usual_host_.cores) add("cores = {}\n", host.cores);
            // A speed of its own would take the place of speeds by burst size.
            if (host.bursts == 0 && (host.speed != usual_host_.speed || usual_host_.bursts != 0))
                add("speed = {}\n", toml_string(exact_rate(host.speed)));
        }
    }

    void write_switches() {
        for (std::uint32_t i = fabric_.host_count(); i < fabric_.node_count();) {
            const std::uint32_t level = fabric_.level(NodeId{i});
            out_ += "\n[[switches]]\nnames = [";
            for (const char* comma = ""; i < fabric_.node_count() && fabric_.level(NodeId{i}) == level;
                 ++i, comma = ", ") {
                add("{}{}", comma, listed(fabric_.name(NodeId{i})));
            }
            add("]\nlevel = {}\n", level);
        }
    }

    void write_cables() {
        each_cable([&](const Channel& channel) {
            const std::string from = fabric_.name(channel.from);
            const std::string to = fabric_.name(channel.to);
            add("\n[[cables]]\nfrom = {}\nfrom_port = {}\nto = {}\nto_port = {}\nname = {}\n",
                toml_string(from), channel.from_port, toml_string(to), channel.to_port,
                toml_string(fmt::format("{}:{}-{}:{}", from, channel.from_port, to, channel.to_port)));
            const auto kind = kind_of(channel);
            if (kind.first != usual_.first) add("bandwidth = {}\n", toml_string(exact_bandwidth(kind.first)));
            if (kind.second != usual_.second) add("latency = {}\n", toml_string(exact_time(kind.second)));
        });
    }

    const Fabric& fabric_;
    const Machine& machine_;
    std::pair<double, Time> usual_{1e9, Time::us(1)};
    Host usual_host_;
    std::string out_;
};

} // namespace

std::string write_graph_toml(const Fabric& fabric, const Machine& machine, const std::string& routes) {
    return TomlWriter(fabric, machine).write(routes);
}

} // namespace orrery
