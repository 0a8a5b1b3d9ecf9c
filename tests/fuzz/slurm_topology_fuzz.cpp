// A topology.conf must be read or refused; if it is read, every route must be found or refused.
#include "engine/error.h"
#include "formats/load_machine.h"
#include "formats/net_formats.h"
#include "formats/slurm/slurm_file.h"
#include "machine/machine.h"
#include "small_machine.h"

#include <cstddef>
#include <cstdint>

using namespace orrery;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const LoweredMachineLimits small(fuzzing::small_machine);
    try {
        const Net net = read_slurm_tree(text, "topology.conf");
        if (net_format(text, "topology.conf") != NetFormat::slurm) return 0;
        const Machine machine = machine_from_text(text, "topology.conf");
        if (machine.platform->host_count() > net.nodes.size()) __builtin_trap();
        fuzzing::try_routes(*machine.platform);
    } catch (const InputError&) { // refused
    }
    return 0;
}
