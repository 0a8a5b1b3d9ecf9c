// A LogGOPSim binary must be read or refused.
#include "formats/loggopsim/loggopsim_binary.h"
#include "graph_digest.h"

#include <cstddef>
#include <cstdint>
#include <span>

using namespace orrery;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzzing::outcome(
        [&](ScheduleSink& sink) { read_loggopsim_binary(std::as_bytes(std::span(data, size)), "fuzz", sink); });
    return 0;
}
