// Puts records in order of time, however many there are, in bounded memory.
//
// A replay tells of a call when it ends and of a message when it arrives, but some formats want the beginnings
// in order of time. How far back a beginning may lie is not bounded by anything but the run itself (one rank
// computes while the others exchange millions of messages), so a window will not do. This is the classical
// external merge sort: records are collected, sorted and written to an unnamed file as runs, which are merged
// at the end. Memory: a run (20 MB or so) and a buffer per run; time: O(n log n), most of it in sorting single
// runs.
//
// A Record is trivially copyable, has a member `order` (set here: unique and rising) and operator<, which falls
// back on it.
#pragma once

#include "engine/run_file.h"

#include <algorithm>
#include <cstdint>
#include <queue>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace orrery {

template <typename Record> class RunSorter {
    static_assert(std::is_trivially_copyable_v<Record>);

  public:
    // Runs are kept in the folder of `path`. `run_records` is for tests.
    explicit RunSorter(std::string path, std::size_t run_records = std::size_t{1} << 19)
        : file_(std::move(path)), run_records_(run_records) {}

    void add(Record record) {
        record.order = added_++;
        records_.push_back(record);
        if (records_.size() >= run_records_) spill();
    }

    // Calls `take` with each record, in order of time, and of `add` among equal times. Once only.
    template <typename Take> void drain(Take&& take) {
        if (run_begins_.empty()) {
            std::sort(records_.begin(), records_.end());
            for (const Record& record : records_) take(record);
            return;
        }
        if (!records_.empty()) spill();
        records_ = {};
        merge(take);
    }

  private:
    static constexpr std::size_t merge_memory = std::size_t{32} << 20; // for the buffers of all runs together
    static constexpr std::size_t least_buffer = 100;                   // records per run

    // A run being read.
    struct Run {
        std::uint64_t next = 0; // in the file, not read yet
        std::uint64_t end = 0;
        std::vector<Record> buffer;
        std::size_t at = 0;
    };

    void spill() {
        std::sort(records_.begin(), records_.end());
        run_begins_.push_back(added_ - records_.size());
        file_.append(records_.data(), records_.size() * sizeof(Record));
        records_.clear();
    }

    void fill(Run& run, std::size_t per_run) {
        run.at = 0;
        run.buffer.resize(static_cast<std::size_t>(std::min<std::uint64_t>(per_run, run.end - run.next)));
        file_.read(run.next * sizeof(Record), run.buffer.data(), run.buffer.size() * sizeof(Record));
        run.next += run.buffer.size();
    }

    template <typename Take> void merge(Take& take) {
        std::vector<Run> runs(run_begins_.size());
        const std::size_t per_run =
            std::max(least_buffer, merge_memory / sizeof(Record) / std::max<std::size_t>(runs.size(), 1));
        const auto later_first = [](const Run* a, const Run* b) { return b->buffer[b->at] < a->buffer[a->at]; };
        std::priority_queue<Run*, std::vector<Run*>, decltype(later_first)> heads(later_first);
        for (std::size_t i = 0; i < runs.size(); ++i) {
            runs[i].next = run_begins_[i];
            runs[i].end = i + 1 < runs.size() ? run_begins_[i + 1] : added_;
            fill(runs[i], per_run);
            heads.push(&runs[i]);
        }
        while (!heads.empty()) {
            Run* const run = heads.top();
            heads.pop();
            take(run->buffer[run->at]);
            if (++run->at == run->buffer.size()) {
                if (run->next == run->end) {
                    run->buffer = {};
                    continue;
                }
                fill(*run, per_run);
            }
            heads.push(run);
        }
    }

    RunFile file_;
    std::size_t run_records_;
    std::vector<Record> records_; // the run being collected
    std::uint64_t added_ = 0;
    std::vector<std::uint64_t> run_begins_; // in records
};

} // namespace orrery
