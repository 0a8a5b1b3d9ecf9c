// Ctrl-C and SIGTERM: what is said, what is left behind, the exit code.
#include "cli/program_test.h"

namespace orrery::test::interrupt_test {
namespace {

class InterruptedVerb : public ProgramTest {
  protected:
    // `orrery ARGUMENTS` gets `signal` after this time.
    Answer interrupt(const std::string& signal, const std::string& arguments, int seconds = 1) {
        return run_command("cd " + folder_.string() + " && timeout --preserve-status -k 20 -s " + signal + " " +
                           std::to_string(seconds) + " " + orrery_program() + " " + arguments + " 2>&1");
    }
    // On a busy computer a second may be too short to get anywhere: then it gets three, then nine.
    void expect_stopped(const std::string& signal, const std::string& arguments, int code,
                        const std::string& words) {
        Answer answer = interrupt(signal, arguments);
        for (int seconds = 3; seconds <= 9 && answer.out.find(words) == std::string::npos; seconds *= 3)
            answer = interrupt(signal, arguments, seconds);
        EXPECT_EQ(answer.code, code) << answer.out;
        EXPECT_NE(answer.out.find(words), std::string::npos) << answer.out;
        EXPECT_NE(answer.out.find("kept"), std::string::npos) << answer.out;
        for (const auto& left : std::filesystem::directory_iterator(folder_))
            ADD_FAILURE() << "left behind: " << left.path();
    }
};

const char* const endless_pattern = "generate pairwise-alltoall -n 4096 --bytes 1KiB ";

TEST_F(InterruptedVerb, ASimulationSaysHowFarItCame) {
    const std::string flow =
        std::string(endless_pattern) + "--on stampede --network flow --csv t.csv --paraver t.prv";
    expect_stopped("INT", flow, 130, "stopped by Ctrl-C after ");
}

TEST_F(InterruptedVerb, SigtermHasItsOwnCode) {
    expect_stopped("TERM", std::string(endless_pattern) + "--on odin", 143, "stopped by SIGTERM after ");
}

TEST_F(InterruptedVerb, StudiesSayHowManyAreDone) {
    expect_stopped("INT", "traffic --on ndr-fat-tree --load 0.9 --messages 1000000 --csv t.csv", 130,
                   "stopped by Ctrl-C after 1 of 2 measurements");
    expect_stopped("INT", "map near-neighbour --on blue-gene-q-rack --random 100000 -o map", 130,
                   " estimates; no result is kept");
}

TEST_F(InterruptedVerb, AWriterLeavesNothing) {
    const std::string writer = "generate pairwise-alltoall -n 40960 --bytes 1KiB -o schedule.goal";
    expect_stopped("INT", writer, 130, "stopped by Ctrl-C after ");
    expect_stopped("TERM", writer, 143, "stopped by SIGTERM after ");
    expect_stopped("HUP", writer, 129, "stopped by SIGHUP after ");
    EXPECT_EQ(interrupt("KILL", writer).code, 137);
    EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(InterruptedVerb, AConversionLeavesNothing) {
    ASSERT_EQ(run("generate pairwise-alltoall -n 512 --bytes 1 -o schedule.orr").code, 0);
    for (const char* const signal : {"INT", "TERM", "HUP"}) {
        (void)run_command("cd " + folder_.string() + " && timeout -s " + signal + " 0.1 " + orrery_program() +
                          " convert schedule.orr schedule.goal 2>&1");
        EXPECT_TRUE(std::filesystem::remove(folder_ / "schedule.goal") ||
                    std::distance(std::filesystem::directory_iterator(folder_), {}) == 1)
            << signal;
    }
}

} // namespace
} // namespace orrery::test::interrupt_test
