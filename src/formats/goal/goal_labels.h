// The labels of one rank of GOAL text: which operation each names, also before it is defined.
//
// Nearly all schedules are written by programs that number their labels: l1, l2, ... Those are looked up by
// index, without hashing and without looking at the text again. Any other label goes to a hash table.
#pragma once

#include "formats/goal/goal_scanner.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tsl/robin_map.h>
#include <vector>

namespace orrery {

struct GoalLabel {
    std::string_view text;
    bool numbered = false;    // "l" and a number without leading zeros
    std::uint64_t number = 0; // the number, if so
};

class GoalLabels {
  public:
    // What a label stands for: an operation of the rank, or (from here on) a reference that waits for its
    // definition.
    static constexpr std::uint32_t forward = 0x8000'0000;

    struct Forward {
        std::string label;
        TextPosition first_use;
        std::uint32_t op = forward; // the operation, once it is known
    };

    // Gives `op` the label. Returns the operation that has it already, or `op`.
    std::uint32_t define(const GoalLabel& label, std::uint32_t op) {
        std::uint32_t& entry = find(label);
        if (entry != unknown) return define_again(entry, op);
        ++labels_;
        return entry = op;
    }
    // The operation, or forward + index into forwards().
    std::uint32_t refer(const GoalLabel& label, TextPosition use) {
        std::uint32_t& entry = find(label);
        if (entry != unknown) return entry;
        ++labels_;
        entry = forward + static_cast<std::uint32_t>(forwards_.size());
        forwards_.push_back({std::string(label.text), use});
        return entry;
    }
    [[nodiscard]] const std::vector<Forward>& forwards() const { return forwards_; }
    // The defined label most like this one, or empty.
    [[nodiscard]] std::string nearest(std::string_view label) const;
    // Forgets all labels: the next rank begins.
    void clear();

  private:
    static constexpr std::uint32_t unknown = 0xFFFF'FFFF;

    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
    };
    struct Equal {
        using is_transparent = void;
        bool operator()(std::string_view a, std::string_view b) const { return a == b; }
    };

    std::uint32_t& find(const GoalLabel& label) {
        const std::uint64_t index = label.number - base_; // wraps around below base_
        if (label.numbered && index < by_number_.size()) {
            if (index >= used_) used_ = index + 1;
            return by_number_[index];
        }
        return find_slowly(label);
    }
    std::uint32_t& find_slowly(const GoalLabel& label);
    std::uint32_t define_again(std::uint32_t& entry, std::uint32_t op);
    bool make_room_for(std::uint64_t number);

    std::vector<std::uint32_t> by_number_; // entry i is label l<base_ + i>
    std::uint64_t base_ = 0;
    std::uint64_t used_ = 0;      // entries from here on are unknown; while it is 0, base_ may move
    std::uint64_t labels_ = 0;    // in both tables
    bool numbers_hashed_ = false; // a numbered label is in by_text_: by_number_ must not grow over it
    tsl::robin_map<std::string, std::uint32_t, Hash, Equal> by_text_;
    std::vector<Forward> forwards_;
};

} // namespace orrery
