#include "engine/error.h"
#include "observe/replay_timeline.h"
#include "observe/told_replay.h"

#include <gtest/gtest.h>

#include <string_view>

namespace orrery::replay_timeline_svg_test {
namespace {

using namespace observe_test;

std::string draw(const ToldReplay& told, const SvgOptions& options = {}) {
    const std::string file = temporary_file("replay_timeline_svg_test.svg");
    const std::unique_ptr<ReplayTimeline> timeline = make_replay_timeline(file, told.ranks, options);
    told.tell(*timeline);
    timeline->finish(told.end);
    std::string svg = contents(file);
    std::filesystem::remove(file);
    return svg;
}

std::size_t count(std::string_view text, std::string_view what) {
    std::size_t found = 0;
    for (std::size_t at = text.find(what); at != std::string_view::npos; at = text.find(what, at + what.size()))
        ++found;
    return found;
}

std::size_t bands(const std::string& svg) { return count(svg, ">rank "); } // their labels

TEST(ReplayTimelineSvg, DrawsEveryCallAndMessage) {
    SvgOptions options;
    options.title = "a <ring>";
    const std::string svg = draw(told_ring(4, 2), options);
    EXPECT_EQ(count(svg, "<title>rank "), 4U * 2U * 4U);
    EXPECT_EQ(count(svg, " B from rank "), 8U);
    EXPECT_EQ(bands(svg) - count(svg, "<title>rank "), 4U);
    EXPECT_NE(svg.find("rank 3: compute\n0 ps to 4.000 µs (4.000 µs)"), std::string::npos);
    EXPECT_NE(svg.find("a &lt;ring&gt;: predicted time 15.000 µs"), std::string::npos);
    for (const char* kind : {"compute", "send", "receive", "collective"})
        EXPECT_NE(svg.find(">" + std::string(kind) + "</text>"), std::string::npos) << kind;
    EXPECT_EQ(svg.find(">wait</text>"), std::string::npos); // nobody waited
}

TEST(ReplayTimelineSvg, DrawsSharesOfTooManyCalls) {
    SvgOptions options;
    options.most_shapes = 100;
    const std::string svg = draw(told_ring(4, 50), options);
    EXPECT_EQ(count(svg, "<title>rank "), 0U);
    EXPECT_NE(svg.find("800 calls are too many to draw one by one"), std::string::npos);
    // Rank 3 computes 4 of 7.5 us: its bars' mean height over the run, of a band 30 high.
    const std::size_t path = svg.find("fill=\"#c9e4d6\"");
    ASSERT_NE(path, std::string::npos);
    const std::string compute = svg.substr(svg.rfind(" d=", path), path - svg.rfind(" d=", path));
    double area = 0;
    for (std::size_t at = compute.find('h'); at != std::string::npos; at = compute.find("zM", at)) {
        at = compute.find('h', at); // "M48.4 126h1.82v-4h-1.82z"
        const std::size_t high = compute.find("v-", at);
        if (high == std::string::npos) break;
        area += std::stod(compute.substr(at + 1)) * std::stod(compute.substr(high + 2));
    }
    const double width = 1000 - 22 - (42 + 6.4);
    EXPECT_NEAR(area / (width * 30), (1 + 2 + 3 + 4) / 7.5, 0.05);
}

TEST(ReplayTimelineSvg, DrawsTheRanksAndTheTimeAskedFor) {
    SvgOptions options;
    options.first_rank = 1;
    options.last_rank = 2;
    options.from = Time::us(8);
    options.to = Time::us(9);
    const std::string svg = draw(told_ring(4, 2), options);
    EXPECT_EQ(count(svg, "<title>rank 1: compute"), 1U);
    EXPECT_EQ(count(svg, "<title>rank 0: "), 0U);
    EXPECT_EQ(count(svg, "<title>rank 3: "), 0U);
    EXPECT_EQ(count(svg, "barrier"), 0U); // not within this microsecond
    EXPECT_NE(svg.find("Only ranks 1 to 2 of 4 are drawn."), std::string::npos);
    EXPECT_NE(svg.find("Only the time from 8.000 µs to 9.000 µs is drawn."), std::string::npos);
}

TEST(ReplayTimelineSvg, SpreadsTheRanksOfALargeRun) {
    const std::string svg = draw(told_ring(130, 1));
    EXPECT_EQ(bands(svg) - count(svg, "<title>rank "), 64U);
    EXPECT_NE(svg.find("64 of 130 ranks are drawn"), std::string::npos);
    EXPECT_NE(svg.find("messages to or from ranks that are not drawn are left out."), std::string::npos);
}

TEST(ReplayTimelineSvg, OfNothingIsAPicture) {
    ToldReplay nothing;
    EXPECT_NE(draw(nothing).find("</svg>"), std::string::npos);
    nothing.ranks = 3;
    EXPECT_NE(draw(nothing).find("rank 2"), std::string::npos);
}

TEST(ReplayTimelineSvg, RefusesWhatCannotBeDrawn) {
    SvgOptions options;
    options.first_rank = 9;
    EXPECT_THROW(draw(told_ring(4, 1), options), UsageError);
    options = {};
    options.from = Time::us(5);
    options.to = Time::us(5);
    EXPECT_THROW(draw(told_ring(4, 1), options), UsageError);
    EXPECT_THROW(make_replay_timeline(temporary_file("no/such/folder/x.svg"), 2), InputError);
}

} // namespace
} // namespace orrery::replay_timeline_svg_test
