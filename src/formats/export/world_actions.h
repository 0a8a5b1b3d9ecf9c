// A trace in the words of SimGrid's replay: no communicators, no neighbourhoods, no nonblocking collectives.
//
// Messages name ranks of the world, with tags that keep communicators apart. Collectives of all ranks stay;
// those of some ranks, and those that the grammar has no word for, become the messages of the algorithm that
// the policy chooses. Nonblocking ones become messages that are all posted at once, as SimGrid does it itself.
// Requests are waited for by source, destination and tag, oldest first, or all together.
#pragma once

#include "collectives/selection.h"
#include "formats/export/context_tags.h"
#include "formats/export/left_out.h"
#include "formats/ti/requests.h"
#include "formats/ti/writers.h"
#include "workload/action.h"
#include "workload/trace_communicators.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace orrery {

struct WorldActionsOptions {
    CollectivePolicy collectives = CollectivePolicy(Selector::smpi_default);
    TiGrammar grammar = TiGrammar::simgrid; // or older_simgrid: also no tags, no roots, waits for the latest
};

// What the other program will not do as the trace says, counted.
struct WorldActionsNotes {
    std::uint64_t any_tag = 0;     // receives of any tag in a trace with several communicators
    std::uint64_t choices = 0;     // waits for any of several requests: taken as the first of them
    std::uint64_t probes = 0;      // left out
    std::uint64_t tests = 0;       // left out (older)
    std::uint64_t synchronous = 0; // sends that wait for their receive: plain sends
    std::uint64_t expanded = 0;    // collectives that became messages
    std::uint64_t tags = 0;        // messages that lost their tag (older)
    std::uint64_t forgotten = 0;   // receives that nobody waits for: still posted
    LeftOut left_out;
    [[nodiscard]] std::vector<std::string> words() const;
};

// Ranks may be read in any order, but each from its beginning to its end. What it refers to must outlive it.
class WorldActions final : public ActionSource {
  public:
    WorldActions(ActionSource& source, const TraceCommunicators& communicators,
                 const WorldActionsOptions& options);
    ~WorldActions() override;

    [[nodiscard]] std::uint32_t ranks() const override { return source_.ranks(); }
    std::span<const Action> next(RankId rank) override;
    [[nodiscard]] std::span<const Bytes> counts(RankId rank, const Action& action) const override;
    [[nodiscard]] std::string file(RankId rank) const override { return source_.file(rank); }
    [[nodiscard]] const WorldActionsNotes& notes() const { return notes_; }

  private:
    class Rank;
    ActionSource& source_;
    const TraceCommunicators& communicators_;
    WorldActionsOptions options_;
    ContextTags tags_;
    WorldActionsNotes notes_;
    std::vector<std::unique_ptr<Rank>> ranks_;
};

} // namespace orrery
