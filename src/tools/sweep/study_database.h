// Where a study keeps what it knows: one SQLite file, beside the study, that survives whatever happens to the
// program.
//
//   study   key, value: the name and text of the study, the program
//   point   a question: its hash, what it sets (JSON), the program
//   input   the files it was computed from, with their hashes
//   result  the answer; the same on every run and for any number of jobs
//   cost    what it took: seconds, memory, when; differs from run to run
//   grid    which point stands where in the study as it is now (JSON by axis)
//   checksum of each result with its cost, checked whenever the file is opened
//   answers a view of all this: one row per place of the grid, a column for each axis
//
// Every result is written in a transaction of its own as soon as it is known.
#pragma once

#include "tools/sweep/point_inputs.h"
#include "tools/sweep/point_result.h"
#include "tools/sweep/sqlite.h"
#include "tools/sweep/study.h"

#include <optional>
#include <string>
#include <vector>

namespace orrery {

// A point of the grid with its identity.
struct StudyPoint {
    GridPoint grid;
    std::vector<InputFile> inputs;
    std::string hash;
};

class StudyDatabase {
  public:
    // Makes the file if it is not there; `read_only` needs it. Throws InputError, also if it holds something
    // else or is damaged.
    explicit StudyDatabase(const std::string& file, bool read_only = false);

    // Notes the study and its points, in one transaction; results of points that are no longer in it are kept.
    void describe(const Study& study, const std::string& program, const std::vector<StudyPoint>& points);
    void store(const std::string& point, const PointResult& result);
    [[nodiscard]] std::optional<PointResult> find(const std::string& point);
    // Of all points so far: to judge how many fit into memory side by side.
    [[nodiscard]] std::uint64_t largest_peak_rss();

  private:
    void make_tables();
    void check(const std::string& file, bool read_only);

    Sqlite database_;
};

} // namespace orrery
