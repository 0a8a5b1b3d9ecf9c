// Command lines put together at random from the verbs, their options, and values of which few make sense.
//   ORRERY_ATTACKS=10000 orrery_tests --gtest_filter='CommandLines*'    as in docs/reliability.md
#include "attacks/damage.h"
#include "attacks/ended.h"
#include "reference/sanitized.h"

#include <array>
#include <regex>
#include <set>
#include <vector>

namespace orrery::attacks::command_lines_test {
namespace {

// Those that start no programs and no server, and measure nothing.
constexpr std::array verbs = {
    "replay",          "generate",      "extrapolate",   "convert",      "info",           "machine list",
    "machine show",    "machine check", "machine route", "machine draw", "machine export", "machine import",
    "sweep --dry-run", "map",           "collectives",   "traffic",      "completion",     "help",
    "doctor"};

constexpr std::array usual_words = {
    "x.goal",      "x.txt",
    "four.toml",   "study.toml",
    "nobody.toml", ".",
    "y.out",       "odin",
    "graphene",    "ring",
    "stencil",     "ping-pong",
    "flow",        "packet",
    "loggops",     "kpacket",
    "1000",        "4KiB",
    "2",           "16",
    "0.5",         "1us",
    "10GB/s",      "roundrobin",
    "block",       "link.latency=1us",
    "L=1us",       "bash",
    "allreduce",   "n0",
};

class CommandLines : public test::ProgramTest {
  protected:
    void SetUp() override {
        ProgramTest::SetUp();
        write("x.goal", "num_ranks 2\nrank 0 {\n l1: calc 5000\n l2: send 1000b to 1\n l2 requires l1\n}\n"
                        "rank 1 {\n recv 1000b from 0\n}\n");
        write("x.txt",
              "0 compute 1e6\n0 send 1 0 1000\n0 barrier\n1 compute 1e6\n1 recv 0 0 1000\n1 barrier\n");
        write("four.toml",
              "[link]\nbandwidth = '1 GB/s'\nlatency = '1 us'\n[topology]\ntype = 'crossbar'\nhosts = 4\n");
        write("study.toml", "[study]\nname = 's'\nmachine = 'odin'\npattern = 'ring'\nranks = [2, 4]\n");
    }
    // The options of a verb, from its help.
    static std::vector<std::string> options_of(const std::string& verb) {
        const std::string page = test::run_program(verb + " --help-all").out;
        const std::regex option("(^|[ ,])(--?[a-z][a-z-]*)");
        std::set<std::string> found;
        for (std::sregex_iterator at(page.begin(), page.end(), option), end; at != end; ++at)
            found.insert((*at)[2]);
        return {found.begin(), found.end()};
    }
    static std::string quoted(const std::string& word) {
        std::string out = "'";
        for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
        return out + "'";
    }
    static std::string value(Chance& chance) {
        return quoted(pick(chance, 4) == 0 ? surprising_word(chance)
                                           : usual_words[pick(chance, usual_words.size())]);
    }
};

TEST_F(CommandLines, EndWithAKnownCode) {
    std::vector<std::vector<std::string>> options;
    for (const char* const verb : verbs) options.push_back(options_of(verb));
    Tally tally;
    const std::uint64_t count = attacks(reference::sanitized ? 40 : 300);
    for (std::uint64_t seed = 0; seed < count; ++seed) {
        Chance chance(seed);
        const std::size_t verb = pick(chance, verbs.size());
        std::string line = verbs[verb];
        for (std::size_t words = pick(chance, 6); words > 0; --words) {
            const bool option = !options[verb].empty() && pick(chance, 2) == 0;
            if (option) line += " " + options[verb][pick(chance, options[verb].size())];
            if (!option || pick(chance, 4) != 0) line += " " + value(chance);
        }
        ASSERT_EQ(what_is_wrong_with(folder_.string(), line, tally), "")
            << "seed " << seed << ": orrery " << line;
    }
    std::printf("%s\n", tally.words().c_str());
}

} // namespace
} // namespace orrery::attacks::command_lines_test
