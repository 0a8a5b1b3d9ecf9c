#include "protocol/matching.h"

#include "engine/random.h"

#include <algorithm>
#include <array>

#include <tsl/robin_map.h>

namespace orrery {

namespace {

struct EnvelopeHash {
    std::size_t operator()(const Envelope& key) const {
        return mix_bits((std::uint64_t{key.source} << 32 | key.tag) +
                        key.communicator * 0x9E37'79B9'7F4A'7C15ULL);
    }
};

} // namespace

// All memory of an index stays with it when it is emptied: most lists that are long are so again and again.
struct MatchLists::Index {
    struct Slot {
        Envelope envelope;
        std::uint32_t item = 0;
        // By kind of wildcard: the next under the same key; 0: none.
        std::array<std::uint32_t, 4> next{};
        bool alive = false;
    };
    // The slots under one key, oldest first. Those that were removed through another chain are skipped when
    // met.
    struct Chain {
        std::uint32_t head = 0;
        std::uint32_t tail = 0;
    };

    std::vector<Slot> slots; // in the order of the list
    std::uint32_t alive = 0;
    tsl::robin_map<Envelope, Chain, EnvelopeHash> chains;
    // Kinds of wildcard in use: for receives, among the entries; for messages, among the searches so far.
    std::array<bool, 4> wildcards{};

    static unsigned kind(const Envelope& envelope) {
        return (envelope.source == any_source ? 2U : 0U) + (envelope.tag == any_tag ? 1U : 0U);
    }
    static Envelope generalise(Envelope envelope, unsigned kind) {
        if ((kind & 2U) != 0) envelope.source = any_source;
        if ((kind & 1U) != 0) envelope.tag = any_tag;
        return envelope;
    }

    void append(const Envelope& envelope, std::uint32_t item, Holds holds) {
        if (slots.size() > 4 * std::size_t{alive} + 64) close_gaps(holds);
        const auto slot = static_cast<std::uint32_t>(slots.size());
        slots.push_back({envelope, item, {}, true});
        ++alive;
        const unsigned exact = kind(envelope);
        chain(envelope, exact, slot);
        if (holds == Holds::receives) {
            wildcards[exact] = true;
        } else {
            for (unsigned wild = 1; wild < 4; ++wild) {
                if (wildcards[wild]) chain(generalise(envelope, wild), wild, slot);
            }
        }
    }

    void chain(const Envelope& key, unsigned wild, std::uint32_t slot) {
        const auto [found, is_new] = chains.try_emplace(key, Chain{slot, slot});
        if (is_new) return;
        std::uint32_t& tail = found.value().tail;
        slots[tail].next[wild] = slot;
        tail = slot;
    }

    // Once for each three that were removed, at most: appending stays O(1).
    void close_gaps(Holds holds) {
        std::vector<Slot> all;
        all.swap(slots);
        chains.clear();
        alive = 0;
        for (const Slot& each : all) {
            if (each.alive) append(each.envelope, each.item, holds);
        }
    }

    // It is empty, and as new. False if its memory is too large for what it held last.
    bool reset() {
        if (chains.bucket_count() > 8 * chains.size() || slots.capacity() > 8 * slots.size()) return false;
        slots.clear();
        chains.clear();
        wildcards = {};
        return true;
    }

    // From the first search with this kind of wildcard on, messages are also chained under the wildcard's key.
    void start_chains(unsigned wild) {
        wildcards[wild] = true;
        for (std::uint32_t slot = 0; slot < slots.size(); ++slot) {
            if (slots[slot].alive) chain(generalise(slots[slot].envelope, wild), wild, slot);
        }
    }

    [[nodiscard]] Slot* oldest(const Envelope& key, unsigned wild) {
        const auto found = chains.find(key);
        if (found == chains.end()) return nullptr;
        Chain& chain = found.value();
        while (!slots[chain.head].alive) {
            if (chain.head == chain.tail) return nullptr;
            chain.head = slots[chain.head].next[wild];
        }
        return &slots[chain.head];
    }

