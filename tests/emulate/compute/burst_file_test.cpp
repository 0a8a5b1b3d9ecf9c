#include "emulate/compute/burst_file.h"

#include "emulate/compute/compute.h"
#include "emulate/compute/fake_sink.h"
#include "engine/cpu/cpu_work.h"
#include "engine/error.h"

#include <gtest/gtest.h>

namespace orrery::emulate::burst_file_test {
namespace {

BurstOrigin recorded_origin() { return {"hash", {"./app", "-x"}, {}}; }

// Rank r makes 20 calls of functions 0, 1, 2, ... after bursts of 1000 r + i ns.
std::string recorded_file() {
    BurstRecorder recorder(3);
    for (std::uint32_t rank = 0; rank < 3; ++rank)
        for (std::uint32_t i = 0; i < 20; ++i) recorder.add(rank, 1000 * rank + i, i);
    return recorder.file(recorded_origin());
}

TEST(EmulateBurstFile, GivesBackWhatWasAdded) {
    RecordedBursts bursts(recorded_file(), "b");
    bursts.check(recorded_origin(), 3);
    EXPECT_THROW(bursts.check_all_taken(), InputError);
    for (std::uint32_t i = 0; i < 20; ++i)
        for (std::uint32_t rank = 3; rank-- > 0;) EXPECT_EQ(bursts.next(rank, i), 1000 * rank + i);
    bursts.check_all_taken();
    EXPECT_EQ(bursts.next(1, 20), std::nullopt);
    EXPECT_NE(bursts.why(1).find("rank 1 goes on after its 20 recorded calls"), std::string::npos);
}

TEST(EmulateBurstFile, OtherCallsAreFound) {
    RecordedBursts bursts(recorded_file(), "b");
    std::optional<std::int64_t> last = 0;
    for (std::uint32_t i = 0; i < 20 && last; ++i) last = bursts.next(0, i == 5 ? 99 : i);
    EXPECT_EQ(last, std::nullopt);
    EXPECT_NE(bursts.why(0).find("calls of rank 0 from number 1 to 16"), std::string::npos) << bursts.why(0);
}

TEST(EmulateBurstFile, AnotherProgramOrRunIsRefused) {
    const RecordedBursts bursts(recorded_file(), "b");
    EXPECT_THROW(bursts.check(recorded_origin(), 4), InputError);
    BurstOrigin other = recorded_origin();
    other.command[0] = "/elsewhere/app";
    bursts.check(other, 3);
    other.command[1] = "-y";
    EXPECT_THROW(bursts.check(other, 3), InputError);
    other = recorded_origin();
    other.program_hash = "built anew";
    EXPECT_THROW(bursts.check(other, 3), InputError);
}

TEST(EmulateBurstFile, DamageIsRefused) {
    const std::string good = recorded_file();
    for (std::size_t size = 0; size < good.size(); ++size)
        EXPECT_THROW(RecordedBursts(good.substr(0, size), "b"), InputError) << size;
    for (std::size_t i = 0; i < good.size(); ++i) {
        std::string bad = good;
        bad[i] = static_cast<char>(bad[i] ^ 1);
        EXPECT_THROW(RecordedBursts(bad, "b"), InputError) << i;
    }
    EXPECT_THROW(RecordedBursts("{}", "b"), InputError);
}

// What was measured comes again, also scaled and where short bursts are added up.
TEST(EmulateBurstFile, TheSameBurstsTakeTheSameTime) {
    using trace::test::work;
    const auto calls = [](Compute& compute, bool working) {
        for (std::uint32_t i = 0; i < 50; ++i) {
            compute.leave_call();
            if (working) work(i % 7 == 0 ? 20'000 : 300);
            compute.enter_call({nullptr, i});
        }
    };
    ComputeOptions options;
    test::FakeSink first;
    test::FakeSink second;
    BurstRecorder recorder(1);
    {
        Compute compute(options, {}, first);
        compute.record_in(&recorder);
        calls(compute, true);
    }
    RecordedBursts bursts(recorder.file(recorded_origin()), "b");
    Compute compute(options, {}, second);
    compute.take_from(&bursts);
    calls(compute, false);
    EXPECT_GT(first.busy[0], Time::us(100));
    EXPECT_EQ(first.busy[0], second.busy[0]);
    EXPECT_EQ(first.injections, second.injections);
    compute.leave_call();
    EXPECT_THROW(compute.enter_call({nullptr, 50}), InputError);
}

} // namespace
} // namespace orrery::emulate::burst_file_test
