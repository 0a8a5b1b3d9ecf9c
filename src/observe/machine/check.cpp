#include "observe/machine/check.h"

#include "engine/error.h"
#include "machine/routing/routing.h"

#include <array>
#include <memory>

namespace orrery {

Settings routing_settings(const Machine& machine) {
    Settings settings;
    for (const auto& [key, setting] : machine.settings.all()) {
        if (key.starts_with("routing.")) settings.set(key, setting.value, setting.file, setting.line);
    }
    settings.check_known(std::array{routing_parameters()});
    return settings;
}

MachineCheck check_machine(const Machine& machine, const MachineCheckOptions& options) {
    const Platform& platform = *machine.platform;
    MachineCheck check;
    check.routes = survey_routes(platform, std::max<std::uint64_t>(1, options.pairs));
    check.hosts = platform.host_count();
    check.shape_bisection = platform.topology().bisection();
    std::unique_ptr<Fabric> fabric;
    try {
        fabric = std::make_unique<Fabric>(platform);
    } catch (const InputError& error) {
        if (!options.pattern.empty()) throw;
        check.without_fabric = error.error().reason;
        return check;
    }
    check.switches = fabric->switch_count();
    for (std::uint32_t i = 0; i < platform.link_count(); ++i) {
        if (fabric->is_channel({i}) && fabric->channel({i}).reverse.value > i) ++check.cables;
    }
    check.left_out.assign(fabric->left_out().begin(), fabric->left_out().end());
    check.unreached = unreached_host(*fabric);
    check.bisection = find_bisection(*fabric);
    const std::unique_ptr<Routing> routing = make_routing(*fabric, routing_settings(machine));
    check.routing = routing->words();
    check.lanes = routing->lanes();
    if (platform.host_count() > 1)
        check.deadlock = check_deadlock(*fabric, *routing, std::max<std::uint64_t>(1, options.pairs));
    check.cycle = cycle_words(*fabric, check.deadlock.cycle, check.lanes);
    if (options.pattern.empty()) return check;
    const HostPattern pattern = read_pattern(platform, options.pattern);
    check.pattern = pattern.words;
    check.flows = pattern.flows.size();
    check.load = load_of(*fabric, *routing, pattern);
    if (check.load->worst != no_link) check.worst_channel = fabric->name(check.load->worst);
    return check;
}

} // namespace orrery
