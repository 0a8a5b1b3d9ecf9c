// What claims to be the output of ibnetdiscover must be read or refused, and so must the forwarding tables that
// follow it behind a line of dashes.
#include "engine/error.h"
#include "formats/infiniband/ibnet_file.h"
#include "formats/load_machine.h"
#include "formats/net_formats.h"
#include "machine/fabric/fabric.h"
#include "machine/machine.h"
#include "machine/routing/imported.h"
#include "small_machine.h"

#include <cstddef>
#include <cstdint>

using namespace orrery;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const std::size_t dashes = text.find("\n----\n");
    const std::string_view fabric_text = text.substr(0, dashes);
    try {
        const IbNet net = read_ibnet(fabric_text, "fuzz");
        if (net_format(fabric_text, "fuzz") != NetFormat::ibnetdiscover) return 0;
        const Machine machine = machine_from_text(fabric_text, "fuzz");
        fuzzing::try_routes(*machine.platform);
        if (dashes == std::string_view::npos) return 0;
        const std::string routes = convert_lfts(text.substr(dashes + 6), "fuzz.lfts", net);
        const Fabric fabric(*machine.platform);
        (void)imported_routes(routes, fabric, "fuzz.routes");
    } catch (const InputError&) { // refused
    }
    return 0;
}
