// What messages take on an idle network, and how that follows the bandwidths of channels.
#include "engine/too_long.h"
#include "machine/platform.h"
#include "network/packet/core.h"

#include <algorithm>

namespace orrery::packet {

namespace {

// A time, and by how much it changes when what it is made of changes in some direction. Of two that are equal
// the later one is that which grows faster.
struct Directed {
    Time time;
    Time change;
};
Directed operator+(Directed a, Directed b) { return {a.time + b.time, a.change + b.change}; }
Directed operator+(Directed a, Time b) { return {a.time + b, a.change}; }
Directed operator-(Directed a, Directed b) { return {a.time - b.time, a.change - b.change}; }
Directed operator-(Directed a, Time b) { return {a.time - b, a.change}; }
Directed operator*(std::int64_t n, Directed a) { return {n * a.time, n * a.change}; }
Directed later(Directed a, Directed b) {
    return a.time < b.time || (a.time == b.time && a.change < b.change) ? b : a;
}
using orrery::check_length;
void check_length(Directed at) { check_length(at.time); }

// A segment on its way, where it waits for nothing but the segments of its own message.
template <typename When> struct Passing {
    std::int64_t flits = 0;
    When first{}; // at the present switch
    When last{};

    // When it may start on a channel: not so early that the channel would run out of its flits.
    [[nodiscard]] When ready(When pace) const { return later(first, last - flits * pace); }
    void pass(When start, When pace, Time delay) {
        first = start + delay;
        last = first + flits * pace;
        check_length(last);
    }
};

} // namespace

void Core::find_hops(HostId from, HostId to) {
    hops_.clear();
    routing_.path(from, to, 0, no_load(), hops_);
}

// The segments of a message follow each other. All but the last are equal: between the first and the last of
// these the others pass at the pace of whichever channel is the slowest so far. So three segments are enough.
template <typename FlitTime> auto Core::message_alone(Bytes bytes, const FlitTime& flit_time) const {
    using When = std::invoke_result_t<FlitTime, std::size_t>;
    const std::int64_t whole = bytes == 0 ? 0 : static_cast<std::int64_t>((bytes - 1) / parameters_.segment);
    Passing<When> first_whole{full_flits_};
    Passing<When> last_whole{full_flits_};
    Passing<When> rest{last_flits(bytes)};
    When pace{};
    for (std::size_t hop = 0; hop < hops_.size(); ++hop) {
        // Flits that advance one by one keep to the slowest channel.
        const bool wormhole = parameters_.switching == Switching::wormhole;
        pace = wormhole ? later(pace, flit_time(hop)) : flit_time(hop);
        const Time delay = wires_[hops_[hop].channel.index()].latency + parameters_.switch_delay;
        When start = rest.ready(pace);
        if (whole > 0) {
            const When begin = first_whole.ready(pace);
            const When end = later(last_whole.ready(pace), begin + (whole - 1) * (full_flits_ * pace));
            start = later(start, end + full_flits_ * pace);
            first_whole.pass(begin, pace, delay);
            last_whole.pass(end, pace, delay);
        }
        rest.pass(start, pace, delay);
    }
    return rest.last - parameters_.switch_delay;
}

// The time of an empty message.
Time Core::latency(HostId from, HostId to) {
    if (from == to) return loopback_alone(from, 0).latency;
    find_hops(from, to);
    return message_alone(0, [&](std::size_t hop) { return wires_[hops_[hop].channel.index()].flit_time; });
}

// One link after the other; the links are in links_ then.
Uncontended Core::loopback_alone(HostId host, Bytes bytes) {
    links_.clear();
    fabric_.platform().route(host, host, links_);
    Uncontended alone;
    double least = 0;
    for (const LinkId id : links_) {
        const Link& link = fabric_.platform().link(id);
        add_latency(alone.latency, link.latency);
        if (link.bandwidth <= 0) continue;
        alone.transmission +=
            transfer_time(static_cast<double>(bytes), link.bandwidth, "the transfer of a message");
        if (alone.bottleneck != Uncontended::no_link && link.bandwidth >= least) continue;
        least = link.bandwidth;
        alone.bottleneck = id;
    }
    return alone;
}

Uncontended Core::uncontended(HostId from, HostId to, Bytes bytes) {
    if (from == to) return loopback_alone(from, bytes);
    find_hops(from, to);
    Uncontended alone;
    Time slowest = Time::ticks(-1);
    for (const Hop& hop : hops_) {
        const Wire& wire = wires_[hop.channel.index()];
        add_latency(alone.latency, wire.latency);
        if (wire.flit_time <= slowest) continue;
        slowest = wire.flit_time;
        alone.bottleneck = hop.channel;
    }
    alone.latency += (static_cast<std::int64_t>(hops_.size()) - 1) * parameters_.switch_delay;
    const Time whole =
        message_alone(bytes, [&](std::size_t hop) { return wires_[hops_[hop].channel.index()].flit_time; });
    alone.transmission = later(whole - alone.latency, Time::zero());
    return alone;
}

RouteSlopes Core::route_slopes(HostId from, HostId to, Bytes bytes, const LinkClassOf& class_of) {
    RouteSlopes slopes;
    const auto slope_of = [&](std::uint32_t link_class) -> RouteSlopes::OfClass& {
        const auto known = std::find_if(slopes.classes.begin(), slopes.classes.end(),
                                        [&](const auto& each) { return each.link_class == link_class; });
        if (known != slopes.classes.end()) return *known;
        return slopes.classes.emplace_back(RouteSlopes::OfClass{link_class, {}, {}});
    };
    if (from == to) {
        (void)loopback_alone(from, bytes);
        for (const LinkId id : links_) {
            const Link& link = fabric_.platform().link(id);
            slopes.links.push_back({id, 0, link.latency});
            if (link.bandwidth <= 0) continue;
            RouteSlopes::OfClass& slope = slope_of(class_of(0, id));
            slope.less_bandwidth +=
                transfer_time(static_cast<double>(bytes), link.bandwidth, "the transfer of a message");
            slope.more_bandwidth = slope.less_bandwidth;
        }
        return slopes;
    }
    find_hops(from, to);
    std::vector<std::uint32_t> class_of_hop;
    for (const Hop& hop : hops_) {
        slopes.links.push_back({hop.channel, 0, wires_[hop.channel.index()].latency});
        class_of_hop.push_back(class_of(0, hop.channel));
        (void)slope_of(class_of_hop.back());
    }
    for (RouteSlopes::OfClass& slope : slopes.classes) {
        const auto change_by = [&](std::int64_t sign) {
            const auto flit_time = [&](std::size_t hop) {
                const Time flit = wires_[hops_[hop].channel.index()].flit_time;
                const bool changes = class_of_hop[hop] == slope.link_class;
                return Directed{flit, changes ? sign * flit : Time::zero()};
            };
            return message_alone(bytes, flit_time).change;
        };
        slope.less_bandwidth = change_by(1);
        slope.more_bandwidth = Time::zero() - change_by(-1);
    }
    return slopes;
}

} // namespace orrery::packet
