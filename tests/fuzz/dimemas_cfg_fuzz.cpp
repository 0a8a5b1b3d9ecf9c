// A Dimemas machine must be read or refused.
#include "engine/error.h"
#include "formats/dimemas_machine/configuration.h"
#include "memory_file.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>

using namespace orrery;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const fuzzing::MemoryFile file(data, size);
    try {
        (void)dimemas::looks_like_configuration(file.path());
        const dimemas::Configuration machine = dimemas::read_configuration(file.path());
        for (const std::uint32_t node : dimemas::place_tasks(machine, 5)) {
            if (node >= machine.nodes.size()) std::abort();
        }
    } catch (const InputError&) { // refused
    }
    return 0;
}
