// Runs a study: every point that has no result yet, side by side, and keeps what comes out.
#pragma once

#include "tools/sweep/study.h"
#include "tools/sweep/study_database.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace orrery {

struct SweepOptions {
    std::string program;    // name and version: part of the identity of a point
    std::string database;   // file
    std::uint32_t jobs = 0; // 0: as many as there are cores and memory for
    bool force = false;     // run all points again
};

struct SweepProgress {
    std::size_t done = 0; // of `total` points to run
    std::size_t total = 0;
    std::size_t running = 0;
    std::size_t failed = 0;
};

struct SweepSummary {
    std::size_t points = 0; // places of the grid
    std::size_t distinct = 0;
    std::size_t known = 0; // had a result before
    std::size_t run = 0;
    std::size_t failed = 0; // of those of the grid, now or before
    int stopped_by = 0;     // a signal, or 0
};

// `<study>.db` beside the study; the same with another ending.
std::string beside(const Study& study, const std::string& ending);

// The points with their identities: what the inputs are now. Throws InputError.
std::vector<StudyPoint> plan(const Study& study, const std::string& program);

// Throws InputError if another process is running this study.
SweepSummary sweep(const Study& study, const std::vector<StudyPoint>& points, const SweepOptions& options,
                   const std::function<void(const SweepProgress&)>& progress);

// The rest is what is made of it: one row per place of the grid.
struct StudyRow {
    std::vector<std::string> labels; // by axis
    std::string hash;
    std::optional<PointResult> result; // nothing: not run yet
};
std::vector<StudyRow> study_rows(const Study& study, const std::vector<StudyPoint>& points,
                                 StudyDatabase& database);

} // namespace orrery
