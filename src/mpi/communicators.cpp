#include "mpi/communicators.h"

#include <algorithm>
#include <tuple>

namespace orrery {

std::uint32_t Communicators::add_world(std::uint32_t first, std::uint32_t ranks) {
    all_.emplace_back();
    all_.back().first = first;
    all_.back().size = ranks;
    return static_cast<std::uint32_t>(all_.size() - 1);
}

std::uint32_t Communicators::rank_in(std::uint32_t index, std::uint32_t rank) const {
    const Communicator& communicator = all_[index];
    if (communicator.members.empty()) {
        return rank - communicator.first < communicator.size ? rank - communicator.first : any_source;
    }
    const auto found = std::find(communicator.members.begin(), communicator.members.end(), rank);
    return found == communicator.members.end()
               ? any_source
               : static_cast<std::uint32_t>(found - communicator.members.begin());
}

std::span<const std::uint32_t> Communicators::nodes(std::uint32_t index, std::span<const HostId> hosts) {
    Communicator& communicator = all_[index];
    if (communicator.nodes.empty()) {
        communicator.nodes.reserve(communicator.size);
        for (std::uint32_t rank = 0; rank < communicator.size; ++rank) {
            communicator.nodes.push_back(hosts[member(index, rank)].value);
        }
    }
    return communicator.nodes;
}

const Communicators::Call* Communicators::enter(std::uint32_t index, std::uint32_t number, const Call& call) {
    Communicator& communicator = all_[index];
    const std::size_t position = number - communicator.first_call;
    while (position >= communicator.calls.size()) communicator.calls.emplace_back();
    Call& entry = communicator.calls[position];
    if (entry.arrived == 0) {
        entry = call;
    } else if (entry.operation != call.operation || entry.root != call.root) {
        return &entry;
    }
    ++entry.arrived;
    while (!communicator.calls.empty() && communicator.calls.front().arrived == communicator.size) {
        communicator.calls.pop_front();
        ++communicator.first_call;
    }
    return nullptr;
}

void Communicators::offer(std::uint32_t index, std::uint32_t call, std::uint32_t colour, std::uint32_t key,
                          std::uint32_t rank) {
    splits_[{index, call}].offers.push_back({colour, key, rank});
}

std::uint32_t Communicators::split(std::uint32_t index, std::uint32_t call, std::uint32_t colour) {
    const auto place = splits_.find({index, call});
    Split& split = place->second;
    const auto made = split.made.find(colour);
    std::uint32_t result = 0;
    if (made != split.made.end()) {
        result = made->second;
    } else {
        std::vector<Offer> group;
        for (const Offer& offer : split.offers) {
            if (offer.colour == colour) group.push_back(offer);
        }
        std::sort(group.begin(), group.end(), [](const Offer& a, const Offer& b) {
            return std::tie(a.key, a.rank) < std::tie(b.key, b.rank);
        });
        Communicator communicator;
        communicator.size = static_cast<std::uint32_t>(group.size());
        for (const Offer& offer : group) communicator.members.push_back(offer.rank);
        result = static_cast<std::uint32_t>(all_.size());
        all_.push_back(std::move(communicator));
        split.made.emplace(colour, result);
    }
    if (++split.taken == all_[index].size) splits_.erase(place);
    return result;
}

std::uint32_t Communicators::create(std::vector<std::uint32_t> members, std::uint32_t times) {
    const auto [place, fresh] =
        created_.try_emplace({std::move(members), times}, static_cast<std::uint32_t>(all_.size()));
    if (fresh) {
        Communicator communicator;
        communicator.members = place->first.first;
        communicator.size = static_cast<std::uint32_t>(communicator.members.size());
        all_.push_back(std::move(communicator));
    }
    return place->second;
}

} // namespace orrery
