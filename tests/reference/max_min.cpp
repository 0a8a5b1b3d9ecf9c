#include "reference/max_min.h"

#include "network/flow/path.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace orrery::reference {

namespace {
constexpr double never = std::numeric_limits<double>::infinity();
}

std::vector<double> max_min_rates(const std::vector<Link>& links, const std::vector<Flow>& flows) {
    std::vector<double> rate(flows.size(), 0);
    std::vector<bool> fixed(flows.size(), false);
    for (std::size_t left = flows.size(); left > 0;) {
        // How far can all that are not fixed be raised together?
        std::vector<double> full(links.size(), never);
        for (std::size_t l = 0; l < links.size(); ++l) {
            double room = links[l].bandwidth;
            double use = 0;
            for (std::size_t i = 0; i < flows.size(); ++i) {
                for (const LinkShare& share : flows[i].route) {
                    if (share.link.index() != l || links[l].sharing == Sharing::fat_pipe) continue;
                    if (fixed[i]) {
                        room -= share.coefficient * rate[i];
                    } else {
                        use += share.coefficient / flows[i].weight;
                    }
                }
            }
            if (use > 0) full[l] = std::max(room, 0.0) / use;
        }
        const auto own = [&](const Flow& flow) { // bound and fat pipes
            double bound = flow.bound;
            for (const LinkShare& share : flow.route) {
                const Link& link = links[share.link.index()];
                if (link.sharing == Sharing::fat_pipe)
                    bound = std::min(bound, link.bandwidth / share.coefficient);
            }
            return bound;
        };
        const auto limit = [&](const Flow& flow) {
            double level = own(flow) * flow.weight;
            for (const LinkShare& share : flow.route) level = std::min(level, full[share.link.index()]);
            return level;
        };
        double level = never;
        for (std::size_t i = 0; i < flows.size(); ++i) {
            if (!fixed[i]) level = std::min(level, limit(flows[i]));
        }
        for (std::size_t i = 0; i < flows.size(); ++i) {
            if (fixed[i] || limit(flows[i]) > level) continue;
            fixed[i] = true;
            rate[i] = level / flows[i].weight;
            --left;
        }
    }
    return rate;
}

std::string why_not_max_min(const std::vector<Link>& links, const std::vector<Flow>& flows,
                            const std::vector<double>& rates, double precision) {
    std::vector<double> used(links.size(), 0);
    std::vector<double> highest(links.size(), 0);
    for (std::size_t i = 0; i < flows.size(); ++i) {
        if (rates[i] > flows[i].bound * (1 + precision)) return fmt::format("flow {} is above its bound", i);
        for (const LinkShare& share : flows[i].route) {
            const std::size_t l = share.link.index();
            used[l] += share.coefficient * rates[i];
            highest[l] = std::max(highest[l], rates[i] * flows[i].weight);
            if (links[l].sharing == Sharing::fat_pipe &&
                share.coefficient * rates[i] > links[l].bandwidth * (1 + precision)) {
                return fmt::format("flow {} is above its fat pipe {}", i, l);
            }
        }
    }
    for (std::size_t l = 0; l < links.size(); ++l) {
        if (links[l].sharing == Sharing::shared && used[l] > links[l].bandwidth * (1 + precision)) {
            return fmt::format("link {} carries {} of {}", l, used[l], links[l].bandwidth);
        }
    }
    for (std::size_t i = 0; i < flows.size(); ++i) {
        bool limited = rates[i] >= flows[i].bound * (1 - precision);
        for (const LinkShare& share : flows[i].route) {
            const std::size_t l = share.link.index();
            const double capacity = links[l].bandwidth * (1 - precision);
            if (links[l].sharing == Sharing::fat_pipe) {
                limited = limited || share.coefficient * rates[i] >= capacity;
            } else {
                limited = limited ||
                          (used[l] >= capacity && rates[i] * flows[i].weight >= highest[l] * (1 - precision));
            }
        }
        if (!limited) return fmt::format("flow {} at rate {} has no bottleneck", i, rates[i]);
    }
    return "";
}

std::vector<double> arrivals(const Platform& platform, const FlowParameters& parameters,
                             const std::vector<Message>& messages) {
    PathCache paths(platform, parameters);
    const std::vector<Link> links(platform.links().begin(), platform.links().end());
    std::vector<double> enters;
    std::vector<double> remaining;
    std::vector<double> arrival(messages.size(), never);
    std::vector<Flow> flows;
    for (std::size_t i = 0; i < messages.size(); ++i) {
        const Message& message = messages[i];
        const Path& path = paths[paths.find(message.from, message.to)];
        enters.push_back(message.start.seconds() +
                         path.latency.seconds() *
                             FlowParameters::factor(parameters.latency_factor, message.bytes));
        remaining.push_back(static_cast<double>(message.bytes) /
                            FlowParameters::factor(parameters.bandwidth_factor, message.bytes));
        flows.push_back({{path.links.begin(), path.links.end()}, path.weight, path.bound});
        if (message.bytes == 0 || path.links.empty()) arrival[i] = enters[i];
    }
    for (double now = 0;;) {
        std::vector<std::size_t> active;
        std::vector<Flow> sharing;
        double until = never;
        for (std::size_t i = 0; i < messages.size(); ++i) {
            if (arrival[i] != never) continue;
            if (enters[i] > now) {
                until = std::min(until, enters[i]);
            } else {
                active.push_back(i);
                sharing.push_back(flows[i]);
            }
        }
        std::vector<double> rates;
        if (parameters.contention) {
            rates = max_min_rates(links, sharing);
        } else {
            for (const Flow& flow : sharing) rates.push_back(flow.bound);
        }
        double first = never;
        for (std::size_t k = 0; k < active.size(); ++k)
            first = std::min(first, now + remaining[active[k]] / rates[k]);
        until = std::min(until, first);
        if (until == never) return arrival;
        for (std::size_t k = 0; k < active.size(); ++k) {
            const std::size_t i = active[k];
            // Those that end within a femtosecond end together, as rounding would have it.
            if (now + remaining[i] / rates[k] <= until + 1e-15) arrival[i] = until;
            remaining[i] -= rates[k] * (until - now);
        }
        now = until;
    }
}

} // namespace orrery::reference
