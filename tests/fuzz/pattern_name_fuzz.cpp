// The name of a pattern with its options: any text is either a pattern whose programs fit together, or a
// UsageError.
#include "engine/error.h"
#include "engine/too_long.h"
#include "workload/patterns/pattern.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace orrery;
    constexpr std::uint32_t ranks = 16;
    try {
        PatternChoice choice =
            choose_pattern({reinterpret_cast<const char*>(data), size}, pattern_user::generate);
        choice.options.ranks = ranks;
        const std::unique_ptr<Pattern> pattern = make_pattern(choice.info->name, choice.options);
        if (pattern->messages() > 10'000) return 0;
        for (const PatternMessage& each : messages_of(*pattern, ranks)) {
            if (each.from >= ranks || each.to >= ranks || each.from == each.to) std::abort();
        }
    } catch (const UsageError&) {
    } catch (const TooLong&) {
    }
    return 0;
}
