// All actions of a source, held in memory; they can be given out again and compared.
#pragma once

#include "workload/action.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace orrery::fuzzing {

struct ListedActions {
    struct Entry {
        Action action;
        std::vector<Bytes> counts;
    };
    std::vector<std::vector<Entry>> ranks;

    explicit ListedActions(ActionSource& source) : ranks(source.ranks()) {
        for (std::uint32_t rank = 0; rank < source.ranks(); ++rank) {
            for (std::span<const Action> window; !(window = source.next(RankId{rank})).empty();) {
                for (const Action& action : window) {
                    const auto counts = source.counts(RankId{rank}, action);
                    ranks[rank].push_back({action, {counts.begin(), counts.end()}});
                }
            }
        }
    }
};

// Up to lines and where counts are kept.
inline bool same(const ListedActions::Entry& a, const ListedActions::Entry& b) {
    const Action& x = a.action;
    const Action& y = b.action;
    return x.kind == y.kind && x.collective == y.collective && x.nonblocking == y.nonblocking &&
           x.commutative == y.commutative && x.comm == y.comm && x.peer == y.peer && x.other == y.other &&
           x.tag == y.tag && x.request == y.request && x.element == y.element && x.bytes == y.bytes &&
           x.more_bytes == y.more_bytes && x.volume == y.volume && a.counts == b.counts;
}

inline bool same(const ListedActions& a, const ListedActions& b) {
    return std::equal(a.ranks.begin(), a.ranks.end(), b.ranks.begin(), b.ranks.end(),
                      [](const auto& x, const auto& y) {
                          return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                                            [](const auto& p, const auto& q) { return same(p, q); });
                      });
}

} // namespace orrery::fuzzing
