// Hostfiles and lists of ranks must be read or refused.
#include "engine/error.h"
#include "formats/load_machine.h"
#include "machine/machine.h"
#include "machine/mapping.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

using namespace orrery;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const Machine machine = load_machine("odin");
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    try {
        const auto hosts = parse_hostfile(text, "fuzz", *machine.platform);
        if (map_block(hosts, 100).size() != 100 || map_round_robin(hosts, 100).size() != 100) __builtin_trap();
    } catch (const InputError&) { // refused
    }
    try {
        (void)parse_rank_map(text, "fuzz", *machine.platform, 4);
    } catch (const InputError&) {
    }
    return 0;
}
