// GOAL text must be read or refused, and the same whether or not the window of the reader moves within it.
#include "formats/goal/goal_text_reader.h"
#include "graph_digest.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

using namespace orrery;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) return 0;
    const std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
    const auto read = [](std::string_view all, std::size_t window) {
        return fuzzing::outcome([&](ScheduleSink& sink) {
            TextInput input = TextInput::from_memory(all, "fuzz", window);
            read_goal_text(input, sink);
        });
    };
    const fuzzing::Outcome plain = read(text, text.size() + TextInput::lookahead);

    // The smallest window, filled with blanks so that it ends somewhere within the text.
    const std::size_t blanks =
        2 * TextInput::lookahead - (data[0] + std::size_t{256} * data[1]) % TextInput::lookahead;
    const fuzzing::Outcome moved = read(std::string(blanks, ' ').append(text), 0);
    // A byte order mark is one only at the start.
    if (!text.starts_with("\xEF\xBB\xBF") && !(plain == moved)) std::abort();
    return 0;
}
