// Communication patterns, computed rank by rank: the workloads that need no file.
//
// A pattern is a pure function "the program of rank r": any rank's operations can be had on their own, in any
// order, at the cost of those operations alone. That lets a schedule of millions of ranks be simulated without
// being written, and makes the programs of most ranks equal up to the renaming of peers, so that a store can
// share them: peers stand at the same distance (modulo the number of ranks, or by exclusive or) in the same
// order on each rank wherever the algorithm allows it.
#pragma once

#include "engine/ids.h"
#include "workload/graph.h"
#include "workload/patterns/options.h"
#include "workload/sink.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace orrery {

class Pattern {
  public:
    virtual ~Pattern() = default;

    // Appends the operations of `rank` to `out`, which the caller has cleared. May be called from several
    // threads at once. Dependencies never form a cycle and no operation is out of range.
    virtual void program(RankId rank, RankGraph& out) const = 0;
    // How many messages all ranks together send.
    [[nodiscard]] virtual std::uint64_t messages() const = 0;
};

// One row per pattern: lists, help, checks and the manual come from this table.
struct PatternInfo {
    std::string_view name;
    std::string_view alias;       // the name that LogGOPSim's generator uses, or empty
    std::string_view description; // one line
    PatternOptionSet uses;        // options that mean something to it
    std::string_view messages;    // how many, as a formula
    std::string_view time;        // closed form of the run time where one is known, or empty
    PatternOptions defaults;      // what holds when an option is not given
    std::unique_ptr<Pattern> (*make)(const PatternOptions&);
};
std::span<const PatternInfo> patterns();

// The row of a name or alias. Throws UsageError, with the nearest name, if there is none.
const PatternInfo& find_pattern(std::string_view name);

// Throws UsageError for an unknown name and for options that do not fit (a root that is no rank, a grid that
// does not hold the ranks). Adds the overlapped computation if the options ask for one.
std::unique_ptr<Pattern> make_pattern(std::string_view name, const PatternOptions& options);

// Rank after rank, within the memory of the largest rank.
void generate(const Pattern& pattern, std::uint32_t ranks, ScheduleSink& sink);

} // namespace orrery
