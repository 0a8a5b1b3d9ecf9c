// A recording of bursts must be read or refused, also if its hash is right; what was read can be taken.
#include "emulate/compute/burst_file.h"
#include "engine/content_hash.h"
#include "engine/error.h"

#include <cstddef>
#include <cstdint>
#include <string>

using namespace orrery;

namespace {

void take_all(const std::string& content) {
    try {
        emulate::RecordedBursts bursts(content, "fuzzed");
        for (std::uint32_t rank = 0; rank < bursts.ranks(); ++rank) {
            while (bursts.next(rank, 1)) {
            }
            (void)bursts.why(rank);
        }
        bursts.check_all_taken();
    } catch (const InputError&) {
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string content(reinterpret_cast<const char*>(data), size);
    take_all(content);
    if (content.size() > 32) content.resize(content.size() - 32);
    take_all(content + content_hash(content));
    return 0;
}
