// The variables of many ranks in one place: at a switch to another rank, the variables of the one before are
// saved and its own are restored.
//
// Most variables of most programs never change, or are the same in all ranks once these have begun. So what is
// copied are the lines (64 bytes) in which some rank has been seen to differ from what is common to all;
// whether there are more of them is checked whenever a rank is saved, and at times whether there are fewer.
// With few variables that costs less than a copy of the program per rank: a program that exists once has its
// code and its constants in the cache, and needs few translations of addresses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace orrery::emulate {

// A rank's variables while another one is active.
struct SavedVariables {
    std::unique_ptr<std::byte[]> bytes; // NOLINT: all of them; null: the initial ones, or it has ended
    bool touched = false;               // written to by others than their rank
};

class SwappedVariables {
  public:
    SwappedVariables() = default;
    // The present contents are what each of the `ranks` begins with.
    SwappedVariables(std::byte* place, std::size_t bytes, std::uint32_t ranks);

    // Of the active rank. Its SavedVariables must stay valid as long as others are restored.
    void save(SavedVariables& rank);
    void drop(SavedVariables& rank);    // instead, of a rank that has ended
    void restore(SavedVariables& rank); // after one of these
    [[nodiscard]] bool has(const void* address) const {
        return address >= place_ && address < place_ + common_.size();
    }
    // Where this byte of the variables lies for a rank that is not active but has been. It may be written to.
    [[nodiscard]] void* find(SavedVariables& rank, void* address);
    // The first byte of a rank that will be needed when it is restored; null: none.
    [[nodiscard]] const std::byte* first_needed(const SavedVariables& rank) const;
    // How many bytes a switch saves and restores.
    [[nodiscard]] std::size_t moved_bytes() const;

  private:
    static constexpr std::size_t line = 64;
    struct Range {
        std::size_t from = 0;
        std::size_t bytes = 0;
    };
    [[nodiscard]] Range range(std::size_t number) const; // of a line
    [[nodiscard]] bool is_common(const std::byte* now, const Range& range) const;
    void find_changes(const std::byte* now);
    void find_agreement();
    void set_ranges();

    std::byte* place_ = nullptr;
    std::vector<std::byte> common_;
    std::vector<bool> differs_;          // by line
    std::vector<Range> differing_;       // of lines that differ
    std::vector<Range> same_;            // and of all others, in which every rank has the same
    std::vector<SavedVariables*> saved_; // of ranks that have been saved
    std::size_t saved_alive_ = 0;        // of these, how many have not ended
    std::size_t alive_ = 0;              // of all ranks
    bool any_touched_ = false;           // some rank has ever been
    std::uint64_t switches_ = 0;
    std::uint64_t next_comparison_ = 0; // for agreement
};

} // namespace orrery::emulate
