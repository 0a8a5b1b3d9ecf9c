// A binary heap of numbered items whose keys may change: the smallest key on top, ties by number.
//
// Where an item stands is kept by the owner, in one array for many heaps if an item is in at most one of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace orrery {

template <typename Key> class IndexedHeap {
  public:
    using Positions = std::vector<std::uint32_t>;
    struct Entry {
        Key key;
        std::uint32_t item;

        [[nodiscard]] bool before(const Entry& other) const {
            return key != other.key ? key < other.key : item < other.item;
        }
    };

    [[nodiscard]] bool empty() const { return entries_.empty(); }
    [[nodiscard]] const Entry& top() const { return entries_.front(); }
    [[nodiscard]] const Entry& at(std::uint32_t position) const { return entries_[position]; }

    void push(Key key, std::uint32_t item, Positions& positions) {
        entries_.push_back({key, item});
        rise(entries_.size() - 1, positions);
    }
    void change(std::uint32_t position, Key key, Positions& positions) {
        entries_[position].key = key;
        place(position, positions);
    }
    void remove(std::uint32_t position, Positions& positions) {
        const Entry last = entries_.back();
        entries_.pop_back();
        if (position == entries_.size()) return;
        entries_[position] = last;
        place(position, positions);
    }

  private:
    void place(std::size_t at, Positions& positions) {
        if (at > 0 && entries_[at].before(entries_[(at - 1) / 2])) {
            rise(at, positions);
        } else {
            sink(at, positions);
        }
    }
    void rise(std::size_t at, Positions& positions) {
        const Entry entry = entries_[at];
        while (at > 0 && entry.before(entries_[(at - 1) / 2])) {
            put(at, entries_[(at - 1) / 2], positions);
            at = (at - 1) / 2;
        }
        put(at, entry, positions);
    }
    void sink(std::size_t at, Positions& positions) {
        const Entry entry = entries_[at];
        for (std::size_t child = 2 * at + 1; child < entries_.size(); child = 2 * at + 1) {
            if (child + 1 < entries_.size() && entries_[child + 1].before(entries_[child])) ++child;
            if (!entries_[child].before(entry)) break;
            put(at, entries_[child], positions);
            at = child;
        }
        put(at, entry, positions);
    }
    void put(std::size_t at, const Entry& entry, Positions& positions) {
        entries_[at] = entry;
        positions[entry.item] = static_cast<std::uint32_t>(at);
    }

    std::vector<Entry> entries_;
};

} // namespace orrery
