// A route file must be read or refused; every way that is read must lead to its host.
#include "engine/error.h"
#include "formats/load_machine.h"
#include "machine/machine.h"
#include "machine/routing/imported.h"

#include <cstddef>
#include <cstdint>

using namespace orrery;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const Machine machine =
        machine_from_text("[link]\nbandwidth = '1 GB/s'\nlatency = '1 us'\n[topology]\ntype = "
                          "'fat-tree'\nlevels = '2; 2,2; 1,2; 1,2'\n"
                          "[host]\nprefix = 'n'\n",
                          "fuzz.toml");
    static const Fabric fabric(*machine.platform);
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    try {
        const auto routing = imported_routes(text, fabric, "fuzz.routes");
        for (std::uint32_t a = 0; a < fabric.host_count(); ++a) {
            for (std::uint32_t b = 0; b < fabric.host_count(); ++b) {
                if (a == b) continue;
                for (std::uint32_t i = 0; i < routing->route_count({a}, {b}); ++i) {
                    std::vector<LinkId> channels;
                    try {
                        routing->route({a}, {b}, i, channels);
                    } catch (const InputError&) { // a table that leads nowhere
                        continue;
                    }
                    if (fabric.channel(channels.back()).to != NodeId{b}) __builtin_trap();
                }
            }
        }
    } catch (const InputError&) { // refused
    }
    return 0;
}
