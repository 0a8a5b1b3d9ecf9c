// Programs that close and redirect: what the simulator says goes where the user wanted it.
#include "emulate/four_ranks.h"

namespace orrery::test::descriptors_test {
namespace {

const char* const headers =
    "#define _GNU_SOURCE\n#include <fcntl.h>\n#include <string.h>\n#include <unistd.h>\n";

class Descriptors : public FourRanks {
  protected:
    std::string expect_summary(const std::string& body, const std::string& how = "") {
        return expect_end(build_text(program(body, headers)), 0, "4 ranks, ", how).out;
    }
};

TEST_F(Descriptors, ClosedOnesDoNotTakeTheSummary) {
    const std::string here = "if (r == 1) ";
    expect_summary(here + "for (int i = 0; i < 5000; ++i) close(i);");
    expect_summary(here + "close_range(0, ~0U, 0);");
    expect_summary(here + "closefrom(0);");
    expect_summary(here + "{ close(1); puts(\"lost\"); }");
    expect_summary(here + "{ close(1); open(\"reused\", O_CREAT | O_WRONLY, 0644); }");
    expect_summary(here + "fclose(stdout);");
    expect_summary(here + "{ fclose(stdin); fclose(stdout); fclose(stderr); }");
    expect_summary(here + "fcloseall();");
    expect_summary(here + "for (int i = 3; i < 5000; ++i) dup2(0, i);", "--timeline t.paje --csv t.csv");
    EXPECT_NE(text_of("t.paje"), "");
}

TEST_F(Descriptors, ErrorsAreStillSaid) {
    expect_end(build_text(program("if (r == 1) { closefrom(0); MPI_Abort(MPI_COMM_WORLD, 7); }", headers)), 7,
               "rank 1 calls MPI_Abort with code 7");
    expect_end(build_text(program("if (r == 1) { closefrom(0); *(volatile int*)0 = 1; }", headers)), 139,
               "rank 1: segmentation fault");
}

TEST_F(Descriptors, StreamsAreEachRanksOwn) {
    const std::string own = "char name[20]; sprintf(name, \"out.%d\", r);";
    const std::string out =
        expect_summary(own + "if (r > 1) freopen(name, \"w\", stdout); printf(\"hello %d\\n\", r);"
                             "MPI_Barrier(MPI_COMM_WORLD); puts(\"again\");");
    EXPECT_EQ(count(out, "hello"), 2U) << out;
    EXPECT_EQ(text_of("out.2"), "hello 2\nagain\n");
    EXPECT_EQ(text_of("out.3"), "hello 3\nagain\n");
    const std::string closed = expect_summary("if (r == 1) fclose(stdout); else printf(\"hello %d\\n\", r);");
    EXPECT_EQ(count(closed, "hello"), 3U) << closed;
    EXPECT_EQ(count(expect_summary("if (r == 1) freopen(\"tagged\", \"w\", stdout); puts(\"hello\");",
                                   "--tag-output"),
                    "] hello"),
              3U);
    EXPECT_EQ(text_of("tagged"), "hello\n");
}

// Each rank writes where it said, in whatever way, and the others where they did.
TEST_F(Descriptors, RedirectionConcernsOneRank) {
    const std::string redirect =
        "fflush(stdout); char name[20]; sprintf(name, \"log.%d\", r);"
        "int f = open(name, O_CREAT | O_WRONLY | O_TRUNC, 0644); dup2(f, 1); close(f);";
    const std::string say =
        "printf(\"printf %d\\n\", r); MPI_Barrier(MPI_COMM_WORLD); dprintf(1, \"dprintf %d\\n\", r);"
        "MPI_Barrier(MPI_COMM_WORLD); puts(\"puts\"); fflush(stdout); system(\"echo echo\");";
    for (const std::string how : {"", "--privatize copy", "--privatize none"}) {
        const std::string out = expect_summary("if (r > 1) {" + redirect + "}" + say, how);
        for (const std::string rank : {"2", "3"})
            EXPECT_EQ(text_of("log." + rank), "printf " + rank + "\ndprintf " + rank + "\nputs\necho\n") << how;
        for (const std::string rank : {"0", "1"}) EXPECT_EQ(count(out, "printf " + rank + "\n"), 2U) << out;
        EXPECT_EQ(count(out, "echo"), 2U) << out;
    }
    const std::string app = build_text(program("if (r == 1) dup2(1, 2); if (r == 2) close(2);"
                                               "fprintf(stderr, \"err %d\\n\", r);",
                                               headers));
    const Answer answer =
        run_command("cd " + folder_.string() + " && " + orrery_program() +
                    " run -n 4 --on ideal-fat-tree --map-by roundrobin --compute none " + app + " 2> errors");
    EXPECT_EQ(answer.code, 0);
    EXPECT_EQ(count(answer.out, "err 1"), 1U) << answer.out;
    const std::string errors = text_of("errors");
    for (const auto& [words, times] : {std::pair{"err 0", 1U}, {"err 1", 0U}, {"err 2", 0U}, {"err 3", 1U}})
        EXPECT_EQ(count(errors, words), times) << errors;
}

// Each needs a descriptor more; what is too many is said, and no text goes astray.
TEST_F(Descriptors, ManyRanksMayRedirect) {
    const std::string app = build_text(program("int f = open(\"/dev/null\", O_WRONLY); dup2(f, 1); close(f); "
                                               "MPI_Barrier(MPI_COMM_WORLD); puts(\"x\");",
                                               headers));
    const auto limited = [&](int files) {
        return run_command(
            "cd " + folder_.string() + " && ulimit -n " + std::to_string(files) + " && " + orrery_program() +
            " run -n 200 --on ideal-fat-tree --map-by roundrobin --compute none " + app + " 2>&1");
    };
    const Answer enough = limited(700);
    EXPECT_EQ(enough.code, 0) << enough.out;
    EXPECT_EQ(count(enough.out, "x\n"), 0U) << enough.out;
    const Answer few = limited(150);
    EXPECT_EQ(few.code, 1) << few.out;
    EXPECT_NE(few.out.find("redirects one of its descriptors 0 to 2, and the system permits no further"),
              std::string::npos)
        << few.out;
}

TEST_F(Descriptors, ARankPutsItsOwnBack) {
    const std::string out = expect_summary(
        "if (r == 1) { fflush(stdout); int usual = dup(1); dup2(open(\"quiet\", O_CREAT | O_WRONLY, 0644), 1);"
        "puts(\"library\"); MPI_Barrier(MPI_COMM_WORLD); fflush(stdout); dup2(usual, 1); close(usual); }"
        "else MPI_Barrier(MPI_COMM_WORLD); printf(\"hello %d\\n\", r);");
    EXPECT_EQ(count(out, "hello"), 4U) << out;
    EXPECT_EQ(text_of("quiet"), "library\n");
}

// The lowest number is used again by open(), which nobody is told.
TEST_F(Descriptors, NumbersThatAreUsedAgainAreTheRanksOwn) {
    const std::string out =
        expect_summary("if (r == 2) { close(1); open(\"reused\", O_CREAT | O_WRONLY, 0644); }"
                       "MPI_Barrier(MPI_COMM_WORLD); printf(\"hello %d\\n\", r); MPI_Barrier(MPI_COMM_WORLD);");
    EXPECT_EQ(count(out, "hello"), 3U) << out;
    EXPECT_EQ(text_of("reused"), "hello 2\n");
    const std::string in = "char text[9] = {0}; if (r == 0) { close(0); open(\"input\", O_RDONLY); }"
                           "MPI_Barrier(MPI_COMM_WORLD); if (r == 0) read(0, text, 5); printf(\"<%s>\", text);";
    write("input", "words");
    EXPECT_EQ(count(expect_summary(in), "<words>"), 1U);
}

// What the simulator has opened since is not under a number of the program's.
TEST_F(Descriptors, FilesOfMPIAreOutOfReach) {
    const std::string out = expect_summary(
        "if (r == 0) { close(0); close(1); } MPI_File f; MPI_File_open(MPI_COMM_WORLD, \"data\", "
        "MPI_MODE_CREATE | "
        "MPI_MODE_WRONLY, MPI_INFO_NULL, &f); puts(\"text\"); fflush(stdout); if (r == 1) closefrom(3);"
        "MPI_Barrier(MPI_COMM_WORLD); MPI_File_write_at(f, r, \"abcd\" + r, 1, MPI_CHAR, MPI_STATUS_IGNORE);"
        "MPI_File_close(&f);");
    EXPECT_EQ(text_of("data"), "abcd");
    EXPECT_EQ(count(out, "text"), 3U) << out;
}

TEST_F(Descriptors, BuffersOfARankAreNotUsedAfterIt) {
    expect_summary(
        "char own[64]; setvbuf(stdout, own, _IOFBF, sizeof own); printf(\"x\"); memset(own, 1, 64);");
}

// It would end with 0 and no prediction.
TEST_F(Descriptors, ALibraryThatEndsTheProcessIsAnError) {
    write("library.c", "#include <stdlib.h>\nvoid leave(void) { exit(0); }\n");
    ASSERT_EQ(run_command("cd " + folder_.string() + " && cc -shared -fPIC library.c -o libleave.so").code, 0);
    expect_end(build_text(program("if (r == 1) leave();", "void leave(void);"),
                          "-Wl,--no-as-needed -L. -lleave -Wl,-rpath,'$ORIGIN'"),
               1, "rank 1: a library ended the process");
}

} // namespace
} // namespace orrery::test::descriptors_test
