#include "network/flow/flow_network.h"

#include "engine/too_long.h"

#include <algorithm>
#include <boost/sort/pdqsort/pdqsort.hpp>
#include <cassert>
#include <cmath>

namespace orrery {

namespace {

constexpr const char* latency_words = "the latency of a message";

} // namespace

FlowNetwork::FlowNetwork(const Platform& platform, const FlowParameters& parameters)
    : platform_(platform), parameters_(parameters), paths_(platform, parameters_),
      max_min_(platform.links(), parameters.precision), drain_(platform.link_count()),
      link_use_(platform.link_count()), start_order_(platform.host_count()) {}

void FlowNetwork::start(TransferId transfer, HostId from, HostId to, Bytes bytes, Time now) {
    if (transfer.index() >= transfers_.size()) {
        transfers_.resize(std::max<std::size_t>(transfer.index() + 1, 2 * transfers_.size()));
    }
    if (unsettled_ && now > now_) share();
    now_ = now;
    const PathCache::Slot path = paths_.find(from, to);
    Transfer& started = transfers_[transfer.index()]; // member by member, see Messenger::make
    started.from = from;
    started.to = to;
    started.bytes = bytes;
    started.order = start_order_.next(from);
    started.path = path;
    const double wait =
        paths_.latency(path).picoseconds() * FlowParameters::factor(parameters_.latency_factor, bytes);
    latencies_.push({now + Time::from_ps(wait, latency_words), started.order, transfer.value, 0});
}

Time FlowNetwork::next() {
    if (unsettled_) share();
    const Time latency = latencies_.empty() ? Time::max() : latencies_.next_time();
    return std::min(latency, drain_.next());
}

void FlowNetwork::advance(Time now, std::vector<TransferId>& arrived) {
    if (unsettled_) share(); // at the instant at which they came and went
    now_ = now;
    finish(now);
    unsettled_ = unsettled_ || !finished_.empty();
    begin(now);
    for (const FlowId flow : finished_) arrived.push_back({flow.value});
}

// Flows that end at one instant do so in the order of StartOrder.
void FlowNetwork::sort(std::vector<FlowId>& flows) {
    if (flows.size() < 2) return;
    by_order_.clear();
    for (const FlowId flow : flows) by_order_.emplace_back(transfers_[flow.index()].order, flow);
    boost::sort::pdqsort_branchless(by_order_.begin(), by_order_.end(),
                                    [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = 0; i < flows.size(); ++i) flows[i] = by_order_[i].second;
}

// Thousands of messages may come and go at one instant: what the next ones need comes into the cache meanwhile.
[[gnu::flatten]] void FlowNetwork::finish(Time now) {
    finished_.clear();
    drain_.finish(now, finished_);
    sort(finished_);
    if (!parameters_.contention) return;
    const std::size_t count = finished_.size();
    for (std::size_t i = 0; i < count; ++i) {
        if (i + 12 < count) max_min_.prefetch(finished_[i + 12]);
        if (i + 9 < count) max_min_.prefetch_hops(finished_[i + 9]);
        max_min_.remove(finished_[i]);
    }
}

[[gnu::flatten]] void FlowNetwork::begin(Time now) {
    beginning_.clear();
    while (!latencies_.empty() && latencies_.next_time() <= now) beginning_.push_back(latencies_.pop().rank);
    const std::size_t count = beginning_.size();
    for (std::size_t i = 0; i < count; ++i) {
        if (i + 12 < count) __builtin_prefetch(&transfers_[beginning_[i + 12]], 1);
        if (i + 9 < count) paths_.prefetch(transfers_[beginning_[i + 9]].path);
        if (i + 6 < count) {
            const Path& path = paths_[transfers_[beginning_[i + 6]].path];
            for (const LinkShare& share : path.links) __builtin_prefetch(&link_use_[share.link.index()], 1);
            max_min_.prefetch(path.shares());
        }
        if (i + 3 < count) max_min_.prefetch_members(paths_[transfers_[beginning_[i + 3]].path].shares());
        begin_to_drain(beginning_[i]);
    }
    if (arriving_.empty()) return;
    for (const std::uint32_t transfer : arriving_) finished_.push_back({transfer});
    arriving_.clear();
    sort(finished_);
}

void FlowNetwork::begin_to_drain(std::uint32_t index) {
    Transfer& transfer = transfers_[index];
    const Path& path = paths_.find(transfer.path, transfer.from, transfer.to);
    if (transfer.bytes == 0 || path.links.empty()) {
        arriving_.push_back(index);
        return;
    }
    const auto bytes = static_cast<double>(transfer.bytes);
    const double bytes_of_link = bytes / FlowParameters::factor(parameters_.bandwidth_factor, transfer.bytes);
    for (std::uint32_t i = 0; i < path.links.size(); ++i) {
        LinkUse& use = link_use_[path.links[i].link.index()];
        use.bytes += i < path.forward ? bytes : 0;
        use.occupied += path.links[i].coefficient * bytes_of_link;
    }
    constexpr double ps_per_second = 1e12;
    transfer.work = bytes_of_link * path.weight * ps_per_second;
    const FlowId flow{index};
    if (parameters_.contention) {
        max_min_.add(flow, path.shares(), path.weight, path.bound);
        joining_.push_back(flow);
        unsettled_ = true;
    } else {
        drain_.join_alone(flow, path.bound * path.weight, transfer.work, now_);
    }
}

// Settles who gets how much from now on, once for all that has come and gone at this instant.
[[gnu::flatten]] void FlowNetwork::share() {
    unsettled_ = false;
    max_min_.solve();
    for (const FlowId flow : max_min_.moved()) {
        if (!drain_.holds(flow)) continue; // joins for the first time
        transfers_[flow.index()].work = drain_.leave(flow, now_);
        joining_.push_back(flow);
    }
    for (const LinkId link : max_min_.changed()) drain_.set_level(link, max_min_.level(link), now_);
    for (const FlowId flow : joining_) {
        const double work = transfers_[flow.index()].work;
        const LinkId link = max_min_.bottleneck(flow);
        if (link == MaxMin::no_link) {
            drain_.join_alone(flow, max_min_.level(flow), work, now_);
        } else {
            drain_.join(flow, link, work, now_);
        }
    }
    joining_.clear();
    max_min_.forget_changes();
}

Time FlowNetwork::latency(HostId from, HostId to) {
    return Time::from_ps(paths_.latency(paths_.find(from, to)).picoseconds() *
                             FlowParameters::factor(parameters_.latency_factor, 0),
                         latency_words);
}

std::vector<RateBound> FlowNetwork::bounds_alone(const Path& path) const {
    std::vector<RateBound> bounds;
    for (std::uint32_t i = 0; i < path.links.size(); ++i) {
        const double bandwidth = paths_.bandwidth(path.links[i].link);
        if (parameters_.contention) {
            bounds.push_back({path.links[i].link, bandwidth / path.links[i].coefficient});
        } else if (i < path.forward) {
            bounds.push_back({path.links[i].link, bandwidth});
        }
    }
    if (parameters_.tcp_gamma > 0 && path.latency > Time::zero())
        bounds.push_back({Uncontended::no_link, parameters_.tcp_gamma / (2 * path.latency.seconds())});
    return bounds;
}

Uncontended FlowNetwork::uncontended(HostId from, HostId to, Bytes bytes) {
    const Path& path = paths_[paths_.find(from, to)];
    Uncontended alone;
    alone.latency = Time::from_ps(
        path.latency.picoseconds() * FlowParameters::factor(parameters_.latency_factor, bytes), latency_words);
    if (bytes == 0 || path.links.empty()) return alone;
    const LeastRate least = least_rate(bounds_alone(path));
    const double factor = FlowParameters::factor(parameters_.bandwidth_factor, bytes);
    alone.bottleneck = least.bottleneck;
    alone.transmission =
        transfer_time(static_cast<double>(bytes) / factor, least.rate, "the transfer of a message");
    if (least.limited) alone.limited = alone.transmission;
    return alone;
}

RouteSlopes FlowNetwork::route_slopes(HostId from, HostId to, Bytes bytes, const LinkClassOf& class_of) {
    RouteSlopes slopes;
    const Uncontended alone = uncontended(from, to, bytes);
    std::vector<LinkId> route;
    platform_.route(from, to, route);
    const double factor = FlowParameters::factor(parameters_.latency_factor, bytes);
    Time latencies;
    Time before;
    for (const LinkId link : route) { // rounded so that they add up
        latencies += platform_.link(link).latency;
        const Time now = Time::from_ps(latencies.picoseconds() * factor, latency_words);
        slopes.links.push_back({link, 0, now - before});
        before = now;
    }
    if (alone.transmission == Time::zero()) return slopes;
    slopes.classes =
        bandwidth_slopes(bounds_alone(paths_[paths_.find(from, to)]), alone.transmission, class_of);
    slopes.window = alone.limited;
    return slopes;
}

std::string FlowNetwork::validity() const {
    return parameters_.contention
               ? "flow: messages share links max-min fairly; no packets, buffers or adaptive routes"
               : "flow without contention: every message has its links to itself";
}

NetworkReport FlowNetwork::report(Time end) const { return link_report(link_use_, platform_, end); }

} // namespace orrery
