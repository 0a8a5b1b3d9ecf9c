// A damaged schedule that is simulated in place, as `orrery replay` does, must end or be refused.
#include "engine/error.h"
#include "mended_schedule.h"
#include "mpi/simulate.h"

using namespace orrery;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const fuzzing::MendedBytes mended(data, size);
    try {
        const Schedule schedule = Schedule::from_memory(mended.bytes(), "fuzz");
        if (schedule.ranks() > 1000 || schedule.header().cpus > 1000 || schedule.header().nics > 1000) return 0;
        SimulationOptions options;
        options.loggops.S = size % 3 == 0 ? 4 : 65535;
        if (size % 2 == 0) options.loggops.rendezvous = Rendezvous::handshake;
        (void)simulate(schedule, options);
    } catch (const InputError&) {      // refused
    } catch (const SimulationError&) { // a deadlock
    }
    return 0;
}
