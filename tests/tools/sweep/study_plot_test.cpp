#include "tools/sweep/study_plot.h"

#include "tools/sweep/axis_titles.h"
#include "tools/sweep/study_table.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace orrery::study_plot_test {
namespace {

Study study(const std::string& rest) {
    return read_study_text("[base]\npattern = \"ring\"\nranks = 4\n" + rest, "s.toml");
}

// Every point done, its time in microseconds given by its number.
std::vector<StudyRow> rows_of(const Study& study, const std::vector<std::int64_t>& microseconds) {
    std::vector<StudyRow> rows;
    for (const GridPoint& point : expand(study)) {
        StudyRow& row = rows.emplace_back();
        for (std::size_t axis = 0; axis < study.axes.size(); ++axis)
            row.labels.push_back(study.axes[axis].values[point.at[axis]].label);
        row.hash = "h" + std::to_string(rows.size() - 1);
        PointResult result;
        result.time = Time::us(microseconds.at(rows.size() - 1));
        result.ranks = 4;
        row.result = result;
    }
    return rows;
}

TEST(StudyPlot, ALinePerCombinationOfTheOtherAxes) {
    const Study s = study("[vary]\nmap_by = [\"core\", \"node\"]\nbytes = [8, \"64KiB\", 1024]\nloggops.L = "
                          "[\"1us\", \"2us\"]\n");
    const Chart chart = study_chart(s, rows_of(s, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
    EXPECT_EQ(chart.x.words, "message size") << "the first axis with numbers";
    EXPECT_EQ(chart.x.measure, Measure::size);
    EXPECT_TRUE(chart.x.log);
    EXPECT_EQ(chart.legend, "mapping, latency L");
    ASSERT_EQ(chart.series.size(), 4);
    EXPECT_EQ(chart.series[0].label, "core, 1 \u00B5s");
    ASSERT_EQ(chart.series[0].points.size(), 3);
    EXPECT_DOUBLE_EQ(chart.series[0].points[1].x, 1024) << "in order";
    EXPECT_DOUBLE_EQ(chart.series[0].points[1].y, 5e-6);
    EXPECT_TRUE(chart.categories.empty());
}

TEST(StudyPlot, StepsAreLinearFactorsLogarithmic) {
    const auto log = [](const std::string& values) {
        const Study s = study("[vary]\nbytes = " + values + "\n");
        return study_chart(s, rows_of(s, std::vector<std::int64_t>(100, 1))).x.log;
    };
    EXPECT_FALSE(log("[1, 2, 3, 4]"));
    EXPECT_FALSE(log("[0, 8, 64, 512]"));
    EXPECT_TRUE(log("[1, 2, 4, 8]"));
    EXPECT_TRUE(log("{from = 4, to = 8, factor = 2}"));
    EXPECT_FALSE(log("{from = 4, to = 8, step = 2}"));
}

TEST(StudyPlot, WordsBecomeBars) {
    const Study s = study("[vary]\nmap_by = [\"core\", \"node\"]\n[plot]\ntitle = \"A & B\"\n");
    const Chart chart = study_chart(s, rows_of(s, {1, 2}));
    EXPECT_EQ(chart.categories, (std::vector<std::string>{"core", "node"}));
    const std::string svg = draw_chart(chart);
    EXPECT_NE(svg.find("A &amp; B"), std::string::npos);
    EXPECT_NE(svg.find("predicted time (\u00B5s)"), std::string::npos);
    EXPECT_NE(svg.find("node: 2 \u00B5s"), std::string::npos) << "a tooltip";
}

TEST(StudyPlot, RepetitionsHaveAMeanAndARange) {
    const Study repeated = read_study_text(
        "repeat = 3\n[base]\npattern = \"ring\"\nranks = 4\n[vary]\nbytes = [1, 2]\n", "s.toml");
    const Chart chart = study_chart(repeated, rows_of(repeated, {1, 2, 6, 5, 5, 5}));
    ASSERT_EQ(chart.series.size(), 1);
    EXPECT_DOUBLE_EQ(chart.series[0].points[0].y, 3e-6);
    EXPECT_DOUBLE_EQ(chart.series[0].points[0].low, 1e-6);
    EXPECT_DOUBLE_EQ(chart.series[0].points[0].high, 6e-6);
    EXPECT_DOUBLE_EQ(chart.series[0].points[1].y, 5e-6);
}

TEST(StudyPlot, SlowdownRefersToTheBaseline) {
    const Study s =
        study("[[vary.change]]\nname = \"none\"\n[[vary.change]]\nname = \"slow\"\nloggops.L = \"1ms\"\n"
              "[plot]\ny = \"slowdown\"\nbaseline = {change = \"none\"}\n[vary]\n");
    const Study with_bytes =
        study("[vary]\nbytes = [1, 2]\n[[vary.change]]\nname = \"none\"\n[[vary.change]]\nname = \"slow\"\n"
              "loggops.L = \"1ms\"\n[plot]\ny = \"slowdown\"\nbaseline = {change = \"none\"}\n");
    const Chart chart = study_chart(with_bytes, rows_of(with_bytes, {2, 3, 4, 8}));
    ASSERT_EQ(chart.series.size(), 2);
    EXPECT_DOUBLE_EQ(chart.series[1].points[0].y, 1.5);
    EXPECT_DOUBLE_EQ(chart.series[1].points[1].y, 2);
    EXPECT_EQ(chart.y.words, "slowdown against change = none");
    EXPECT_EQ(study_chart(s, rows_of(s, {2, 3})).series[0].points[1].y, 1.5);
}

TEST(StudyPlot, WithoutABaselineSpeedupRefersToTheFirst) {
    const Study s = study("[vary]\nbytes = [1, 2, 4]\n[plot]\ny = \"speedup\"\n");
    const Chart chart = study_chart(s, rows_of(s, {12, 6, 2}));
    EXPECT_DOUBLE_EQ(chart.series[0].points[0].y, 1);
    EXPECT_DOUBLE_EQ(chart.series[0].points[2].y, 6);
}

// Traces of 2, 8 and 4 ranks on two machines: a curve over ranks for each machine.
class StudyPlotOverRanks : public testing::Test {
  protected:
    void read(const std::string& plot) {
        study_ = read_study_text(
            "[vary]\nworkload = [\"a.ort\", \"c.ort\", \"b.ort\"]\nmachine = [\"odin\", \"stampede\"]\n" + plot,
            "s.toml");
        rows_ = rows_of(study_, {80, 160, 20, 30, 50, 60});
        const std::vector<std::uint64_t> ranks{2, 8, 4};
        for (std::size_t i = 0; i < rows_.size(); ++i) rows_[i].result->ranks = ranks[i / 2];
    }
    Study study_;
    std::vector<StudyRow> rows_;
};

TEST_F(StudyPlotOverRanks, WorkloadsMakeAScalingCurve) {
    read("[plot]\nx = \"ranks\"\n");
    const Chart chart = study_chart(study_, rows_);
    EXPECT_EQ(chart.x.words, "ranks");
    EXPECT_TRUE(chart.x.log);
    EXPECT_TRUE(chart.categories.empty()) << "no bars";
    EXPECT_EQ(chart.legend, "machine");
    ASSERT_EQ(chart.series.size(), 2U);
    EXPECT_EQ(chart.series[0].label, "odin");
    ASSERT_EQ(chart.series[0].points.size(), 3U);
    EXPECT_EQ(chart.series[0].points[1].x, 4);
    EXPECT_DOUBLE_EQ(chart.series[0].points[1].y, 50e-6);
    EXPECT_EQ(chart.series[1].points[2].x, 8);
    EXPECT_DOUBLE_EQ(chart.series[1].points[2].y, 30e-6);
    EXPECT_NE(
        study_words(study_, rows_).find("workload  machine   ranks  predicted time\na.ort     odin      2 "),
        std::string::npos)
        << study_words(study_, rows_);
}

TEST_F(StudyPlotOverRanks, SpeedupAndScalingReferToTheFewestRanks) {
    read("[plot]\nx = \"ranks\"\ny = \"speedup\"\n");
    const Chart speedup = study_chart(study_, rows_);
    EXPECT_EQ(speedup.y.words, "speedup against 2 ranks");
    EXPECT_DOUBLE_EQ(speedup.series[0].points[0].y, 1);
    EXPECT_DOUBLE_EQ(speedup.series[0].points[2].y, 4);
    read("[plot]\nx = \"ranks\"\ny = \"scaling\"\n");
    EXPECT_DOUBLE_EQ(study_chart(study_, rows_).series[0].points[2].y, 1);
}

TEST_F(StudyPlotOverRanks, WhatIsNoAxisIsSaid) {
    read("[plot]\nx = \"ranks\"\n");
    for (StudyRow& row : rows_) row.result->ranks = 4;
    const Chart chart = study_chart(study_, rows_);
    EXPECT_EQ(chart.categories.size(), 3U);
    EXPECT_NE(chart.warning.find("both have 4 ranks"), std::string::npos) << chart.warning;
    rows_[0].result.reset(); // and with nothing run yet it is drawn all the same
    for (StudyRow& row : rows_) row.result.reset();
    EXPECT_NE(draw_chart(study_chart(study_, rows_)).find("0 of 6"), std::string::npos);
}

TEST(StudyPlot, AxesThatAdvanceTogetherAreOneLine) {
    const Study s =
        read_study_text("zip = [\"ranks\", \"bytes\"]\n[base]\npattern = \"ring\"\n[vary]\nranks = [2, 4, "
                        "8]\nbytes = [80, 40, 20]\n",
                        "s.toml");
    const Chart chart = study_chart(s, rows_of(s, {1, 2, 3}));
    ASSERT_EQ(chart.series.size(), 1U);
    EXPECT_EQ(chart.series[0].points.size(), 3U);
}

TEST(StudyPlot, UnitsAreThoseOfTheUser) {
    const Study s = study("[vary]\nlink.bandwidth = [\"100Gbit/s\", \"200 Gbit/s\", \"1Tbit/s\"]\nhost.speed = "
                          "[\"2Gflop/s\", \"4Gf\"]\n");
    const Chart chart = study_chart(s, rows_of(s, {6, 5, 4, 3, 2, 1}));
    EXPECT_EQ(chart.x.words, "link bandwidth");
    EXPECT_EQ(chart.legend, "host speed");
    EXPECT_EQ(chart.series[1].label, "4 Gflop/s");
    const std::string svg = draw_chart(chart);
    EXPECT_NE(svg.find(">100 Gbit/s<"), std::string::npos) << svg;
    EXPECT_NE(svg.find(">1 Tbit/s<"), std::string::npos);
    EXPECT_EQ(svg.find("GB/s"), std::string::npos);
    const Study mixed = study("[vary]\nlink.bandwidth = [\"100Gbit/s\", \"25 GB/s\", \"50GB/s\"]\n");
    EXPECT_EQ(study_chart(mixed, rows_of(mixed, {1, 2, 3})).x.measure, Measure::bandwidth);
}

TEST(StudyPlot, TheAxisStartsAtZeroOrSaysThatItDoesNot) {
    const std::string words = "axis does not start at 0";
    const auto svg = [](const std::string& scale) {
        const Study s = study("[vary]\nbytes = [1, 2, 3]\n[plot]\ny = \"slowdown\"\n" + scale);
        return draw_chart(study_chart(s, rows_of(s, {100, 103, 105})));
    };
    EXPECT_EQ(svg("").find(words), std::string::npos);
    EXPECT_NE(svg("").find(">0.0<"), std::string::npos) << svg("");
    EXPECT_EQ(svg("y_scale = \"linear\"\n").find(words), std::string::npos);
    EXPECT_NE(svg("y_scale = \"cut\"\n").find(words), std::string::npos);
    EXPECT_EQ(svg("y_scale = \"cut\"\n").find(">0.0<"), std::string::npos);
}

TEST(StudyPlot, TitlesOfAxesAreWords) {
    EXPECT_EQ(axis_title("link.bandwidth"), "link bandwidth");
    EXPECT_EQ(axis_title("link.level2.bandwidth"), "link level2 bandwidth");
    EXPECT_EQ(axis_title("loggops.G"), "gap per byte G");
    EXPECT_EQ(axis_title("collective.allreduce"), "allreduce algorithm");
    EXPECT_EQ(axis_title("my-own_name"), "my-own_name");
}

TEST(StudyPlot, AnyStateOfAStudyCanBeDrawn) {
    for (const char* rest :
         {"", "[vary]\nbytes = [1]\n", "[vary]\nmap_by = [\"core\"]\n", "[vary]\nbytes = [0, 1]\n"}) {
        const Study s = study(rest);
        std::vector<StudyRow> rows = rows_of(s, {0, 0});
        EXPECT_NE(draw_chart(study_chart(s, rows)).find("</svg>"), std::string::npos) << rest;
        for (StudyRow& row : rows) row.result.reset();
        const std::string svg = draw_chart(study_chart(s, rows));
        EXPECT_NE(svg.find("0 of"), std::string::npos) << rest;
        EXPECT_EQ(svg.find("nan"), std::string::npos) << rest;
        EXPECT_EQ(svg.find("inf"), std::string::npos) << rest;
    }
}

TEST(StudyTable, CsvHasAxesFirstAndQuotesWhatItMust) {
    const Study s =
        study("[[vary.change]]\nname = \"a, \\\"b\\\"\"\n[[vary.change]]\nname = \"c\"\nbytes = 2\n");
    std::vector<StudyRow> rows = rows_of(s, {1'500'000, 2});
    rows[1].result->status = PointStatus::failed;
    rows[1].result->message = "line 1\nline 2";
    const std::string csv = study_csv(s, rows);
    EXPECT_EQ(csv.substr(0, csv.find('\n')).substr(0, 45), "change,status,predicted_time_s,predicted_time");
    EXPECT_NE(csv.find("\n\"a, \"\"b\"\"\",ok,1.5,1500000000000,4,"), std::string::npos) << csv;
    EXPECT_NE(csv.find("\nc,failed,,,"), std::string::npos) << csv;
    EXPECT_NE(csv.find(",\"line 1\nline 2\",h1\n"), std::string::npos) << csv;
    const std::string words = study_words(s, rows);
    EXPECT_NE(words.find("failed: line 1\n"), std::string::npos) << words;
    const nlohmann::json json = study_json(s, rows);
    EXPECT_EQ(json["points"][0]["predicted_time_ps"], 1'500'000'000'000);
    EXPECT_EQ(json["points"][0]["axes"]["change"], "a, \"b\"");
    EXPECT_EQ(json["points"][1]["status"], "failed");
}

} // namespace
} // namespace orrery::study_plot_test
