#include "machine/routing/pattern_load.h"

#include "machine/routing/contention.h"

#include <algorithm>
#include <map>

namespace orrery {

PatternLoad load_of(const Fabric& fabric, const Routing& routing, const HostPattern& pattern) {
    std::map<std::uint32_t, std::vector<std::size_t>> phases; // phase: indices of its flows
    for (std::size_t i = 0; i < pattern.flows.size(); ++i) phases[pattern.flows[i].phase].push_back(i);

    PatternLoad load;
    load.one_of_many = routing.decides() != Decides::per_pair;
    load.channels.resize(fabric.channel_count());
    std::vector<Hop> hops;
    for (const auto& [phase, flows] : phases) {
        Contention contention(fabric.channel_count());
        std::vector<std::uint32_t> sent(fabric.host_count());
        std::vector<std::uint32_t> received(fabric.host_count());
        for (const std::size_t i : flows) {
            const Flow& flow = pattern.flows[i];
            hops.clear();
            routing.path(flow.from, flow.to, i, no_load(), hops);
            for (const Hop& hop : hops) {
                contention.add(hop.channel.value, flow.from, flow.to);
                load.channels[hop.channel.index()].bytes += flow.bytes;
            }
            load.most_sent = std::max(load.most_sent, ++sent[flow.from.index()]);
            load.most_received = std::max(load.most_received, ++received[flow.to.index()]);
        }
        for (std::uint32_t i = 0; i < fabric.channel_count(); ++i) {
            ChannelLoad& channel = load.channels[i];
            channel.flows = std::max(channel.flows, contention.flows(i));
            channel.contention = std::max(channel.contention, contention.level(i));
        }
    }
    for (std::uint32_t i = 0; i < fabric.channel_count(); ++i) {
        const Channel& channel = fabric.channel({i});
        if (!fabric.is_channel({i}) || fabric.is_host(channel.from) || fabric.is_host(channel.to)) continue;
        const ChannelLoad& here = load.channels[i];
        load.most_flows = std::max(load.most_flows, here.flows);
        if (here.flows >= load.with_flows.size()) load.with_flows.resize(here.flows + std::size_t{1});
        ++load.with_flows[here.flows];
        const auto rank = [&](LinkId link) {
            return std::pair(load.channels[link.index()].contention, load.channels[link.index()].flows);
        };
        if (here.flows > 0 && (load.worst == no_link || rank({i}) > rank(load.worst))) load.worst = {i};
    }
    if (load.worst != no_link) load.most_contention = load.channels[load.worst.index()].contention;
    return load;
}

} // namespace orrery
