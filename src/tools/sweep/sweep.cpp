#include "tools/sweep/sweep.h"

#include "engine/error.h"
#include "engine/memory.h"
#include "tools/sweep/process_pool.h"
#include "tools/sweep/run_point.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>
#include <sys/file.h>
#include <thread>
#include <unistd.h>

namespace orrery {

namespace {

// One sweep at a time per study: the file of the study itself is locked, so nothing is left behind.
class StudyLock {
  public:
    explicit StudyLock(const std::string& file) : descriptor_(::open(file.c_str(), O_RDONLY | O_CLOEXEC)) {
        if (descriptor_ < 0)
            throw InputError(Error{file, 0, 0, fmt::format("cannot be read: {}", std::strerror(errno))});
        if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0) return;
        ::close(descriptor_);
        throw InputError(Error{file, 0, 0, "another 'orrery sweep' is running this study"});
    }
    StudyLock(const StudyLock&) = delete;
    StudyLock& operator=(const StudyLock&) = delete;
    ~StudyLock() { ::close(descriptor_); }
    // In a worker: the lock is the parent's, and goes with it.
    void let_go() const { ::close(descriptor_); }

  private:
    int descriptor_;
};

std::uint32_t cores() {
    const unsigned found = std::thread::hardware_concurrency();
    return found == 0 ? 1 : found;
}

PoolOptions pool_options(const SweepOptions& options, StudyDatabase& database) {
    PoolOptions pool;
    pool.jobs = options.jobs == 0 ? cores() : options.jobs;
    if (options.jobs == 0) {
        pool.memory_bytes = usable_memory_bytes() / 10 * 8;
        pool.largest_bytes = database.largest_peak_rss();
    }
    return pool;
}

PointResult result_of(const TaskOutcome& outcome) {
    PointResult result;
    if (outcome.finished) {
        result = point_result(nlohmann::json::parse(outcome.answer));
    } else {
        result.status = PointStatus::lost;
        result.message = outcome.reason;
        result.peak_rss_bytes = outcome.peak_rss_bytes;
    }
    return result;
}

} // namespace

std::string beside(const Study& study, const std::string& ending) {
    return std::filesystem::path(study.file).replace_extension(ending).string();
}

std::vector<StudyPoint> plan(const Study& study, const std::string& program) {
    InputHashes hashes(study.file);
    std::vector<StudyPoint> points;
    for (GridPoint& grid : expand(study)) {
        try {
            check_point(grid.assignments);
        } catch (const UsageError& error) {
            throw InputError(Error{study.file, 0, 0, error.what()});
        }
        StudyPoint& point = points.emplace_back();
        point.grid = std::move(grid);
        point.inputs = hashes.of(point.grid.assignments);
        point.hash = point_hash(program, point.grid.assignments, point.inputs);
    }
    return points;
}

SweepSummary sweep(const Study& study, const std::vector<StudyPoint>& points, const SweepOptions& options,
                   const std::function<void(const SweepProgress&)>& progress) {
    const StudyLock lock(study.file);
    StudyDatabase database(options.database);
    database.describe(study, options.program, points);

    SweepSummary summary;
    summary.points = points.size();
    std::vector<const StudyPoint*> missing;
    std::set<std::string_view> seen;
    for (const StudyPoint& point : points) {
        if (!seen.insert(point.hash).second) continue;
        const std::optional<PointResult> known = database.find(point.hash);
        const bool answered = known && known->status != PointStatus::lost && !options.force;
        if (!answered) {
            missing.push_back(&point);
        } else {
            ++summary.known;
            if (known->status != PointStatus::ok) ++summary.failed;
        }
    }
    summary.distinct = seen.size();

    SweepProgress state;
    state.total = missing.size();
    progress(state);
    const auto work = [&](std::size_t task) {
        lock.let_go();
        return to_json(run_point(missing[task]->grid.assignments, study.file))
            .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    };
    const auto done = [&](std::size_t task, const TaskOutcome& outcome) {
        const PointResult result = result_of(outcome);
        database.store(missing[task]->hash, result);
        ++summary.run;
        if (result.status != PointStatus::ok) ++summary.failed;
        state.done = summary.run;
        if (result.status != PointStatus::ok) ++state.failed;
    };
    const auto tick = [&](std::size_t running) {
        state.running = running;
        progress(state);
    };
    if (!missing.empty())
        summary.stopped_by =
            run_in_processes(missing.size(), pool_options(options, database), work, done, tick);
    return summary;
}

std::vector<StudyRow> study_rows(const Study& study, const std::vector<StudyPoint>& points,
                                 StudyDatabase& database) {
    std::vector<StudyRow> rows;
    for (const StudyPoint& point : points) {
        StudyRow& row = rows.emplace_back();
        for (std::size_t axis = 0; axis < study.axes.size(); ++axis)
            row.labels.push_back(study.axes[axis].values[point.grid.at[axis]].label);
        row.hash = point.hash;
        row.result = database.find(point.hash);
    }
    return rows;
}

} // namespace orrery
