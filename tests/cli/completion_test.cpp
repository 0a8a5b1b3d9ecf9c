// Completions: bash is asked to complete; of zsh and fish the syntax is checked if they are here, else the
// structure.
#include "cli/program_test.h"

#include <set>
#include <sstream>
#include <string>

namespace orrery {
namespace {

using test::Answer;
using test::run_command;
using test::run_program;

class Completion : public test::ProgramTest {
  protected:
    // What bash offers for the last of these words.
    std::set<std::string> offered(const std::string& words) {
        write("complete.bash", run_program("completion bash").out);
        const Answer answer = run_command(
            "cd " + folder_.string() + " && bash --norc -c 'source ./complete.bash; COMP_WORDS=(" + words +
            "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _orrery; printf \"%s\\n\" \"${COMPREPLY[@]}\"' 2>&1");
        std::set<std::string> out;
        std::istringstream lines(answer.out);
        for (std::string line; std::getline(lines, line);) {
            if (!line.empty()) out.insert(line);
        }
        return out;
    }
};

TEST_F(Completion, BashCompletesVerbs) {
    const auto verbs = offered("orrery \"\"");
    for (const char* const verb : {"run", "replay", "machine", "completion", "help"})
        EXPECT_TRUE(verbs.contains(verb)) << verb;
    EXPECT_EQ(offered("orrery rep"), (std::set<std::string>{"replay"}));
    EXPECT_EQ(offered("orrery machine sh"), (std::set<std::string>{"show"}));
}

TEST_F(Completion, BashCompletesOptions) {
    const auto options = offered("orrery replay --ti");
    EXPECT_TRUE(options.contains("--timeline"));
    EXPECT_TRUE(options.contains("--timeline-ranks"));
    EXPECT_FALSE(options.contains("--on"));
    EXPECT_TRUE(offered("orrery machine import --f").contains("--force"));
    EXPECT_TRUE(offered("orrery generate --effic").contains("--efficiencies"));
    EXPECT_TRUE(offered("orrery replay --write").empty());
}

TEST_F(Completion, BashCompletesMachinesPatternsAndWords) {
    EXPECT_TRUE(offered("orrery replay --on stamp").contains("stampede"));
    EXPECT_TRUE(offered("orrery replay --on = stamp").contains("stampede")); // --on=stamp, as bash cuts it
    EXPECT_TRUE(offered("orrery machine show od").contains("odin"));
    EXPECT_TRUE(offered("orrery generate binomial-b").contains("binomial-bcast"));
    EXPECT_EQ(offered("orrery replay --network k"), (std::set<std::string>{"kpacket"}));
    EXPECT_EQ(offered("orrery trace --counter i"), (std::set<std::string>{"instructions"}));
    EXPECT_TRUE(offered("orrery collectives allred").contains("allreduce"));
    EXPECT_EQ(offered("orrery completion f"), (std::set<std::string>{"fish"}));
    EXPECT_TRUE(offered("orrery generate --bytes \"\"").empty()); // a size: nothing to offer
}

TEST_F(Completion, BashCompletesFiles) {
    write("heat.oti", "x");
    write("here.toml", "x");
    EXPECT_TRUE(offered("orrery replay he").contains("heat.oti"));
    EXPECT_TRUE(offered("orrery replay --on he").contains("here.toml"));
}

TEST_F(Completion, ZshAndFish) {
    const std::string zsh = run_program("completion zsh").out;
    EXPECT_TRUE(zsh.starts_with("#compdef orrery\n"));
    for (const char* const part : {"_orrery_machine_show() {", "--on=[", "compadd", "stampede",
                                   "binomial-bcast", "replay) _orrery_replay ;;", "_arguments -s"})
        EXPECT_NE(zsh.find(part), std::string::npos) << part;
    const std::string fish = run_program("completion fish").out;
    for (const char* const part :
         {"complete -c orrery -n '__orrery_at' -a replay",
          "complete -c orrery -n '__orrery_at machine' -a show",
          "complete -c orrery -n '__orrery_in replay' -l on -r -F -a '", "stampede", "binomial-bcast"})
        EXPECT_NE(fish.find(part), std::string::npos) << part << "\n";
    write("orrery.zsh", zsh);
    write("orrery.fish", fish);
    const std::string here = "cd " + folder_.string() + " && ";
    if (run_command("command -v zsh >/dev/null").code == 0) {
        EXPECT_EQ(run_command(here + "zsh -n orrery.zsh").code, 0);
    }
    if (run_command("command -v fish >/dev/null").code == 0) {
        EXPECT_EQ(run_command(here + "fish --no-execute orrery.fish").code, 0);
    }
    // Quotes: the text between single quotes is never left open at the end of a line of fish.
    std::istringstream lines(fish);
    for (std::string line; std::getline(lines, line);) {
        std::size_t quotes = 0;
        for (std::size_t i = 0; i < line.size(); ++i) {
            if (line[i] == '\\') {
                ++i;
            } else if (line[i] == '\'') {
                ++quotes;
            }
        }
        EXPECT_EQ(quotes % 2, 0U) << line;
    }
}

TEST_F(Completion, BashScriptIsSound) {
    write("complete.bash", run_program("completion bash").out);
    EXPECT_EQ(run_command("cd " + folder_.string() + " && bash -n complete.bash").code, 0);
    if (run_command("command -v shellcheck >/dev/null").code == 0) {
        const Answer answer =
            run_command("cd " + folder_.string() + " && shellcheck -s bash -e SC2034 complete.bash");
        EXPECT_EQ(answer.code, 0) << answer.out;
    }
}

} // namespace
} // namespace orrery
