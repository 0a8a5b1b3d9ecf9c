#include "machine/routing/contention_bound.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace orrery {

namespace {

constexpr std::uint32_t no_flow = ~0U;

// Augmenting paths, breadth first; the sizes are those of one block of hosts.
class Matching {
  public:
    explicit Matching(std::span<const std::pair<HostId, HostId>> pairs) {
        std::vector<HostId> senders;
        std::vector<HostId> receivers;
        for (const auto& [from, to] : pairs) {
            senders.push_back(from);
            receivers.push_back(to);
        }
        const auto distinct = [](std::vector<HostId>& hosts) {
            std::sort(hosts.begin(), hosts.end());
            hosts.erase(std::unique(hosts.begin(), hosts.end()), hosts.end());
        };
        distinct(senders);
        distinct(receivers);
        const auto index = [](const std::vector<HostId>& hosts, HostId host) {
            return static_cast<std::uint32_t>(std::lower_bound(hosts.begin(), hosts.end(), host) -
                                              hosts.begin());
        };
        next_.resize(senders.size());
        for (const auto& [from, to] : pairs) next_[index(senders, from)].push_back(index(receivers, to));
        of_receiver_.assign(receivers.size(), no_flow);
        of_sender_.assign(senders.size(), no_flow);
    }

    std::uint32_t size() {
        std::uint32_t found = 0;
        for (std::uint32_t sender = 0; sender < next_.size(); ++sender) {
            if (take_free(sender) || augment(sender)) ++found;
        }
        return found;
    }

  private:
    bool take_free(std::uint32_t sender) {
        for (const std::uint32_t receiver : next_[sender]) {
            if (of_receiver_[receiver] != no_flow) continue;
            of_receiver_[receiver] = sender;
            of_sender_[sender] = receiver;
            return true;
        }
        return false;
    }
    bool augment(std::uint32_t start) {
        std::vector<std::uint32_t> came(of_receiver_.size(), no_flow); // by receiver: the sender before it
        std::vector<std::uint32_t> queue{start};
        for (std::size_t i = 0; i < queue.size(); ++i) {
            for (const std::uint32_t receiver : next_[queue[i]]) {
                if (came[receiver] != no_flow) continue;
                came[receiver] = queue[i];
                if (of_receiver_[receiver] != no_flow) {
                    queue.push_back(of_receiver_[receiver]);
                    continue;
                }
                for (std::uint32_t at = receiver; at != no_flow;) { // exchange along the augmenting path
                    const std::uint32_t sender = came[at];
                    const std::uint32_t before = of_sender_[sender];
                    of_receiver_[at] = sender;
                    of_sender_[sender] = at;
                    at = sender == start ? no_flow : before;
                }
                return true;
            }
        }
        return false;
    }

    std::vector<std::vector<std::uint32_t>> next_; // receivers of a sender
    std::vector<std::uint32_t> of_receiver_;
    std::vector<std::uint32_t> of_sender_;
};

} // namespace

std::uint32_t largest_matching(std::span<const std::pair<HostId, HostId>> pairs) {
    return Matching(pairs).size();
}

std::uint32_t contention_bound(const FatTreePaths& tree, std::span<const ColourPair> pairs) {
    std::uint32_t bound = pairs.empty() ? 0 : 1;
    std::uint64_t nodes = 1; // of the level, below a block
    for (std::uint32_t level = 0; level < tree.levels(); ++level) {
        const std::uint32_t below = tree.hosts_below(level);
        std::map<std::tuple<std::uint32_t, bool, std::uint32_t>, std::vector<std::pair<HostId, HostId>>>
            crossing;
        for (const ColourPair& pair : pairs) {
            const std::uint32_t from = pair.from.value / below;
            const std::uint32_t to = pair.to.value / below;
            if (from == to) continue;
            for (const std::uint32_t phase : pair.phases) {
                crossing[{phase, true, from}].emplace_back(pair.from, pair.to);
                crossing[{phase, false, to}].emplace_back(pair.from, pair.to);
            }
        }
        const std::uint64_t channels = nodes * tree.ports(level);
        for (const auto& [where, flows] : crossing) {
            const std::uint64_t least = (largest_matching(flows) + channels - 1) / channels;
            bound = std::max(bound, static_cast<std::uint32_t>(least));
        }
        nodes *= tree.shape().up[level];
    }
    return bound;
}

} // namespace orrery
