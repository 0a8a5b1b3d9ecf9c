// Who waits for whom: messages and receives that have not met, first come first served for each sender, tag and
// communicator.
//
// All queues of all tasks lie in one hash table, by the ends of the message; the order of entries never comes
// from the table. A receive from any sender (rare) looks at every sender's queue for the oldest entry.
#pragma once

#include <cstdint>
#include <optional>
#include <tsl/robin_map.h>
#include <vector>

namespace orrery::dimemas {

inline constexpr std::uint32_t any_end = 0xFFFF'FFFF;

struct MatchKey {
    std::uint32_t to = 0;   // mailbox of the receiver
    std::uint32_t from = 0; // of the sender, or any_end
    std::int64_t tag = 0;
    std::int64_t communicator = 0;
    bool operator==(const MatchKey&) const = default;
};

struct MatchKeyHash {
    std::size_t operator()(const MatchKey& key) const {
        const auto mix = [](std::uint64_t x) {
            x ^= x >> 32;
            x *= 0xd6e8feb86659fd93ULL;
            return x ^ (x >> 32);
        };
        std::uint64_t hash = mix((std::uint64_t{key.to} << 32) | key.from);
        hash = mix(hash + static_cast<std::uint64_t>(key.tag));
        return mix(hash ^ (static_cast<std::uint64_t>(key.communicator) * 0x9e3779b97f4a7c15ULL));
    }
};

class MatchQueues {
  public:
    void push(const MatchKey& key, std::uint32_t value) {
        std::uint32_t at = free_;
        if (at == none) {
            at = static_cast<std::uint32_t>(entries_.size());
            entries_.emplace_back();
        } else {
            free_ = entries_[at].next;
        }
        entries_[at] = {stamp_++, value, none};
        const auto [found, fresh] = lists_.try_emplace(key, List{at, at});
        if (!fresh) {
            entries_[found->second.last].next = at;
            found.value().last = at;
        }
        if (key.from == any_end) ++any_;
    }

    // The oldest entry under exactly this key.
    std::optional<std::uint32_t> take(const MatchKey& key) {
        const auto found = lists_.find(key);
        if (found == lists_.end()) return std::nullopt;
        return take(found);
    }
    // The oldest that fits a message: under its sender, or for any sender.
    std::optional<std::uint32_t> take_for_message(const MatchKey& key) {
        const auto found = older_for_message(key);
        if (found == lists_.end()) return std::nullopt;
        return take(found);
    }
    std::optional<std::uint32_t> look_for_message(const MatchKey& key) const {
        const auto found = const_cast<MatchQueues*>(this)->older_for_message(key);
        if (found == lists_.end()) return std::nullopt;
        return entries_[found->second.first].value;
    }
    // The oldest from any of the senders below `senders`.
    std::optional<std::uint32_t> take_from_any(MatchKey key, std::uint32_t senders) {
        auto oldest = lists_.end();
        for (key.from = 0; key.from < senders; ++key.from) {
            const auto found = lists_.find(key);
            if (found == lists_.end()) continue;
            if (oldest == lists_.end() || stamp(found) < stamp(oldest)) oldest = found;
        }
        if (oldest == lists_.end()) return std::nullopt;
        return take(oldest);
    }

  private:
    static constexpr std::uint32_t none = 0xFFFF'FFFF;
    struct List {
        std::uint32_t first = none;
        std::uint32_t last = none;
    };
    struct Entry {
        std::uint64_t stamp = 0;
        std::uint32_t value = 0;
        std::uint32_t next = none;
    };
    using Lists = tsl::robin_map<MatchKey, List, MatchKeyHash>;

    [[nodiscard]] std::uint64_t stamp(const Lists::iterator& at) const {
        return entries_[at->second.first].stamp;
    }
    Lists::iterator older_for_message(MatchKey key) {
        const auto own = lists_.find(key);
        if (any_ == 0) return own;
        key.from = any_end;
        const auto any = lists_.find(key);
        if (any == lists_.end()) return own;
        return own == lists_.end() || stamp(any) < stamp(own) ? any : own;
    }
    std::uint32_t take(const Lists::iterator& found) {
        const std::uint32_t at = found->second.first;
        const Entry entry = entries_[at];
        if (found->first.from == any_end) --any_;
        if (entry.next == none) {
            const MatchKey key = found->first; // by key: erasing by iterator looks for the next entry
            lists_.erase(key);
        } else {
            found.value().first = entry.next;
        }
        entries_[at].next = free_;
        free_ = at;
        return entry.value;
    }

    Lists lists_;
    std::vector<Entry> entries_;
    std::uint32_t free_ = none;
    std::uint64_t stamp_ = 0;
    std::uint64_t any_ = 0; // entries for any sender
};

} // namespace orrery::dimemas
