#include "trace/recorder.h"

#include "engine/cpu/counter_perf.h"
#include "engine/cpu/cpu_work.h"
#include "formats/ort/recorded_trace.h"
#include "reference/sanitized.h"
#include "trace/gather.h"
#include "trace/mpi_side.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace orrery::trace {

// What the wrappers and MPI would be.
std::span<const Function> functions() noexcept {
    static constexpr Function table[] = {{"MPI_Send"}, {"MPI_Iprobe"}, {"MPI_Put", false}, {"MPI_Bcast"}};
    return table;
}
std::string mpi_version() { return "Test MPI v1.2.3, of no vendor"; }
std::string mpi_host() { return "host"; }
void gather(const GatherTask& task) { std::filesystem::copy_file(task.own, task.target); }

} // namespace orrery::trace

namespace orrery::trace::recorder_test {

namespace {

constexpr FunctionId send = 0;
constexpr FunctionId iprobe = 1;
constexpr FunctionId put_call = 2;
constexpr FunctionId bcast = 3;

using reference::sanitized;
using test::work;

Action send_of(Bytes bytes) {
    Action action;
    action.kind = ActionKind::send;
    action.bytes = bytes;
    return action;
}

void call(FunctionId function, const Action& action) {
    if (enter(function)) {
        {
            const Recording recording;
            put(action);
        }
        leave();
    }
}

struct Listed {
    std::vector<Action> actions;
    std::vector<std::vector<Bytes>> counts;
    std::vector<recorded::ActionTimes> times;
};

class TraceRecorder : public testing::Test {
  protected:
    void SetUp() override {
        char name[] = "/tmp/orrery-recorder-XXXXXX";
        ASSERT_NE(mkdtemp(name), nullptr);
        directory_ = name;
        forget_variables();
        set("DIR", directory_);
        set("RUN", "1234");
        set("COUNTER", "cpu-time");
    }
    void TearDown() override {
        std::filesystem::remove_all(directory_);
        forget_variables();
    }
    // Other tests of this process start programs, which would find them.
    static void forget_variables() {
        for (const char* const variable : {"DIR", "RUN", "COUNTER", "TIMED", "GATHER", "MODE", "BUFFER"})
            unsetenv((std::string("ORRERY_TRACE_") + variable).c_str());
    }
    static void set(const std::string& variable, const std::string& value) {
        setenv(("ORRERY_TRACE_" + variable).c_str(), value.c_str(), 1);
    }
    [[nodiscard]] std::string file() const { return directory_ + "/rank-0.ort"; }
    [[nodiscard]] RecordedTrace open(bool truncated = false) const {
        return RecordedTrace::open(directory_, {.allow_truncated = truncated});
    }
    static Listed list(const RecordedTrace& trace) {
        Listed listed;
        const auto source = trace.source();
        for (auto window = source->next(RankId{0}); !window.empty(); window = source->next(RankId{0})) {
            for (const Action& action : window) {
                const auto counts = source->counts(RankId{0}, action);
                listed.actions.push_back(action);
                listed.counts.emplace_back(counts.begin(), counts.end());
            }
        }
        return listed;
    }
    static std::uint64_t calls_of(const RecordedTrace& trace, const std::string& name, bool replayed) {
        std::uint64_t calls = 0;
        for (const RecordedCall& entry : trace.rank(RankId{0}).end.calls) {
            calls += entry.name == name && entry.replayed == replayed ? entry.calls : 0;
        }
        return calls;
    }

