#include "protocol/matching.h"

#include "engine/random.h"

#include <algorithm>
#include <array>
#include <deque>

#include <tsl/robin_map.h>

namespace orrery {

namespace {

struct EnvelopeHash {
    std::size_t operator()(const Envelope& key) const {
        return mix_bits((std::uint64_t{key.source} << 32 | key.tag) +
                        key.communicator * 0x9E37'79B9'7F4A'7C15ULL);
    }
};

// Number of an entry within its list, in order; never reused.
using Sequence = std::uint64_t;

// The entries under one key, oldest first. Entries that were removed through another chain are skipped when
// met.
struct Chain {
    std::vector<Sequence> sequences;
    std::size_t head = 0;

    void push(Sequence sequence) {
        if (head == sequences.size()) {
            sequences.clear();
            head = 0;
        }
        sequences.push_back(sequence);
    }
};

} // namespace

struct MatchLists::Index {
    struct Slot {
        Envelope envelope;
        std::uint32_t item = 0;
        bool alive = false;
    };

    std::deque<Slot> slots; // slot of sequence s: slots[s - first]
    Sequence first = 0;
    std::uint64_t alive = 0;
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
        const Sequence sequence = first + slots.size();
        slots.push_back({envelope, item, true});
        ++alive;
        chains[envelope].push(sequence);
        if (holds == Holds::receives) {
            wildcards[kind(envelope)] = true;
        } else {
            for (unsigned wild = 1; wild < 4; ++wild) {
                if (wildcards[wild]) chains[generalise(envelope, wild)].push(sequence);
            }
        }
    }

    // From the first search with this kind of wildcard on, messages are also chained under the wildcard's key.
    void start_chains(unsigned wild) {
        wildcards[wild] = true;
        for (std::size_t i = 0; i < slots.size(); ++i) {
            if (slots[i].alive) chains[generalise(slots[i].envelope, wild)].push(first + i);
        }
    }

    [[nodiscard]] Slot* oldest(const Envelope& key, Sequence& sequence) {
        const auto found = chains.find(key);
        if (found == chains.end()) return nullptr;
        Chain& chain = found.value();
        while (chain.head < chain.sequences.size()) {
            sequence = chain.sequences[chain.head];
            if (sequence >= first && slots[sequence - first].alive) return &slots[sequence - first];
            ++chain.head;
        }
        return nullptr;
    }

    [[nodiscard]] Slot* find(const Envelope& search, Holds holds) {
        Sequence sequence = 0;
        if (holds == Holds::messages) {
            const unsigned wild = kind(search);
            if (wild != 0 && !wildcards[wild]) start_chains(wild);
            return oldest(search, sequence);
        }
        Slot* best = nullptr;
        Sequence best_sequence = 0;
        for (unsigned wild = 0; wild < 4; ++wild) {
            if (wild != 0 && !wildcards[wild]) continue;
            Slot* const candidate = oldest(generalise(search, wild), sequence);
            if (candidate != nullptr && (best == nullptr || sequence < best_sequence)) {
                best = candidate;
                best_sequence = sequence;
            }
        }
        return best;
    }

    void remove(Slot& slot) {
        slot.alive = false;
        --alive;
        while (!slots.empty() && !slots.front().alive) {
            slots.pop_front();
            ++first;
        }
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
    const std::uint32_t number = indices_.add(std::make_unique<Index>());
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
    indices_[list & ~indexed].reset();
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