    [[nodiscard]] Slot* find(const Envelope& search, Holds holds) {
        if (holds == Holds::messages) {
            const unsigned wild = kind(search);
            if (wild != 0 && !wildcards[wild]) start_chains(wild);
            return oldest(search, wild);
        }
        Slot* best = nullptr;
        for (unsigned wild = 0; wild < 4; ++wild) {
            if (!wildcards[wild]) continue;
            Slot* const candidate = oldest(generalise(search, wild), wild);
            if (candidate != nullptr && (best == nullptr || candidate < best)) best = candidate;
        }
        return best;
    }

    void remove(Slot& slot) {
        slot.alive = false;
        --alive;
    }
};

MatchLists::MatchLists(Holds holds) : holds_(holds) { pool_.add_as_left(); }
MatchLists::~MatchLists() = default;
MatchLists::MatchLists(MatchLists&&) noexcept = default;
MatchLists& MatchLists::operator=(MatchLists&&) noexcept = default;

std::uint32_t MatchLists::new_entry(const Envelope& envelope, std::uint32_t item) {
    const std::uint32_t entry = pool_.add_as_left();
    pool_[entry] = {envelope, item, 0};
    return entry;
}

void MatchLists::append(List& list, const Envelope& envelope, std::uint32_t item) {
    ++size_;
    if ((list & indexed) == 0) {
        std::size_t length = 0;
        std::uint32_t last = 0;
        for (std::uint32_t entry = list; entry != 0; entry = pool_[entry].next) {
            last = entry;
            ++length;
        }
        if (length < short_list) {
            const std::uint32_t entry = new_entry(envelope, item);
            (last == 0 ? list : pool_[last].next) = entry;
            return;
        }
        make_index(list);
    }
    indices_[list & ~indexed]->append(envelope, item, holds_);
}

void MatchLists::make_index(List& list) {
    const std::uint32_t number = indices_.add_as_left();
    if (indices_[number] == nullptr) indices_[number] = std::make_unique<Index>();
    while (list != 0) {
        Entry& entry = pool_[list];
        indices_[number]->append(entry.envelope, entry.item, holds_);
        pool_.remove(list);
        list = entry.next;
    }
    list = number | indexed;
}

std::uint64_t MatchLists::find(List& list, const Envelope& envelope, bool remove) {
    if ((list & indexed) != 0) {
        Index& index = *indices_[list & ~indexed];
        Index::Slot* const slot = index.find(envelope, holds_);
        if (slot == nullptr) return none;
        const std::uint32_t item = slot->item;
        if (remove) {
            --size_;
            index.remove(*slot);
            if (index.alive == 0) free_index(list);
        }
        return item;
    }
    std::uint32_t* link = &list;
    while (*link != 0) {
        Entry& entry = pool_[*link];
        if (matches(entry.envelope, envelope)) {
            return remove ? unlink(link) : entry.item;
        }
        link = &entry.next;
    }
    return none;
}

void MatchLists::free_index(List& list) {
    std::unique_ptr<Index>& index = indices_[list & ~indexed];
    if (!index->reset()) index.reset();
    indices_.remove(list & ~indexed);
    list = 0;
}

std::uint32_t MatchLists::unlink(std::uint32_t* link) {
    --size_;
    const std::uint32_t freed = *link;
    *link = pool_[freed].next;
    pool_.remove(freed);
    return pool_[freed].item;
}

bool MatchLists::remove(List& list, std::uint32_t item) {
    if ((list & indexed) != 0) {
        Index& index = *indices_[list & ~indexed];
        for (Index::Slot& slot : index.slots) {
            if (!slot.alive || slot.item != item) continue;
            --size_;
            index.remove(slot);
            if (index.alive == 0) free_index(list);
            return true;
        }
        return false;
    }
    for (std::uint32_t* link = &list; *link != 0; link = &pool_[*link].next) {
        if (pool_[*link].item != item) continue;
        unlink(link);
        return true;
    }
    return false;
}

std::vector<std::pair<Envelope, std::uint32_t>> MatchLists::entries(List list) const {
    std::vector<std::pair<Envelope, std::uint32_t>> all;
    if ((list & indexed) != 0) {
        for (const Index::Slot& slot : indices_[list & ~indexed]->slots) {
            if (slot.alive) all.emplace_back(slot.envelope, slot.item);
        }
        return all;
    }
    for (std::uint32_t entry = list; entry != 0; entry = pool_[entry].next) {
        all.emplace_back(pool_[entry].envelope, pool_[entry].item);
    }
    return all;
}

} // namespace orrery
