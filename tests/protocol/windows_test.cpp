// One-sided communication in a replay, by hand-computed times on the crossbar: a message alone takes 2 us + 1
// ns per byte, one without bytes 2 us.
#include "drivers/crossbar.h"

#include "workload/listed_steps.h"

#include <gtest/gtest.h>

namespace orrery::windows_test {
namespace {

using test::ActionScript;
using test::failure_on_crossbar;
using test::run_on_crossbar;

struct Script : ActionScript {
    using ActionScript::ActionScript;
    Script& rma(std::uint32_t rank, std::uint32_t target, Bytes out, Bytes back) {
        add(rank, operation(target, out, back));
        return *this;
    }
    Script& irma(std::uint32_t rank, std::uint32_t target, Bytes out, Bytes back, std::uint32_t request) {
        Action action = operation(target, out, back);
        action.nonblocking = true;
        action.request = request;
        add(rank, action);
        return *this;
    }
    Script& call(std::uint32_t rank, WindowCall call, std::uint32_t target = 0, std::uint32_t flags = 0) {
        add(rank, window(call, target, flags));
        return *this;
    }
    Script& group(std::uint32_t rank, WindowCall call, const std::vector<Bytes>& ranks,
                  std::uint32_t flags = 0) {
        add(rank, with_counts(window(call, 0, flags), ranks));
        return *this;
    }
    Script& after(std::uint32_t rank, std::uint32_t us) {
        compute(rank, 1000.0 * us);
        return *this;
    }
    static Action operation(std::uint32_t target, Bytes out, Bytes back) {
        Action action;
        action.kind = ActionKind::one_sided;
        action.peer = target;
        action.bytes = out;
        action.more_bytes = back;
        return action;
    }
    static Action window(WindowCall call, std::uint32_t target, std::uint32_t flags) {
        Action action;
        action.kind = ActionKind::window;
        action.other = static_cast<std::uint32_t>(call);
        action.peer = target;
        action.tag = flags;
        return action;
    }
};

ReplayOptions eager_below(Bytes bytes) {
    ReplayOptions options;
    options.endpoint.eager_below = bytes;
    return options;
}

Time finish(Script& script, std::uint32_t rank, const ReplayOptions& options = {}) {
    return run_on_crossbar(script, options).base.ranks[rank].finish;
}

TEST(ReplayWindows, ALockAndAnUnlockThatIsConfirmed) {
    Script script(2);
    script.call(0, WindowCall::lock, 1).rma(0, 1, 1000, 0).call(0, WindowCall::unlock, 1).after(1, 1);
    const ReplayPrediction prediction = run_on_crossbar(script);
    // The put arrives last, 1000 bytes later than the lock; the unlock waits for it and is answered.
    EXPECT_EQ(prediction.base.ranks[0].finish, Time::us(2 + 1 + 2));
    EXPECT_EQ(prediction.base.ranks[1].finish, Time::us(1)); // takes no part
    EXPECT_EQ(prediction.base.messages, 4U);
    EXPECT_EQ(prediction.base.bytes, 1000U);
    EXPECT_EQ(prediction.calls[0][CallKind::wait], Time::us(5));
}

TEST(ReplayWindows, WhatComesBackSaysThatAllIsDone) {
    Script script(2);
    script.call(0, WindowCall::lock, 1).rma(0, 1, 0, 3000).call(0, WindowCall::unlock, 1);
    const ReplayPrediction prediction = run_on_crossbar(script);
    EXPECT_EQ(prediction.base.ranks[0].finish, Time::us(2 + 2 + 3));
    EXPECT_EQ(prediction.base.messages, 4U); // the unlock has no answer
}

TEST(ReplayWindows, UncheckedLocksDoNotTravel) {
    Script script(2);
    script.call(0, WindowCall::lock, 1, window_unchecked).rma(0, 1, 1000, 0).call(0, WindowCall::unlock, 1);
    const ReplayPrediction prediction = run_on_crossbar(script);
    EXPECT_EQ(prediction.base.messages, 3U); // a flush and its answer
    EXPECT_EQ(prediction.base.ranks[0].finish, Time::us(5));
}

TEST(ReplayWindows, ALockOfTheOwnMemoryIsWaitedForAndOfSharedMemoryToo) {
    Script own(2);
    own.call(0, WindowCall::lock, 1).after(0, 10).call(0, WindowCall::unlock, 1); // rank 0 holds it until 12 us
    own.after(1, 5).call(1, WindowCall::lock, 1).call(1, WindowCall::unlock, 1);
    EXPECT_EQ(finish(own, 1), Time::us(12));
    Script shared(2);
    shared.call(0, WindowCall::lock, 1, window_memory);
    EXPECT_EQ(finish(shared, 0), Time::us(4));
}

// Ranks 1, 2 and 3 ask for the lock of rank 0 one after the other; each holds it for its round trip.
TEST(ReplayWindows, ExclusiveLocksAreGivenInOrderAndSharedOnesTogether) {
    for (const bool exclusive : {true, false}) {
        Script script(4);
        for (std::uint32_t rank = 1; rank < 4; ++rank) {
            script.compute(rank, 100.0 * rank);
            script.call(rank, WindowCall::lock, 0, window_memory | (exclusive ? 0 : window_shared));
            script.after(rank, 10).call(rank, WindowCall::unlock, 0);
        }
        const ReplayPrediction prediction = run_on_crossbar(script);
        for (std::uint32_t rank = 1; rank < 4; ++rank) {
            const Time asked = std::int64_t{exclusive ? 1 : rank} * Time::ns(100);
            const Time held = Time::us(2 + 10 + 2); // the answer, the computation, the unlock
            const Time waited = std::int64_t{exclusive ? rank - 1 : 0} * held;
            EXPECT_EQ(prediction.base.ranks[rank].finish, asked + Time::us(2) + waited + Time::us(12)) << rank;
        }
    }
}

TEST(ReplayWindows, LockAllLocksATargetWithItsFirstOperation) {
    Script script(3);
    script.call(0, WindowCall::lock_all, 0).rma(0, 1, 8, 0).rma(0, 1, 8, 0).rma(0, 2, 8, 0);
    script.call(0, WindowCall::unlock_all);
    // Its own lock and unlock; to rank 1 lock, two puts, unlock with answer; to rank 2 one put less.
    EXPECT_EQ(run_on_crossbar(script).base.messages, 3U + 5U + 4U);
}

TEST(ReplayWindows, LongDataAreReadFromTheBufferWhenTheyArrive) {
    for (const Bytes limit : {Bytes{2000}, Bytes{1000}}) {
        Script script(2);
        script.call(0, WindowCall::lock, 1).rma(0, 1, 1000, 0).call(0, WindowCall::flush_local, 1);
        // Copied at once, then a flush takes a moment; or in use until the put is there.
        EXPECT_EQ(finish(script, 0, eager_below(limit)), limit > 1000 ? Time::ns(100) : Time::us(3));
    }
}

TEST(ReplayWindows, AFlushWaitsForThePutAndAnIdleOneForAMoment) {
    Script script(2);
    script.call(0, WindowCall::lock_all, 0, window_unchecked).rma(0, 1, 1000, 0);
    script.call(0, WindowCall::flush, 1).call(0, WindowCall::flush, 1).call(0, WindowCall::flush_all);
    script.call(0, WindowCall::flush_local_all);
    EXPECT_EQ(finish(script, 0), Time::us(2 + 1 + 2) + 3 * Time::ns(100));
}

TEST(ReplayWindows, RequestsAreWaitedForAsThoseOfMessages) {
    for (const bool long_put : {false, true}) {
        Script script(2);
        script.call(0, WindowCall::lock, 1);
        script.irma(0, 1, 1000, 0, 4).irma(0, 1, 0, 1000, 7);
        script.wait(0, 4);
        script.wait(0, 7);
        const ReplayOptions options = eager_below(long_put ? 1000 : 1'000'000);
        EXPECT_EQ(finish(script, 0, options), Time::us(3 + 2 + 1)); // the get is performed after the put
        Script first(2);
        first.call(0, WindowCall::lock, 1).irma(0, 1, 1000, 0, 4).wait(0, 4);
        EXPECT_EQ(finish(first, 0, options), long_put ? Time::us(3) : Time::zero());
    }
}

TEST(ReplayWindows, AFenceEndsWhenAllThatWasSentIsPerformedEverywhere) {
    Script script(3);
    script.rma(0, 1, 50'000, 0);
    for (std::uint32_t rank = 0; rank < 3; ++rank) script.call(rank, WindowCall::fence);
    const ReplayPrediction prediction = run_on_crossbar(script);
    for (std::uint32_t rank = 0; rank < 3; ++rank) {
        EXPECT_GE(prediction.base.ranks[rank].finish, Time::us(52)) << rank;
        EXPECT_GT(prediction.calls[rank][CallKind::collective], Time::us(51)) << rank;
    }
}

TEST(ReplayWindows, StartWaitsForPostAndWaitForComplete) {
    Script script(3);
    script.after(1, 10).group(1, WindowCall::post, {0, 2}).call(1, WindowCall::wait);
    for (const std::uint32_t rank : {0U, 2U}) script.group(rank, WindowCall::start, {1});
    script.rma(0, 1, 5000, 0);
    for (const std::uint32_t rank : {0U, 2U}) script.call(rank, WindowCall::complete);
    const ReplayPrediction prediction = run_on_crossbar(script);
    EXPECT_EQ(prediction.base.ranks[2].finish, Time::us(12));
    EXPECT_EQ(prediction.base.ranks[0].finish, Time::us(12));
    EXPECT_EQ(prediction.base.ranks[1].finish, Time::us(12 + 2 + 5));
    Script unchecked(2);
    unchecked.after(1, 10).group(1, WindowCall::post, {0}, window_unchecked).call(1, WindowCall::wait);
    unchecked.group(0, WindowCall::start, {1}, window_unchecked).call(0, WindowCall::complete);
    EXPECT_EQ(finish(unchecked, 0), Time::zero());
    unchecked.rewind();
    EXPECT_EQ(finish(unchecked, 1), Time::us(10));
}

TEST(ReplayWindows, EachCommunicatorIsAWindowOfItsOwn) {
    Script script(2);
    for (std::uint32_t rank = 0; rank < 2; ++rank) script.dup(rank, 3);
    Action lock = Script::window(WindowCall::lock, 1, window_memory);
    script.add(0, lock); // never unlocked
    lock.comm = 3;
    script.after(1, 100).add(1, lock);
    EXPECT_NO_THROW(run_on_crossbar(script));
}

TEST(ReplayWindows, WhoWaitsForWhomIsNamed) {
    Script locks(2);
    locks.call(0, WindowCall::lock, 1, window_memory).after(1, 100).call(1, WindowCall::lock, 1);
    const std::string words = failure_on_crossbar(locks);
    EXPECT_NE(
        words.find(
            "rank 1 in win_lock at rank1.txt:2, for the lock of the window of rank 1, which rank 0 holds"),
        std::string::npos)
        << words;
    Script posts(2);
    posts.group(0, WindowCall::start, {1}).after(1, 1);
    EXPECT_NE(failure_on_crossbar(posts).find("for rank 1 to post the window"), std::string::npos);
    Script waits(2);
    waits.group(0, WindowCall::post, {1}).call(0, WindowCall::wait);
    EXPECT_NE(failure_on_crossbar(waits).find("for 1 of 1 ranks to complete their accesses"),
              std::string::npos);
}

// Operations and answers may be under way when all members have left the window.
TEST(ReplayWindows, AWindowThatIsFreedEndsWithItsLastMessage) {
    Script script(2);
    const auto free = [&](std::uint32_t rank) {
        Action action;
        action.kind = ActionKind::comm_free;
        action.comm = 3;
        script.add(rank, action);
    };
    for (std::uint32_t rank = 0; rank < 2; ++rank) script.dup(rank, 3);
    Action put = Script::operation(1, 1000, 0);
    Action get = Script::operation(1, 0, 1000);
    put.comm = get.comm = 3;
    get.nonblocking = true;
    get.request = 5;
    script.add(0, put).add(0, get);
    for (std::uint32_t rank = 0; rank < 2; ++rank) free(rank);
    for (std::uint32_t rank = 0; rank < 2; ++rank) script.dup(rank, 3); // another one under the same number
    script.wait(0, 5);
    const ReplayPrediction prediction = run_on_crossbar(script);
    EXPECT_EQ(prediction.base.bytes - 2 * 2 * 8, 2000U); // beside what the duplicates send
    EXPECT_TRUE(prediction.notes.empty());
}

TEST(ReplayWindows, WhatALockHeldUpForEverIsNoted) {
    Script script(3);
    script.call(0, WindowCall::lock, 1);
    script.after(2, 10).call(2, WindowCall::lock, 1).rma(2, 1, 100, 0);
    const ReplayPrediction prediction = run_on_crossbar(script);
    ASSERT_EQ(prediction.notes.size(), 1U);
    EXPECT_EQ(prediction.notes[0].find("2 one-sided operations were never performed"), 0U);
}

TEST(ReplayWindows, WrongCallsAreNamed) {
    const auto failure = [](Script script) { return failure_on_crossbar(script); };
    EXPECT_NE(failure(Script(2).call(0, WindowCall::unlock, 1)).find("unlocks rank 1, which it has not locked"),
              std::string::npos);
    EXPECT_NE(failure(Script(2).call(0, WindowCall::lock, 1).call(0, WindowCall::lock, 1))
                  .find("rank0.txt:2: rank 0: locks rank 1 a second time"),
              std::string::npos);
    EXPECT_NE(failure(Script(2).rma(0, 2, 8, 0)).find("names rank 2, but its communicator has 2 ranks"),
              std::string::npos);
    EXPECT_NE(failure(Script(2).group(0, WindowCall::post, {1, 5})).find("names rank 5"), std::string::npos);
    EXPECT_NE(failure(Script(2).group(0, WindowCall::start, {1, 1})).find("names a rank twice"),
              std::string::npos);
    EXPECT_NE(failure(Script(2).call(0, WindowCall::lock, 9)).find("names rank 9"), std::string::npos);
}

// What a list of steps does is what the algorithm itself does.
TEST(ReplayAside, StepsRunBesideTheRank) {
    const auto aside = [](Script& script, std::uint32_t rank, const std::vector<Step>& steps) {
        Action action;
        action.kind = ActionKind::aside;
        action.request = 2;
        std::vector<Bytes> list;
        for (const Step& step : steps) append_step(step, list);
        script.add(rank, script.with_counts(action, list));
    };
    const Piece kilobyte{0, 0, 1000};
    Script script(3); // 0 sends to 1, which passes it on to 2
    aside(script, 0, {send(1, kilobyte)});
    aside(script, 1, {irecv(0, kilobyte, 5), wait(5), isend(2, kilobyte), wait_all()});
    aside(script, 2, {recv(1, kilobyte)});
    for (std::uint32_t rank = 0; rank < 3; ++rank) script.after(rank, 4).wait(rank, 2);
    const ReplayPrediction prediction = run_on_crossbar(script);
    EXPECT_EQ(prediction.base.ranks[1].finish, Time::us(4));
    EXPECT_EQ(prediction.base.ranks[2].finish, Time::us(6));
    EXPECT_EQ(prediction.base.messages, 2U);
    Script wrong(2);
    aside(wrong, 0, {send(1, kilobyte), recv(7, kilobyte)});
    EXPECT_NE(failure_on_crossbar(wrong).find("rank0.txt:1: rank 0: a peer is out of range"),
              std::string::npos);
}

TEST(ReplayCancel, ACancelledSendIsNotReceivedButTravels) {
    Script script(2);
    script.message(0, ActionKind::isend, 1, 50'000, 0, 1).wait(0, 0, ActionKind::cancel);
    script.message(0, ActionKind::isend, 1, 1000, 0, 1).wait(0, 0);
    script.message(1, ActionKind::recv, 0, 1000, 0, 1);
    const ReplayPrediction prediction = run_on_crossbar(script, eager_below(100'000));
    EXPECT_EQ(prediction.base.ranks[1].finish,
              Time::us(2 + 51)); // both share the link; it comes behind the first
    Script late(2);              // it was received before
    late.message(1, ActionKind::irecv, 0, 1000, 0, 1).wait(1, 0);
    late.after(0, 5)
        .message(0, ActionKind::isend, 1, 1000, 0, 1)
        .compute(0, 4000)
        .wait(0, 0, ActionKind::cancel);
    EXPECT_EQ(finish(late, 1), Time::us(5 + 3));
}

Action pause(Pause how, Time volume, Time most = Time::zero()) {
    Action action;
    action.kind = ActionKind::sleep;
    action.volume = static_cast<double>(volume.ps()) * 1e-12;
    action.other = static_cast<std::uint32_t>(how);
    action.bytes = static_cast<Bytes>(most.ps());
    return action;
}

TEST(ReplayPauses, ANapEndsWithAMessageOrByItself) {
    Script script(2);
    script.add(0,
               pause(Pause::timed_wait, Time::us(1), Time::us(20))); // what it took elsewhere does not matter
    script.after(1, 5).message(1, ActionKind::send, 0, 1000);
    script.message(0, ActionKind::recv, 1, 1000);
    EXPECT_EQ(run_on_crossbar(script).calls[0][CallKind::other], Time::us(5 + 2 + 1)); // it arrives then
    Script alone(1);
    alone.add(0, pause(Pause::timed_wait, Time::us(1), Time::us(20)));
    EXPECT_EQ(finish(alone, 0), Time::us(20));
}

TEST(ReplayPauses, LooksCostWhatTheMachineSaysAndMayGrow) {
    ReplayOptions options;
    options.endpoint.test = Time::us(1);
    options.endpoint.test_grows = true;
    Script script(1);
    for (const Pause how : {Pause::probe, Pause::probe, Pause::found, Pause::probe})
        script.add(0, pause(how, Time::us(50)));
    EXPECT_EQ(finish(script, 0, options), Time::us(1 + 2 + 3 + 1));
}

// A message that a probe has taken is out of sight.
TEST(ReplayTaken, AReceiveTakesTheNextOne) {
    Script script(2);
    script.message(0, ActionKind::send, 1, 1000).message(0, ActionKind::send, 1, 5000);
    Action taken;
    taken.kind = ActionKind::probe;
    taken.other = 7;
    script.add(1, taken).message(1, ActionKind::recv, 0, 5000);
    Action later;
    later.kind = ActionKind::irecv;
    later.bytes = 1000;
    later.other = 7;
    script.add(1, later).wait(1, 0);
    const ReplayPrediction prediction = run_on_crossbar(script);
    EXPECT_EQ(prediction.base.ranks[1].finish, Time::us(2 + 6));
    EXPECT_TRUE(prediction.notes.empty()); // no receive got a longer message than it has room for
    Script wrong(2);
    wrong.add(1, later);
    EXPECT_NE(failure_on_crossbar(wrong).find("rank1.txt:1: rank 1: no probe has taken a message as number 6"),
              std::string::npos);
}

// Both ask at the same instant; the lower rank's message leaves first, although its computation was begun
// later.
TEST(ReplayWindows, LocksOfOneInstantLeaveInTheOrderOfTheRanks) {
    Script script(3);
    script.after(1, 1).after(1, 1);
    script.after(2, 2);
    for (const std::uint32_t rank : {1U, 2U})
        script.call(rank, WindowCall::lock, 0, window_memory).call(rank, WindowCall::unlock, 0);
    const ReplayPrediction prediction = run_on_crossbar(script);
    EXPECT_EQ(prediction.base.ranks[1].finish, Time::us(2 + 2 + 2));
    EXPECT_EQ(prediction.base.ranks[2].finish, Time::us(2 + 2 + 2 + 2 + 2)); // it waits for the other's unlock
}

TEST(ReplayAwait, OneOfThemIsEnoughAndStays) {
    Script script(3);
    script.message(0, ActionKind::irecv, 1, 1000, 3).message(0, ActionKind::irecv, 2, 1000, 4);
    Action await;
    await.kind = ActionKind::await;
    script.add(0, script.with_counts(await, {3, 4}));
    script.after(0, 1);
    script.add(0, script.with_counts(await, {3, 4})); // it is still done
    script.wait(0, 4).wait(0, 3);
    script.message(2, ActionKind::send, 0, 1000);
    script.after(1, 50).message(1, ActionKind::send, 0, 1000);
    const ReplayPrediction prediction = run_on_crossbar(script);
    EXPECT_EQ(prediction.base.ranks[0].finish, Time::us(53));
    EXPECT_EQ(prediction.calls[0][CallKind::compute], Time::us(1));
}

} // namespace
} // namespace orrery::windows_test
