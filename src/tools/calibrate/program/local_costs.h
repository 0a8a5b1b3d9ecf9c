// What needs no partner: combining operands, copying, looking for a message that does not come.
#pragma once

#include <vector>

namespace orrery::calibrate {

struct LocalSample {
    int bytes = 0;
    double ns = 0;
};

// MPI_Reduce_local of doubles with MPI_SUM, and memcpy, for sizes up to `most_bytes`.
std::vector<LocalSample> reduction_samples(int most_bytes, double clock_ns);
std::vector<LocalSample> copy_samples(int most_bytes, double clock_ns);

// One unsuccessful call, the mean of many; a dozen times.
std::vector<double> test_samples();
std::vector<double> iprobe_samples();

} // namespace orrery::calibrate
