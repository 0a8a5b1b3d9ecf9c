// Machine files as text: TOML with includes and overrides becomes keys with values and origins.
#pragma once

#include "engine/settings.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

// One of several parts of the same kind: [[hosts]], [[switches]], [[cables]] or [[routes]].
struct MachinePart {
    std::string kind;
    Settings values;
    std::string file;
    std::uint64_t line = 0;
};

struct MachineText {
    Settings values;                // "host.speed", "flow.set", ...; a list is its elements with commas between
    std::vector<MachinePart> parts; // in the order of the files, those of an included file first
};

// More are an error: files that include others twice over would be read without end.
inline constexpr std::size_t most_machine_includes = 1000;

// Reads a file or, if `text` is given, that text under the name `file`. An `include` (one name or a list: files
// beside this one, or built-in machines) is read first; what stands in the file itself replaces it. Throws
// InputError.
MachineText read_machine_file(const std::string& file);
MachineText read_machine_text(std::string_view text, const std::string& file);

// The text of a file or pipe; throws InputError, also if it is larger than `most_bytes`. What comes through a
// pipe is kept, so that it can be asked for again.
std::string read_whole_file(const std::string& file, std::uint64_t most_bytes = std::uint64_t{64} << 20U);

} // namespace orrery
