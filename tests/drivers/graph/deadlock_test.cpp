// A schedule that cannot end: the message must name who waits, in which operation, for whom and with which tag;
// and the program must say so by its exit code.
#include "drivers/graph/simulate.h"
#include "engine/error.h"
#include "formats/goal/goal_text_reader.h"
#include "places.h"
#include "reference/schedules.h"
#include "reference/simulator.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace orrery::deadlock_test {
namespace {

// What the simulator says of a schedule that deadlocks; the reference must agree that it does.
std::string deadlock_of(const std::string& goal, Rendezvous rendezvous = Rendezvous::sender_waits) {
    reference::GraphCollector graphs;
    read_goal_text(goal, "test", graphs);
    SimulationOptions options;
    options.loggops.S = 100;
    options.loggops.rendezvous = rendezvous;
    EXPECT_TRUE(reference::reference_simulate(graphs.ranks, options.loggops).deadlock) << goal;
    try {
        simulate(reference::build_schedule(graphs.ranks), options);
    } catch (const SimulationError& error) {
        return error.what();
    }
    ADD_FAILURE() << "no deadlock was found in\n" << goal;
    return {};
}

void expect_names(const std::string& message, std::initializer_list<const char*> parts) {
    for (const char* part : parts) {
        EXPECT_NE(message.find(part), std::string::npos) << "'" << part << "' is not in: " << message;
    }
}

TEST(Deadlock, ReceiveWithoutSend) {
    const std::string words =
        deadlock_of("num_ranks 2\nrank 0 {\ncalc 5\n}\nrank 1 {\nrecv 8b from 0 tag 77\n}\n");
    expect_names(words, {"rank 1", "recv 8 B from 0 tag 77"});
}

TEST(Deadlock, SendWithoutReceive) {
    const std::string words = deadlock_of("num_ranks 2\nrank 0 {\nsend 8b to 1 tag 41\n}\nrank 1 {\n}\n");
    expect_names(words, {"rank 0", "send 8 B to 1 tag 41"});
}

TEST(Deadlock, RendezvousSendWithoutReceive) {
    for (const Rendezvous rendezvous : {Rendezvous::sender_waits, Rendezvous::handshake}) {
        const std::string words =
            deadlock_of("num_ranks 2\nrank 0 {\nsend 1000b to 1 tag 3\n}\nrank 1 {\n}\n", rendezvous);
        expect_names(words, {"rank 0", "send 1000 B to 1 tag 3"});
    }
}

TEST(Deadlock, WrongTag) {
    const std::string words =
        deadlock_of("num_ranks 2\nrank 0 {\nsend 8b to 1 tag 1\n}\nrank 1 {\nrecv 8b from 0 tag 2\n}\n");
    expect_names(words, {"rank 0", "send 8 B to 1 tag 1", "rank 1", "recv 8 B from 0 tag 2"});
}

// Nobody is left to send what the second wildcard receive waits for.
TEST(Deadlock, AnySource) {
    const std::string words = deadlock_of("num_ranks 2\nrank 0 {\nsend 8b to 1 tag 5\n}\n"
                                          "rank 1 {\nrecv 8b from -1 tag -1\nrecv 8b from -1 tag 6\n}\n");
    expect_names(words, {"rank 1", "recv 8 B from any", "tag 6"});
}

// Both receive before they send.
TEST(Deadlock, TwoReceivesInACircle) {
    const std::string words =
        deadlock_of("num_ranks 2\n"
                    "rank 0 {\na: recv 8b from 1 tag 10\nb: send 8b to 1 tag 11\nb requires a\n}\n"
                    "rank 1 {\na: recv 8b from 0 tag 11\nb: send 8b to 0 tag 10\nb requires a\n}\n");
    expect_names(words, {"rank 0", "recv 8 B from 1 tag 10", "rank 1", "recv 8 B from 0 tag 11"});
}

// Three large sends in a circle, each before its receive: fine if eager, a deadlock as rendezvous.
TEST(Deadlock, RendezvousInACircle) {
    std::string goal = "num_ranks 3\n";
    for (int r = 0; r < 3; ++r) {
        goal += "rank " + std::to_string(r) + " {\na: send 5000b to " + std::to_string((r + 1) % 3) +
                " tag 9\nb: recv 5000b from " + std::to_string((r + 2) % 3) + " tag 9\nb requires a\n}\n";
    }
    for (const Rendezvous rendezvous : {Rendezvous::sender_waits, Rendezvous::handshake}) {
        const std::string words = deadlock_of(goal, rendezvous);
        expect_names(words, {"rank 0", "rank 1", "rank 2", "send 5000 B to 1 tag 9", "send 5000 B to 2 tag 9",
                             "send 5000 B to 0 tag 9"});
    }
}

// The message stays readable when ten thousand ranks wait.
TEST(Deadlock, OfManyRanks) {
    std::string goal = "num_ranks 10000\n";
    for (int r = 0; r < 10000; ++r) {
        goal +=
            "rank " + std::to_string(r) + " {\nrecv 8b from " + std::to_string((r + 1) % 10000) + " tag 1\n}\n";
    }
    const std::string words = deadlock_of(goal);
    expect_names(words, {"rank 0", "recv 8 B from 1 tag 1", "10,000"});
    EXPECT_LT(words.size(), 4000U) << "too long to read";
}

// ---- the program ----

struct Outcome {
    int exit_code = -1;
    std::string standard_error;
};

Outcome replay(const std::string& goal) {
    const auto folder =
        std::filesystem::temp_directory_path() / ("orrery-deadlock-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    const std::string input = (folder / "x.goal").string();
    const std::string errors = (folder / "errors").string();
    std::ofstream(input) << goal;
    const std::string command = orrery_program() + " replay '" + input + "' > '" +
                                (folder / "output").string() + "' 2> '" + errors + "'";
    const int status = std::system(command.c_str());
    Outcome outcome;
    if (WIFEXITED(status)) outcome.exit_code = WEXITSTATUS(status);
    std::ostringstream text;
    text << std::ifstream(errors).rdbuf();
    outcome.standard_error = text.str();
    std::filesystem::remove_all(folder);
    return outcome;
}

TEST(DeadlockExitCode, FineIsZero) { EXPECT_EQ(replay("num_ranks 1\nrank 0 {\ncalc 5\n}\n").exit_code, 0); }

TEST(DeadlockExitCode, DeadlockIsOne) {
    const Outcome outcome =
        replay("num_ranks 2\nrank 0 {\nsend 8b to 1 tag 1\n}\nrank 1 {\nrecv 8b from 0 tag 2\n}\n");
    EXPECT_EQ(outcome.exit_code, 1);
    expect_names(outcome.standard_error, {"rank 0", "send 8 B to 1 tag 1", "rank 1", "recv 8 B from 0 tag 2"});
}

TEST(DeadlockExitCode, BadInputIsThree) {
    const std::initializer_list<const char*> bad{
        "num_ranks 1\nrank 0 {\na: calc 5\nb: calc 5\na requires b\nb requires a\n}\n", // a cycle
        "num_ranks 1\nrank 0 {\na: calc 5\na requires a\n}\n",                          // of one
        "num_ranks 1\nrank 0 {\na: calc 5\na requires b\n}\n",                          // a missing label
        "num_ranks 2\nrank 0 {\nsend 8b to 2\n}\nrank 1 {\n}\n",                        // a missing rank
        "num_ranks 1\nrank 0 {\ncalc 99999999999999999999999\n}\n",                     // a number out of range
        "num_ranks 1\nrank 0 {\ncalc 5\n",                                              // the end is missing
        "",                                                                             // everything is
    };
    for (const char* goal : bad) {
        const Outcome outcome = replay(goal);
        EXPECT_EQ(outcome.exit_code, 3) << goal << outcome.standard_error;
        EXPECT_NE(outcome.standard_error.find("x.goal"), std::string::npos) << outcome.standard_error;
    }
}

} // namespace
} // namespace orrery::deadlock_test
