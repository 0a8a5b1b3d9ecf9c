// How far predictions are from measurements: clean runs, errors, and what an error is made of.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace orrery {

// Repeated runs with those taken out that something disturbed. All times in seconds.
struct CleanRuns {
    std::vector<std::size_t> kept;     // numbers of the runs, in their order
    std::vector<std::size_t> outliers; // the others
    double mean = 0;                   // of the kept ones
    double deviation = 0;              // their standard deviation
    [[nodiscard]] double spread() const { return mean > 0 ? deviation / mean : 0; }
};

inline constexpr double clean_share = 0.7;
inline constexpr double quiet_spread = 0.05; // what runs on a quiet computer stay below

// Whether these runs can show an error of this size (relative, of either sign): their spread is not above it,
// or is that of a quiet computer.
bool can_show(const CleanRuns& clean, double error);

// As in section 5.2.1 of the paper on time-independent traces: the 70 % of the runs (rounded up) whose standard
// deviation is least are clean. The others are outliers, except those that are as near to the mean of the clean
// ones as three deviations or 2 %. All are clean if there are fewer than three.
CleanRuns clean_runs(std::span<const double> seconds);

// The error of a prediction, relative to the measured time, and its parts (section 5.2.2). The same trace is
// predicted once more with every burst of computation lasting what it lasted in the traced run; with E for that
// prediction, P for the ordinary one, M for the measured time and T for what the traced run took:
//   P - M  =  (P - E)  +  (E - T)  +  (T - M)
//             computation  communication  traced run
// The paper has one traced run and one measured time, so that its communication error is the sum of the last
// two.
struct ErrorSplit {
    double total = 0;
    double computation = 0;   // bursts last longer than they should (negative: shorter)
    double communication = 0; // so do messages, overheads and waiting
    double traced_run = 0;    // the traced run was slower than the clean runs: tracing, or a busy machine
};
struct SplitTimes { // seconds
    double measured = 0;
    double traced = 0;
    double predicted = 0;
    double exact = 0; // predicted with exact computation
};
ErrorSplit split_error(const SplitTimes& times);

// Over several applications.
struct ErrorSummary {
    double bias = 0;          // mean of the signed errors
    double mean_absolute = 0; // mean of their absolute values
    std::size_t worst = 0;    // the number of the one farthest from zero
};
ErrorSummary summarise(std::span<const double> errors);

} // namespace orrery
