// The help: one screen for what is common, all of it with --help-all, plain values, no leaks of the parser.
#include "cli/program_test.h"

#include "engine/terminal.h"

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace orrery {
namespace {

using test::Answer;
using test::run_command;
using test::run_program;

// All verbs, as the list of verbs names them.
std::vector<std::string> help_verbs() {
    return {"run",           "replay",       "generate",       "extrapolate",
            "trace",         "convert",      "info",           "sweep",
            "map",           "machine",      "machine list",   "machine show",
            "machine check", "machine draw", "machine import", "machine export",
            "machine route", "calibrate",    "validate",       "traffic",
            "serve",         "collectives",  "doctor",         "help",
            "completion"};
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

Answer help_at(const std::string& verb, const std::string& option, const std::string& width) {
    return run_command("COLUMNS=" + width + " " + orrery_program() + " " + verb + " " + option + " 2>&1");
}

TEST(Help, IsOneScreen) {
    for (const std::string& verb : help_verbs()) {
        const Answer answer = help_at(verb, "--help", "100");
        EXPECT_EQ(answer.code, 0) << verb;
        const std::vector<std::string> lines = lines_of(answer.out);
        EXPECT_LE(lines.size(), 44U) << verb << "\n" << answer.out;
        EXPECT_TRUE(answer.out.starts_with("Usage: orrery " + verb)) << answer.out;
    }
    EXPECT_LE(lines_of(help_at("", "--help", "100").out).size(), 44U);
}

TEST(Help, FitsTheTerminal) {
    for (const char* const width : {"80", "100", "132"}) {
        for (const std::string& verb : help_verbs()) {
            for (const std::string& line : lines_of(help_at(verb, "--help-all", width).out)) {
                if (line.starts_with("  orrery")) continue; // an example is a command to copy
                EXPECT_LE(line.size(), std::stoul(width)) << verb << ": " << line;
            }
        }
    }
}

TEST(Help, NamesItsValuesAndLeaksNothing) {
    for (const std::string& verb : help_verbs()) {
        const std::string text = help_at(verb, "--help-all", "100").out;
        for (const char* const leak :
             {"TEXT", " VALUE\n", " VALUE ", "{false}", "{true}", "UINT", "FLOAT", "REQUIRED", "Excludes"})
            EXPECT_EQ(text.find(leak), std::string::npos) << verb << ": " << leak << "\n" << text;
        EXPECT_NE(text.find("\nExample"), std::string::npos) << verb << " has no example";
    }
}

TEST(Help, SaysWhatSuffixesMean) {
    for (const char* const verb : {"replay", "run", "generate", "extrapolate", "trace", "map", "collectives"}) {
        EXPECT_NE(help_at(verb, "--help", "100").out.find("k = 1,024"), std::string::npos) << verb;
    }
    for (const char* const verb : {"generate", "map", "traffic"}) {
        EXPECT_NE(help_at(verb, "--help", "100").out.find("1 kB = 1,000 bytes"), std::string::npos) << verb;
    }
}

TEST(Help, AllShowsMore) {
    const std::string common = help_at("replay", "--help", "100").out;
    const std::string all = help_at("replay", "--help-all", "100").out;
    EXPECT_EQ(common.find("--noise-file"), std::string::npos);
    EXPECT_NE(common.find("orrery replay --help-all: "), std::string::npos) << common;
    EXPECT_NE(all.find("--noise-file FILE"), std::string::npos) << all;
    EXPECT_EQ(help_at("help replay", "--all", "100").out, all);
    EXPECT_EQ(help_at("help", "replay", "100").out, common);
}

TEST(Help, ShowsOnlyWhatApplies) {
    EXPECT_EQ(help_at("replay", "--help-all", "100").out.find("--write"), std::string::npos);
}

// The program's own words for the same thing, wherever it can be asked.
TEST(Help, ComesFromEveryDoor) {
    const std::string alone = run_program("").out;
    EXPECT_EQ(alone, run_program("--help").out);
    EXPECT_EQ(alone, run_program("help").out);
    EXPECT_EQ(run_program("").code, 0);
    EXPECT_EQ(run_program("machine show --help").out, run_program("help machine show").out);
    for (const std::string& verb : help_verbs()) {
        if (verb.find(' ') != std::string::npos) continue;
        EXPECT_NE(alone.find("\n  " + verb + " "), std::string::npos) << verb << "\n" << alone;
    }
}

TEST(Help, ErrorsHaveColourOnATerminalOnly) {
    if (run_command("command -v script >/dev/null").code != 0) GTEST_SKIP() << "there is no script(1)";
    const std::string wrong = orrery_program() + " frobnicate";
    const auto at_terminal = [&](const std::string& environment) {
        return run_command("env -u NO_COLOR TERM=xterm " + environment + " script -qec '" + wrong +
                           "' /dev/null </dev/null")
            .out;
    };
    EXPECT_NE(at_terminal("").find("\x1b[1;31morrery:\x1b[0m"), std::string::npos) << at_terminal("");
    EXPECT_EQ(at_terminal("NO_COLOR=1").find('\x1b'), std::string::npos);
    EXPECT_EQ(at_terminal("TERM=dumb").find('\x1b'), std::string::npos);
    EXPECT_EQ(run_program("frobnicate").out.find('\x1b'), std::string::npos);
}

class HowMuchIsSaid : public test::ProgramTest {};

TEST_F(HowMuchIsSaid, QuietAndVerbose) {
    write("two.txt", "0 compute 1e9\n0 send 1 0 100\n1 compute 1e9\n1 recv 0 0 100\n");
    const auto errors_of = [&](const std::string& arguments) {
        return run_command("cd " + folder_.string() + " && " + orrery_program() + " " + arguments +
                           " 2>&1 >/dev/null")
            .out;
    };
    EXPECT_EQ(errors_of("replay two.txt --on stampede"), "");
    const std::string said = errors_of("replay two.txt --on stampede -v");
    EXPECT_NE(said.find("orrery: two.txt: time-independent trace in text"), std::string::npos) << said;
    EXPECT_NE(said.find("machine stampede"), std::string::npos) << said;
    EXPECT_NE(said.find("network flow"), std::string::npos) << said;
    EXPECT_EQ(errors_of("replay two.txt --on stampede -v -q"), "");
    EXPECT_EQ(run("replay two.txt --on stampede -v").out.find("orrery:"), std::string::npos);
    EXPECT_NE(run("convert two.txt two.oti").out, "");
    EXPECT_EQ(run("convert two.txt two.oti -q").out, "");
    EXPECT_NE(errors_of("convert two.txt two.oti -v").find("reading two.txt"), std::string::npos);
    EXPECT_EQ(run("generate ring -n 4 -o ring.goal --quiet").out, "");
}

} // namespace
} // namespace orrery
