// A SimGrid platform must be read or refused; if it is read, every route must be found or refused.
#include "engine/error.h"
#include "formats/load_machine.h"
#include "machine/machine.h"
#include "small_machine.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

using namespace orrery;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const LoweredMachineLimits small(fuzzing::small_machine);
    const std::vector<std::string> quirks{"topology.simgrid_quirks=yes"};
    try {
        fuzzing::try_routes(
            *machine_from_text(text, "fuzz.xml", size % 2 == 0 ? quirks : std::vector<std::string>{}).platform);
    } catch (const InputError&) { // refused
    }
    return 0;
}
