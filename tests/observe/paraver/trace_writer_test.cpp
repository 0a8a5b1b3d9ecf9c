#include "engine/error.h"
#include "observe/paraver/prv_file.h"
#include "observe/paraver/trace_writer.h"

#include <gtest/gtest.h>

#include <random>

namespace orrery::paraver::trace_writer_test {
namespace {

using observe_test::contents;
using observe_test::PrvFile;
using observe_test::temporary_file;

Objects two_threads() {
    Objects objects;
    objects.nodes = {{"host", 1}};
    objects.applications = {{"job", {{"task", {"a", "b"}, 0, 1}}, true}};
    return objects;
}
Legend plain_legend() {
    Legend legend;
    legend.states = {{0, "quiet", {1, 2, 3}}, {1, "busy", {255, 0, 0}}};
    legend.events = {{42, "thing", {{0, "end"}, {7, "seven"}}}};
    return legend;
}

TEST(ParaverTraceWriter, WritesWhatTheFormatSays) {
    const std::string path = temporary_file("plain.prv");
    TraceWriter writer(path);
    writer.communication({{0, 0, 0}, Time::ns(5), Time::ns(6), {0, 0, 1}, Time::ns(7), Time::ns(9), 100, 3});
    writer.state({0, 0, 0}, Time::zero(), Time::ns(10), 1);
    writer.event({0, 0, 1}, Time::ps(4'500), 42, 7);
    EXPECT_FALSE(std::filesystem::exists(path)) << "there before it is finished";
    writer.finish(two_threads(), plain_legend(), Time::ns(12));
    EXPECT_EQ(contents(path), "#Paraver (01/01/70 at 00:00):12_ns:1(1):1:1(2:1),1\n"
                              "c:1:1:1:1\n"
                              "1:1:1:1:1:0:10:1\n"
                              "3:1:1:1:1:5:6:1:1:1:2:7:9:100:3\n"
                              "2:1:1:1:2:5:42:7\n");
    const PrvFile file(path);
    EXPECT_EQ(file.all_complaints(), "");
    EXPECT_EQ(file.state_names.at(1), "busy");
    EXPECT_EQ(file.state_colours.at(1), "{255,0,0}");
    EXPECT_EQ(file.value_names.at(42).at(7), "seven");
    EXPECT_EQ(file.labels.at("THREAD")[1], "b");
}

TEST(ParaverTraceWriter, LeavesNothingBehindIfTheRunDoesNotEnd) {
    const std::string path = temporary_file("broken.prv");
    {
        TraceWriter writer(path);
        writer.event({0, 0, 0}, Time::zero(), 42, 7);
    }
    for (const char* const ending : {".prv", ".pcf", ".row"})
        EXPECT_FALSE(std::filesystem::exists(path.substr(0, path.size() - 4) + ending));
}

TEST(ParaverTraceWriter, SortsWhatDoesNotFitIntoMemory) {
    const std::string path = temporary_file("sorted.prv");
    TraceWriter writer(path, 100);
    std::mt19937 random(1);
    std::vector<std::uint64_t> times;
    for (int i = 0; i < 5000; ++i) {
        times.push_back(random() % 1000);
        writer.event({0, 0, static_cast<std::uint32_t>(random() % 2)},
                     Time::ns(static_cast<std::int64_t>(times.back())), 42, 7);
    }
    writer.finish(two_threads(), plain_legend(), Time::zero());
    const PrvFile file(path);
    EXPECT_EQ(file.all_complaints(), "");
    std::sort(times.begin(), times.end());
    ASSERT_EQ(file.events.size(), times.size());
    for (std::size_t i = 0; i < times.size(); ++i) ASSERT_EQ(file.events[i].time, times[i]);
    EXPECT_EQ(file.end, times.back()); // the trace does not end before its last record
}

TEST(ParaverTraceWriter, StatesWithinANanosecondAreLeftOut) {
    const std::string path = temporary_file("short.prv");
    TraceWriter writer(path);
    writer.state({0, 0, 0}, Time::ps(10), Time::ps(400), 1);
    writer.state({0, 0, 0}, Time::ps(400), Time::ps(600), 0);
    writer.finish(two_threads(), plain_legend(), Time::ns(1));
    const PrvFile file(path);
    EXPECT_EQ(file.all_complaints(), "");
    ASSERT_EQ(file.states.size(), 1U);
    EXPECT_EQ(file.states[0].end, 1U);
}

TEST(ParaverTraceWriter, NeedsAName) {
    EXPECT_THROW(TraceWriter("trace.txt"), UsageError);
    EXPECT_THROW(TraceWriter("/nowhere/at/all/x.prv"), InputError);
}

// The reader of the tests complains of what it should.
TEST(ParaverPrvFile, FindsWhatIsWrong) {
    const auto complaints = [](const std::string& body) {
        const std::string path = temporary_file("wrong.prv");
        TraceWriter writer(path);
        writer.finish(two_threads(), plain_legend(), Time::ns(100));
        std::ofstream(path, std::ios::app) << body;
        return PrvFile(path).all_complaints();
    };
    EXPECT_EQ(complaints("1:1:1:1:1:0:10:1\n"), "");
    EXPECT_NE(complaints("1:1:1:1:1:5:10:1\n1:1:1:1:2:4:10:1\n").find("out of order"), std::string::npos);
    EXPECT_NE(complaints("1:1:1:1:3:5:10:1\n").find("does not exist"), std::string::npos);
    EXPECT_NE(complaints("1:2:1:1:1:5:10:1\n").find("CPU"), std::string::npos);
    EXPECT_NE(complaints("1:1:1:1:1:5:101:1\n").find("after the end"), std::string::npos);
    EXPECT_NE(complaints("1:1:1:1:1:5:10:9\n").find("no name"), std::string::npos);
    EXPECT_NE(complaints("2:1:1:1:1:5:43:1\n").find("no name"), std::string::npos);
    EXPECT_NE(complaints("1:1:1:1:1:0:10:1\n1:1:1:1:1:5:10:1\n").find("overlap"), std::string::npos);
    EXPECT_NE(complaints("3:1:1:1:1:5:6:1:1:1:2:7:9:100\n").find("no such record"), std::string::npos);
    EXPECT_NE(complaints("2:1:1:1:1:x:42:7\n").find("no number"), std::string::npos);
}

} // namespace
} // namespace orrery::paraver::trace_writer_test
