#include "observe/timeline_sorter.h"

#include "engine/error.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <queue>
#include <unistd.h>
#include <utility>

namespace orrery {

namespace {

constexpr std::size_t merge_memory = std::size_t{32} << 20; // for the buffers of all runs together
constexpr std::size_t least_buffer = 100;                   // events per run

// A run being read.
struct Run {
    std::uint64_t next = 0; // in the file, not read yet
    std::uint64_t end = 0;
    std::vector<TimelineEvent> buffer;
    std::size_t at = 0;
};

} // namespace

TimelineSorter::TimelineSorter(std::string path, std::size_t run_events)
    : path_(std::move(path)), run_events_(run_events) {}

TimelineSorter::~TimelineSorter() {
    if (file_ >= 0) ::close(file_);
}

void TimelineSorter::fail(const char* what) const {
    throw InputError(
        {path_, 0, 0, std::string("cannot ") + what + " its temporary file: " + std::strerror(errno)});
}

void TimelineSorter::add(TimelineEvent event) {
    event.order = added_++;
    events_.push_back(event);
    if (events_.size() >= run_events_) spill();
}

void TimelineSorter::spill() {
    if (file_ < 0) {
        std::string name = path_ + ".sort-XXXXXX";
        file_ = ::mkstemp(name.data());
        if (file_ < 0) fail("make");
        ::unlink(name.c_str()); // gone as soon as it is closed, however this process ends
    }
    std::sort(events_.begin(), events_.end());
    run_begins_.push_back(added_ - events_.size());
    const char* at = reinterpret_cast<const char*>(events_.data());
    std::size_t left = events_.size() * sizeof(TimelineEvent);
    while (left > 0) {
        const ssize_t done = ::write(file_, at, left);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) fail("write");
        at += done;
        left -= static_cast<std::size_t>(done);
    }
    events_.clear();
}

void TimelineSorter::drain(const std::function<void(const TimelineEvent&)>& take) {
    if (file_ < 0) {
        std::sort(events_.begin(), events_.end());
        for (const TimelineEvent& event : events_) take(event);
        return;
    }
    if (!events_.empty()) spill();
    events_ = {};
    merge(take);
}

void TimelineSorter::merge(const std::function<void(const TimelineEvent&)>& take) {
    std::vector<Run> runs(run_begins_.size());
    const std::size_t per_run =
        std::max(least_buffer, merge_memory / sizeof(TimelineEvent) / std::max<std::size_t>(runs.size(), 1));
    const auto fill = [&](Run& run) {
        run.at = 0;
        run.buffer.resize(static_cast<std::size_t>(std::min<std::uint64_t>(per_run, run.end - run.next)));
        char* to = reinterpret_cast<char*>(run.buffer.data());
        std::size_t left = run.buffer.size() * sizeof(TimelineEvent);
        auto from = static_cast<off_t>(run.next * sizeof(TimelineEvent));
        while (left > 0) {
            const ssize_t done = ::pread(file_, to, left, from);
            if (done < 0 && errno == EINTR) continue;
            if (done <= 0) fail("read");
            to += done;
            from += done;
            left -= static_cast<std::size_t>(done);
        }
        run.next += run.buffer.size();
    };
    const auto later_first = [](const Run* a, const Run* b) { return b->buffer[b->at] < a->buffer[a->at]; };
    std::priority_queue<Run*, std::vector<Run*>, decltype(later_first)> heads(later_first);
    for (std::size_t i = 0; i < runs.size(); ++i) {
        runs[i].next = run_begins_[i];
        runs[i].end = i + 1 < runs.size() ? run_begins_[i + 1] : added_;
        fill(runs[i]);
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
            fill(*run);
        }
        heads.push(run);
    }
}

} // namespace orrery
