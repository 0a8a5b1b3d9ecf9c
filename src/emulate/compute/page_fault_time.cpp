#include "emulate/compute/page_fault_time.h"

#include <sys/resource.h>

namespace orrery::emulate {

void PageFaultTime::ask() {
    rusage usage{};
    ::getrusage(RUSAGE_THREAD, &usage);
    system_us_ = std::int64_t{usage.ru_stime.tv_sec} * 1'000'000 + usage.ru_stime.tv_usec;
    faults_ = usage.ru_minflt + usage.ru_majflt;
}

bool PageFaultTime::took_most_of(std::int64_t ns) {
    const std::int64_t system_before = system_us_;
    const std::int64_t faults_before = faults_;
    ask();
    // The system attributes time by its ticks, so that a part of the fault may appear as the program's.
    return faults_ > faults_before && (system_us_ - system_before) * 1000 >= ns / 4;
}

} // namespace orrery::emulate
