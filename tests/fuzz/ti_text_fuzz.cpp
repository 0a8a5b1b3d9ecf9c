// A time-independent trace in text, compressed or not, must be read or refused; what was read must be sound,
// and come back the same through text.
#include "engine/error.h"
#include "formats/ti/check_action.h"
#include "formats/ti/oti_layout.h"
#include "formats/ti/text_writer.h"
#include "formats/trace.h"
#include "listed_actions.h"
#include "memory_file.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

using namespace orrery;

namespace {

std::string as_text(const fuzzing::ListedActions& actions) {
    std::string text;
    const auto ranks = static_cast<std::uint32_t>(actions.ranks.size());
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        ti::LineWriter writer(rank, ranks, TiGrammar::current, "fuzz");
        writer.begin(text);
        for (const auto& entry : actions.ranks[rank]) writer.add(entry.action, entry.counts, text);
        writer.end(text);
    }
    return text;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    TiOptions options;
    if (data[0] >= 0xF0) options.same_for_all = data[0] - 0xEFU;
    const fuzzing::MemoryFile file(data + 1, size - 1);
    try {
        (void)looks_like_ti(file.path());
        const TiTrace trace = TiTrace::open(file.path(), options);
        if (trace.ranks() > 1000) return 0;
        const auto source = trace.source();
        const fuzzing::ListedActions actions(*source);
        for (const auto& rank : actions.ranks) {
            for (const auto& entry : rank) {
                if (ti::fault_of(entry.action, entry.counts, {trace.ranks(), ti::most_requests}) != nullptr)
                    std::abort();
            }
        }
        (void)trace.notes();
        const std::string text = as_text(actions);
        const fuzzing::MemoryFile again(text.data(), text.size());
        const TiTrace reread = TiTrace::open(again.path());
        const fuzzing::ListedActions twice(*reread.source());
        if (!same(actions, twice)) std::abort();
    } catch (const InputError&) { // refused
    } catch (const UsageError&) { // a binary trace as one file for all ranks
    }
    return 0;
}
