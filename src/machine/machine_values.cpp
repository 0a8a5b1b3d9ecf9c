#include "machine/machine_values.h"

#include "engine/units.h"
#include "machine/machine_limits.h"
#include "machine/topologies/lists.h"

#include <fmt/format.h>

namespace orrery {

void MachineValues::fail(const std::string& key, const std::string& reason) const {
    const Setting* setting = settings_.find(key);
    if (setting != nullptr) fail_setting(*setting, fmt::format("{}: {}", key, reason));
    throw InputError(Error{file_, 0, 0, fmt::format("{}: {}", key, reason)});
}

void MachineValues::require(const std::string& key, std::string_view example) const {
    if (has(key)) return;
    throw InputError(
        Error{file_, 0, 0, fmt::format("{} is missing; expected something like {}", key, example)});
}

double MachineValues::bandwidth(const std::string& key) const {
    require(key, "10 Gbit/s");
    const double value = parse(key, parse_bandwidth);
    if (value <= 0) fail(key, "a bandwidth must be more than zero");
    return value;
}

double MachineValues::rate(const std::string& key, double otherwise) const {
    if (!has(key)) return otherwise;
    const double value = parse(key, parse_rate);
    if (value <= 0) fail(key, "a speed must be more than zero");
    return value;
}

std::uint32_t MachineValues::count(const std::string& key, std::uint32_t otherwise) const {
    if (otherwise != 0 && !has(key)) return otherwise;
    require(key, "16");
    const std::uint64_t value = parse(key, parse_count);
    if (value == 0 || value > machine_limits().hosts)
        fail(key, fmt::format("must be from 1 to {}", machine_limits().hosts));
    return static_cast<std::uint32_t>(value);
}

std::vector<std::uint32_t> MachineValues::counts(const std::string& key) const {
    require(key, "4, 4, 4");
    return parse(key, parse_counts);
}

Duplex MachineValues::duplex(const std::string& key, Duplex otherwise, bool split_too) const {
    if (!has(key)) return otherwise;
    const std::string word = settings_.word(key, "");
    if (word == "shared") return Duplex::shared;
    if (word == "fat-pipe") return Duplex::fat_pipe;
    if (word == "split-duplex" && split_too) return Duplex::split;
    settings_.complain(key, split_too ? "split-duplex, shared or fat-pipe" : "shared or fat-pipe");
}

Cable MachineValues::cable(const std::string& section, const std::string& otherwise) const {
    const auto key = [&](const char* leaf) {
        const bool elsewhere = !otherwise.empty() && !has(section + leaf);
        return (elsewhere ? otherwise : section) + leaf;
    };
    const std::string latency = key(".latency");
    require(latency, "1 us");
    return {bandwidth(key(".bandwidth")), settings_.time(latency, Time::zero()),
            duplex(key(".sharing"), Duplex::split, true)};
}

Cable MachineValues::cable_over(const std::string& section, const std::optional<Cable>& base) const {
    if (!base) return cable(section);
    Cable cable = *base;
    if (has(section + ".bandwidth")) cable.bandwidth = bandwidth(section + ".bandwidth");
    cable.latency = settings_.time(section + ".latency", cable.latency);
    cable.duplex = duplex(section + ".sharing", cable.duplex, true);
    return cable;
}

std::optional<Cable> MachineValues::optional_cable(const std::string& section) const {
    if (!has(section + ".bandwidth") || settings_.word(section + ".bandwidth", "") == "none")
        return std::nullopt;
    return Cable{bandwidth(section + ".bandwidth"), settings_.time(section + ".latency", Time::zero()),
                 duplex(section + ".sharing", Duplex::shared, false)};
}

std::optional<Link> MachineValues::loopback() const {
    constexpr double usual = 10e9; // bytes per second: as SimGrid's zones have it
    if (settings_.word("loopback.bandwidth", "") == "none") return std::nullopt;
    const double speed = has("loopback.bandwidth") ? bandwidth("loopback.bandwidth") : usual;
    const Duplex sharing = duplex("loopback.sharing", Duplex::fat_pipe, false);
    return Link{speed, settings_.time("loopback.latency", Time::zero()),
                sharing == Duplex::shared ? Sharing::shared : Sharing::fat_pipe};
}

} // namespace orrery
