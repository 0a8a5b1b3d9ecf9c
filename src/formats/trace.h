// A time-independent trace: what each rank computes and communicates, in volumes instead of times.
//
// It may be text in either grammar (one file per rank, a list of such files, one file with the lines of all
// ranks, or one file that all ranks follow), compressed or not, our binary form (.oti), what the tracing
// library recorded (.ort), or a trace of Dimemas (.dim) or Paraver (.prv). It is read as it is asked for:
// memory does not grow with its length.
#pragma once

#include "formats/ti/tally.h"
#include "workload/action.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace orrery {

class RecordedTrace;
class DimemasTrace;

struct TiOptions {
    // Not 0: how many ranks there are. A file with the lines of a single rank is what all of them do; any other
    // trace must have that many, or UsageError.
    std::uint32_t same_for_all = 0;
    // A recorded trace that was cut off is taken as far as it goes.
    bool allow_truncated = false;
};

class TiTrace {
  public:
    // `path`: a directory with a file per rank, a list of files, a file of text, an .oti, an .ort, a .dim or a
    // .prv. Throws
    // InputError.
    // Of plain text no more is read than is needed to know the ranks, so errors in it may come up later, in
    // next().
    static TiTrace open(const std::string& path, const TiOptions& options = {});
    TiTrace(TiTrace&&) noexcept;
    TiTrace& operator=(TiTrace&&) noexcept;
    ~TiTrace();

    [[nodiscard]] std::uint32_t ranks() const;
    // The actions from the beginning. The source must not outlive the trace.
    [[nodiscard]] std::unique_ptr<ActionSource> source() const;
    // `copies` times as many ranks, of which rank r does what rank r modulo ranks() does. The first time, what
    // is not in a binary form is turned into one in a temporary file.
    [[nodiscard]] std::unique_ptr<ActionSource> repeated_source(std::uint32_t copies) const;
    // "time-independent text, one file per rank", for people.
    [[nodiscard]] std::string format() const;
    // What should be known of what the latest source() has read so far, a line each: messages without bytes,
    // ...
    [[nodiscard]] std::vector<std::string> notes() const;
    [[nodiscard]] const ti::Tally& tally() const;        // the same in numbers
    [[nodiscard]] const RecordedTrace* recorded() const; // if it is such a one, or null
    [[nodiscard]] const DimemasTrace* dimemas() const;   // likewise
    // If it holds CPU time: volume per second on the core that recorded it; otherwise 0.
    [[nodiscard]] double cpu_time_rate() const;

  private:
    struct State;
    explicit TiTrace(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

// Whether `path` is such a trace, in any of its forms. Reads a few kilobytes.
bool looks_like_ti(const std::string& path);

} // namespace orrery
