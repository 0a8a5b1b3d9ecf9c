// What messages cost on the measured machine, split as the models split it: CPU time of the sender, the network
// part, CPU time of the receiver, and the protocol.
//
// The time of a message, RTT/2, is the sum of the three, so that a ping-pong is met by construction:
//
//   send     what MPI_Send takes if the message is eager, what MPI_Isend takes if it is not
//   receive  what the receiver needs per message when many come in a row: that is what bounds a stream. A
//   single
//            MPI_Recv takes longer, since it waits for memory; this belongs to the way, not to the receiver
//   network  the rest
//
// Messages above the eager limit within a host are fetched by the receiver's CPU, if the measurement shows that
// they move only while it is in an MPI call. Then the sender is done when they are fetched, and completing the
// send costs it something more (what an exchange takes longer than half a round trip).
#pragma once

#include "tools/calibrate/loggops_fit.h"
#include "tools/calibrate/measurements.h"
#include "tools/calibrate/piecewise_fit.h"

#include <optional>
#include <string>
#include <vector>

namespace orrery {

struct CommunicationModel {
    PiecewiseFit send; // all in ns
    PiecewiseFit isend;
    PiecewiseFit recv;
    PiecewiseFit network;
    PiecewiseFit completion; // of a send that was fetched; no pieces if none are
    std::optional<Bytes> eager_limit;
    bool fetched = false;   // by the receiver, above the eager limit
    double fetch_tail = 0;  // ns of a receive that come after the sender is told
    bool handshake = false; // above the eager limit
    double iprobe = 0;
    double test = 0;                      // ns
    double reduction = 0;                 // ns per byte
    double copy = 0;                      // ns per byte, of large blocks
    double round_trip_error = 0;          // mean, of 2 (send + network + recv) against RTT
    std::vector<FitPoint> receive_points; // what recv and network are fitted to
    std::vector<FitPoint> network_points;
    LogGOPSFit loggops;
    std::vector<std::string> notes;
};

CommunicationModel fit_communication(const Measurements& measured);

} // namespace orrery
