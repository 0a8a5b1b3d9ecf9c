// Paraver traces with MPI events become the same actions as the Dimemas trace of the same program.
#include "engine/error.h"
#include "formats/dimemas/listed.h"
#include "formats/dimemas_trace.h"
#include "formats/paraver/paraver_events.h"
#include "formats/paraver/prv_translation.h"

#include "drivers/dimemas/run_text.h"

#include <cstdlib>
#include <gtest/gtest.h>

namespace orrery::prv_test {
using namespace orrery::test;

using Lines = std::vector<std::string>;

namespace {

constexpr std::string_view header = "#Paraver (01/01/26 at 12:00):100000_ns:2(1,1):1:2(1:1,1:2),2\n"
                                    "c:1:1:2:1:2\nc:1:2:1:1\n";

std::string call(int task, std::int64_t begin, std::int64_t end, int type, int number,
                 const std::string& more = {}) {
    return fmt::format("2:{0}:1:{0}:1:{1}:{3}:{4}{5}\n2:{0}:1:{0}:1:{2}:{3}:0\n", task, begin, end, type,
                       number, more);
}

std::string message(int from, int to, int sent, int receive, int received, int bytes, int tag) {
    return fmt::format("3:{0}:1:{0}:1:{2}:{2}:{1}:1:{1}:1:{3}:{4}:{5}:{6}\n", from, to, sent, receive, received,
                       bytes, tag);
}

Lines actions(const std::string& prv, std::uint32_t rank) {
    const DimemasFolder folder;
    const DimemasTrace trace = DimemasTrace::open(folder.write("t.prv", std::string(header) + prv));
    return listed(*trace.source(), rank);
}

} // namespace

TEST(ParaverEvents, NumbersAndNames) {
    EXPECT_EQ(paraver_calls().size(), 215U);
    EXPECT_EQ(paraver_call(1)->name, "MPI_Send");
    EXPECT_EQ(paraver_call(10)->collective, Collective::allreduce);
    EXPECT_EQ(paraver_call(31)->name, "MPI_Init");
    EXPECT_EQ(paraver_call(80)->name, "MPI_Reduce_scatter");
    EXPECT_EQ(paraver_call(215)->name, "MPI_Iexscan");
    EXPECT_TRUE(paraver_call(155)->nonblocking);
    EXPECT_EQ(paraver_call(0), nullptr);
    EXPECT_EQ(paraver_call(216), nullptr);
    EXPECT_EQ(paraver_call_named("MPI_Waitall")->number, 6U);
    EXPECT_EQ(paraver_call_named("MPI_Nothing"), nullptr);
    Action action;
    action.kind = ActionKind::collective;
    action.collective = Collective::bcast;
    EXPECT_EQ(paraver_call_of(action)->number, 7U);
    action.nonblocking = true;
    EXPECT_EQ(paraver_call_of(action)->number, 157U);
    action.kind = ActionKind::compute;
    EXPECT_EQ(paraver_call_of(action), nullptr);
    for (const ParaverCall& each : paraver_calls()) EXPECT_EQ(paraver_call_named(each.name), &each);
}

TEST(ParaverEvents, OfOneSidedCommunication) {
    Action action;
    action.kind = ActionKind::one_sided;
    action.bytes = 8;
    EXPECT_EQ(paraver_call_of(action)->number, 65U);
    action.more_bytes = 8;
    EXPECT_EQ(paraver_call_of(action)->name, "MPI_Get_accumulate");
    action.bytes = 0;
    EXPECT_EQ(paraver_call_of(action)->number, 66U);
    action.nonblocking = true;
    EXPECT_EQ(paraver_call_of(action), nullptr); // Extrae has no number for MPI_Rget
    const auto name_of_call = [](WindowCall call) {
        Action window;
        window.kind = ActionKind::window;
        window.other = static_cast<std::uint32_t>(call);
        const ParaverCall* const found = paraver_call_of(window);
        return found == nullptr ? std::string_view() : found->name;
    };
    EXPECT_EQ(name_of_call(WindowCall::fence), "MPI_Win_fence");
    EXPECT_EQ(name_of_call(WindowCall::lock), "MPI_Win_lock");
    EXPECT_EQ(name_of_call(WindowCall::lock_all), "");
    EXPECT_EQ(name_of_call(WindowCall::flush_local_all), "MPI_Win_flush_local_all");
    EXPECT_EQ(name_of_call(WindowCall::wait), "MPI_Win_wait");
    action.kind = ActionKind::cancel;
    EXPECT_EQ(paraver_call_of(action)->name, "MPI_Cancel");
}

TEST(PrvTranslation, SendAndReceive) {
    const std::string prv = call(1, 1000, 1500, 50000001, 1) + call(2, 500, 2500, 50000001, 2) +
                            message(1, 2, 1100, 600, 2400, 777, 5) + "1:1:1:1:1:1500:4000:1\n";
    EXPECT_EQ(actions(prv, 0),
              (Lines{"comm_create 2: 0", "compute 1000.000", "send peer 1 bytes 777", "compute 2500.000"}));
    EXPECT_EQ(actions(prv, 1), (Lines{"compute 500.000", "recv peer 0 bytes 777"}));
}

TEST(PrvTranslation, NonblockingMessagesAndTheirWaits) {
    // Rank 1: two receives are posted, done in the other order; Wait takes what it was done in, Waitall the
    // rest.
    const std::string prv = call(2, 100, 200, 50000001, 4) + call(2, 300, 400, 50000001, 4) +
                            call(1, 500, 600, 50000001, 3) + message(1, 2, 510, 310, 950, 64, 2) +
                            call(1, 700, 800, 50000001, 37) + message(1, 2, 710, 110, 1500, 32, 1) +
                            call(2, 900, 1000, 50000001, 5) + call(2, 1400, 1600, 50000001, 6) +
                            call(1, 900, 950, 50000001, 6);
    EXPECT_EQ(actions(prv, 0), (Lines{"comm_create 2: 0", "compute 500.000", "isend peer 1 bytes 64 request 0",
                                      "forget request 0", "compute 100.000", "issend peer 1 bytes 32",
                                      "forget request 0", "compute 100.000"}));
    EXPECT_EQ(actions(prv, 1), (Lines{"compute 100.000", "irecv peer 0 bytes 32 request 0", "compute 100.000",
                                      "irecv peer 0 bytes 64 request 1", "compute 500.000", "wait request 1",
                                      "compute 400.000", "wait request 0"}));
}

TEST(PrvTranslation, SendrecvIsBothAtOnce) {
    const std::string prv = call(1, 100, 300, 50000001, 41) + call(2, 100, 300, 50000001, 41) +
                            message(1, 2, 100, 100, 300, 8, 1) + message(2, 1, 100, 100, 300, 9, 1);
    EXPECT_EQ(actions(prv, 0), (Lines{"comm_create 2: 0", "compute 100.000", "irecv peer 1 bytes 9 request 0",
                                      "isend peer 1 bytes 8 request 1", "forget request 1", "wait request 0"}));
}

TEST(PrvTranslation, CollectivesWithBytesRootAndCommunicator) {
    const std::string prv = call(1, 100, 300, 50000002, 7, ":50100001:64:50100002:0:50100003:1:50100004:1") +
                            call(2, 150, 300, 50000002, 7, ":50100001:0:50100002:64:50100004:1") +
                            call(1, 400, 500, 50000002, 9, ":50100001:8:50100002:0:50100004:1") +
                            call(2, 400, 500, 50000002, 9, ":50100001:8:50100002:8:50100003:1:50100004:1") +
                            call(1, 600, 700, 50000002, 155, ":50100001:16:50100002:16:50100004:2") +
                            call(1, 900, 950, 50000001, 5) + call(1, 960, 970, 50000003, 32);
    EXPECT_EQ(actions(prv, 0), (Lines{"comm_create 2: 0", "compute 100.000", "bcast bytes 64 root 0 comm 0",
                                      "compute 100.000", "reduce bytes 8 root 1 comm 0", "compute 100.000",
                                      "iallreduce bytes 16 root 0 comm 2 request 0", "compute 200.000",
                                      "wait request 0", "compute 10.000"}));
    EXPECT_EQ(actions(prv, 1), (Lines{"compute 150.000", "bcast bytes 64 root 0 comm 0", "compute 100.000",
                                      "reduce bytes 8 root 1 comm 0"}));
}

TEST(PrvTranslation, SameAsTheDimemasTraceOfTheProgram) {
    const DimemasFolder folder;
    const std::string prv = std::string(header) + call(1, 1000, 1100, 50000001, 4) +
                            call(2, 2000, 2100, 50000001, 4) + call(1, 1200, 1300, 50000001, 3) +
                            call(2, 2200, 2300, 50000001, 3) + message(1, 2, 1200, 2000, 2500, 1000, 3) +
                            message(2, 1, 2200, 1000, 2600, 1000, 3) + call(1, 2000, 2700, 50000001, 5) +
                            call(2, 2400, 2500, 50000001, 5) +
                            call(1, 3000, 4000, 50000002, 10, ":50100001:8:50100002:8:50100004:1") +
                            call(2, 3500, 4000, 50000002, 10, ":50100001:8:50100002:8:50100004:1");
    const std::string dim = "#DIMEMAS:\"t\":0:2(1,1),2\nd:1:1:2:0:1\nd:1:2:1:0\n"
                            "1:0:0:1e-6\n3:0:0:1:-1:1000:3:1:1\n1:0:0:1e-7\n2:0:0:1:-1:1000:3:1:2\n1:0:0:7e-7\n"
                            "3:0:0:1:-1:1000:3:1:2\n1:0:0:3e-7\n10:0:0:11:1:0:0:8:8:1\n"
                            "1:1:0:2e-6\n3:1:0:0:-1:1000:3:1:1\n1:1:0:1e-7\n2:1:0:0:-1:1000:3:1:2\n1:1:0:1e-7\n"
                            "3:1:0:0:-1:1000:3:1:2\n1:1:0:1e-6\n10:1:0:11:1:0:0:8:8:1\n";
    const DimemasTrace paraver = DimemasTrace::open(folder.write("t.prv", prv));
    const DimemasTrace dimemas = DimemasTrace::open(folder.write("t.dim", dim));
    const auto a = paraver.source();
    const auto b = dimemas.source();
    for (std::uint32_t rank = 0; rank < 2; ++rank) EXPECT_EQ(listed(*a, rank), listed(*b, rank)) << rank;
    const std::string path = folder.write("u.prv", prv);
    ASSERT_EQ(std::system(("gzip " + path).c_str()), 0);
    const DimemasTrace packed = DimemasTrace::open(path + ".gz");
    EXPECT_EQ(listed(*packed.source(), 1), listed(*paraver.source(), 1));
    // And Dimemas' own model takes it as well.
    const auto machine = dimemas::read_configuration(folder.write("m.cfg", MachineText().text()));
    EXPECT_EQ(dimemas::simulate(paraver.file(), machine).base.time,
              dimemas::simulate(dimemas.file(), machine).base.time);
}

TEST(PrvTranslation, RefusesWithLine) {
    const DimemasFolder folder;
    const auto line_of = [&](const std::string& text) -> std::uint64_t {
        try {
            (void)dimemas::translate_prv(folder.write("bad.prv", text));
        } catch (const InputError& error) {
            return error.error().line;
        }
        ADD_FAILURE() << "not refused: " << text;
        return 0;
    };
    const std::string head(header);
    EXPECT_EQ(line_of("#Paraver (date:100_ns:0:1:1(1:1)\n"), 1U);
    EXPECT_EQ(line_of("#Paraver (d):100_xs:0:1:1(1:1)\n"), 1U);
    EXPECT_EQ(line_of("#Paraver (d):100_ns:0:2:1(1:1):1(1:1)\n"), 1U);
    EXPECT_EQ(line_of("#Paraver (d):100_ns:0:1:2(1:1)\n"), 1U);
    EXPECT_EQ(line_of("#Paraver (d):100_ns:0:1:1(99999999:1)\n"), 1U);
    EXPECT_EQ(line_of("#Paraver (d):100_ns:0:1:1(1:1),1\nc:1:1:1:2\n"), 2U);
    EXPECT_EQ(line_of(head + "2:1:1:3:1:0:1:1\n"), 4U);
    EXPECT_EQ(line_of(head + "2:1:1:1:2:0:1:1\n"), 4U);
    EXPECT_EQ(line_of(head + "2:1:1:1:1:0:1\n"), 4U);
    EXPECT_EQ(line_of(head + "2:1:1:1:1:-5:1:1\n"), 4U);
    EXPECT_EQ(line_of(head + "1:1:1:1:1:0:1\n"), 4U);
    EXPECT_EQ(line_of(head + "3:1:1:1:1:0:0:1:1:2:1:0:0:8\n"), 4U);
    EXPECT_EQ(line_of(head + "3:1:1:1:1:0:0:1:1:2:1:0:0:-8:1\n"), 4U);
    EXPECT_EQ(line_of(head + "7:1:1:1:1:0\n"), 4U);
    EXPECT_EQ(line_of(head + "hello\n"), 4U);
    EXPECT_EQ(line_of(head + "1:1:1:1:1:0:10:1\n"), 0U); // no MPI calls
}

TEST(PrvTranslation, WhatIsLeftOutIsSaid) {
    const DimemasFolder folder;
    const dimemas::PrvTranslation result = dimemas::translate_prv(folder.write(
        "t.prv", std::string(header) + call(1, 100, 200, 50000004, 65) + message(1, 2, 900, 900, 950, 8, 1)));
    ASSERT_EQ(result.notes.size(), 2U);
    EXPECT_NE(result.notes[0].find("2 ends of messages"), std::string::npos);
    EXPECT_NE(result.notes[1].find("1 calls of MPI_Put are left out"), std::string::npos);
}

} // namespace orrery::prv_test
