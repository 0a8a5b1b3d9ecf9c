// The variables of many ranks in one place: when another rank comes to run, those of the one before go out and
// its own come in.
//
// Most variables of most programs never change, or change alike before anything is told apart. So what is moved
// are the lines (64 bytes) in which some rank has ever been seen to differ from what all began with; whether
// there are more of them is looked at whenever a rank goes out. With few variables that costs less than an
// address space of its own per rank: a program that exists once has its code and its constants in the cache,
// and needs few translations of addresses.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace orrery::emulate {

// A rank's variables while another one is in.
struct VariablesOut {
    std::unique_ptr<std::byte[]> bytes; // NOLINT: all of them; null: as all began
    bool touched = false;               // written to by others than their rank
};

class SwappedVariables {
  public:
    SwappedVariables() = default;
    // What is there now is what each rank begins with.
    SwappedVariables(std::byte* place, std::size_t bytes);

    void take_out(VariablesOut& rank); // of the rank that is in,
    void drop();                       // of one that has ended
    void bring_in(VariablesOut& rank); // after one of these
    [[nodiscard]] bool has(const void* address) const {
        return address >= place_ && address < place_ + fresh_.size();
    }
    // Where a rank that is not in, but has been, has this byte of the variables. It may be written to.
    [[nodiscard]] void* find(VariablesOut& rank, void* address) const;
    // The first byte of a rank that will be needed when it comes in; null: none.
    [[nodiscard]] const std::byte* first_needed(const VariablesOut& rank) const;

  private:
    static constexpr std::size_t line = 64;
    struct Range {
        std::size_t from = 0;
        std::size_t bytes = 0;
    };
    void look_for_changes(const std::byte* now);

    std::byte* place_ = nullptr;
    std::vector<std::byte> fresh_;
    std::vector<bool> differs_; // by line
    std::vector<Range> own_;    // of lines that differ
    std::vector<Range> same_;   // and of all others, in which every rank has what is in place
};

} // namespace orrery::emulate
