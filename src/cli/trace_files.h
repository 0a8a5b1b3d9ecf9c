// What `orrery convert` does with time-independent traces.
#pragma once

#include "formats/ti/tally.h"
#include "workload/action.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace orrery {
class RecordedTrace;
class DimemasTrace;
} // namespace orrery

namespace orrery::cli {

struct TraceConversion {
    std::string in;
    std::string out;
    std::string to;                       // empty: by the name of the output
    std::string speed;                    // of the computations in a schedule; empty: the trace's own reference
    std::vector<std::string> collectives; // how they become messages
    bool allow_truncated = false;
};

// Whether the output is a trace: by `to` (ort, oti, dim, ti, old-ti, simgrid,
// old-simgrid) or, if that is empty, by its name (.ort, .oti, .dim, .txt, .ti, or a directory that ends in
// '/').
bool is_trace_output(const std::string& out, const std::string& to);

// A trace that is to be written.
struct TraceToWrite {
    std::function<std::unique_ptr<ActionSource>()> source; // from the beginning, each time
    std::string name;                                      // what it will be called
    std::string format;                                    // for people
    std::uint32_t ranks = 0;
    double cpu_time_rate = 0; // see TiTrace
    std::function<std::vector<std::string>()> notes;
    const ti::Tally& tally;                  // complete when all has been read
    const RecordedTrace* recorded = nullptr; // if it is such a one and to be written as it is
    const DimemasTrace* dimemas = nullptr;   // likewise
};
// In another form, or as a schedule; prints a line.
void write_trace(const TraceToWrite& trace, const TraceConversion& conversion);

// From any form of such a trace to another or to a schedule; prints a line. Throws UsageError if `in` is none.
void convert_trace(const TraceConversion& conversion);

} // namespace orrery::cli
