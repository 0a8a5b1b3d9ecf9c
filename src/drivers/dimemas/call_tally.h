// Counts what the threads call, for the profiles of calls and collectives. Collectives are closed forms here,
// so that they have no messages; only leaves of MPI_Reduce send some to its root.
#pragma once

#include "drivers/dimemas/state.h"
#include "formats/dimemas_machine/configuration.h"
#include "results/call_counts.h"

#include <array>
#include <vector>

namespace orrery::dimemas {

class CallTally {
  public:
    // A thread's record is over; it took that long.
    void finished(const DimRecord& record, Time time);
    // A leaf of MPI_Reduce sends its data.
    void reduced(const DimRecord& record);
    // Of a nonblocking collective: its threads came at these ticks, all together, and it is over for all.
    void ended(const DimRecord& record, std::size_t threads, double came, Time now);
    void add_to(ReplayPrediction& prediction, const Configuration& machine) const;

  private:
    struct Row {
        CollectiveProfile profile;
        double ticks = 0;
    };
    Row& row_of(const DimRecord& record) {
        return rows_[record.operation][static_cast<std::size_t>(record.synchrony)];
    }

    CallCounts counts_{};
    std::array<std::array<Row, 4>, collective_ids> rows_; // by synchrony
};

} // namespace orrery::dimemas
