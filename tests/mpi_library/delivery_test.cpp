// Faults of programs: who did what, also when the bytes of a message are moved while another rank runs.
#include "emulate/four_ranks.h"

namespace orrery::test::delivery_test {
namespace {

class DeliveryFaults : public FourRanks {
  protected:
    void expect_fault(const std::string& body, const std::string& words) {
        const Answer answer = expect_end(build_text(program(body)), 139, words);
        EXPECT_EQ(count(answer.out, "segmentation fault"), 1U) << answer.out;
    }
};

TEST_F(DeliveryFaults, NameTheReceiver) {
    const std::string send = "int a[10] = {0}; if (r == 0) MPI_Send(a, 10, MPI_INT, 1, 0, MPI_COMM_WORLD);";
    expect_fault(send + "if (r == 1) MPI_Recv((void*)0x1000, 10, MPI_INT, 0, 0, MPI_COMM_WORLD, "
                        "MPI_STATUS_IGNORE);",
                 "rank 1: segmentation fault at address 0x1000, in the receive buffer of MPI_Recv (40 bytes at "
                 "0x1000), for a message from rank 0");
    expect_fault("MPI_Request q; if (r == 1) { MPI_Irecv((void*)0x1000, 10, MPI_INT, 0, 0, MPI_COMM_WORLD, &q);"
                 "MPI_Wait(&q, MPI_STATUS_IGNORE); }" +
                     send,
                 "in the receive buffer of MPI_Irecv (40 bytes at 0x1000), for a message from rank 0");
    expect_fault(send + "if (r == 1) MPI_Recv((void*)\"constant\", 10, MPI_INT, 0, 0, MPI_COMM_WORLD, "
                        "MPI_STATUS_IGNORE);",
                 ", in the receive buffer of MPI_Recv (40 bytes at ");
    expect_fault(send + "if (r == 1) MPI_Recv((void*)0x8000000000001000, 10, MPI_INT, 0, 0, MPI_COMM_WORLD, "
                        "MPI_STATUS_IGNORE);",
                 "rank 1: segmentation fault at");
}

TEST_F(DeliveryFaults, NameTheSender) {
    const std::string receive = "static int a[1000000]; if (r == 1) MPI_Recv(a, 1000000, MPI_INT, 0, 0, "
                                "MPI_COMM_WORLD, MPI_STATUS_IGNORE);";
    expect_fault(receive + "if (r == 0) MPI_Send((char*)0x100000, 1000000, MPI_INT, 1, 0, MPI_COMM_WORLD);",
                 // A sanitizer's copy does not begin at the beginning.
                 std::string(sanitized ? "" : "rank 0: segmentation fault at address 0x100000") +
                     ", in the send buffer of MPI_Send (4000000 bytes at 0x100000), with a message to rank 1");
    expect_fault(receive + "if (r == 0) MPI_Send((char*)0x100000, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);",
                 "in the send buffer of MPI_Send (4 bytes at 0x100000)");
}

TEST_F(DeliveryFaults, NameTheCollective) {
    expect_fault("int a = r; MPI_Bcast(r == 2 ? (void*)0x1000 : &a, 1, MPI_INT, 0, MPI_COMM_WORLD);",
                 "rank 2: segmentation fault at address 0x1000, in a buffer of MPI_Bcast");
    expect_fault(
        "int a = r; MPI_Allreduce(&a, r == 2 ? (void*)0x1000 : &x, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);",
        "rank 2: segmentation fault at address 0x1000, in a buffer of MPI_Allreduce");
}

TEST_F(DeliveryFaults, NameTheOneSidedCall) {
    expect_fault("MPI_Win w; MPI_Win_create((void*)0x1000, 64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &w);"
                 "MPI_Win_fence(0, w); if (r == 0) MPI_Put(&x, 1, MPI_INT, 2, 0, 1, MPI_INT, w);"
                 "MPI_Win_fence(0, w); MPI_Win_free(&w);",
                 "rank 2: segmentation fault at address 0x1000, in its window, by a one-sided call of rank 0");
}

// With the lines of the source where there is debug information.
TEST_F(DeliveryFaults, ShowTheStack) {
    const std::string text = program("if (r == 2) outer(0);",
                                     "static void __attribute__((noinline)) inner(int* p) { *p = 1; }\n"
                                     "void __attribute__((noinline)) outer(int* p) { inner(p); puts(\"\"); }");
    const std::string out = expect_end(build_text(text, "-g"), 139, "  in inner (app.c:").out;
    EXPECT_NE(out.find("  in outer (app.c:5)"), std::string::npos) << out;
    EXPECT_NE(out.find("  in main (app.c:"), std::string::npos) << out;
    expect_end(build_text(text), 139, "  in main (no line: compile with -g)");
}

// What is written behind a variable of the stack ends up in the guard of the next one.
TEST_F(DeliveryFaults, AnOverrunIsNoOverflow) {
    const Answer answer =
        expect_end(build_text(program("if (r == 1) fill(4096);",
                                      "void __attribute__((noinline)) fill(int n) { volatile "
                                      "char a[16]; for (int i = 0; i < n * 100; ++i) a[i] = 1; }")),
                   139, "rank 1: segmentation fault at address 0x");
    EXPECT_NE(answer.out.find("a variable on the stack is overrun"), std::string::npos) << answer.out;
    EXPECT_EQ(answer.out.find("stack overflow"), std::string::npos) << answer.out;
}

} // namespace
} // namespace orrery::test::delivery_test
