#include "engine/units.h"
#include "observe/machine/check.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace orrery {

namespace {

std::string_view plural(std::uint64_t count) { return count == 1 ? "" : "s"; }

std::string bisection_words(const MachineCheck& check) {
    std::string out;
    if (check.shape_bisection) out = format_bandwidth(*check.shape_bisection) + " by its shape";
    if (check.bisection) {
        out += fmt::format("{}{} by search ({} cable{} cut)", out.empty() ? "" : ", ",
                           format_bandwidth(check.bisection->bandwidth), format_count(check.bisection->cables),
                           plural(check.bisection->cables));
    }
    return out.empty() ? "not known: too large to search" : out;
}

std::string deadlock_words(const MachineCheck& check) {
    const DeadlockCheck& deadlock = check.deadlock;
    const std::string among = fmt::format("{} channel dependencies of {} route{}{}",
                                          format_count(deadlock.dependencies), format_count(deadlock.paths),
                                          plural(deadlock.paths), deadlock.all ? "" : ", a sample of all");
    if (deadlock.cycle.empty()) {
        return fmt::format("{}: no cycle among the {}", deadlock.all ? "cannot happen" : "none found", among);
    }
    return fmt::format(
        "possible: a cycle among the {}\n                {}\n"
        "                routing.policy=layered (the same routes on more lanes) or up-down have none",
        among, check.cycle);
}

void add_load(const MachineCheck& check, std::string& out) {
    const PatternLoad& load = *check.load;
    out +=
        fmt::format("  pattern       {}: {} flow{}; a host sends {} at most and receives {}\n", check.pattern,
                    format_count(check.flows), plural(check.flows), load.most_sent, load.most_received);
    if (load.worst == no_link) {
        out += "  conflicts     none: no flow passes a channel between switches\n";
        return;
    }
    out +=
        fmt::format("  conflicts     {} flow{} at most on a channel between switches, contention {} ({}){}\n",
                    load.most_flows, plural(load.most_flows), load.most_contention, check.worst_channel,
                    load.one_of_many ? ", for one of many choices" : "");
    std::string counts;
    for (std::size_t flows = 0; flows < load.with_flows.size(); ++flows) {
        if (load.with_flows[flows] == 0) continue;
        counts += fmt::format("{}{} with {}", counts.empty() ? "" : ", ", format_count(load.with_flows[flows]),
                              flows);
    }
    out += fmt::format("  channels      {}\n", counts);
}

} // namespace

std::string check_words(const Machine& machine, const MachineCheck& check) {
    const Platform& platform = *machine.platform;
    std::string out =
        fmt::format("{} is sound: {}, {} hosts, {} links\n", machine.file, platform.topology().words(),
                    format_count(platform.host_count()), format_count(platform.link_count()));
    const RouteSurvey& routes = check.routes;
    if (routes.pairs > 0) {
        out += fmt::format("{} routes checked{}: {} to {} links ({:.2f} on average), {} to {}\n",
                           format_count(routes.pairs), routes.all ? ", which are all" : "", routes.fewest_links,
                           routes.most_links, routes.mean_links, format_time(routes.least_latency),
                           format_time(routes.most_latency));
    }
    if (!check.without_fabric.empty()) return out + fmt::format("no more is known: {}\n", check.without_fabric);
    out += fmt::format("  switches      {}, {} cables{}\n", format_count(check.switches),
                       format_count(check.cables),
                       check.unreached ? fmt::format("; {} cannot be reached from {} through them",
                                                     platform.topology().host_name(*check.unreached),
                                                     platform.topology().host_name({0}))
                                       : "; all hosts are joined through them");
    for (const std::string& each : check.left_out) out += fmt::format("  left out      {}\n", each);
    out += fmt::format("  bisection     {}\n", bisection_words(check));
    out += fmt::format("  routing       {}; {} lane{}\n", check.routing, check.lanes, plural(check.lanes));
    if (check.deadlock.paths > 0) {
        out += fmt::format("  routes        {} to {} channels ({:.2f} on average)\n",
                           check.deadlock.fewest_hops, check.deadlock.most_hops, check.deadlock.mean_hops);
        out += fmt::format("  deadlock      {}\n", deadlock_words(check));
    }
    if (check.load) add_load(check, out);
    return out;
}

nlohmann::ordered_json check_json(const Machine& machine, const MachineCheck& check) {
    using Json = nlohmann::ordered_json;
    const Platform& platform = *machine.platform;
    Json out{{"machine", machine.name},
             {"file", machine.file},
             {"topology", platform.topology().words()},
             {"hosts", platform.host_count()},
             {"links", platform.link_count()}};
    out["routes"] = {{"pairs", check.routes.pairs},
                     {"all", check.routes.all},
                     {"fewest_links", check.routes.fewest_links},
                     {"most_links", check.routes.most_links},
                     {"mean_links", check.routes.mean_links},
                     {"least_latency_ps", check.routes.least_latency.ps()},
                     {"most_latency_ps", check.routes.most_latency.ps()}};
    out["bisection_bytes_per_second"] = check.shape_bisection ? Json(*check.shape_bisection) : Json(nullptr);
    out["passed_over"] = machine.ignored;
    if (!check.without_fabric.empty()) {
        out["no_switches"] = check.without_fabric;
        return out;
    }
    out["switches"] = check.switches;
    out["cables"] = check.cables;
    out["left_out"] = check.left_out;
    out["connected"] = !check.unreached;
    out["bisection_by_search"] = check.bisection ? Json{{"bytes_per_second", check.bisection->bandwidth},
                                                        {"cables", check.bisection->cables}}
                                                 : Json(nullptr);
    out["routing"] = {{"words", check.routing}, {"lanes", check.lanes}};
    out["routes"] = {{"count", check.deadlock.paths},
                     {"all", check.deadlock.all},
                     {"fewest_channels", check.deadlock.fewest_hops},
                     {"most_channels", check.deadlock.most_hops},
                     {"mean_channels", check.deadlock.mean_hops}};
    out["deadlock"] = {{"possible", !check.deadlock.cycle.empty()},
                       {"dependencies", check.deadlock.dependencies},
                       {"cycle", check.cycle}};
    if (check.load) {
        const PatternLoad& load = *check.load;
        out["pattern"] = {{"words", check.pattern},
                          {"flows", check.flows},
                          {"most_sent_by_a_host", load.most_sent},
                          {"most_received_by_a_host", load.most_received},
                          {"most_flows_on_a_channel", load.most_flows},
                          {"contention", load.most_contention},
                          {"worst_channel", check.worst_channel},
                          {"channels_by_flows", load.with_flows},
                          {"one_of_many_choices", load.one_of_many}};
    }
    return out;
}

} // namespace orrery
