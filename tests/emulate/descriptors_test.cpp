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

TEST_F(Descriptors, RedirectedOnesKeepTheProgramsText) {
    const std::string out =
        expect_summary("if (r == 0) { fflush(stdout); dup2(open(\"all\", O_CREAT | O_WRONLY, "
                       "0644), 1); } printf(\"hello %d\\n\", r);");
    EXPECT_EQ(out.find("hello"), std::string::npos) << out;
    EXPECT_EQ(text_of("all"), "hello 0\nhello 1\nhello 2\nhello 3\n");
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
