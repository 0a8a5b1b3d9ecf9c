// What a trace holds, in words.
#include "engine/units.h"
#include "formats/allprof/trace.h"

#include <algorithm>
#include <fmt/format.h>

namespace orrery {

std::string AllprofSummary::headline() const {
    return fmt::format("{}: {} ranks, {} calls; {} sends, {} receives, {} calls of collectives", pattern,
                       format_count(ranks), format_count(tally.calls), format_count(tally.sends),
                       format_count(tally.recvs), format_count(tally.collectives));
}

std::vector<std::string> AllprofSummary::notes() const {
    std::vector<std::string> notes;
    if (!ignored.empty()) {
        notes.push_back(fmt::format(
            "not part of the trace: {}{}",
            fmt::join(ignored.begin(),
                      ignored.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(ignored.size(), 5)),
                      ", "),
            ignored.size() > 5 ? ", ..." : ""));
    }
    for (const allprof::Skipped& calls : skipped) {
        notes.push_back(fmt::format("left out: {} {}: {}", format_count(calls.count), calls.call, calls.why));
    }
    const auto note = [&](std::uint64_t count, std::string_view what) {
        if (count != 0) notes.push_back(fmt::format("{} {}", format_count(count), what));
    };
    note(tally.inferred_completions, "requests: the trace does not show which call completed them; assumed");
    note(tally.unknown_requests, "waits for requests that no call in the trace has made; left out");
    note(tally.overlaps, "calls start before the one before has ended; no computing time between them");
    note(tally.pinned_wildcards,
         "wildcard receives: source and tag fixed as in a run with messages that take no time");
    note(tally.cancelled, "cancelled receives; left out");
    note(tally.renumbered,
         "ranks have another rank in their communicators than in the names of their files, which count");
    note(tally.guessed_communicators, "handles fit more than one communicator; taken in the order of creation");
    return notes;
}

} // namespace orrery
