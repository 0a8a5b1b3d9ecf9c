#include "network/kpacket/kpacket_network.h"

#include "engine/error.h"
#include "engine/too_long.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <numeric>

namespace orrery {

namespace {

constexpr double ps_per_second = 1e12;

// Rates are compared and added as integers, so that the order of additions does not matter.
std::uint64_t whole(double units) {
    constexpr double most = 0x1p62;
    return static_cast<std::uint64_t>(std::clamp(std::round(units), 1.0, most));
}

// So many units of those integers are a byte per second: one, or more where a link is so slow that rounding
// would matter.
double units_of(const Platform& platform, const KPacketParameters& parameters) {
    constexpr double enough = 1024;
    constexpr double endless = 0x1p61;
    double least = endless;
    double most = 1;
    const auto consider = [&](double bandwidth) {
        if (!(bandwidth > 0 && bandwidth < endless)) return;
        least = std::min(least, bandwidth);
        most = std::max(most, bandwidth);
    };
    for (const Link& link : platform.links()) consider(link.bandwidth);
    consider(parameters.injection);
    consider(parameters.ejection);
    if (least >= enough) return 1;
    const int wanted = std::ilogb(enough) - std::ilogb(least);
    const double units = std::ldexp(1, std::min(wanted, std::ilogb(endless) - std::ilogb(most)));
    constexpr double too_few = 64;
    if (least * units < too_few)
        throw InputError(
            fmt::format("kpacket: bandwidths from {:.6g} B/s to {:.6g} B/s are too far apart to be "
                        "added up",
                        least, most));
    return units;
}

Time duration(Bytes bytes, double rate) {
    return transfer_time(static_cast<double>(bytes), rate, "the transfer of a message");
}

// Of a link that carries one message at a time: whoever passes takes all of it.
constexpr std::uint64_t one_message = 1;

std::vector<std::uint64_t> capacities(const Platform& platform, const KPacketParameters& parameters,
                                      double units) {
    std::vector<std::uint64_t> out;
    for (const Link& link : platform.links())
        out.push_back(parameters.sharing == LinkSharing::capacity ? whole(link.bandwidth * units)
                                                                  : one_message);
    if (parameters.injection > 0)
        out.insert(out.end(), platform.host_count(), whole(parameters.injection * units));
    if (parameters.ejection > 0)
        out.insert(out.end(), platform.host_count(), whole(parameters.ejection * units));
    return out;
}

} // namespace

KPacketNetwork::KPacketNetwork(const Platform& platform, const KPacketParameters& parameters)
    : platform_(platform), parameters_(parameters), hosts_(platform.host_count()),
      first_injection_(platform.link_count()),
      first_ejection_(first_injection_ + (parameters.injection > 0 ? hosts_ : 0)),
      units_(units_of(platform, parameters)), selection_(capacities(platform, parameters, units_)),
      turns_(hosts_), link_use_(platform.link_count()), start_order_(hosts_) {}

// The resources of a message, in path_, and what its route makes of it.
void KPacketNetwork::find_path(Transfer& transfer) {
    route_.clear();
    path_.clear();
    platform_.route(transfer.from, transfer.to, route_);
    transfer.latency = Time::zero();
    transfer.rate = std::numeric_limits<double>::infinity();
    for (const LinkId id : route_) {
        const Link& link = platform_.link(id);
        add_latency(transfer.latency, link.latency);
        transfer.rate = std::min(transfer.rate, link.bandwidth);
        if (link.sharing == Sharing::fat_pipe) continue;
        if (std::find(path_.begin(), path_.end(), id.value) == path_.end()) {
            path_.push_back(id.value);
        } else { // there and back on one link: half the rate, all of the link
            transfer.rate = std::min(transfer.rate, link.bandwidth / 2);
        }
    }
    if (transfer.from == transfer.to && !parameters_.local) return;
    if (parameters_.injection > 0) {
        transfer.rate = std::min(transfer.rate, parameters_.injection);
        path_.push_back(first_injection_ + transfer.from.value);
    }
    if (parameters_.ejection > 0) {
        transfer.rate = std::min(transfer.rate, parameters_.ejection);
        path_.push_back(first_ejection_ + transfer.to.value);
    }
}

void KPacketNetwork::start(TransferId id, HostId from, HostId to, Bytes bytes, Time now) {
    if (id.index() >= transfers_.size()) {
        transfers_.resize(std::max<std::size_t>(id.index() + 1, 2 * transfers_.size()));
        sending_at_.resize(transfers_.size());
    }
    if (now > now_ && due()) begin_iteration();
    now_ = now;
    Transfer& transfer = transfers_[id.index()];
    transfer = {};
    transfer.from = from;
    transfer.to = to;
    transfer.bytes = bytes;
    transfer.order = start_order_.next(from);
    find_path(transfer);
    transfer.left = duration(bytes, transfer.rate);
    transfer.piece = bytes > parameters_.piece ? later(duration(parameters_.piece, transfer.rate), Time::tick())
                                               : Time::max();
    for (const LinkId link : route_) {
        if (platform_.link(link).sharing == Sharing::fat_pipe) use(link, transfer);
    }
    if (transfer.left == Time::zero() || path_.empty()) { // meets nobody
        arrivals_.push({now + transfer.left + transfer.latency, transfer.order, id.value, 0});
        return;
    }
    transfer.open = true;
    selection_.know({id.value}, whole(transfer.rate * units_), path_);
    join(id.value);
    some_started_ = true;
}

void KPacketNetwork::use(LinkId link, const Transfer& transfer) {
    const auto bytes = static_cast<double>(transfer.bytes);
    link_use_[link.index()].bytes += bytes;
    const bool alone = parameters_.sharing == LinkSharing::exclusive;
    link_use_[link.index()].occupied += alone ? bytes * platform_.link(link).bandwidth / transfer.rate : bytes;
}

// To the youngest, in the order of this instant.
void KPacketNetwork::join(std::uint32_t id) {
    const std::uint32_t host = transfers_[id].from.value;
    const std::uint32_t turn = turns_[host]++;
    if (turn == 0) turn_hosts_.push_back(host);
    joining_.push_back({turn, (host + hosts_ - turn % hosts_) % hosts_, id});
}

// Whether an iteration begins now: somebody has started; or has sent all, and nobody else will shortly.
bool KPacketNetwork::due() const {
    return some_started_ || (some_sent_ && (sending_.empty() || sending_.top().key > window_));
}

// By turn, then by place. Many are put into boxes, first by place, then by turn: two passes instead of a sort.
void KPacketNetwork::put_in_order() {
    constexpr std::size_t many = 4096;
    if (joining_.size() < many) {
        std::sort(joining_.begin(), joining_.end(), [](const Joining& a, const Joining& b) {
            return a.turn != b.turn ? a.turn < b.turn : a.place < b.place;
        });
        return;
    }
    std::vector<Joining> boxed(joining_.size());
    const auto box = [&](std::uint32_t Joining::*digit) {
        std::vector<std::size_t> next;
        for (const Joining& each : joining_) {
            if (each.*digit + 1 >= next.size()) next.resize(each.*digit + 2);
            ++next[each.*digit + 1];
        }
        std::partial_sum(next.begin(), next.end(), next.begin());
        for (const Joining& each : joining_) boxed[next[each.*digit]++] = each;
        joining_.swap(boxed);
    };
    box(&Joining::place);
    box(&Joining::turn);
}

void KPacketNetwork::begin_iteration() {
    some_started_ = false;
    some_sent_ = false;
    began_ = now_;
    ++iterations_;
    put_in_order();
    for (const Joining& each : joining_) selection_.add({each.transfer});
    joining_.clear();
    for (const std::uint32_t host : turn_hosts_) turns_[host] = 0;
    turn_hosts_.clear();

    selection_.settle();
    for (const MessageId message : selection_.stopped()) {
        Transfer& transfer = transfers_[message.index()];
        const Time spent = now_ - transfer.since;
        transfer.left -= spent;
        if (transfer.piece != Time::max()) transfer.piece -= spent;
        sending_.remove(sending_at_[message.index()], sending_at_);
    }
    for (const MessageId message : selection_.begun()) {
        Transfer& transfer = transfers_[message.index()];
        transfer.since = now_;
        sending_.push(now_ + std::min(transfer.left, transfer.piece), message.value, sending_at_);
    }
}

Time KPacketNetwork::next() {
    if (due()) begin_iteration();
    const Time sent = sending_.empty() ? Time::max() : sending_.top().key;
    return std::min(sent, arrivals_.empty() ? Time::max() : arrivals_.next_time());
}

void KPacketNetwork::advance(Time now, std::vector<TransferId>& arrived) {
    if (due()) begin_iteration(); // at the instant at which they came and went
    now_ = now;
    sent_.clear();
    while (!sending_.empty() && sending_.top().key <= now) {
        sent_.push_back(sending_.top().item);
        sending_.remove(0, sending_at_);
    }
    if (sent_.size() > 1) {
        std::sort(sent_.begin(), sent_.end(),
                  [&](std::uint32_t a, std::uint32_t b) { return transfers_[a].order < transfers_[b].order; });
    }
    for (const std::uint32_t id : sent_) {
        Transfer& transfer = transfers_[id];
        transfer.left -= now - transfer.since;
        if (!some_sent_) {
            some_sent_ = true;
            const auto so_far = (now - began_).picoseconds();
            window_ = now + Time::from_ps(so_far * parameters_.tolerance, "an iteration");
        }
        selection_.remove({id});
        if (transfer.left == Time::zero()) {
            sent(id);
        } else { // a piece: all others come first now
            transfer.piece = later(duration(parameters_.piece, transfer.rate), Time::tick());
            join(id);
        }
    }
    while (!arrivals_.empty() && arrivals_.next_time() <= now) arrived.push_back({arrivals_.pop().rank});
}

void KPacketNetwork::sent(std::uint32_t id) {
    Transfer& transfer = transfers_[id];
    transfer.open = false;
    arrivals_.push({now_ + transfer.latency, transfer.order, id, 0});
    for (const std::uint32_t resource : selection_.resources({id})) {
        if (resource < first_injection_) use({resource}, transfer);
    }
    selection_.forget({id});
}

Time KPacketNetwork::latency(HostId from, HostId to) {
    Transfer nothing;
    nothing.from = from;
    nothing.to = to;
    find_path(nothing);
    return nothing.latency;
}

// What its rate is the least of, as find_path() has it; the route is in route_ then.
std::vector<RateBound> KPacketNetwork::bounds_alone(HostId from, HostId to) {
    route_.clear();
    platform_.route(from, to, route_);
    std::vector<RateBound> bounds;
    for (auto at = route_.begin(); at != route_.end(); ++at) {
        const Link& link = platform_.link(*at);
        const bool again = link.sharing == Sharing::shared && std::find(route_.begin(), at, *at) != at;
        bounds.push_back({*at, again ? link.bandwidth / 2 : link.bandwidth});
    }
    if (from == to && !parameters_.local) return bounds;
    for (const double limit : {parameters_.injection, parameters_.ejection}) {
        if (limit > 0) bounds.push_back({Uncontended::no_link, limit});
    }
    return bounds;
}

Uncontended KPacketNetwork::uncontended(HostId from, HostId to, Bytes bytes) {
    const LeastRate least = least_rate(bounds_alone(from, to));
    Uncontended alone;
    alone.latency = latency(from, to);
    alone.transmission = duration(bytes, least.rate);
    alone.bottleneck = least.bottleneck;
    if (least.limited) alone.limited = alone.transmission;
    return alone;
}

RouteSlopes KPacketNetwork::route_slopes(HostId from, HostId to, Bytes bytes, const LinkClassOf& class_of) {
    RouteSlopes slopes;
    const std::vector<RateBound> bounds = bounds_alone(from, to);
    for (const LinkId link : route_) slopes.links.push_back({link, 0, platform_.link(link).latency});
    slopes.classes = bandwidth_slopes(bounds, duration(bytes, least_rate(bounds).rate), class_of);
    return slopes;
}

std::string KPacketNetwork::validity() const {
    return fmt::format("kpacket: messages pass links in turns, the oldest first, {}; no packets, buffers or "
                       "adaptive routes",
                       describe(parameters_));
}

NetworkReport KPacketNetwork::report(Time end) const { return link_report(link_use_, platform_, end); }

KPacketState KPacketNetwork::state(Time now) {
    if (due()) begin_iteration();
    KPacketState state;
    state.links.resize(platform_.link_count());
    for (std::uint32_t id = 0; id < transfers_.size(); ++id) {
        const Transfer& transfer = transfers_[id];
        if (!transfer.open) continue;
        const bool sending = selection_.selected({id});
        const Time left = transfer.left - (sending ? now - transfer.since : Time::zero());
        const auto bytes = static_cast<Bytes>(std::llround(left.picoseconds() * transfer.rate / ps_per_second));
        state.messages.push_back({{id}, transfer.from, transfer.to, std::min(bytes, transfer.bytes), sending});
        for (const std::uint32_t resource : selection_.resources({id})) {
            if (resource >= first_injection_) break;
            KPacketState::Link& link = state.links[resource];
            link.used += sending ? transfer.rate : 0;
            ++(sending ? link.sending : link.waiting);
        }
    }
    return state;
}

} // namespace orrery
