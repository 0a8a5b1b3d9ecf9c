#include "machine/machine_builder.h"

#include "engine/error.h"
#include "engine/units.h"
#include "machine/machine_keys.h"
#include "machine/machine_values.h"
#include "machine/net.h"
#include "machine/topologies/lists.h"
#include "machine/topology_kinds.h"

#include <fmt/format.h>
#include <utility>

namespace orrery {

namespace {

std::vector<SpeedByBurst> read_bursts(std::string_view text) {
    std::vector<SpeedByBurst> out;
    for (const std::string_view piece : split_at(text, ';')) {
        const auto parts = split_at(piece, ':');
        if (parts.size() != 2) {
            throw UsageError(fmt::format("'{}' is not of the form SIZE: SPEED, such as 1e6: 3 Gflop/s", piece));
        }
        Settings size; // for its reader of numbers
        size.set("size", std::string(parts[0]), "");
        SpeedByBurst burst;
        try {
            burst = {size.number("size", 0), parse_rate(parts[1])};
        } catch (const InputError& error) {
            throw UsageError(error.what());
        }
        if (burst.speed <= 0) throw UsageError("a speed must be more than zero");
        if (burst.from < 0 || (!out.empty() && burst.from <= out.back().from)) {
            throw UsageError(fmt::format("'{}': sizes must ascend from 0", piece));
        }
        out.push_back(burst);
    }
    return out;
}

} // namespace

std::unique_ptr<Platform> build_platform(const Settings& hardware, const std::vector<MachinePart>& parts,
                                         const std::string& file, const Net* net) {
    const MachineValues values(hardware, file);
    values.require("topology.type", "crossbar");
    const TopologyKind& kind = topology_kind(hardware);
    check_hardware_keys(hardware, kind);
    if (const std::string counted = hardware.word("host.counts", "instructions");
        counted != "instructions" && counted != "flops" && counted != "cpu-time")
        hardware.complain("host.counts", "instructions, flops or cpu-time");
    constexpr double usual_speed = 1e9;
    const Host host{values.rate("host.speed", usual_speed), values.count("host.cores", 1),
                    values.has("host.speed_by_burst") ? 1U : 0U};
    std::unique_ptr<Platform> platform;
    if (net != nullptr) {
        platform = build_net(*net, values, host);
    } else {
        if (!kind.of_parts && !parts.empty()) {
            throw InputError(
                Error{parts[0].file, parts[0].line, 0,
                      fmt::format("[[{}]] has a meaning only for the topology 'graph'", parts[0].kind)});
        }
        platform = kind.make({values, parts, host});
    }
    if (values.has("host.speed_by_burst")) {
        platform->bursts.push_back(values.parse("host.speed_by_burst", read_bursts));
    }
    return platform;
}

} // namespace orrery
