// A map must be read or refused; one that is read is wired, or refused for a port with two cables, and is the
// same when it is written and read again.
#include "engine/error.h"
#include "formats/load_machine.h"
#include "formats/myrinet/map_file.h"
#include "machine/fabric/fabric.h"
#include "machine/machine.h"
#include "small_machine.h"

#include <cstddef>
#include <cstdint>

using namespace orrery;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const LoweredMachineLimits small(fuzzing::small_machine);
    try {
        const Machine machine = machine_from_text(text, "fuzz.map");
        fuzzing::try_routes(*machine.platform);
        const Fabric fabric(*machine.platform);
        const std::string written = write_map(fabric);
        const Machine again = machine_from_text(written, "again.map");
        if (write_map(Fabric(*again.platform)) != written) __builtin_trap();
    } catch (const InputError&) { // refused
    }
    return 0;
}
