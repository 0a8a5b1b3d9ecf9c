// Which algorithm a call runs: as a real library would choose, or as the user says.
#pragma once

#include "collectives/algorithms.h"

#include <array>
#include <span>
#include <string>
#include <string_view>

namespace orrery {

struct Choice {
    const Algorithm* algorithm = nullptr; // never null after a selection
    CollectiveTuning tuning;

    bool operator==(const Choice&) const = default;
    [[nodiscard]] Steps run(const CollectiveCall& call) const { return algorithm->run(call, tuning); }
};

enum class Selector : std::uint8_t {
    openmpi,       // Open MPI 4.1: coll/tuned with its fixed decisions, coll/basic and coll/libnbc for the rest
    mpich,         // MPICH 4.0: the automatic selection of the generic (ch3, ch4 without composition) layer
    smpi_default,  // SimGrid 3.32, coll-selector default: naive
    smpi_ompi,     // SimGrid 3.32, coll-selector ompi
    smpi_mpich,    // SimGrid 3.32, coll-selector mpich
    smpi_mvapich2, // SimGrid 3.32, coll-selector mvapich2
    smpi_impi,     // SimGrid 3.32, coll-selector impi
    loggopsim,     // LogGOPSim: what its generator makes of a trace
};

// As `--collective` takes it: "chain:segment=64KiB:fanout=4".
std::string words_of(const Choice& choice);

std::string_view name_of(Selector selector); // "openmpi", "smpi-default"
std::span<const std::string_view> selector_names();
Selector parse_selector(std::string_view name); // throws UsageError with "did you mean"

Choice select(Selector selector, const CollectiveCall& call);

// Why: the rule that holds, and where the library has it.
std::string reason_of(Selector selector, const CollectiveCall& call);

// The nonblocking twins. Libraries treat them apart: Open MPI runs coll/libnbc, SimGrid posts everything at
// once.
Choice select_nonblocking(Selector selector, const CollectiveCall& call);
std::string reason_of_nonblocking(Selector selector, const CollectiveCall& call);

// The size of a call by which libraries select: all the data, or one block, on average.
Bytes selection_bytes(const CollectiveCall& call);

// A selector and what the user forces for some operations.
class CollectivePolicy {
  public:
    explicit CollectivePolicy(Selector selector = Selector::openmpi) : selector_(selector) {}

    // "openmpi" (a selector), or "gather=mpich" (of one operation), or "allreduce=ring", or with tuning
    // "bcast=chain:segment=64KiB:fanout=4".
    // A later word replaces an earlier one. Throws UsageError with "did you mean".
    void set(std::string_view word);
    // Several of them, with commas or blanks between.
    static CollectivePolicy parse(std::string_view words);

    bool operator==(const CollectivePolicy&) const = default;
    [[nodiscard]] Selector selector() const { return selector_; }
    [[nodiscard]] Choice choose(const CollectiveCall& call) const;
    [[nodiscard]] Choice choose_nonblocking(const CollectiveCall& call) const;
    // Why it chooses so: the rule of its selector, or what the user has forced.
    [[nodiscard]] std::string reason(const CollectiveCall& call, bool nonblocking) const;
    // An algorithm that it may choose and that does not move all data (Algorithm::moves_data); null if there is
    // none.
    [[nodiscard]] const Algorithm* without_data() const;

  private:
    [[nodiscard]] Selector selector_of(Collective operation) const {
        return selectors_[static_cast<std::size_t>(operation)].value_or(selector_);
    }

    Selector selector_;
    std::array<std::optional<Selector>, collective_count> selectors_{}; // of single operations
    std::array<Choice, collective_count> forced_{};                     // algorithm null: not forced
};

} // namespace orrery
