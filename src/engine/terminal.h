// What the terminal can show: how wide it is, and colour where it helps.
//
//     fmt::print("{}\n", paint("warning", Tone::warning, stdout));
//
// Colour is for people at a terminal: a pipe, a file, NO_COLOR (any value) and TERM=dumb get plain text.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

namespace orrery {

enum class Tone { strong, good, warning, error };

// Whether text on this stream may have colour.
bool shows_colour(std::FILE* stream);
// `text` in that tone if `colour`, else as it is. The text has the same width either way.
std::string paint(std::string_view text, Tone tone, bool colour);
std::string paint(std::string_view text, Tone tone, std::FILE* stream);

// Columns of the terminal behind the stream; COLUMNS goes first; `piped` if there is no terminal.
std::size_t terminal_width(std::FILE* stream, std::size_t piped = 100);

// `text`, which begins in column `indent`, in lines that end before column `width`: broken at blanks, with
// `indent` blanks before all lines but the first. Line breaks of the text stay; a line of it that is indented
// stays so. A word that is longer than a line has a line to itself. No newline at the end.
std::string wrap_text(std::string_view text, std::size_t width, std::size_t indent);

} // namespace orrery
