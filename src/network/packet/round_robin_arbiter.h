// Round-robin arbiter: grants the first candidate at or after a pointer, protocol messages before all others.
//
// Candidates of a channel are bits, one for each (input port, lane) pair of its node: in the record of the
// channel itself (`candidates`) up to 64 pairs, in separate words beyond that. `At` is such a record, with
// the members candidates, pointer, first_pair and pairs.
#pragma once

#include "network/packet/elements.h"

#include <bit>
#include <cstdint>
#include <vector>

namespace orrery::packet {

class RoundRobinArbiter {
  public:
    RoundRobinArbiter(std::uint32_t lanes, bool control_lane) : lanes_(lanes), control_lane_(control_lane) {}

    [[nodiscard]] bool is_control(std::uint32_t lane) const { return control_lane_ && lane + 1 == lanes_; }

    template <typename At> void prepare(At& at) {
        if (at.pairs <= 64) return;
        at.candidates = words_.size();
        words_.resize(words_.size() + (at.pairs + 63) / 64);
    }
    template <typename At> void set(At& at, std::uint32_t pair) { word(at, pair) |= bit(pair); }
    template <typename At> void clear(At& at, std::uint32_t pair) { word(at, pair) &= ~bit(pair); }
    // The first candidate from a pair on; none if there is none before `end`.
    template <typename At>
    [[nodiscard]] std::uint32_t find(const At& at, std::uint32_t from, std::uint32_t end) const {
        if (from >= end) return none;
        if (at.pairs <= 64) {
            const std::uint64_t rest = at.candidates >> from;
            if (rest == 0) return none;
            const std::uint32_t pair = from + static_cast<std::uint32_t>(std::countr_zero(rest));
            return pair < end ? pair : none;
        }
        const std::uint64_t* const words = words_.data() + at.candidates;
        std::uint64_t word = words[from / 64] >> (from % 64) << (from % 64);
        for (std::uint32_t i = from / 64;; word = words[i]) {
            if (word != 0) {
                const std::uint32_t pair = i * 64 + static_cast<std::uint32_t>(std::countr_zero(word));
                return pair < end ? pair : none;
            }
            if (++i * 64 >= end) return none;
        }
    }
    template <typename At> [[nodiscard]] bool any(const At& at) const {
        return at.pairs <= 64 ? at.candidates != 0 : find(at, 0, at.pairs) != none;
    }
    template <typename At, typename Visit> void for_each(const At& at, Visit&& visit) const {
        for (std::uint32_t pair = find(at, 0, at.pairs); pair != none; pair = find(at, pair + 1, at.pairs)) {
            visit(pair);
        }
    }

    // Arbitrates between the candidates that `agrees` accepts: grants the first in round-robin order and moves
    // the pointer behind it. none if there is none.
    template <typename At, typename Agrees> std::uint32_t grant_pair(At& at, Agrees&& agrees) const {
        const auto search = [&](std::uint32_t from, std::uint32_t end, bool control) {
            for (std::uint32_t pair = find(at, from, end); pair != none; pair = find(at, pair + 1, end)) {
                if (control_lane_ && is_control(pair % lanes_) != control) continue;
                if (agrees(pair)) return pair;
            }
            return none;
        };
        if (at.pairs <= 64 && (at.candidates & (at.candidates - 1)) == 0) { // one at most, most often
            if (at.candidates == 0) return none;
            const auto only = static_cast<std::uint32_t>(std::countr_zero(at.candidates));
            if (!agrees(only)) return none;
            at.pointer = only + 1 == at.pairs ? 0 : only + 1;
            return only;
        }
        for (int control = control_lane_ ? 1 : 0; control >= 0; --control) {
            std::uint32_t pair = search(at.pointer, at.pairs, control == 1);
            if (pair == none) pair = search(0, at.pointer, control == 1);
            if (pair == none) continue;
            at.pointer = pair + 1 == at.pairs ? 0 : pair + 1;
            return pair;
        }
        return none;
    }
    // The same for lanes, with a pointer for lanes.
    template <typename Agrees> std::uint32_t grant_lane(std::uint32_t& pointer, Agrees&& agrees) const {
        for (int control = control_lane_ ? 1 : 0; control >= 0; --control) {
            for (std::uint32_t i = 0; i < lanes_; ++i) {
                const std::uint32_t lane = pointer + i < lanes_ ? pointer + i : pointer + i - lanes_;
                if (control_lane_ && is_control(lane) != (control == 1)) continue;
                if (!agrees(lane)) continue;
                pointer = lane + 1 == lanes_ ? 0 : lane + 1;
                return lane;
            }
        }
        return none;
    }

  private:
    template <typename At> std::uint64_t& word(At& at, std::uint32_t pair) {
        return at.pairs <= 64 ? at.candidates : words_[at.candidates + pair / 64];
    }
    static std::uint64_t bit(std::uint32_t pair) { return std::uint64_t{1} << (pair % 64); }

    std::uint32_t lanes_;
    bool control_lane_;
    std::vector<std::uint64_t> words_;
};

} // namespace orrery::packet
