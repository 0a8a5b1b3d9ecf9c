#include "workload/communicators.h"

#include <algorithm>
#include <numeric>
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
    const std::vector<std::uint32_t>& members = communicator.members;
    if (communicator.ascending) {
        const auto found = std::lower_bound(members.begin(), members.end(), rank);
        if (found == members.end() || *found != rank) return any_source;
        return static_cast<std::uint32_t>(found - members.begin());
    }
    std::vector<std::uint32_t>& sorted = communicator.sorted;
    if (sorted.empty()) {
        sorted.resize(members.size());
        std::iota(sorted.begin(), sorted.end(), 0U);
        std::sort(sorted.begin(), sorted.end(),
                  [&](std::uint32_t a, std::uint32_t b) { return members[a] < members[b]; });
    }
    const auto found =
        std::lower_bound(sorted.begin(), sorted.end(), rank,
                         [&](std::uint32_t at, std::uint32_t wanted) { return members[at] < wanted; });
    return found == sorted.end() || members[*found] != rank ? any_source : *found;
}

std::uint32_t Communicators::add(std::vector<std::uint32_t> members) {
    Communicator made;
    made.size = static_cast<std::uint32_t>(members.size());
    made.ascending = std::is_sorted(members.begin(), members.end());
    if (made.ascending && !members.empty() && members.back() - members.front() == made.size - 1) {
        made.first = members.front();
    } else {
        made.members = std::move(members);
        made.members.shrink_to_fit();
    }
    all_.push_back(std::move(made));
    return static_cast<std::uint32_t>(all_.size() - 1);
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
    } else if (!entry.fits(call)) {
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
                          std::uint32_t rank, std::uint32_t place) {
    splits_[{index, call}].offers.push_back({colour, key, rank, place});
}

bool Communicators::all_offered(std::uint32_t index, std::uint32_t call) const {
    const auto place = splits_.find({index, call});
    return place != splits_.end() && place->second.offers.size() == all_[index].size;
}

std::optional<std::uint32_t> Communicators::split(std::uint32_t index, std::uint32_t call,
                                                  std::uint32_t colour) {
    const auto place = splits_.find({index, call});
    Split& split = place->second;
    if (split.taken == 0) {
        // Keys are signed in MPI.
        std::sort(split.offers.begin(), split.offers.end(), [](const Offer& a, const Offer& b) {
            return std::tuple(a.colour, static_cast<std::int32_t>(a.key), a.place) <
                   std::tuple(b.colour, static_cast<std::int32_t>(b.key), b.place);
        });
    }
    std::optional<std::uint32_t> result;
    if (const auto made = split.made.find(colour); made != split.made.end()) {
        result = made->second;
    } else if (colour != any_source) {
        std::vector<std::uint32_t> members;
        const auto by_colour = [](const Offer& offer, std::uint32_t wanted) { return offer.colour < wanted; };
        for (auto at = std::lower_bound(split.offers.begin(), split.offers.end(), colour, by_colour);
             at != split.offers.end() && at->colour == colour; ++at) {
            members.push_back(at->rank);
        }
        result = add(std::move(members));
        split.made.emplace(colour, *result);
    }
    if (++split.taken == all_[index].size) splits_.erase(place);
    return result;
}

std::uint32_t Communicators::create(std::vector<std::uint32_t> members, std::uint32_t rank) {
    const auto place = created_.try_emplace(std::move(members)).first;
    Creation& creation = place->second;
    const std::uint32_t number = creation.times[rank]++;
    if (number == creation.made.size()) {
        creation.made.push_back(add(place->first));
    }
    return creation.made[number];
}

} // namespace orrery
