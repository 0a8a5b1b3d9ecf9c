// The variables of many ranks in one place: when another rank comes to run, those of the one before go out and
// its own come in.
//
// Most variables of most programs never change, or are the same in all ranks once these have begun. So what is
// moved are the lines (64 bytes) in which some rank has been seen to differ from what is common to all; whether
// there are more of them is looked at whenever a rank goes out, and now and then whether there are fewer. With
// few variables that costs less than a copy of the program per rank: a program that exists once has its code
// and its constants in the cache, and needs few translations of addresses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace orrery::emulate {

// A rank's variables while another one is in.
struct VariablesOut {
    std::unique_ptr<std::byte[]> bytes; // NOLINT: all of them; null: as all began, or it has ended
    bool touched = false;               // written to by others than their rank
};

class SwappedVariables {
  public:
    SwappedVariables() = default;
    // What is there now is what each of so many ranks begins with.
    SwappedVariables(std::byte* place, std::size_t bytes, std::uint32_t ranks);

    // Of the rank that is in. Its VariablesOut must stay as long as others are brought in.
    void take_out(VariablesOut& rank);
    void drop(VariablesOut& rank);     // instead, of a rank that has ended
    void bring_in(VariablesOut& rank); // after one of these
    [[nodiscard]] bool has(const void* address) const {
        return address >= place_ && address < place_ + common_.size();
    }
    // Where a rank that is not in, but has been, has this byte of the variables. It may be written to.
    [[nodiscard]] void* find(VariablesOut& rank, void* address);
    // The first byte of a rank that will be needed when it comes in; null: none.
    [[nodiscard]] const std::byte* first_needed(const VariablesOut& rank) const;
    // How many bytes go out and in.
    [[nodiscard]] std::size_t moved_bytes() const;

  private:
    static constexpr std::size_t line = 64;
    struct Range {
        std::size_t from = 0;
        std::size_t bytes = 0;
    };
    [[nodiscard]] Range range(std::size_t number) const; // of a line
    [[nodiscard]] bool is_common(const std::byte* now, const Range& range) const;
    void look_for_changes(const std::byte* now);
    void look_for_agreement();
    void set_ranges();

    std::byte* place_ = nullptr;
    std::vector<std::byte> common_;
    std::vector<bool> differs_;        // by line
    std::vector<Range> own_;           // of lines that differ
    std::vector<Range> same_;          // and of all others, in which every rank has what is in place
    std::vector<VariablesOut*> known_; // that have been out
    std::size_t out_ = 0;              // of these, how many have not ended
    std::size_t alive_ = 0;            // of all ranks
    bool any_touched_ = false;         // some rank has ever been
    std::uint64_t switches_ = 0;
    std::uint64_t next_look_ = 0; // for agreement
};

} // namespace orrery::emulate
