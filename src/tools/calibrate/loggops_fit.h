// The LogGOPS parameters from round trips, by the method of Netgauge (Hoefler, Schneider, Lumsdaine, LogGOPSim,
// section 1.3): RTT_n^d(s) is the time for n messages of s bytes, sent with a delay d between them, and one
// back.
//
//     o(s)    = (RTT_n^d(s) - RTT_1^0(s)) / (n-1) - d         o and O: its line over s
//     g + s G = (RTT_n^0(s) - RTT_1^0(s)) / (n-1)
//     L       = RTT_1^0(1) / 2 - 2 o
//
// A send above the eager limit waits for its receiver, which is not overhead: o(s) is then what MPI_Isend
// takes.
#pragma once

#include "tools/calibrate/measurements.h"
#include "tools/calibrate/piecewise_fit.h"

#include <optional>
#include <string>
#include <vector>

namespace orrery {

struct LogGOPSFit {
    double L = 0; // ns
    double o = 0;
    double g = 0;
    double G = 0; // ns per byte
    double O = 0;
    std::optional<Bytes> S;         // the eager limit; none: no limit was found
    double overhead_error = 0;      // mean absolute relative error of o + s O
    double gap_error = 0;           // of g + s G
    double round_trip_error = 0;    // of 2 (L + 2 (o + s O) + s G) against RTT_1^0(s)
    std::vector<FitPoint> overhead; // o(s) as measured
    std::vector<FitPoint> gap;
    std::vector<std::string> notes;
};

// Throws InputError if the measurements it needs are not there.
LogGOPSFit fit_loggops(const Measurements& measured);

} // namespace orrery
