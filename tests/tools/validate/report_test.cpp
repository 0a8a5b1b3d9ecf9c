#include "tools/validate/plot.h"
#include "tools/validate/report.h"

#include <cmath>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace orrery::report_test {
namespace {

// Measured 10 s by three clean runs and one of 20 s; predicted 9.5 s, with exact computation 10.5 s; the traced
// run took 10.2 s.
ValidationResult example() {
    ValidationResult result;
    result.application = {"cg", {"./cg", "64"}, 2, {}};
    result.runs = {10.1, 20, 9.9, 10.0};
    result.clean = clean_runs(result.runs);
    result.trace = "cg-2/trace-1";
    result.counter = "cpu-time";
    result.actions = 1000;
    result.traced = 10.2;
    result.predicted = Time::from_ps(9.5e12);
    result.predicted_by_kind = {8, 0.5, 0.5, 0.5, 0, 0};
    result.error = -0.05;
    ExactPrediction& exact = result.exact.emplace();
    exact.predicted = Time::from_ps(10.5e12);
    exact.by_kind = {9, 0.5, 0.5, 0.5, 0, 0};
    exact.traced.by_kind = {9, 0.4, 0.4, 0.4, 0, 0};
    exact.traced.calls = 400;
    exact.traced.bursts = {{{1e-6, 10, 0.1, 0.1}, {1e-5, 20, 3, 1.5}, {1e-3, 0, 0, 0}, {INFINITY, 5, 6, 6.1}}};
    exact.split = split_error({10, 10.2, 9.5, 10.5});
    return result;
}

ValidationResult untimed() {
    ValidationResult result = example();
    result.application.name = "ep";
    result.application.ranks = 4;
    result.predicted = Time::from_ps(10.2e12);
    result.error = 0.02;
    result.exact.reset();
    return result;
}

ValidationPlan plan() {
    ValidationPlan out;
    out.name = "two";
    out.runs = 4;
    out.simulation.machine = "mine.toml";
    return out;
}

TEST(ValidationDiagnosis, NamesPartsAndTheirSide) {
    const std::vector<std::string> said = diagnose(example());
    ASSERT_EQ(said.size(), 4U);
    EXPECT_EQ(said[0], "communication is over-estimated by 3.0 % of the run");
    EXPECT_EQ(said[1], "computation is too short by 10.0 % of the run: bursts of 1 us to 10 us ran at 0.50 "
                       "times the machine's rate");
    EXPECT_EQ(said[2], "the two partly cancel");
    EXPECT_EQ(said[3], "the traced run was 2.0 % slower than the clean runs: tracing, or a busy machine");
}

TEST(ValidationDiagnosis, SaysNothingOfSmallErrors) {
    ValidationResult result = example();
    result.exact->split = split_error({10, 10.05, 10.04, 10.06});
    EXPECT_TRUE(diagnose(result).empty());
    result.exact->split = split_error({10, 10, 10.3, 10});
    result.clean.deviation = 0.2;
    const std::vector<std::string> said = diagnose(result);
    ASSERT_EQ(said.size(), 2U);
    EXPECT_EQ(said[0], "computation is too long by 3.0 % of the run"); // no class is off by 5 % on that side
    EXPECT_EQ(said[1], "the error is within two standard deviations of the runs");
    EXPECT_EQ(diagnose(untimed()).size(), 1U);
}

TEST(ValidationReport, HasALinePerApplicationAndASummary) {
    const std::string words = validation_words(plan(), {"mine.toml", "flow", ""}, {example(), untimed()}, true);
    EXPECT_NE(words.find("two on mine.toml: 4 runs each, flow\n"), std::string::npos) << words;
    EXPECT_NE(words.find("cg, 2 ranks      10.000 s"), std::string::npos) << words;
    EXPECT_NE(words.find("bias -1.5 %, mean absolute error 3.5 %, worst -5.0 % (cg, 2 ranks)"),
              std::string::npos)
        << words;
    EXPECT_NE(words.find("outliers: cg, 2 ranks: run 2 20.000 s"), std::string::npos) << words;
    EXPECT_NE(words.find("inside MPI"), std::string::npos);
    EXPECT_NE(words.find("400 calls of MPI"), std::string::npos);
}

// What a new user saw: -88.9 % with a spread of 136 %.
ValidationResult noisy() {
    ValidationResult result = example();
    result.application.name = "heat";
    result.clean.deviation = 1.36 * result.clean.mean;
    result.error = -0.889;
    return result;
}

TEST(ValidationReport, AnUnusableMeasurementIsSaidFirst) {
    const std::string problem =
        "runs differ by 136 %, more than the error of 89 %; run on a quiet computer or with "
        "more repetitions";
    EXPECT_EQ(measurement_problem(noisy()), problem);
    EXPECT_EQ(diagnose(noisy()), (std::vector<std::string>{"measurement unusable: " + problem}));
    const std::string one = validation_words(plan(), {"mine.toml", "flow", ""}, {noisy()}, false);
    EXPECT_EQ(one.find("measurement unusable: " + problem + "\n"), 0U) << one;
    EXPECT_EQ(one.find("measurement unusable", 1), std::string::npos) << "said once\n" << one;
    EXPECT_NE(one.find("no mean error: no measurement is usable"), std::string::npos) << one;
    EXPECT_EQ(one.find("bias"), std::string::npos) << one;
    const std::string both = validation_words(plan(), {"mine.toml", "flow", ""}, {example(), noisy()}, false);
    EXPECT_EQ(both.find("measurement unusable: heat, 2 ranks: runs differ"), 0U) << both;
    EXPECT_NE(
        both.find("bias -5.0 %, mean absolute error 5.0 %, worst -5.0 % (cg, 2 ranks) (1 of 2 measurements "
                  "are usable)"),
        std::string::npos)
        << both;

    const nlohmann::ordered_json json = validation_json(plan(), {"mine.toml", "flow", ""}, {noisy()});
    EXPECT_EQ(json["applications"][0]["measurement_usable"], false);
    EXPECT_EQ(json["applications"][0]["measurement_problem"], problem);
    EXPECT_NEAR(json["applications"][0]["measured"]["spread"].get<double>(), 1.36, 1e-12);
    EXPECT_TRUE(json["mean_absolute_error"].is_null());
    const std::string svg = draw_validation(plan(), {noisy()});
    EXPECT_NE(svg.find("measurement unusable: runs differ by 136 %"), std::string::npos);
    EXPECT_NE(svg.find("heat (unusable)"), std::string::npos);
}

TEST(ValidationReport, AUsableMeasurementIsNotDoubted) {
    EXPECT_EQ(measurement_problem(example()), "");
    ValidationResult quiet = example(); // a small error, and runs that agree as well as runs can
    quiet.error = 0.001;
    quiet.clean.deviation = 0.04 * quiet.clean.mean;
    EXPECT_EQ(measurement_problem(quiet), "");
    quiet.clean.deviation = 0.06 * quiet.clean.mean;
    EXPECT_EQ(measurement_problem(quiet),
              "runs differ by 6.0 %, more than the error of 0.1 %; run on a quiet computer "
              "or with more repetitions");
    EXPECT_EQ(draw_validation(plan(), {example()}).find("unusable"), std::string::npos);
}

TEST(ValidationReport, ATraceThatIsNotKeptHasNoName) {
    ValidationResult gone = example();
    gone.trace.clear();
    const std::string words = validation_words(plan(), {"mine.toml", "flow", ""}, {gone}, true);
    EXPECT_NE(words.find("400 calls of MPI; the trace counts cpu-time"), std::string::npos) << words;
    EXPECT_TRUE(validation_json(plan(), {"", "", ""}, {gone})["applications"][0]["trace"].is_null());
}

TEST(ValidationReport, ANoteOfAllIsSaidOnce) {
    std::vector<ValidationResult> results{example(), untimed()};
    for (ValidationResult& each : results) each.notes = {"volumes are CPU time"};
    results[1].notes.emplace_back("MPI_Put is not replayed");
    const std::string words = validation_words(plan(), {"mine.toml", "flow", ""}, results, false);
    EXPECT_NE(words.find("  note: volumes are CPU time\n"), std::string::npos) << words;
    EXPECT_NE(words.find("  note: ep, 4 ranks: MPI_Put is not replayed\n"), std::string::npos) << words;
    EXPECT_EQ(words.find("volumes are CPU time"), words.rfind("volumes are CPU time"));
}

TEST(ValidationReport, JsonHasAllNumbers) {
    const nlohmann::ordered_json json =
        validation_json(plan(), {"mine.toml", "flow", ""}, {example(), untimed()});
    EXPECT_NEAR(json["mean_absolute_error"].get<double>(), 0.035, 1e-12);
    EXPECT_EQ(json["worst_application"], "cg, 2 ranks");
    const auto& cg = json["applications"][0];
    EXPECT_EQ(cg["measured"]["outlier_runs"], nlohmann::ordered_json::array({2}));
    EXPECT_EQ(cg["predicted_time_ps"], 9'500'000'000'000);
    EXPECT_NEAR(cg["error_of_computation"].get<double>(), -0.1, 1e-12);
    EXPECT_NEAR(cg["mean_seconds_of_a_rank"]["traced_run"]["inside_mpi"].get<double>(), 1.2, 1e-12);
    EXPECT_TRUE(cg["bursts"][3]["below_seconds"].is_null());
    EXPECT_FALSE(json["applications"][1].contains("error_of_computation"));
}

TEST(ValidationPlot, ShowsRangesAndParts) {
    const std::vector<ValidationResult> results{example(), untimed()};
    const Chart times = time_chart(plan(), results);
    EXPECT_EQ(times.categories, (std::vector<std::string>{"cg 2", "ep 4"}));
    ASSERT_EQ(times.series.size(), 2U);
    EXPECT_NEAR(times.series[0].points[0].y, 10, 1e-9);
    EXPECT_EQ(times.series[0].points[0].low, 9.9);
    EXPECT_EQ(times.series[0].points[0].high, 10.1);           // the outlier is not part of it
    EXPECT_EQ(error_chart(plan(), results).series.size(), 1U); // one has no parts
    const Chart errors = error_chart(plan(), {example()});
    ASSERT_EQ(errors.series.size(), 4U);
    EXPECT_EQ(errors.categories, (std::vector<std::string>{"cg"}));
    EXPECT_NEAR(errors.series[1].points[0].y, -10, 1e-9);
}

double attribute(const std::string& shape, const std::string& name) {
    const auto at = shape.find(" " + name + "=\"");
    return at == std::string::npos ? NAN : std::stod(shape.substr(at + name.size() + 3));
}

// Bars above and below zero meet at zero.
TEST(ValidationPlot, BarsBelowZeroHangDown) {
    Chart chart;
    chart.categories = {"up", "down"};
    chart.series = {{"", {{0, 10, 10, 10}, {1, -5, -5, -5}}}};
    const std::string svg = draw_chart(chart);
    std::vector<std::string> bars;
    for (auto at = svg.find("<rect x="); at != std::string::npos; at = svg.find("<rect x=", at + 1))
        bars.push_back(svg.substr(at, svg.find('>', at) - at));
    ASSERT_EQ(bars.size(), 2U);
    EXPECT_NEAR(attribute(bars[0], "y") + attribute(bars[0], "height"), attribute(bars[1], "y"), 0.02);
    EXPECT_NEAR(attribute(bars[0], "height"), 2 * attribute(bars[1], "height"), 0.05);
    EXPECT_GT(attribute(bars[1], "height"), 10);
}

} // namespace
} // namespace orrery::report_test
