// Lines of words, as map and route files have them: "quoted names" and bare words, '#' or '//' comments.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

struct Word {
    std::string_view text; // without its quotes
    bool quoted = false;
};

class WordLines {
  public:
    WordLines(std::string_view text, std::string file) : rest_(text), file_(std::move(file)) {}

    // The next line that has words; false at the end. Throws InputError for a quote that is not closed.
    bool next();
    [[nodiscard]] const std::vector<Word>& words() const { return words_; }
    [[nodiscard]] std::uint64_t line() const { return line_; }
    [[noreturn]] void fail(std::string reason) const;

  private:
    void split(std::string_view line);

    std::string_view rest_;
    std::string file_;
    std::uint64_t line_ = 0;
    std::vector<Word> words_;
};

std::optional<std::int64_t> whole_number(std::string_view text);

// The next line of a text without its end ("\n" or "\r\n"), which is taken off it; false at the end.
bool take_line(std::string_view& text, std::string_view& line);
std::string_view trimmed(std::string_view text);

// In double quotes. Throws InputError for names that hold a quote or a line end.
std::string quoted_name(std::string_view name);

} // namespace orrery
