#include "reference/kpacket.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>

namespace orrery::reference {

namespace {

using Resource = std::pair<int, std::uint32_t>; // 0: a link, 1: a sender, 2: a receiver

struct Sending {
    double rate = std::numeric_limits<double>::infinity();
    Time latency;
    Time left;
    Time piece = Time::max();
    std::set<Resource> way;
    std::tuple<Time, std::uint32_t, std::uint32_t> age; // instant, turn, place of the host in this turn
    enum { not_yet, waiting, gone } state = not_yet;
};

Time transfer_time(Bytes bytes, double rate) { return Time::from_ps(static_cast<double>(bytes) / rate * 1e12); }

Sending prepare(const Platform& platform, const KPacketParameters& parameters, const Message& message) {
    Sending out;
    std::vector<LinkId> route;
    platform.route(message.from, message.to, route);
    for (const LinkId link : route) {
        out.latency += platform.link(link).latency;
        out.rate = std::min(out.rate, platform.link(link).bandwidth);
        if (platform.link(link).sharing == Sharing::shared) out.way.insert({0, link.value});
    }
    const bool leaves = message.from != message.to || parameters.local;
    if (leaves && parameters.injection > 0) {
        out.rate = std::min(out.rate, parameters.injection);
        out.way.insert({1, message.from.value});
    }
    if (leaves && parameters.ejection > 0) {
        out.rate = std::min(out.rate, parameters.ejection);
        out.way.insert({2, message.to.value});
    }
    out.left = transfer_time(message.bytes, out.rate);
    return out;
}

double capacity(const Platform& platform, const KPacketParameters& parameters, const Resource& resource) {
    if (resource.first == 1) return parameters.injection;
    if (resource.first == 2) return parameters.ejection;
    return platform.link({resource.second}).bandwidth;
}

} // namespace

std::vector<Time> kpacket_arrivals(const Platform& platform, const KPacketParameters& parameters,
                                   const std::vector<Message>& messages) {
    std::vector<Time> arrival(messages.size(), Time::max());
    std::vector<Sending> all;
    for (std::size_t i = 0; i < messages.size(); ++i) {
        all.push_back(prepare(platform, parameters, messages[i]));
        if (!all[i].way.empty() && all[i].left > Time::zero()) continue;
        arrival[i] = messages[i].start + all[i].left + all[i].latency; // meets nobody
        all[i].state = Sending::gone;
    }
    const auto one_at_a_time = [&](const Resource& resource) {
        return parameters.sharing == LinkSharing::exclusive && resource.first == 0;
    };

    std::vector<std::size_t> renewed;         // have sent a piece in this iteration,
    std::vector<Time> ended(messages.size()); // and when
    for (Time now;;) {
        // Who joins now.
        std::map<std::uint32_t, std::uint32_t> turns;
        const auto join = [&](std::size_t i) {
            const std::uint32_t host = messages[i].from.value;
            const std::uint32_t hosts = platform.host_count();
            const std::uint32_t turn = turns[host]++;
            all[i].age = {now, turn, (host + hosts - turn % hosts) % hosts};
            all[i].state = Sending::waiting;
            if (messages[i].bytes > parameters.piece)
                all[i].piece = std::max(Time::ps(1), transfer_time(parameters.piece, all[i].rate));
        };
        for (const std::size_t i : renewed) join(i);
        renewed.clear();
        for (std::size_t i = 0; i < messages.size(); ++i) {
            if (all[i].state == Sending::not_yet && messages[i].start == now) join(i);
        }

        // The selection, by age.
        std::vector<std::size_t> order;
        for (std::size_t i = 0; i < messages.size(); ++i) {
            if (all[i].state == Sending::waiting) order.push_back(i);
        }
        std::sort(order.begin(), order.end(), [&](auto a, auto b) { return all[a].age < all[b].age; });
        std::map<Resource, double> used;
        std::vector<std::size_t> selected;
        for (const std::size_t i : order) {
            const bool fits = std::all_of(all[i].way.begin(), all[i].way.end(), [&](const Resource& each) {
                if (one_at_a_time(each)) return used[each] == 0;
                return used[each] + all[i].rate <= capacity(platform, parameters, each);
            });
            if (!fits) continue;
            selected.push_back(i);
            for (const Resource& each : all[i].way) used[each] += all[i].rate;
        }

        // Its granularity: to the first who ends, and on as long as others end within the tolerance; a start
        // ends it at once.
        Time start = Time::max();
        for (std::size_t i = 0; i < messages.size(); ++i) {
            if (all[i].state == Sending::not_yet) start = std::min(start, messages[i].start);
        }
        const auto end = [&](std::size_t i) { return now + std::min(all[i].left, all[i].piece); };
        Time until = Time::max();
        for (const std::size_t i : selected) until = std::min(until, end(i));
        if (until == Time::max() && start == Time::max()) return arrival;
        if (until < start) {
            const Time window =
                until + Time::from_ps(static_cast<double>((until - now).ps()) * parameters.tolerance);
            for (const std::size_t i : selected) {
                if (end(i) <= window) until = std::max(until, end(i));
            }
        }
        until = std::min(until, start);
        for (const std::size_t i : selected) {
            const Time ends = end(i);
            const Time spent = std::min(ends, until) - now;
            all[i].left -= spent;
            if (all[i].piece != Time::max()) all[i].piece -= spent;
            if (all[i].left == Time::zero()) {
                all[i].state = Sending::gone;
                arrival[i] = ends + all[i].latency;
            } else if (all[i].piece == Time::zero()) {
                renewed.push_back(i);
                ended[i] = ends;
            }
        }
        std::sort(renewed.begin(), renewed.end(), [&](auto a, auto b) {
            return std::tuple(ended[a], messages[a].start, a) < std::tuple(ended[b], messages[b].start, b);
        });
        now = until;
    }
}

} // namespace orrery::reference
