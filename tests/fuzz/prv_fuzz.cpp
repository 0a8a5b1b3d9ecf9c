// A Paraver trace must be turned into a Dimemas trace or refused; what comes out must be readable to its end.
#include "engine/error.h"
#include "formats/paraver/prv_file.h"
#include "formats/paraver/prv_translation.h"
#include "memory_file.h"

#include <cstddef>
#include <cstdint>

using namespace orrery;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const fuzzing::MemoryFile file(data, size);
    try {
        if (!dimemas::looks_like_prv(file.path())) return 0;
        if (dimemas::PrvFile(file.path()).header().first_thread.back() > 1000) return 0;
        const dimemas::PrvTranslation result = dimemas::translate_prv(file.path());
        for (std::uint32_t thread = 0; thread < result.trace.threads(); ++thread) {
            dimemas::DimCursor cursor = result.trace.begin(thread);
            for (dimemas::DimRecord record; result.trace.next(cursor, record);) {
            }
        }
    } catch (const InputError&) { // refused
    }
    return 0;
}
