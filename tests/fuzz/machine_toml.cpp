// A machine file must be read or refused; if it is read, every route must be found or refused.
#include "engine/error.h"
#include "formats/load_machine.h"
#include "machine/machine.h"
#include "small_machine.h"

#include <cstddef>
#include <cstdint>

using namespace orrery;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const LoweredMachineLimits small(fuzzing::small_machine);
    try {
        const Machine machine = machine_from_text(text, "fuzz.toml");
        if (machine.platform) fuzzing::try_routes(*machine.platform);
    } catch (const InputError&) { // refused
    }
    return 0;
}
