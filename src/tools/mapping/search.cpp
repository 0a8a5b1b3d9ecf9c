#include "tools/mapping/search.h"

#include "engine/interrupt.h"

#include <algorithm>
#include <numeric>

namespace orrery {

namespace {

// Bytes that have passed each link, those within hosts (`local`, by host) left out.
std::vector<double> bytes_passed(const Platform& platform, const CommunicationPattern& pattern,
                                 const std::vector<HostId>& hosts, const std::vector<double>& local,
                                 const Network& network) {
    std::vector<double> passed(platform.link_count(), 0);
    std::vector<LinkId> route;
    const auto add = [&](HostId from, HostId to, double bytes) {
        route.clear();
        platform.route(from, to, route);
        for (const LinkId link : route) passed[link.index()] += bytes;
    };
    if (const std::span<const LinkUse> use = network.link_use(); !use.empty()) {
        for (std::size_t link = 0; link < use.size(); ++link) passed[link] = use[link].bytes;
        for (std::uint32_t host = 0; host < local.size(); ++host) {
            if (local[host] > 0) add({host}, {host}, -local[host]);
        }
        return passed;
    }
    for (const RankMessage& message : pattern.messages) {
        const HostId from = hosts[message.from];
        const HostId to = hosts[message.to];
        if (from != to) add(from, to, static_cast<double>(message.bytes));
    }
    return passed;
}

void add_links(const Platform& platform, const CommunicationPattern& pattern, const std::vector<HostId>& hosts,
               const Network& network, MappingResult& result) {
    std::vector<double> within(platform.host_count(), 0);
    double local = 0;
    double remote = 0;
    for (const RankMessage& message : pattern.messages) {
        const HostId from = hosts[message.from];
        const auto bytes = static_cast<double>(message.bytes);
        const bool stays = from == hosts[message.to];
        (stays ? local : remote) += bytes;
        if (stays) within[from.index()] += bytes;
    }
    const std::vector<double> passed = bytes_passed(platform, pattern, hosts, within, network);
    result.hop_bytes = std::accumulate(passed.begin(), passed.end(), 0.0);
    result.mean_hops = remote > 0 ? result.hop_bytes / remote : 0;
    result.local = local + remote > 0 ? local / (local + remote) : 0;
    double most = 0; // seconds
    LinkId worst{0};
    for (std::uint32_t link = 0; link < passed.size(); ++link) {
        if (platform.link({link}).sharing == Sharing::fat_pipe) continue;
        const double seconds = passed[link] / platform.link({link}).bandwidth;
        if (seconds > most) worst = {link};
        most = std::max(most, seconds);
    }
    if (most == 0) return;
    result.worst_link = platform.topology().link_name(worst);
    result.worst_link_time = Time::from_ps(most * 1e12, "what passes the busiest link of the mapping");
}

} // namespace

MappingResult evaluate(const Platform& platform, const CommunicationPattern& pattern,
                       const std::vector<HostId>& hosts, Network& network) {
    MappingResult result;
    for (std::uint32_t i = 0; i < pattern.messages.size(); ++i) {
        const RankMessage& message = pattern.messages[i];
        network.start({i}, hosts[message.from], hosts[message.to], message.bytes, Time::zero());
    }
    std::vector<TransferId> arrived;
    for (Time now = network.next(); now != Time::max(); now = network.next()) {
        stop_if_interrupted();
        arrived.clear();
        network.advance(now, arrived);
        if (!arrived.empty()) result.time = now;
    }
    add_links(platform, pattern, hosts, network, result);
    return result;
}

std::vector<MappingResult> search_mappings(const Platform& platform, const CommunicationPattern& pattern,
                                           std::span<const CandidateMapping> candidates,
                                           const SearchOptions& options) {
    std::vector<MappingResult> results(candidates.size());
    const auto screen = [&](std::size_t i) {
        const std::unique_ptr<Network> network = options.network();
        results[i] = evaluate(platform, pattern, candidates[i].make(), *network);
        results[i].candidate = i;
        results[i].name = candidates[i].name;
    };
    run_in_threads(candidates.size(), options.threads, "estimates", screen, options.progress);
    std::sort(results.begin(), results.end(), [](const MappingResult& a, const MappingResult& b) {
        if (a.time != b.time) return a.time < b.time;
        return a.hop_bytes != b.hop_bytes ? a.hop_bytes < b.hop_bytes : a.candidate < b.candidate;
    });
    for (std::size_t i = 0; i < results.size(); ++i) results[i].screening_place = i + 1;
    return results;
}

} // namespace orrery
