#include "network/node/node_network.h"

#include "network/heaviest_links.h"

#include <algorithm>
#include <utility>

namespace orrery {

NodeNetwork::NodeNetwork(std::unique_ptr<Network> between, const NodeParameters& node, const Platform& platform)
    : between_(std::move(between)), node_(node), platform_(platform), copies_of_(platform.host_count(), none) {}

void NodeNetwork::start(TransferId transfer, HostId from, HostId to, Bytes bytes, Time now) {
    if (from != to) return between_->start(transfer, from, to, bytes, now);
    copy(transfer, from, bytes, now);
}

void NodeNetwork::start_control(TransferId transfer, HostId from, HostId to, Bytes bytes, Time now) {
    if (from != to) return between_->start_control(transfer, from, to, bytes, now);
    copy(transfer, from, bytes, now);
}

void NodeNetwork::copy(TransferId transfer, HostId host, Bytes bytes, Time now) {
    if (bytes == 0) return arrive(transfer, host.value, now + node_.latency);
    const bool cached = node_.stays_in_cache(bytes);
    const std::uint32_t which = copies_of(host) + (cached ? 1 : 0);
    copies_[which].start(transfer, cached ? node_.copied(bytes) : node_.traffic(bytes), now);
    due_.push({copies_[which].due(), which});
}

std::uint32_t NodeNetwork::copies_of(HostId host) {
    std::uint32_t& index = copies_of_[host.index()];
    if (index == none) {
        index = static_cast<std::uint32_t>(copies_.size());
        const std::uint32_t cores = platform_.host(host).cores;
        copies_.emplace_back(node_.memory(cores));
        copies_.emplace_back(node_.caches(cores));
        host_of_.push_back(host);
    }
    return index;
}

void NodeNetwork::arrive(TransferId transfer, std::uint32_t host, Time when) {
    arrivals_.push({when, host, copied_++, transfer});
}

Time NodeNetwork::next_within() {
    while (!due_.empty() && copies_[due_.top().copies].due() != due_.top().time) due_.pop();
    const Time copied = due_.empty() ? Time::max() : due_.top().time;
    return arrivals_.empty() ? copied : std::min(copied, arrivals_.top().time);
}

Time NodeNetwork::next() { return std::min(next_within(), between_->next()); }

// What arrives within a host may start something between hosts.
Time NodeNetwork::next_until(Time limit) {
    const Time within = next_within();
    return std::min(within, between_->next_until(std::min(limit, within)));
}

void NodeNetwork::advance(Time now, std::vector<TransferId>& arrived) {
    between_->advance(now, arrived);
    while (next_within() <= now && !due_.empty() && due_.top().time <= now) {
        const std::uint32_t which = due_.top().copies;
        due_.pop();
        done_.clear();
        copies_[which].advance(now, done_);
        for (const TransferId transfer : done_)
            arrive(transfer, host_of_[which / 2].value, now + node_.latency);
        if (copies_[which].due() != Time::max()) due_.push({copies_[which].due(), which});
    }
    for (; !arrivals_.empty() && arrivals_.top().time <= now; arrivals_.pop())
        arrived.push_back(arrivals_.top().transfer);
}

Time NodeNetwork::latency(HostId from, HostId to) {
    return from == to ? node_.latency : between_->latency(from, to);
}

Uncontended NodeNetwork::uncontended(HostId from, HostId to, Bytes bytes) {
    if (from != to) return between_->uncontended(from, to, bytes);
    const std::uint32_t cores = platform_.host(from).cores;
    const double alone = node_.stays_in_cache(bytes) ? node_.copied(bytes) / node_.caches(cores).share(1)
                                                     : node_.traffic(bytes) / node_.memory(cores).share(1);
    Uncontended message;
    message.latency = node_.latency;
    message.transmission = message.limited = Time::from_ps(alone * 1e12, "a message within a host");
    return message;
}

RouteSlopes NodeNetwork::route_slopes(HostId from, HostId to, Bytes bytes, const LinkClassOf& class_of) {
    return from == to ? RouteSlopes{} : between_->route_slopes(from, to, bytes, class_of);
}

std::string NodeNetwork::validity() const {
    return between_->validity() +
           "; messages within a host share its memory, of which computations take nothing";
}

NetworkReport NodeNetwork::report(Time end) const {
    NetworkReport report = between_->report(end);
    for (std::uint32_t host = 0; host < copies_of_.size(); ++host) {
        const double carried = copies_of_[host] == none ? 0 : copies_[copies_of_[host]].moved();
        if (carried == 0) continue;
        const double use = end > Time::zero() ? carried / (node_.memory_bandwidth * end.seconds()) : 0;
        report.busiest.push_back(
            {platform_.topology().host_name({host}) + " memory", carried, use, Time::zero()});
    }
    keep_heaviest(report.busiest, [](const LinkLoad& a, const LinkLoad& b) { return a.use > b.use; });
    return report;
}

} // namespace orrery
