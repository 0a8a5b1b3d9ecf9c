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

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

// Who takes a pattern by its name: `orrery generate`, sweeps and the library;
// `orrery map`; routes and checks of machines; `orrery traffic`.
using PatternUsers = std::uint8_t;
namespace pattern_user {
enum : PatternUsers { generate = 1, map = 2, machine = 4, traffic = 8, all = 15 };
} // namespace pattern_user

// How many ranks a pattern is for.
enum class PatternSizes : std::uint8_t { any, powers_of_two, powers_of_four };

// One row per pattern: lists, help, checks, completions and the manual come
// from this table.
struct PatternInfo {
    std::string_view name;
    std::string_view alias;       // the name that LogGOPSim's generator uses, or empty
    std::string_view description; // one line
    PatternOptionSet uses;        // options that mean something to it
    std::string_view messages;    // how many, as a formula
    std::string_view time;        // closed form of the run time where one is known, or empty
    PatternOptions defaults;      // what holds when an option is not given
    std::unique_ptr<Pattern> (*make)(const PatternOptions&);
    // What may follow the name and a colon: "shift:16". It sets this option, or
    // (0) is for its user to understand.
    std::string_view argument = {}; // "K"; empty: nothing
    PatternOptionSet argument_option = 0;
    std::string_view synonyms = {}; // further names, with blanks between
    PatternSizes sizes = PatternSizes::any;
    PatternUsers users = pattern_user::all;
    bool of_hosts = false;  // one message for each pair, as studies of networks use them
    std::uint32_t axes = 0; // of the grid that `dims` describes
};
// All that have a program.
std::span<const PatternInfo> patterns();
// All there are, also those that are for others than pattern_user::generate.
std::span<const PatternInfo> all_patterns();
bool fits(const PatternInfo& info, std::uint32_t ranks);

// The row of a name, alias or synonym. Throws UsageError, with the nearest
// name, if there is none.
const PatternInfo& find_pattern(std::string_view name);

// What a user has written: "stencil-3d", "shift:16",
// "stencil-2d:dims=8x8:periodic".
struct PatternChoice {
    const PatternInfo* info = nullptr;
    PatternOptions options; // the pattern's defaults and what was written;
                            // `ranks` is not set
    PatternOptionSet given = 0;
    std::string_view argument; // where the pattern's user has to understand it
};
// Whether `text` begins with the name of a pattern for this user; what follows
// may be wrong.
bool names_pattern(std::string_view text, PatternUsers user);
// Throws UsageError: no such pattern ("did you mean"), not for this user, wrong
// options.
PatternChoice choose_pattern(std::string_view text, PatternUsers user);
// "did you mean 'ring'?" with what stands before and behind it, or nothing.
std::string nearest_pattern(std::string_view text, PatternUsers user);

// Names for completion ("ring", "shift:"), and a line of help for each pattern
// of hosts.
std::vector<std::string> pattern_names(PatternUsers user);
std::string pattern_help(PatternUsers user);
// Throws UsageError for an unknown name and for options that do not fit (a root that is no rank, a grid that
// does not hold the ranks). Adds the overlapped computation if the options ask for one.
std::unique_ptr<Pattern> make_pattern(std::string_view name, const PatternOptions& options);

// A message of a pattern, wherever in time it is sent.
struct PatternMessage {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    Bytes bytes = 0;
    bool operator==(const PatternMessage&) const = default;
};
// All messages between different ranks, sender by sender, each in the order of
// its program. Throws UsageError if there are more than anybody can use.
std::vector<PatternMessage> messages_of(const Pattern& pattern, std::uint32_t ranks);

// How the ranks of a pattern lie in space: rank = x + grid[0] * (y + grid[1] *
// z). That of the pattern, or as cubic as can be.
std::array<std::uint32_t, 3> grid_of(const PatternInfo& info, const PatternOptions& options);
// Three factors of a number, as equal as possible, in descending order.
std::array<std::uint32_t, 3> balanced_grid(std::uint32_t ranks);

// Rank after rank, within the memory of the largest rank.
void generate(const Pattern& pattern, std::uint32_t ranks, ScheduleSink& sink);

} // namespace orrery
