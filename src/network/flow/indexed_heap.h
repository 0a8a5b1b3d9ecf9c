// A heap of numbered items whose keys may change: the smallest key on top, ties by number.
//
// Where an item stands is kept by the owner, in one array for many heaps if an item is in at most one of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace orrery {

template <typename Key> class IndexedHeap {
  public:
    using Positions = std::vector<std::uint32_t>;
    struct Entry {
        Key key{};
        std::uint32_t item = 0;

        [[nodiscard]] bool before(const Entry& other) const {
            return key != other.key ? key < other.key : item < other.item;
        }
    };

    [[nodiscard]] bool empty() const { return entries_.empty(); }
    [[nodiscard]] const Entry& top() const { return entries_.front(); }
    [[nodiscard]] const Entry& at(std::uint32_t position) const { return entries_[position]; }

    void push(Key key, std::uint32_t item, Positions& positions) {
        entries_.emplace_back();
        rise(entries_.size() - 1, {key, item}, positions);
    }
    void change(std::uint32_t position, Key key, Positions& positions) {
        place(position, {key, entries_[position].item}, positions);
    }
    void remove(std::uint32_t position, Positions& positions) {
        const Entry last = entries_.back();
        entries_.pop_back();
        if (position == entries_.size()) return;
        place(position, last, positions);
    }
    // Takes out all that have at most this key; tells of them in no particular order. Costs O(log n) for each,
    // but not more than O(n) for all.
    template <typename Tell> void take_until(Key limit, Positions& positions, Tell&& tell) {
        if (!empty() && up_to(limit, 0) * 8 >= entries_.size()) {
            std::size_t kept = 0;
            for (const Entry& entry : entries_) {
                if (entry.key <= limit) {
                    tell(entry.item);
                } else {
                    entries_[kept++] = entry;
                }
            }
            entries_.resize(kept);
            for (std::size_t at = kept; at-- > 0;) sink(at, Entry(entries_[at]), positions);
        }
        while (!empty() && top().key <= limit) {
            tell(top().item);
            remove(0, positions);
        }
    }

  private:
    // Four, which lie in a cache line or two: half as many levels as with two.
    static constexpr std::size_t children = 4;
    static std::size_t parent(std::size_t at) { return (at - 1) / children; }

    // How many at and below this place have at most this key; stops counting at an eighth of all.
    [[nodiscard]] std::size_t up_to(Key limit, std::size_t at) const {
        if (entries_[at].key > limit) return 0;
        std::size_t count = 1;
        for (std::size_t child = children * at + 1; child <= children * (at + 1); ++child)
            if (child < entries_.size() && count * 8 < entries_.size()) count += up_to(limit, child);
        return count;
    }
    // Finds the place of an entry that is to be at `at` or thereabouts. It is not written there first: what is
    // read again at once waits for all stores before it.
    void place(std::size_t at, const Entry& entry, Positions& positions) {
        if (at > 0 && entry.before(entries_[parent(at)])) {
            rise(at, entry, positions);
        } else {
            sink(at, entry, positions);
        }
    }
    void rise(std::size_t at, const Entry& entry, Positions& positions) {
        while (at > 0 && entry.before(entries_[parent(at)])) {
            put(at, entries_[parent(at)], positions);
            at = parent(at);
        }
        put(at, entry, positions);
    }
    void sink(std::size_t at, const Entry& entry, Positions& positions) {
        for (std::size_t first = children * at + 1; first < entries_.size(); first = children * at + 1) {
            const std::size_t end = std::min(first + children, entries_.size());
            std::size_t least = first;
            for (std::size_t child = first + 1; child < end; ++child)
                if (entries_[child].before(entries_[least])) least = child;
            if (!entries_[least].before(entry)) break;
            put(at, entries_[least], positions);
            at = least;
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
