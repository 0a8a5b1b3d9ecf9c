// MPI message matching: who receives what.
//
// A message carries (communicator, source, tag); a receive names a communicator and a source and a tag, of
// which the latter two may be wildcards. Of several that match, the oldest wins: receives in the order of
// posting, messages in the order of their reception. One MatchList is one rank's posted receives or unexpected
// messages in that order; `MatchLists` holds those of all ranks and costs 4 bytes for an empty one.
//
// A short list (up to `short_list` entries) is scanned. A longer one is indexed by exact key, so that matching
// stays O(1) with thousands of entries; receives with wildcards lie under the key that contains the wildcard,
// and an arriving message looks under the up to four keys that could take it. For a wildcard receive that
// searches unexpected messages, the index also keeps one chain per source and per tag from the first such
// search on.
#pragma once

#include "engine/pool.h"
#include "workload/op.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace orrery {

struct Envelope {
    std::uint32_t communicator = 0;
    std::uint32_t source = 0;
    std::uint32_t tag = 0;

    bool operator==(const Envelope&) const = default;
    [[nodiscard]] bool wild() const { return source == any_source || tag == any_tag; }
};

// True if a receive of `pattern` takes a message of `message`.
constexpr bool accepts(const Envelope& pattern, const Envelope& message) {
    return pattern.communicator == message.communicator &&
           (pattern.source == any_source || pattern.source == message.source) &&
           (pattern.tag == any_tag || pattern.tag == message.tag);
}

class MatchLists {
  public:
    using List = std::uint32_t; // handle of one rank's list; 0 is the empty list
    static constexpr std::size_t short_list = 12;

    // Which side carries the wildcards: the entries (posted receives) or the searches (unexpected messages).
    enum class Holds : std::uint8_t { receives, messages };

    explicit MatchLists(Holds holds);
    ~MatchLists();
    MatchLists(MatchLists&&) noexcept;
    MatchLists& operator=(MatchLists&&) noexcept;

    // Appends to the list's end. `item` is handed back by take().
    void append(List& list, const Envelope& envelope, std::uint32_t item);
    // Removes the first entry that matches and returns its item.
    std::optional<std::uint32_t> take(List& list, const Envelope& envelope) {
        return list == 0 ? std::nullopt : known(find(list, envelope, true));
    }
    // The same without removing it.
    std::optional<std::uint32_t> peek(List& list, const Envelope& envelope) {
        return list == 0 ? std::nullopt : known(find(list, envelope, false));
    }
    // Takes an entry out by its item (a cancelled receive), which is searched for; false if it is not there.
    bool remove(List& list, std::uint32_t item);
    // Calls visit(envelope, item) for all entries, in order.
    template <typename Visit> void for_each(List list, Visit&& visit) const;
    [[nodiscard]] std::uint64_t size() const { return size_; } // entries in all lists

  private:
    struct Entry {
        Envelope envelope;
        std::uint32_t item = 0;
        std::uint32_t next = 0; // in list order; 0: last
    };
    struct Index; // of one long list
    static constexpr std::uint32_t indexed = 0x8000'0000;

    [[nodiscard]] bool matches(const Envelope& entry, const Envelope& search) const {
        return holds_ == Holds::receives ? accepts(entry, search) : accepts(search, entry);
    }
    // The item, or `none`: an optional is returned by way of the stack, and waits for the stores before it.
    static constexpr std::uint64_t none = ~std::uint64_t{0};
    std::uint64_t find(List& list, const Envelope& envelope, bool remove);
    static std::optional<std::uint32_t> known(std::uint64_t item) {
        return item == none ? std::nullopt : std::optional(static_cast<std::uint32_t>(item));
    }
    void free_index(List& list);
    std::uint32_t unlink(std::uint32_t* link);
    std::uint32_t new_entry(const Envelope& envelope, std::uint32_t item);
    void make_index(List& list);
    [[nodiscard]] std::vector<std::pair<Envelope, std::uint32_t>> entries(List list) const;

    Holds holds_;
    Pool<Entry> pool_; // entry 0 is not used
    Pool<std::unique_ptr<Index>> indices_;
    std::uint64_t size_ = 0;
};

template <typename Visit> void MatchLists::for_each(List list, Visit&& visit) const {
    for (const auto& [envelope, item] : entries(list)) visit(envelope, item);
}

} // namespace orrery
