// What programs do wrong with memory and with the arguments of matched calls.
#include "emulate/four_ranks.h"

namespace orrery::test::check_memory_test {
namespace {

class CheckMemory : public FourRanks {
  protected:
    void expect_found(const std::string& body, int code, const std::string& words) {
        expect_end(build_text(program("if (r == 1) {" + body + "}", "#include <string.h>\n#include <malloc.h>"),
                              "-g -O0"),
                   code, words, "--check-memory");
    }
};

TEST_F(CheckMemory, FindsWhatIsWrittenBehindABlock) {
    expect_found("char* p = malloc(64); memset(p, 1, 4096);", 139, "rank 1: segmentation fault at address 0x");
    expect_found("volatile char* p = malloc(64); p[64] = 1;", 139,
                 "0 bytes behind the end of a block of 64 bytes of rank 1");
    expect_found("volatile char* p = malloc(60); p[60] = 1; free((void*)p);", 134,
                 "rank 1: free(): something was written behind the block of 60 bytes");
    expect_found("volatile char* p = malloc(60); p[60] = 1;", 134,
                 "--check-memory: something was written behind the block of 60 bytes");
    expect_found("volatile char* p = malloc(64); p[-1] = 1; free((void*)p);", 134,
                 "written before the block of 64");
    expect_found("volatile int* p = calloc(5, 4); x = p[8];", 139,
                 "behind the end of a block of 20 bytes of rank 1");
}

TEST_F(CheckMemory, FindsBlocksThatAreFreedTwiceOrUsedAfter) {
    expect_found("char* p = malloc(100); free(p); free(p);", 134,
                 "rank 1: free(): the block of 100 bytes at 0x");
    expect_found("volatile char* p = malloc(100); free((void*)p); p[3] = 1;", 139,
                 "in a block of 100 bytes of rank 1 that rank 1 has freed");
    expect_found("char* p = malloc(100); free(p); free(p);", 134, "\n  in main (app.c:");
}

// Each way of getting memory works as without, also beyond the guarded blocks.
TEST_F(CheckMemory, LeavesGoodProgramsAlone) {
    const std::string app = build_text(program(
        "char* all[20000]; for (int i = 0; i < 20000; ++i) { all[i] = malloc(i % 300); memset(all[i], i, i % "
        "300);"
        "if (i % 3 == 0) all[i] = realloc(all[i], i % 300 + 50); } for (int i = 0; i < 20000; ++i) "
        "free(all[i]);"
        "void* p; posix_memalign(&p, 256, 1000); if ((size_t)p % 256) return 9; memset(p, 1, 1000); free(p);"
        "p = aligned_alloc(8192, 8192); if ((size_t)p % 8192) return 9; free(p); free(strdup(\"x\"));"
        "char* big = calloc(1 << 20, 8); for (int i = 0; i < 8 << 20; ++i) x += big[i]; if (x) return 9;"
        "MPI_Allreduce(MPI_IN_PLACE, big, 1000, MPI_INT, MPI_SUM, MPI_COMM_WORLD); free(big); free(0);",
        "#include <string.h>\n#include <stdlib.h>"));
    expect_end(app, 0, "4 ranks, ", "--check-memory --stack 1MiB");
}

TEST_F(CheckMemory, AMessageIntoASmallBlockIsNamed) {
    expect_end(build_text(program(
                   "int big[1000] = {0}; if (r == 0) MPI_Send(big, 1000, MPI_INT, 1, 0, MPI_COMM_WORLD);"
                   "if (r == 1) MPI_Recv(malloc(64), 1000, MPI_INT, 0, 0, MPI_COMM_WORLD, "
                   "MPI_STATUS_IGNORE);")),
               139,
               std::string("for a message from rank 0, ") +
                   (sanitized ? "3920" : "0") + // its copy begins at the end
                   " bytes behind the end of a block of 64 bytes of rank 1",
               "--check-memory");
}

class CheckNew : public CheckMemory {
  protected:
    std::string build_cpp(const std::string& body) {
        write(
            "app.cpp",
            "#include <mpi.h>\n#include <cstdio>\n#include <cstdlib>\n#include <fstream>\n#include <iostream>\n"
            "#include <map>\n#include <memory>\n#include <new>\n#include <sstream>\n#include <string>\n"
            "#include <vector>\n" +
                program(body));
        return build((folder_ / "app.cpp").string(), "app", "-g -O0 -std=c++17");
    }
    void expect_found_in(const std::string& body, int code, const std::string& words) {
        expect_end(build_cpp("if (r == 1) {" + body + "}"), code, words, "--check-memory");
    }
};

TEST_F(CheckNew, FindsDamage) {
    expect_found_in("volatile char* p = new char[64]; p[64] = 1;", 139,
                    "0 bytes behind the end of a block of 64 bytes of rank 1");
    expect_found_in("std::vector<double> v(8); volatile double* p = v.data(); p[8] = 1;", 139,
                    "0 bytes behind the end of a block of 64 bytes of rank 1");
    expect_found_in("int* p = new int; delete p; delete p;", 134,
                    "rank 1: operator delete: the block of 4 bytes at 0x");
    expect_found_in("int* p = new int[5]; delete[] p; *(volatile int*)p = 1;", 139,
                    "in a block of 20 bytes of rank 1 that rank 1 has freed");
    expect_found_in("volatile char* p = new (std::nothrow) char[60]; p[60] = 1; delete[] p;", 134,
                    "rank 1: operator delete[]: something was written behind the block of 60 bytes");
    expect_found_in(
        "struct alignas(256) Wide { char c[256]; }; Wide* w = new Wide; ((volatile char*)w)[256] = 1;", 139,
        "0 bytes behind the end of a block of 256 bytes of rank 1");
}

// Blocks of the program that the C++ library frees, of the library that the program frees, and such as grow in
// either.
TEST_F(CheckNew, LeavesGoodProgramsAlone) {
    const std::string app = build_cpp(
        "std::string s; for (int i = 0; i < 300; ++i) { s += \"word\"; s.insert(3, \"more\"); } "
        "s.shrink_to_fit();"
        "std::string moved = std::move(s); std::ostringstream o; o << moved << r; std::string t = o.str();"
        "std::istringstream in(t + \"\\nline\"); while (std::getline(in, t)) {} std::map<std::string, "
        "std::vector<int>> m;"
        "for (int i = 0; i < 100; ++i) m[std::to_string(i)].resize(i); auto shared = "
        "std::make_shared<std::string>(t);"
        "std::ofstream(\"f\" + std::to_string(r)) << *shared; std::locale l(std::locale(), new "
        "std::numpunct<char>);"
        "std::locale::global(l); try { throw std::string(\"x\"); } catch (const std::string&) {}"
        "struct alignas(128) Wide { char c[128]; }; delete new Wide; delete[] new Wide[3]; delete[] new "
        "char[0];"
        "char* line = (char*)malloc(2); size_t room = 2; FILE* f = fopen((\"f\" + std::to_string(r)).c_str(), "
        "\"r\");"
        "if (getline(&line, &room, f) < 4) return 9; free(line); fclose(f);"
        "try { (void)new char[size_t(1) << 60]; return 9; } catch (const std::bad_alloc&) {}");
    expect_end(app, 0, "4 ranks, ", "--check-memory --stack 1MiB");
}

TEST_F(CheckNew, ThreadsOfOpenMPMayAllocate) {
    write("app.c",
          "#include <mpi.h>\n#include <stdlib.h>\n" +
              program(
                  "_Pragma(\"omp parallel for num_threads(4)\") for (int i = 0; i < 20000; ++i) free(malloc(i "
                  "% 100));"));
    expect_end(build((folder_ / "app.c").string(), "app", "-fopenmp"), 0, "4 ranks, ",
               "--check-memory --stack 1MiB");
}

TEST_F(CheckMemory, CannotBeHadWithSharedBlocks) {
    EXPECT_EQ(emulated("./none", "--check-memory --share-above 1MiB").code, 2);
}

class MatchedCalls : public FourRanks {};

TEST_F(MatchedCalls, TypesOfMessagesAreCompared) {
    const std::string send =
        "double d = 1; float f; if (r == 0) MPI_Send(&d, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);";
    const auto receive = [](const std::string& what) {
        return "long y[2]; if (r == 1) MPI_Recv(" + what + ", 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);";
    };
    expect_end(build_text(program(send + receive("y, 2, MPI_LONG"))), 0,
               "types of 1 message do not match: rank 0 sends reals of 8 bytes (MPI_Send)");
    for (const std::string fits : {"y, 16, MPI_BYTE", "y, 2, MPI_DOUBLE"}) {
        const Answer answer = emulated(build_text(program(send + receive(fits))));
        EXPECT_EQ(answer.out.find("do not match"), std::string::npos) << answer.out;
    }
}

TEST_F(MatchedCalls, ArgumentsOfCollectivesAreCompared) {
    const std::string all = "int a[100] = {0}, b[100]; ";
    const std::string words = "the ranks of a communicator give a collective different data: rank ";
    const std::string out =
        expect_end(build_text(program(all + "MPI_Allreduce(a, b, r == 0 ? 50 : 100, MPI_INT, MPI_SUM, "
                                            "MPI_COMM_WORLD);")),
                   1, words)
            .out;
    EXPECT_NE(out.find("rank 0 calls allreduce (MPI_SUM of 200 bytes, integers of 4 bytes)"), std::string::npos)
        << out;
    expect_end(
        build_text(program(all + "MPI_Allreduce(a, b, 9, MPI_INT, r ? MPI_SUM : MPI_MAX, MPI_COMM_WORLD);")), 1,
        "calls allreduce (MPI_MAX of 36 bytes");
    expect_end(
        build_text(program(all + "MPI_Reduce(a, b, 9, r ? MPI_INT : MPI_FLOAT, MPI_SUM, 2, MPI_COMM_WORLD);")),
        1, words);
    expect_end(build_text(program(all + "MPI_Bcast(a, r == 3 ? 9 : 8, MPI_INT, 0, MPI_COMM_WORLD);")), 1,
               words);
    expect_end(build_text(program(all + "MPI_Bcast(a, r == 3 ? 32 : 8, r == 3 ? MPI_BYTE : MPI_INT, 0, "
                                        "MPI_COMM_WORLD);")),
               0, "4 ranks, ");
}

class ImpossibleRequests : public FourRanks {};

TEST_F(ImpossibleRequests, DurationsAreRefusedByName) {
    const std::string headers = "#include <orrery/emulate.h>\n#include <time.h>\n#include <unistd.h>";
    const auto refused = [&](const std::string& call, const std::string& words) {
        expect_end(build_text(program("if (r == 1) " + call, headers)), 1, words);
    };
    refused("sleep(27 * 86400);", "rank 1 calls sleep for 2332800 s, which takes longer than 26 days, the "
                                  "longest time that can be simulated");
    refused("{ struct timespec t = {27 * 86400, 0}; nanosleep(&t, 0); }",
            "rank 1 calls nanosleep for 2332800 s");
    refused("orrery_execute(-5);", "rank 1: orrery_execute: -5 s is not a duration");
    refused("orrery_execute_flops(-1e12);", "rank 1: orrery_execute_flops: -1000000000000 is not a number");
}

TEST_F(ImpossibleRequests, MemoryIsTheProgramsDoing) {
    if (sanitized) GTEST_SKIP() << "the sanitizer's own memory is beyond any limit";
    const std::string app = build_text(program(
        "static char b[60000]; if (r == 1) for (;;) MPI_Send(b, 60000, MPI_CHAR, 2, 0, MPI_COMM_WORLD);"));
    const Answer answer =
        run_command("cd " + folder_.string() + " && ulimit -v 700000 && " + orrery_program() +
                    " run -n 4 --on ideal-fat-tree --map-by roundrobin --compute none " + app + " 2>&1");
    EXPECT_EQ(answer.code, 1) << answer.out;
    EXPECT_NE(answer.out.find("out of memory, when rank 1 was in MPI_Send: the ranks of the program"),
              std::string::npos)
        << answer.out;
}

} // namespace
} // namespace orrery::test::check_memory_test
