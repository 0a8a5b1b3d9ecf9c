// What include/orrery/emulate.h declares, as far as it is about time; and for Fortran.
#include "emulate/compute/compute.h"
#include "emulate/compute/symbols.h"

#include <orrery/emulate.h>

#define ORRERY_SEEN __attribute__((visibility("default")))

using orrery::emulate::Compute;
using orrery::emulate::running_compute;

extern "C" {

ORRERY_SEEN int orrery_emulate_active() { return running_compute != nullptr ? 1 : 0; }

ORRERY_SEEN void orrery_emulate_execute(double seconds) {
    if (running_compute != nullptr) running_compute->execute(seconds);
}

ORRERY_SEEN void orrery_emulate_execute_flops(double flops) {
    if (running_compute != nullptr) running_compute->execute_flops(flops);
}

// The model is looked up once per site and emulation. Without one: 2 ns.
ORRERY_SEEN void orrery_emulate_kernel(orrery_kernel_site* site, double m, double n, double k) {
    Compute* const compute = running_compute;
    if (compute == nullptr) return;
    if (site->epoch != compute->epoch()) {
        site->model = compute->kernels().find(site->routine);
        site->epoch = compute->epoch();
    }
    if (site->model == nullptr) return;
    compute->kernel(*static_cast<const orrery::emulate::KernelTime*>(site->model), m, n, k);
}

ORRERY_SEEN int orrery_emulate_sample(int global, const char* file, int line, const char* tag, int most,
                                      double threshold, long left) {
    if (running_compute == nullptr) return 1;
    return running_compute->enter_turn(global != 0, file, line, tag, most, threshold, left) ? 1 : 0;
}

ORRERY_SEEN void orrery_emulate_sampled() {
    if (running_compute != nullptr) running_compute->leave_sample();
}

// Fortran: CALL ORRERY_EXECUTE(seconds), double precision.
ORRERY_SEEN void orrery_execute_(const double* seconds) { orrery_emulate_execute(*seconds); }
ORRERY_SEEN void orrery_execute_flops_(const double* flops) { orrery_emulate_execute_flops(*flops); }
ORRERY_SEEN void smpi_execute_(const double* seconds) { orrery_emulate_execute(*seconds); }
ORRERY_SEEN void smpi_execute_benched_(const double* seconds) { orrery_emulate_execute(*seconds); }
ORRERY_SEEN void smpi_execute_flops_(const double* flops) { orrery_emulate_execute_flops(*flops); }
ORRERY_SEEN void smpi_execute_flops_benched_(const double* flops) { orrery_emulate_execute_flops(*flops); }
}

namespace orrery::emulate {

std::span<const Symbol> compute_symbols() {
    static const Symbol all[] = {
        {"orrery_emulate_active", reinterpret_cast<void*>(&orrery_emulate_active)},
        {"orrery_emulate_execute", reinterpret_cast<void*>(&orrery_emulate_execute)},
        {"orrery_emulate_execute_flops", reinterpret_cast<void*>(&orrery_emulate_execute_flops)},
        {"orrery_emulate_kernel", reinterpret_cast<void*>(&orrery_emulate_kernel)},
        {"orrery_emulate_sample", reinterpret_cast<void*>(&orrery_emulate_sample)},
        {"orrery_emulate_sampled", reinterpret_cast<void*>(&orrery_emulate_sampled)},
        {"orrery_execute_", reinterpret_cast<void*>(&orrery_execute_)},
        {"orrery_execute_flops_", reinterpret_cast<void*>(&orrery_execute_flops_)},
        {"smpi_execute_", reinterpret_cast<void*>(&smpi_execute_)},
        {"smpi_execute_benched_", reinterpret_cast<void*>(&smpi_execute_benched_)},
        {"smpi_execute_flops_", reinterpret_cast<void*>(&smpi_execute_flops_)},
        {"smpi_execute_flops_benched_", reinterpret_cast<void*>(&smpi_execute_flops_benched_)},
    };
    return all;
}

} // namespace orrery::emulate
