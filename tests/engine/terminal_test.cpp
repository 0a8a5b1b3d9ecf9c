#include "engine/terminal.h"

#include "engine/plural.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <pty.h>
#include <unistd.h>

namespace orrery {
namespace {

// An environment variable that has its old value again at the end.
class Variable {
  public:
    Variable(const char* name, const char* value) : name_(name) {
        if (const char* const old = std::getenv(name)) old_ = old;
        value == nullptr ? ::unsetenv(name) : ::setenv(name, value, 1);
    }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;
    ~Variable() { old_.empty() ? ::unsetenv(name_) : ::setenv(name_, old_.c_str(), 1); }

  private:
    const char* name_;
    std::string old_;
};

// A terminal of 72 columns.
class PseudoTerminal {
  public:
    PseudoTerminal() {
        winsize size{};
        size.ws_row = 24;
        size.ws_col = 72;
        int terminal = -1;
        if (::openpty(&control_, &terminal, nullptr, nullptr, &size) == 0) stream_ = ::fdopen(terminal, "w");
    }
    PseudoTerminal(const PseudoTerminal&) = delete;
    PseudoTerminal& operator=(const PseudoTerminal&) = delete;
    ~PseudoTerminal() {
        if (stream_ != nullptr) (void)std::fclose(stream_);
        if (control_ >= 0) (void)::close(control_);
    }
    [[nodiscard]] std::FILE* stream() const { return stream_; }

  private:
    int control_ = -1;
    std::FILE* stream_ = nullptr;
};

TEST(Terminal, ColourIsForPeopleAtATerminal) {
    const PseudoTerminal terminal;
    ASSERT_NE(terminal.stream(), nullptr);
    std::FILE* const file = std::tmpfile();
    ASSERT_NE(file, nullptr);
    const Variable kind("TERM", "xterm");
    {
        const Variable none("NO_COLOR", nullptr);
        EXPECT_TRUE(shows_colour(terminal.stream()));
        EXPECT_FALSE(shows_colour(file));
        EXPECT_EQ(paint("error", Tone::error, terminal.stream()), "\x1b[1;31merror\x1b[0m");
        EXPECT_EQ(paint("error", Tone::error, file), "error");
        const Variable dumb("TERM", "dumb");
        EXPECT_FALSE(shows_colour(terminal.stream()));
    }
    const Variable plain("NO_COLOR", "1");
    EXPECT_FALSE(shows_colour(terminal.stream()));
    (void)std::fclose(file);
}

TEST(Terminal, TheWidthIsThatOfColumnsOrOfTheTerminal) {
    const PseudoTerminal terminal;
    ASSERT_NE(terminal.stream(), nullptr);
    std::FILE* const file = std::tmpfile();
    ASSERT_NE(file, nullptr);
    {
        const Variable none("COLUMNS", nullptr);
        EXPECT_EQ(terminal_width(terminal.stream()), 72U);
        EXPECT_EQ(terminal_width(file), 100U);
        EXPECT_EQ(terminal_width(file, 120), 120U);
    }
    const Variable wide("COLUMNS", "133");
    EXPECT_EQ(terminal_width(terminal.stream()), 133U);
    EXPECT_EQ(terminal_width(file), 133U);
    (void)std::fclose(file);
}

TEST(Terminal, TextIsBrokenAtBlanks) {
    EXPECT_EQ(wrap_text("one two three", 9, 2), "one two\n  three");
    EXPECT_EQ(wrap_text("one two three", 80, 2), "one two three");
    EXPECT_EQ(wrap_text("a-word-that-is-longer than a line", 10, 0), "a-word-that-is-longer\nthan a\nline");
    EXPECT_EQ(wrap_text("a list:\n  one of them\n\nend", 11, 1), "a list:\n   one of\n   them\n\n end");
    EXPECT_EQ(wrap_text("µµµ µµµ", 7, 0), "µµµ µµµ"); // characters, not bytes
    EXPECT_EQ(wrap_text("", 7, 3), "");
}

TEST(Plural, OfOneThereIsNoS) {
    EXPECT_EQ(plural(1, "rank"), "1 rank");
    EXPECT_EQ(plural(0, "rank"), "0 ranks");
    EXPECT_EQ(plural(12'288, "host"), "12,288 hosts");
    EXPECT_EQ(plural(1, "process", "processes"), "1 process");
    EXPECT_EQ(plural(2, "process", "processes"), "2 processes");
}

} // namespace
} // namespace orrery
