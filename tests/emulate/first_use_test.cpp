// What a new user must be able to rely on, point by point. Not here: that a bare Debian builds it offline (it
// takes a chroot), and that the commands of the README run (tests/docs).
#include "emulate/mpi_programs.h"
#include "places.h"

#include <set>

namespace orrery::test::first_use_test {
namespace {

const std::string stencil = test_data() + "/../../examples/stencil/stencil-64.oti";

class FirstUse : public EmulatedPrograms {
  protected:
    void expect_said(const std::string& arguments, int code, const std::string& words) {
        const Answer answer = run(arguments, true);
        EXPECT_EQ(answer.code, code) << arguments << "\n" << answer.out;
        EXPECT_NE(answer.out.find(words), std::string::npos) << arguments << "\n" << answer.out;
    }
    std::set<std::string> files() {
        std::set<std::string> names;
        for (const auto& each : std::filesystem::directory_iterator(folder_))
            names.insert(each.path().filename().string());
        return names;
    }
};

TEST_F(FirstUse, TheUsualBuildIsOptimised) {
    if (!sanitized) expect_said("doctor", 0, "compiled with optimisation");
}

TEST_F(FirstUse, NothingIsWrittenThatWasNotAskedFor) {
    EXPECT_EQ(run("replay " + stencil + " --on stampede").code, 0);
    EXPECT_EQ(run("generate ring -n 8 --bytes 1kB --on odin").code, 0);
    EXPECT_EQ(files(), std::set<std::string>{});
    const std::string app =
        build_text("int main(int c, char** v) { MPI_Init(&c, &v); MPI_Finalize(); return 0; }");
    const std::set<std::string> before = files();
    EXPECT_EQ(run("run -n 4 --on stampede " + app).code, 0);
    EXPECT_EQ(run("machine check odin").code, 0);
    EXPECT_EQ(run("map " + stencil + " --on stampede --random 1").code, 0);
    EXPECT_EQ(files(), before);
}

TEST_F(FirstUse, EveryTimeHasAUnit) {
    expect_said("replay " + stencil + " --on stampede --set link.latency=1", 2, "link.latency");
    EXPECT_NE(run("generate ring -n 8 --bytes 8 --on odin").out.find(" us "), std::string::npos);
}

TEST_F(FirstUse, AChangeChangesTheResultOrIsSaidToBeWithoutEffect) {
    expect_said("generate ring -n 8 --bytes 8 --on odin --set link.bandwidth=1GB/s", 0,
                "link.bandwidth: not used by");
    expect_said("replay " + stencil + " --on stampede --set 'topology.levels=2; 20,320; 1,4; 1,2'", 0,
                "no message crosses the changed links");
    EXPECT_NE(predicted("replay " + stencil + " --on stampede --map-by roundrobin --json"),
              predicted("replay " + stencil +
                        " --on stampede --map-by roundrobin --json --set link.bandwidth=1GB/s"));
}

TEST_F(FirstUse, AllClocksAreSimulated) {
    const std::string app = build_text(
        "#include <time.h>\n#include <unistd.h>\n#include <sys/time.h>\n"
        "int main(int c, char** v) { MPI_Init(&c, &v); const double t = MPI_Wtime(); const time_t s = time(0);"
        "struct timespec a, b; clock_gettime(CLOCK_MONOTONIC, &a); sleep(3); usleep(500000);"
        "clock_gettime(CLOCK_MONOTONIC, &b); const double u = MPI_Wtime() - t;"
        "const double m = (b.tv_sec - a.tv_sec) + 1e-9 * (b.tv_nsec - a.tv_nsec); const long w = time(0) - s;"
        "printf(\"%.3f %.3f %d\\n\", u, m, w == 3 || w == 4); MPI_Finalize(); return 0; }");
    expect_said("run -n 1 --on stampede --compute none " + app, 0, "3.500 3.500 1");
}

TEST_F(FirstUse, UncalibratedIsSaid) {
    write("topology.conf", "SwitchName=a Nodes=n[0-3]\n");
    EXPECT_EQ(run("machine import topology.conf -o slurm.toml").code, 0);
    expect_said("generate ring -n 4 --bytes 1kB --on slurm.toml --network flow", 0, "  warning ");
}

TEST_F(FirstUse, AnUnsupportedCallIsNamed) {
    const std::string app = build_text(
        "int main(int c, char** v) { MPI_Init(&c, &v); MPI_Comm m; MPI_Comm_spawn(\"x\", MPI_ARGV_NULL, 1, "
        "MPI_INFO_NULL, 0, MPI_COMM_WORLD, &m, MPI_ERRCODES_IGNORE); MPI_Finalize(); return 0; }");
    EXPECT_NE(run("run -n 2 --on stampede " + app, true).out.find("MPI_Comm_spawn is not supported"),
              std::string::npos);
}

TEST_F(FirstUse, ADeadlockIsNamed) {
    write("cycle", "0 init\n1 init\n0 recv 1 0 8\n1 recv 0 0 8\n0 finalize\n1 finalize\n");
    expect_said("replay cycle --on stampede", 1, "rank 0 in recv at cycle:3, for a message from rank 1");
}

TEST_F(FirstUse, MoreRanksAreOneCommand) {
    expect_said("extrapolate " + stencil + " -n 256 --on stampede", 0, "weak scaling");
}

TEST_F(FirstUse, TheResultIsTheSameForAnyNumberOfJobs) {
    write("s.toml", "[base]\npattern = \"ring\"\nranks = 8\nmachine = \"odin\"\n[vary]\nbytes = [\"8B\", "
                    "\"1kB\", \"1MB\"]\n");
    EXPECT_EQ(run("sweep s.toml --db a.db --csv a.csv -j 1").code, 0);
    EXPECT_EQ(run("sweep s.toml --db b.db --csv b.csv -j 2").code, 0);
    const auto table = [&](const char* name) {
        return run_command("cut -d , -f 1-4 " + (folder_ / name).string()).out;
    };
    EXPECT_NE(table("a.csv"), "");
    EXPECT_EQ(table("a.csv"), table("b.csv"));
}

TEST_F(FirstUse, HotLinksAreShown) { expect_said("replay " + stencil + " --on stampede", 0, "busiest links"); }

TEST_F(FirstUse, ANetworkMayBeAnyGraph) {
    write("g.toml", "[link]\nbandwidth = '1 GB/s'\nlatency = '1 us'\n[topology]\ntype = 'graph'\n"
                    "[[hosts]]\nnames = 'a, b'\nswitch = 's'\n[[switches]]\nnames = 's'\n"
                    "");
    expect_said("machine route g.toml a b", 0, "2 links");
}

TEST_F(FirstUse, MemoryPerRankIsShown) {
    const std::string app =
        build_text("int main(int c, char** v) { MPI_Init(&c, &v); MPI_Finalize(); return 0; }");
    expect_said("run -n 16 --on stampede " + app, 0, " per rank on average");
}

TEST_F(FirstUse, MisspellingsAreAnswered) {
    expect_said("replay " + stencil + " --on stampde", 2, "stampede");
    expect_said("replay " + stencil + " --netwrok flow", 2, "--network");
}

} // namespace
} // namespace orrery::test::first_use_test
