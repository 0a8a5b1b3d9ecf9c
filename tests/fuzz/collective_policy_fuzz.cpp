// What --collective takes: any text is either a policy that answers every call, or a UsageError.
#include "collectives/selection.h"
#include "engine/error.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace orrery;
    try {
        const CollectivePolicy policy =
            CollectivePolicy::parse(std::string_view(reinterpret_cast<const char*>(data), size));
        CollectiveCall call;
        call.operation = Collective::allreduce;
        call.size = 5;
        call.bytes = 24;
        Steps steps = policy.choose(call).run(call);
        std::size_t count = 0;
        while (steps.next() != nullptr) {
            if (++count > 100'000) std::abort();
        }
    } catch (const UsageError&) {
    }
    return 0;
}
