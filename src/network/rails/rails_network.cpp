#include "network/rails/rails_network.h"

#include "engine/random.h"

#include <algorithm>
#include <cassert>
#include <fmt/format.h>
#include <utility>

namespace orrery {

RailsNetwork::RailsNetwork(std::vector<std::unique_ptr<Network>> networks, const Rails& rails,
                           std::uint32_t hosts)
    : networks_(std::move(networks)), choice_(rails.choice), below_(rails.below), words_(rails.words()),
      turn_(hosts) {
    assert(networks_.size() == rails.count());
}

std::size_t RailsNetwork::choose(HostId from, HostId to, Bytes bytes, std::uint32_t turn) const {
    const std::size_t count = networks_.size();
    std::size_t which = 0;
    switch (choice_) {
    case RailChoice::round_robin: which = turn % count; break;
    case RailChoice::source: which = from.index() % count; break;
    case RailChoice::size:
        which =
            static_cast<std::size_t>(std::upper_bound(below_.begin(), below_.end(), bytes) - below_.begin());
        break;
    case RailChoice::hash: which = RandomStream(from.value, to.value).below(0, count); break;
    }
    return which;
}

Network& RailsNetwork::next_rail(HostId from, HostId to, Bytes bytes) {
    return *networks_[choose(from, to, bytes, turn_[from.index()]++)];
}

void RailsNetwork::start(TransferId transfer, HostId from, HostId to, Bytes bytes, Time now) {
    now_ = now;
    next_rail(from, to, bytes).start(transfer, from, to, bytes, now);
}

void RailsNetwork::start_control(TransferId transfer, HostId from, HostId to, Bytes bytes, Time now) {
    now_ = now;
    next_rail(from, to, bytes).start_control(transfer, from, to, bytes, now);
}

Time RailsNetwork::next() {
    Time earliest = Time::max();
    for (const auto& network : networks_) earliest = std::min(earliest, network->next());
    return earliest;
}

Time RailsNetwork::next_until(Time limit) { return limit <= now_ ? limit : next(); }

void RailsNetwork::advance(Time now, std::vector<TransferId>& arrived) {
    now_ = now;
    for (const auto& network : networks_) network->advance(now, arrived);
}

Time RailsNetwork::latency(HostId from, HostId to) {
    Time least = Time::max();
    for (const auto& network : networks_) least = std::min(least, network->latency(from, to));
    return least;
}

Uncontended RailsNetwork::uncontended(HostId from, HostId to, Bytes bytes) {
    const std::size_t which = choose(from, to, bytes, 0);
    Uncontended alone = networks_[which]->uncontended(from, to, bytes);
    alone.rail = static_cast<std::uint32_t>(which);
    return alone;
}

std::string RailsNetwork::validity() const {
    return fmt::format("{}: {}", words_, networks_.front()->validity());
}

} // namespace orrery
