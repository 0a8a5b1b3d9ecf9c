// Where a rank is, in words: its functions, with file and line where the program has debug information.
#pragma once

#include <string>
#include <vector>

namespace orrery::emulate {

// "main+0x12 (offset 0x812 of ./app)", or the function and its library.
std::string place_words(const void* address);

// The calls that are under way, innermost first, in a handler of a signal that came at `at`; null: from the
// code of the program that has called us.
std::vector<void*> frames_from(const void* at);

// A new line "  in solve (heat.c:42)" for each of the program's functions among them; outside of the program
// only the innermost is named. addr2line (binutils) finds the lines.
std::string stack_words(const std::vector<void*>& frames);

} // namespace orrery::emulate
