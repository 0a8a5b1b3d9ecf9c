// Finding the files of a trace.
#include "formats/allprof/trace_files.h"
#include "formats/allprof/trace_text.h"
#include "places.h"

#include <filesystem>
#include <fstream>

namespace orrery::allprof_test::trace_files_test {
namespace {

namespace fs = std::filesystem;

class Folder {
  public:
    Folder() {
        path_ = fs::temp_directory_path() / fmt::format("orrery-allprof-{}-{}", ::getpid(), count_++);
        fs::create_directories(path_);
    }
    ~Folder() { fs::remove_all(path_); }
    void add(const std::string& name, const std::string& text = "# comment\nMPI_Init:-:1:2:3\n") const {
        std::ofstream(path_ / name) << text;
    }
    [[nodiscard]] std::string path(const std::string& name = {}) const { return (path_ / name).string(); }

  private:
    fs::path path_;
    static inline int count_ = 0;
};

std::vector<std::string> names(const std::string& path) {
    std::vector<std::string> found;
    for (const std::string& file : allprof::find_trace_files(path).paths)
        found.push_back(fs::path(file).filename());
    return found;
}

std::string find_error(const std::string& path) {
    return error_of([&] { allprof::find_trace_files(path); });
}

TEST(AllprofFiles, by_directory_or_by_any_file) {
    const Folder folder;
    for (const char* name : {"pmpi-trace-rank-0.txt", "pmpi-trace-rank-1.txt", "pmpi-trace-rank-2.txt"})
        folder.add(name);
    folder.add("input.dat", "something else");
    folder.add("slurm-123.out", "something else");
    const std::vector<std::string> expected = {"pmpi-trace-rank-0.txt", "pmpi-trace-rank-1.txt",
                                               "pmpi-trace-rank-2.txt"};
    EXPECT_EQ(names(folder.path()), expected);
    EXPECT_EQ(names(folder.path("pmpi-trace-rank-0.txt")), expected);
    EXPECT_EQ(names(folder.path("pmpi-trace-rank-2.txt")), expected);
    const allprof::TraceFiles files = allprof::find_trace_files(folder.path());
    EXPECT_EQ(files.pattern, folder.path("pmpi-trace-rank-*.txt"));
    EXPECT_EQ(files.ignored, (std::vector<std::string>{"input.dat", "slurm-123.out"}));
}

TEST(AllprofFiles, ranks_are_numbers) {
    const Folder folder;
    for (int rank = 0; rank < 12; ++rank)
        folder.add(fmt::format("run2.rank-{:03}.d", rank)); // with zeros in front
    const std::vector<std::string> found = names(folder.path());
    ASSERT_EQ(found.size(), 12u);
    EXPECT_EQ(found[10], "run2.rank-010.d");
    const Folder plain;
    for (int rank = 0; rank < 12; ++rank) plain.add(fmt::format("trace.{}", rank));
    EXPECT_EQ(names(plain.path("trace.0"))[11], "trace.11");
}

TEST(AllprofFiles, what_is_missing_is_named) {
    const Folder folder;
    folder.add("t-0.txt");
    folder.add("t-3.txt");
    EXPECT_EQ(find_error(folder.path()),
              folder.path("t-*.txt") + ": found 2 files with numbers up to 3, but none for rank 1, 2");
    EXPECT_NE(find_error(folder.path("t-9.txt")).find("no such file or directory"), std::string::npos);
    const Folder huge;
    huge.add("t-18446744073709551615.txt");
    EXPECT_NE(find_error(huge.path()).find("none for rank 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, ..."),
              std::string::npos);
}

TEST(AllprofFiles, more_than_one_trace_or_none) {
    const Folder folder;
    EXPECT_NE(find_error(folder.path()).find("no trace of liballprof here"), std::string::npos);
    folder.add("notes.txt", "MPI_Init:-:1:2:3\n");
    EXPECT_NE(find_error(folder.path("notes.txt")).find("no number in the name"), std::string::npos);
    folder.add("a-0.txt");
    folder.add("b-0.txt");
    EXPECT_NE(find_error(folder.path()).find("more than one trace here (a-*.txt, b-*.txt)"), std::string::npos);
    EXPECT_EQ(names(folder.path("b-0.txt")), std::vector<std::string>{"b-0.txt"});
    folder.add("b-00.txt");
    EXPECT_NE(find_error(folder.path("b-0.txt")).find("are both of rank 0"), std::string::npos);
    EXPECT_EQ(names(folder.path("a-0.txt")), std::vector<std::string>{"a-0.txt"});
}

TEST(AllprofFiles, liballprof2) {
    const Folder folder;
    folder.add("lap2-trace-rank-0-of-1.txt");
    EXPECT_NE(find_error(folder.path()).find("liballprof2"), std::string::npos);
    EXPECT_NE(find_error(folder.path("lap2-trace-rank-0-of-1.txt")).find("liballprof2"), std::string::npos);
}

TEST(AllprofFiles, recognised_by_their_content) {
    const std::string data = test_data() + "/traces/";
    EXPECT_TRUE(looks_like_allprof(data + "sweep3d-2x2"));
    EXPECT_TRUE(looks_like_allprof(data + "sphot-4"));
    EXPECT_TRUE(looks_like_allprof(data + "bcast/trace_bcast-0.dat"));
    EXPECT_FALSE(looks_like_allprof(data + "sphot-4/input.dat"));
    EXPECT_FALSE(looks_like_allprof(data));
    EXPECT_FALSE(looks_like_allprof(data + "no-such-thing"));
    const Folder folder;
    folder.add("a-0.goal", "num_ranks 1\nrank 0 {\n}\n");
    folder.add("b-0.bin", std::string("\x7f\x10\0\0", 4));
    folder.add("c-0.txt", "");
    EXPECT_FALSE(looks_like_allprof(folder.path()));
    EXPECT_FALSE(looks_like_allprof(folder.path("a-0.goal")));
    EXPECT_FALSE(looks_like_allprof(folder.path("c-0.txt")));
}

TEST(AllprofFiles, a_trace_of_two_versions_of_the_tracer) {
    const std::string data = test_data() + "/traces/";
    // Times since 1970 with decimals, Fortran handles, MPI_ANY_SOURCE, requests of 4 bytes.
    const AllprofTrace sphot = AllprofTrace::open(data + "sphot-4/htor-coll-rank-0.dat");
    EXPECT_EQ(sphot.summary().tally.sends, 9u);
    EXPECT_EQ(sphot.summary().tally.pinned_wildcards, 6u);
    EXPECT_TRUE(sphot.summary().ignored.empty());
    EXPECT_EQ(AllprofTrace::open(data + "sphot-4").summary().ignored, std::vector<std::string>{"input.dat"});
    // Whole microseconds since the start, handles of C, counts with their elements.
    const AllprofTrace halo = AllprofTrace::open(data + "halo-c");
    EXPECT_EQ(halo.ranks(), 4u);
    EXPECT_TRUE(halo.summary().notes().empty());
    EXPECT_EQ(halo.summary().tally.collectives, 12u);
}

TEST(AllprofFiles, lines_longer_than_any_buffer) {
    const Folder folder;
    RankText text(0, 1);
    text.send(0, 8, 1).raw("#" + std::string(1'000'000, 'x')).recv(0, 8, 1);
    for (int i = 0; i < 20'000; ++i) text.call("Wtime", ""); // and more than one buffer in all
    folder.add("t-0.txt", text.finish());
    EXPECT_EQ(dump(program(AllprofTrace::open(folder.path()), 0)), "0: send 8 to 0 tag 1 | 1\n"
                                                                   "1: calc 10\n"
                                                                   "2: recv 8 from 0 tag 1 | 3\n"
                                                                   "3: calc 10 | 0\n"
                                                                   "4: calc 240010 | 2\n");
}

TEST(AllprofFiles, bad_ones) {
    const std::string data = test_data() + "/traces/bad/";
    const auto said = [&](const std::string& name) {
        return error_of([&] { AllprofTrace::open(data + name); });
    };
    EXPECT_NE(said("truncated").find("pmpi-trace-rank-1.txt:6: the file ends in the middle of a line"),
              std::string::npos)
        << said("truncated");
    EXPECT_NE(said("missing-rank").find("a communicator of 3 ranks, but there are files of 2 only"),
              std::string::npos)
        << said("missing-rank");
    EXPECT_NE(said("liballprof2").find("pmpi-trace-rank-0.txt:1:1: this line was written by liballprof2"),
              std::string::npos)
        << said("liballprof2");
    EXPECT_NE(said("one-sided").find("2 MPI_Win_fence"), std::string::npos) << said("one-sided");
}

} // namespace
} // namespace orrery::allprof_test::trace_files_test
