#include "tools/calibrate/measurements.h"

#include "engine/error.h"
#include "tools/calibrate/synthetic.h"

#include <gtest/gtest.h>

namespace orrery::measurements_test {
namespace {

using test::measurements_of;
using test::Synthetic;

Error error_of(const std::string& text) {
    try {
        (void)parse_measurements(text, "m.json");
    } catch (const InputError& error) {
        return error.error();
    }
    return {};
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
    text.replace(text.find(what), what.size(), by);
    return text;
}

TEST(Measurements, AreReadWithTheirFacts) {
    const Measurements read = parse_measurements(measurements_of({}), "m.json");
    EXPECT_TRUE(read.one_host());
    EXPECT_EQ(read.cores, 4U);
    EXPECT_EQ(read.mpi, "Open MPI v4.1.4");
    EXPECT_EQ(read.eager_limit, Bytes{4096});
    EXPECT_EQ(read.of("round_trip").size(), 46U);
    ASSERT_NE(read.find("send", 64), nullptr);
    EXPECT_NEAR(read.find("send", 64)->typical, Synthetic{}.send(64), 1e-3);
    EXPECT_EQ(read.find("send", 65), nullptr);
}

TEST(Measurements, WithoutASwitchThereIsNoLimit) {
    Synthetic machine;
    machine.switches = false;
    EXPECT_EQ(parse_measurements(measurements_of(machine), "m.json").eager_limit, std::nullopt);
}

TEST(Measurements, DamageIsNamedWithItsLine) {
    const std::string good = measurements_of({});
    const auto expect = [&](const std::string& text, std::uint64_t line, const std::string& words) {
        const Error error = error_of(text);
        EXPECT_EQ(error.line, line) << error.words();
        EXPECT_NE(error.reason.find(words), std::string::npos) << error.words();
    };
    expect("", 0, "cut off");
    expect("hello", 1, "JSON object");
    expect("[1,2]", 1, "JSON object");
    expect(std::string(3, '\0'), 1, "JSON object");
    expect(good.substr(0, good.size() / 2), 244, "JSON object"); // cut within a line
    expect(good.substr(0, good.rfind("{\"end\"")), 464, "cut off");
    expect(good + "{}\n", 466, "after the end");
    expect(replaced(good, "measurements 1", "measurements 9"), 1, "'format' should be");
    expect(replaced(good, R"("hosts":["h","h"])", R"("hosts":["h"])"), 1, "two names");
    expect(replaced(good, R"("cores":4)", R"("cores":0)"), 1, "'cores' is 0");
    expect(replaced(good, R"("burst":8)", R"("burst":1)"), 1, "'burst'");
    expect(replaced(good, R"("bytes":0)", R"("bytes":-1)"), 2, "'bytes' is -1");
    expect(replaced(good, R"("bytes":0)", R"("bytes":"0")"), 2, "should be a number");
    expect(replaced(good, R"("ns":[)", R"("ns":[-1e9,)"), 2, "not a time");
    expect(replaced(good, R"("ns":[)", R"("ns":["x",)"), 2, "not a time");
    expect(replaced(good, R"("kind":"round_trip")", R"("sort":"round_trip")"), 2, "'kind' is missing");
    expect(replaced(good, R"("samples":)", R"("samples":1)"), 465, "samples should be here");
}

TEST(Measurements, OnlyTheStateThatLastedLongestIsKept) {
    Measurements read = parse_measurements(measurements_of({}, 4), "m.json");
    EXPECT_NE(keep_longest_state(read).find("6 of 10 rounds"), std::string::npos);
    EXPECT_EQ(read.rounds, 6U);
    for (const MeasuredSeries* each : read.of("round_trip"))
        EXPECT_NEAR(each->typical, 2 * Synthetic{}.half(static_cast<int>(each->bytes)), 1e-2);
    Measurements slow = parse_measurements(measurements_of({}, 7), "m.json");
    EXPECT_NE(keep_longest_state(slow).find("7 of 10 rounds"), std::string::npos);
    EXPECT_NEAR(slow.find("round_trip", 0)->typical, 6 * Synthetic{}.half(0), 1e-2);
    Measurements steady = parse_measurements(measurements_of({}), "m.json");
    EXPECT_EQ(keep_longest_state(steady), "");
    EXPECT_EQ(steady.rounds, 10U);
}

} // namespace
} // namespace orrery::measurements_test
