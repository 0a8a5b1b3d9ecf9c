// What is kept of each pair of ranks with a message under way: a hash table of 16 bytes per entry that is made
// for entries that come and go with every message. About 20 instructions for each of the two.
//
// Open addressing with linear probing; an entry that leaves lets those behind it move up, so that none is ever
// marked as deleted. At most half full.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace orrery {

class PairTable {
  public:
    PairTable() : slots_(first_size) {}

    [[nodiscard]] std::size_t size() const { return size_; }

    // The value of the pair, which is made with `initial` if there is none. It is valid until the next call.
    std::uint32_t& at(std::uint32_t from, std::uint32_t to, std::uint32_t initial) {
        if (2 * size_ >= slots_.size()) grow();
        const std::uint64_t key = key_of(from, to);
        std::size_t place = ideal(key);
        for (; slots_[place].key != 0; place = next(place)) {
            if (slots_[place].key == key) return slots_[place].value;
        }
        ++size_;
        slots_[place] = {key, initial};
        return slots_[place].value;
    }
    // The pair is there.
    void erase(std::uint32_t from, std::uint32_t to) {
        const std::uint64_t key = key_of(from, to);
        std::size_t hole = ideal(key);
        while (slots_[hole].key != key) hole = next(hole);
        --size_;
        for (std::size_t place = next(hole); slots_[place].key != 0; place = next(place)) {
            // It may move up unless its own place lies behind the hole.
            const std::size_t mask = slots_.size() - 1;
            if (((place - ideal(slots_[place].key)) & mask) < ((place - hole) & mask)) continue;
            slots_[hole] = slots_[place];
            hole = place;
        }
        slots_[hole].key = 0;
    }

  private:
    static constexpr std::size_t first_size = 16;
    struct Slot {
        std::uint64_t key = 0; // 0: empty
        std::uint32_t value = 0;
    };
    static std::uint64_t key_of(std::uint32_t from, std::uint32_t to) {
        return (std::uint64_t{from} << 32 | to) + 1; // ranks are below 2^31
    }
    [[nodiscard]] std::size_t ideal(std::uint64_t key) const {
        return static_cast<std::size_t>(key * 0x9E37'79B9'7F4A'7C15U >> shift_);
    }
    [[nodiscard]] std::size_t next(std::size_t place) const { return (place + 1) & (slots_.size() - 1); }

    void grow() {
        std::vector<Slot> old(2 * slots_.size());
        old.swap(slots_);
        --shift_;
        for (const Slot& each : old) {
            if (each.key == 0) continue;
            std::size_t place = ideal(each.key);
            while (slots_[place].key != 0) place = next(place);
            slots_[place] = each;
        }
    }

    std::vector<Slot> slots_; // a power of two
    unsigned shift_ = 64 - std::countr_zero(first_size);
    std::size_t size_ = 0;
};

} // namespace orrery