    std::string directory_;
};

TEST_F(TraceRecorder, KeepsWhatIsPutAndWhatIsComputedBetween) {
    begin(0, 1, false);
    const std::int64_t first = work(2'000'000);
    call(send, send_of(10));
    call(send, send_of(20)); // right after: nothing computed
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::int64_t second = work(3'000'000);
    ASSERT_TRUE(enter(iprobe)); // without an action
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    leave();
    second += work(1'000'000);
    ASSERT_TRUE(enter(bcast));
    work(50'000'000); // inside of MPI
    {
        const Recording recording;
        put(send_of(30));
        put(send_of(40));
    }
    leave();
    const std::int64_t last = work(4'000'000);
    end();
    EXPECT_FALSE(enter(send));

    const RecordedTrace trace = open();
    const Listed listed = list(trace);
    std::vector<Bytes> bytes;
    std::vector<double> volumes(1); // before each of them, and at the end
    for (const Action& action : listed.actions) {
        if (action.kind == ActionKind::compute) {
            volumes.back() += action.volume;
        } else {
            bytes.push_back(action.bytes);
            volumes.push_back(0);
        }
    }
    EXPECT_EQ(bytes, (std::vector<Bytes>{10, 20, 30, 40}));
    ASSERT_EQ(volumes.size(), 5U);
    EXPECT_NEAR(volumes[0], static_cast<double>(first), 0.4e6);
    EXPECT_NEAR(volumes[1], 0, 0.4e6);
    EXPECT_NEAR(volumes[2], static_cast<double>(second), 0.8e6);
    EXPECT_EQ(volumes[3], 0);
    EXPECT_NEAR(volumes[4], static_cast<double>(last), 0.4e6);

    const RecordedRank& rank = trace.rank(RankId{0});
    EXPECT_TRUE(rank.complete);
    EXPECT_TRUE(rank.end.finalized);
    EXPECT_EQ(rank.end.volume, std::accumulate(volumes.begin(), volumes.end(), 0.0));
    EXPECT_GT(rank.end.mpi_seconds, 0.054);
    EXPECT_GT(rank.end.seconds, 0.084);
    EXPECT_LT(rank.end.cost_seconds, 0.001); // an estimate, by medians
    EXPECT_EQ(rank.begin.run, 0x1234U);
    EXPECT_EQ(rank.begin.ranks, 1U);
    EXPECT_EQ(rank.begin.mpi, "Test MPI 1.2.3");
    EXPECT_EQ(rank.begin.counter, "cpu-time");
    EXPECT_EQ(rank.begin.reference, 1e9);
}

TEST_F(TraceRecorder, ShortBurstsAreAddedToTheNext) {
    begin(0, 1, false);
    for (int i = 0; i < 20'000; ++i) {
        call(send, send_of(1)); // loops of a few nanoseconds
    }
    work(1'000'000);
    call(send, send_of(2));
    end();
    const RecordedTrace trace = open();
    double volume = 0;
    for (const Action& action : list(trace).actions) {
        if (action.kind == ActionKind::compute) {
            EXPECT_TRUE(action.volume >= 100 || volume + action.volume == trace.rank(RankId{0}).end.volume);
            volume += action.volume;
        }
    }
    EXPECT_EQ(volume, trace.rank(RankId{0}).end.volume);
    EXPECT_GE(volume, 0.8e6);
}

TEST_F(TraceRecorder, CallsWithinCallsAreNotRecorded) {
    begin(0, 1, false);
    ASSERT_TRUE(enter(bcast));
    EXPECT_FALSE(enter(send));
    leave();
    EXPECT_TRUE(enter(send));
    leave();
    end();
    const RecordedTrace trace = open();
    EXPECT_EQ(calls_of(trace, "MPI_Send", true), 1U);
    EXPECT_EQ(calls_of(trace, "MPI_Bcast", true), 1U);
}

TEST_F(TraceRecorder, CountsCallsThatAreNotReplayed) {
    begin(0, 1, false);
    for (int i = 0; i < 3; ++i) {
        ASSERT_TRUE(enter(put_call));
        leave();
        ASSERT_TRUE(enter(bcast));
        if (i > 0) {
            const Recording recording;
            not_replayed();
        }
        leave();
    }
    end();
    const RecordedTrace trace = open();
    EXPECT_EQ(calls_of(trace, "MPI_Put", false), 3U);
    EXPECT_EQ(calls_of(trace, "MPI_Bcast", true), 1U);
    EXPECT_EQ(calls_of(trace, "MPI_Bcast", false), 2U);
    EXPECT_EQ(calls_of(trace, "MPI_Send", true), 0U);
}

// A list of requests that is larger than a buffer, among many actions.
TEST_F(TraceRecorder, ManyActionsAndLongListsGoThroughSmallBuffers) {
    set("BUFFER", "4096");
    begin(0, 1, false);
    constexpr std::uint32_t requests = 3000;
    std::vector<Bytes> list_of_requests(requests);
    std::iota(list_of_requests.begin(), list_of_requests.end(), Bytes{0});
    Action receive;
    receive.kind = ActionKind::irecv;
    for (receive.request = 0; receive.request < requests; ++receive.request) {
        call(send, receive);
    }
    ASSERT_TRUE(enter(bcast));
    {
        Action all;
        all.kind = ActionKind::wait_all;
        const Recording recording;
        put(all, list_of_requests.data(), list_of_requests.size());
    }
    std::fill(list_of_requests.begin(), list_of_requests.end(), Bytes{0}); // the library has its own copy
    leave();
    for (std::uint32_t i = 0; i < 50'000; ++i) {
        call(send, send_of(i * 7 % 1000));
    }
    end();
    const Listed listed = list(open());
    std::uint32_t received = 0;
    std::uint32_t sent = 0;
    for (std::size_t k = 0; k < listed.actions.size(); ++k) {
        const Action& action = listed.actions[k];
        if (action.kind == ActionKind::irecv) {
            ASSERT_EQ(action.request, received++);
        } else if (action.kind == ActionKind::wait_all) {
            ASSERT_EQ(listed.counts[k].size(), requests);
            EXPECT_EQ(listed.counts[k].back(), requests - 1);
        } else if (action.kind == ActionKind::send) {
            ASSERT_EQ(action.bytes, sent++ * 7 % 1000);
        }
    }
    EXPECT_EQ(received, requests);
    EXPECT_EQ(sent, 50'000U);
}

TEST_F(TraceRecorder, TimesOfATimedRun) {
    set("TIMED", "1");
    begin(0, 1, false);
    work(1'000'000);
    ASSERT_TRUE(enter(send));
    std::this_thread::sleep_for(std::chrono::milliseconds(4));
    {
        const Recording recording;
        put(send_of(1));
        put(send_of(2));
    }
    leave();
    work(2'000'000);
    end();
    const RecordedTrace trace = open();
    EXPECT_TRUE(trace.begin().timed);
    const auto source = trace.timed_source();
    ASSERT_EQ(source->next(RankId{0}).size(), 4U);
    const auto times = source->times(RankId{0});
    EXPECT_LT(times[0].begin, 100'000'000);
    EXPECT_GE(times[0].end - times[0].begin, 990'000);
    EXPECT_EQ(times[1].begin, times[0].end);
    EXPECT_GE(times[1].end - times[1].begin, 4'000'000);
    EXPECT_EQ(times[2].begin, times[1].end);
    EXPECT_EQ(times[2].end, times[1].end);
    EXPECT_GE(times[3].begin, times[2].end);
    EXPECT_LT(times[3].begin, times[2].end + 100'000'000);
    EXPECT_GE(times[3].end - times[3].begin, 1'990'000);
}

TEST_F(TraceRecorder, ThreadsShareTheFile) {
    begin(0, 1, true);
    constexpr int rounds = 5000;
    std::vector<std::thread> threads;
    for (int t = 1; t <= 4; ++t) {
        threads.emplace_back([t] {
            for (int i = 0; i < rounds; ++i) {
                call(send, send_of(static_cast<Bytes>(t)));
            }
            work(1'000'000);
            call(send, send_of(100));
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    end();
    const RecordedTrace trace = open();
    std::array<int, 101> seen{};
    for (const Action& action : list(trace).actions) {
        seen.at(action.kind == ActionKind::send ? action.bytes : 0) += 1;
    }
    for (std::size_t t = 1; t <= 4; ++t) {
        EXPECT_EQ(seen.at(t), rounds);
    }
    EXPECT_EQ(seen[100], 4);
    EXPECT_EQ(calls_of(trace, "MPI_Send", true), 4U * (rounds + 1));
    EXPECT_GE(trace.rank(RankId{0}).end.volume, 3.2e6);
}

// MPI_Abort or exit() of one thread while others are in their calls.
TEST_F(TraceRecorder, OneThreadEndsTheRunWhileOthersCall) {
    begin(0, 1, true);
    std::atomic<bool> over = false;
    std::atomic<int> calling = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t) {
        threads.emplace_back([&] {
            for (std::uint64_t i = 0; !over; ++i) {
                call(send, send_of(7));
                if (i == 100) ++calling;
            }
        });
    }
    while (calling < 3) std::this_thread::yield();
    aborted(3);
    over = true;
    for (std::thread& thread : threads) {
        thread.join();
    }
    const RecordedTrace trace = open(true);
    EXPECT_EQ(trace.rank(RankId{0}).end.how, "MPI_Abort with code 3");
    const std::vector<Action> actions = list(trace).actions;
    const auto sent = std::count_if(actions.begin(), actions.end(),
                                    [](const Action& action) { return action.kind == ActionKind::send; });
    EXPECT_GE(sent, 300);
    EXPECT_GE(calls_of(trace, "MPI_Send", true), static_cast<std::uint64_t>(sent)); // some had not put theirs
}

TEST_F(TraceRecorder, AFileOfAnotherRunIsLeftAlone) {
    std::ofstream(file()) << "precious";
    testing::internal::CaptureStderr();
    begin(0, 1, false);
    EXPECT_FALSE(enter(send));
    end();
    EXPECT_NE(testing::internal::GetCapturedStderr().find("is there already"), std::string::npos);
    std::string text;
    std::getline(std::ifstream(file()), text);
    EXPECT_EQ(text, "precious");
}

TEST_F(TraceRecorder, WrongSettingsRecordNothing) {
    set("TIMED", "perhaps");
    testing::internal::CaptureStderr();
    begin(0, 1, false);
    EXPECT_FALSE(enter(send));
    end();
    EXPECT_NE(testing::internal::GetCapturedStderr().find("ORRERY_TRACE_TIMED=perhaps: expected 0 or 1"),
              std::string::npos);
    EXPECT_TRUE(std::filesystem::is_empty(directory_));
}

TEST_F(TraceRecorder, InstructionsAreNotReplacedByAnythingElse) {
    if (why_no_instructions().empty()) {
        GTEST_SKIP() << "this computer counts instructions";
    }
    set("COUNTER", "instructions");
    testing::internal::CaptureStderr();
    begin(0, 1, false);
    EXPECT_FALSE(enter(send));
    end();
    EXPECT_NE(testing::internal::GetCapturedStderr().find("ORRERY_TRACE_COUNTER=instructions"),
              std::string::npos);
    EXPECT_TRUE(std::filesystem::is_empty(directory_));
}

TEST_F(TraceRecorder, OnlyTheClock) {
    set("MODE", "clock");
    begin(0, 1, false);
    EXPECT_FALSE(enter(send));
    work(3'000'000);
    end();
    const auto json = nlohmann::json::parse(std::ifstream(directory_ + "/clock-0.json"));
    EXPECT_EQ(json["rank"], 0);
    EXPECT_GE(json["seconds"], 0.0029);
    EXPECT_GE(json["cpu_seconds"], 0.0029);
    EXPECT_LE(json["seconds"], 3);
    EXPECT_FALSE(std::filesystem::exists(file()));
}

TEST_F(TraceRecorder, TheGatherComesAfterTheFileIsWhole) {
    set("GATHER", "2");
    begin(0, 1, false);
    call(send, send_of(10));
    end();
    EXPECT_TRUE(RecordedTrace::open(directory_ + "/trace.ort").rank(RankId{0}).complete);
}

// The ends of a run that need a process of their own.
class TraceRecorderProcess : public TraceRecorder {
  protected:
    // What `run` returns is the exit code. Returns it as waitpid has it. A thread of the parent, if it has any,
    // may hold the address sanitizer's lock at the fork; the search for leaks would then wait for it for ever.
    template <typename Run> static int in_process(Run&& run, bool parent_has_threads = false) {
        std::fflush(nullptr);
        const pid_t child = fork();
        if (child == 0) {
            const int code = run();
            if (sanitized && parent_has_threads) {
                _exit(code);
            }
            std::exit(code); // with its handlers
        }
        int status = 0;
        waitpid(child, &status, 0);
        return status;
    }
};

TEST_F(TraceRecorderProcess, AbortIsNoted) {
    begin(0, 1, false);
    call(send, send_of(10));
    ASSERT_TRUE(enter(bcast));
    aborted(3);
    aborted(4);
    const RecordedTrace trace = open(true);
    EXPECT_FALSE(trace.rank(RankId{0}).end.finalized);
    EXPECT_EQ(trace.rank(RankId{0}).end.how, "MPI_Abort with code 3");
    leave();
}

TEST_F(TraceRecorderProcess, ExitWithoutFinalize) {
    EXPECT_EQ(in_process([] {
                  begin(0, 1, false);
                  call(send, send_of(10));
                  return 0;
              }),
              0);
    const RecordedTrace trace = open(true);
    EXPECT_EQ(trace.rank(RankId{0}).end.how, "exit without MPI_Finalize");
    const std::vector<Action> actions = list(trace).actions;
    EXPECT_EQ(std::count_if(actions.begin(), actions.end(),
                            [](const Action& action) { return action.kind == ActionKind::send; }),
              1);
}

// Two seconds later, or with the buffers full, what was recorded is in the file.
TEST_F(TraceRecorderProcess, KilledProgramLeavesWholeBlocks) {
    set("BUFFER", "4096");
    const int status = in_process([] {
        begin(0, 1, false);
        std::mt19937_64 random(1);
        for (std::uint32_t i = 0; i < 400'000; ++i) {
            call(send, send_of(random() % 100'000));
        }
        raise(SIGKILL);
        return 0;
    });
    EXPECT_TRUE(WIFSIGNALED(status));
    const RecordedTrace trace = open(true);
    EXPECT_FALSE(trace.rank(RankId{0}).complete);
    EXPECT_GT(trace.rank(RankId{0}).actions, 300'000U);
}

TEST_F(TraceRecorderProcess, TheChildOfAForkDoesNotTrace) {
    begin(0, 1, false);
    call(send, send_of(10));
    EXPECT_EQ(in_process(
                  [] {
                      const bool recorded = enter(send);
                      end();
                      return recorded ? 1 : 0;
                  },
                  true),
              0);
    call(send, send_of(20));
    end();
    const RecordedTrace trace = open();
    EXPECT_TRUE(trace.rank(RankId{0}).end.finalized);
    EXPECT_EQ(calls_of(trace, "MPI_Send", true), 2U);
}

TEST_F(TraceRecorderProcess, AFullDiskEndsTheTraceAndNotTheProgram) {
    const std::string messages = directory_ + "/messages";
    set("BUFFER", "4096");
    const int status = in_process([&] {
        const rlimit limit{200'000, 200'000};
        setrlimit(RLIMIT_FSIZE, &limit);
        if (std::freopen(messages.c_str(), "w", stderr) == nullptr) {
            return 1;
        }
        begin(0, 1, false);
        constexpr std::uint32_t rounds = 1'000'000;
        std::mt19937_64 random(1);
        std::uint32_t recorded = 0;
        while (recorded < rounds && enter(send)) {
            put(send_of(random() >> 16U));
            leave();
            ++recorded;
        }
        end();
        return recorded < rounds ? 0 : 2;
    });
    EXPECT_EQ(status, 0);
    std::ifstream said(messages);
    const std::string text{std::istreambuf_iterator<char>(said), {}};
    EXPECT_NE(text.find("the trace ends here, the program goes on"), std::string::npos) << text;
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
    std::filesystem::remove(messages);
    const RecordedTrace trace = open(true);
    EXPECT_FALSE(trace.rank(RankId{0}).complete);
    EXPECT_GT(trace.rank(RankId{0}).actions, 1000U);
    EXPECT_LE(std::filesystem::file_size(file()), 200'000U);
}

} // namespace
} // namespace orrery::trace::recorder_test
