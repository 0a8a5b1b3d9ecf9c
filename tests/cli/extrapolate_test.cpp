// orrery extrapolate of traces that Orrery writes itself.
#include "cli/program_test.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <iterator>

namespace orrery::extrapolate_test {

using test::Answer;
using test::ProgramTest;

namespace {

const std::string stencil_trace = test_data() + "/../../examples/stencil/stencil-64.oti";

class ExtrapolateTest : public ProgramTest {
  protected:
    std::int64_t time_of(const std::string& arguments) {
        const Answer answer = run(arguments + " --json");
        EXPECT_EQ(answer.code, 0) << arguments;
        if (answer.code != 0) return -1;
        return nlohmann::json::parse(answer.out)["predicted_time_ps"];
    }
    // A ring of four ranks with an allreduce.
    void write_ring() {
        std::string text;
        for (int rank = 0; rank < 4; ++rank) {
            text += fmt::format("{0} compute 1e6\n{0} sendRecv 1000 {1} 1000 {2} 6 6\n{0} allreduce 8 0 6\n",
                                rank, (rank + 1) % 4, (rank + 3) % 4);
        }
        write("ring.txt", text);
    }
};

TEST_F(ExtrapolateTest, as_many_ranks_are_a_replay) {
    write_ring();
    for (const char* network : {"flow", "packet", "kpacket", "loggops"}) {
        const std::string on = fmt::format(" --on stampede --network {}", network);
        EXPECT_EQ(time_of("extrapolate ring.txt" + on), time_of("replay ring.txt" + on)) << network;
        EXPECT_GT(time_of("extrapolate ring.txt -n 64" + on), time_of("replay ring.txt" + on)) << network;
    }
}

TEST_F(ExtrapolateTest, what_is_written_is_what_is_simulated) {
    write_ring();
    const std::int64_t expected = time_of("extrapolate ring.txt -n 32 --on stampede");
    for (const char* name : {"x.oti", "x.ort", "x.txt", "x/"}) {
        const Answer written = run(fmt::format("extrapolate ring.txt -n 32 -o {}", name));
        EXPECT_EQ(written.code, 0) << name;
        EXPECT_NE(written.out.find("96 actions, 32 ranks"), std::string::npos) << written.out;
        EXPECT_NE(written.out.find("weak scaling from 4 ranks, 8 copies"), std::string::npos) << written.out;
        EXPECT_EQ(time_of(fmt::format("replay {} --on stampede", name)), expected) << name;
    }
    // In two steps: copies of copies.
    EXPECT_EQ(run("extrapolate ring.txt -n 8 -o x2.ort").code, 0);
    EXPECT_EQ(time_of("extrapolate x2.ort -n 32 --on stampede"), expected);
    EXPECT_EQ(run("extrapolate ring.txt -n 32 --speed 1Gf -o x.goal").code, 0);
    EXPECT_EQ(run("replay x.goal --on odin").code, 0);
    EXPECT_NE(run("extrapolate ring.txt -n 8 -o - --to ti").out.find("7 allreduce"), std::string::npos);
}

TEST_F(ExtrapolateTest, a_format_that_loses_the_unit_of_volumes_says_so) {
    write("t.dim", "#DIMEMAS:\"t\":0:1(1),0\n1:0:0:0.5\n"); // CPU time
    const Answer written = run("extrapolate t.dim -n 4 -o t.oti");
    EXPECT_EQ(written.code, 0);
    EXPECT_NE(written.out.find("volumes are CPU time: replay it with --set host.speed=1Ginstr/s"),
              std::string::npos)
        << written.out;
    EXPECT_EQ(time_of("replay t.oti --on stampede --set host.speed=1Ginstr/s"), 500'000'000'000);
    const Answer kept = run("extrapolate t.dim -n 4 -o t.ort");
    EXPECT_EQ(kept.out.find("does not say"), std::string::npos) << kept.out;
    EXPECT_EQ(time_of("replay t.ort --on stampede"), 500'000'000'000);
}

TEST_F(ExtrapolateTest, says_what_it_assumes) {
    const Answer answer = run("extrapolate " + stencil_trace + " -n 128 --on stampede");
    EXPECT_EQ(answer.code, 0);
    EXPECT_NE(answer.out.find("extrapolated from 64 ranks to 128"), std::string::npos) << answer.out;
    EXPECT_NE(answer.out.find("weak scaling from 64 ranks, 2 copies"), std::string::npos) << answer.out;
    EXPECT_NE(answer.out.find("collectives over all ranks are rebuilt for 128 ranks"), std::string::npos);
    const std::string sweep = test_data() + "/../../examples/sweep3d/trace";
    EXPECT_NE(
        run("extrapolate " + sweep + " -n 8 --first 1 --on odin", true).out.find("weak scaling from 4 ranks"),
        std::string::npos);
}

TEST_F(ExtrapolateTest, mistakes_are_named) {
    write_ring();
    write("note.txt", "Dear diary\n");
    write("x.goal", "num_ranks 1\nrank 0 {\nl1: calc 5\n}\n");
    const auto expect = [&](const std::string& arguments, int code, const std::string& words) {
        const Answer answer = run("extrapolate " + arguments, true);
        EXPECT_EQ(answer.code, code) << arguments << ": " << answer.out;
        EXPECT_NE(answer.out.find(words), std::string::npos) << arguments << ": " << answer.out;
    };
    expect("ring.txt -n 10 --on stampede", 2, "next to it are 8 and 12");
    expect("ring.txt -n 2 --on stampede", 2, "for fewer ranks, trace a smaller run");
    expect("ring.txt -n 8 --no-p2p --on stampede", 2, "--no-p2p is for traces of liballprof only");
    expect("ring.txt -n 8 --compute-scale 2 --on stampede", 2,
           "--compute-scale is for traces of liballprof only");
    expect("ring.txt -n 8 --to oti --on stampede", 2, "--to goes with -o");
    expect("ring.txt -n 8 -o x.oti --json", 2, "--json");
    expect("ring.txt -n 8 -o x.unknown", 2, "cannot tell the format");
    expect("ring.txt -n 8 -o x.goal", 2, "--speed");
    expect("note.txt -n 8", 3, "not a trace: expected what 'orrery trace'");
    expect("x.goal -n 8", 3, "a schedule cannot be extrapolated");
    expect("nowhere -n 8", 3, "No such file");
    std::filesystem::create_directories(folder_ / "empty");
    expect("empty -n 8", 3, "'orrery trace' writes");
    const std::string sweep = test_data() + "/../../examples/sweep3d/trace";
    expect(sweep + " -n 8 --speed 1Gf -o x.goal", 2, "--speed is not for traces of liballprof");
}

} // namespace
} // namespace orrery::extrapolate_test
