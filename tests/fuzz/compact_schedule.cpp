// A compact schedule must be expanded or refused.
#include "graph_digest.h"
#include "mended_schedule.h"

using namespace orrery;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const fuzzing::MendedBytes mended(data, size);
    fuzzing::outcome([&](ScheduleSink& sink) { expand(Schedule::from_memory(mended.bytes(), "fuzz"), sink); });
    return 0;
}
