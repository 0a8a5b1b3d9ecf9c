// A Dimemas trace as a workload for every network: its records become actions.
//
// Bursts are nanoseconds of CPU time of the machine where the trace was recorded. Messages lose their
// communicator, which in traces made from Paraver's is a number for each message: it becomes part of the tag.
// Collectives keep their communicator. A task is a rank; of its threads the first counts.
#pragma once

#include "formats/dimemas/dim_file.h"
#include "workload/action.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace orrery::dimemas {

// What one pass through the trace finds out before its actions can be given.
struct DimSurvey {
    // Roots of the collectives of each communicator, in the order in which they are called; only those with
    // one.
    std::vector<std::vector<std::uint32_t>> roots; // rank in it
    std::uint64_t uneven = 0;                      // collectives with counts of their own for each rank
    std::uint64_t other_threads = 0;               // threads behind the first of their task
    std::uint64_t any_source = 0;

    // Throws InputError if a thread other than the first of its task communicates.
    explicit DimSurvey(const DimFile& file);
    [[nodiscard]] std::vector<std::string> notes() const;
};

inline constexpr double dim_volume_rate = 1e9; // volumes are nanoseconds

// Both must outlive the source.
std::unique_ptr<ActionSource> dim_actions(const DimFile& file, const DimSurvey& survey);

} // namespace orrery::dimemas
