#include "observe/timeline_svg.h"

#include "engine/error.h"
#include "observe/recorded_run.h"
#include "observe/svg_page.h"
#include "observe/temporary_file.h"
#include "observe/timeline_layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::timeline_svg_test {
namespace {

using namespace observe_test;

std::string draw(const Recording& recording, const LogGOPS& parameters, const SvgOptions& options = {},
                 bool with_path = true) {
    const std::string file = temporary_file("timeline_svg_test.svg");
    const CriticalPath path = critical_path(recording, parameters);
    write_timeline_svg(recording, parameters, with_path ? &path : nullptr, options, file);
    std::string text = contents(file);
    std::filesystem::remove(file);
    return text;
}

std::size_t count(std::string_view text, std::string_view what) {
    std::size_t found = 0;
    for (std::size_t at = text.find(what); at != std::string_view::npos;
         at = text.find(what, at + what.size())) {
        ++found;
    }
    return found;
}

struct Element {
    std::string name;
    std::map<std::string, std::string> attributes;
    std::string text;

    [[nodiscard]] double number(const std::string& attribute) const {
        return std::stod(attributes.at(attribute));
    }
};

// A parser that accepts well-formed XML of the plain kind that we write and nothing else. Empty: `why` is set.
std::vector<Element> parse(std::string_view xml, std::string& why) {
    std::vector<Element> elements;
    std::vector<std::size_t> open;
    const auto fail = [&](std::string_view reason, std::size_t at) {
        why = std::string(reason) + ": " + std::string(xml.substr(at, 60));
        return std::vector<Element>{};
    };
    const auto checked = [&](std::string_view text) { // entities are complete, nothing else needs escaping
        for (std::size_t at = text.find('&'); at != std::string_view::npos; at = text.find('&', at + 1)) {
            const std::string_view rest = text.substr(at);
            const bool known = rest.starts_with("&amp;") || rest.starts_with("&lt;") ||
                               rest.starts_with("&gt;") || rest.starts_with("&quot;");
            if (!known) return false;
        }
        return std::all_of(text.begin(), text.end(), [](char c) { return c == '\n' || (c & 0xE0) != 0; });
    };
    std::size_t at = xml.find("?>");
    if (!xml.starts_with("<?xml ") || at == std::string_view::npos) return fail("no declaration", 0);
    at += 2;
    while (at < xml.size()) {
        const std::size_t tag = xml.find('<', at);
        if (tag == std::string_view::npos) break;
        const std::string_view text = xml.substr(at, tag - at);
        if (!checked(text) || text.find('>') != std::string_view::npos) return fail("unescaped text", at);
        if (!open.empty()) elements[open.back()].text += text;
        std::size_t i = tag + 1;
        const bool closing = xml[i] == '/';
        if (closing) ++i;
        const std::size_t name = i;
        while (std::isalpha(static_cast<unsigned char>(xml[i])) != 0) ++i;
        Element element{std::string(xml.substr(name, i - name)), {}, {}};
        if (closing) {
            if (open.empty() || elements[open.back()].name != element.name)
                return fail("wrong closing tag", tag);
            open.pop_back();
            at = xml.find('>', i) + 1;
            continue;
        }
        while (xml[i] == ' ') {
            const std::size_t equals = xml.find("=\"", i);
            const std::size_t quote = xml.find('"', equals + 2);
            if (equals == std::string_view::npos || quote == std::string_view::npos)
                return fail("attribute", i);
            const std::string_view value = xml.substr(equals + 2, quote - equals - 2);
            if (!checked(value) || value.find('<') != std::string_view::npos) return fail("attribute value", i);
            if (!element.attributes.emplace(xml.substr(i + 1, equals - i - 1), value).second) {
                return fail("attribute twice", i);
            }
            i = quote + 1;
        }
        const bool empty = xml[i] == '/';
        if (empty) ++i;
        if (xml[i] != '>') return fail("tag", tag);
        elements.push_back(element);
        if (!empty) open.push_back(elements.size() - 1);
        at = i + 1;
    }
    if (!open.empty()) return fail("tag left open", 0);
    return elements;
}

std::vector<Element> parsed(const std::string& xml) {
    std::string why;
    std::vector<Element> elements = parse(xml, why);
    EXPECT_EQ(why, "");
    return elements;
}

TEST(TimelineSvg, HoldsFigure4) {
    const LogGOPS parameters = figure_parameters();
    const std::string svg = draw(linear_scatter(8, 1024, parameters), parameters);
    EXPECT_EQ(count(svg, ": send 1024 B to rank"), 7U);
    EXPECT_EQ(count(svg, ": receive 1024 B from rank 0"), 7U);
    EXPECT_EQ(count(svg, "occupied by sending"), 7U);
    EXPECT_EQ(count(svg, "occupied by receiving"), 7U);
    EXPECT_EQ(count(svg, "message of 1024 B from rank 0 to rank"), 7U);
    EXPECT_NE(svg.find("predicted time 74.512 \u00B5s"), std::string::npos);
    EXPECT_NE(svg.find("critical path, 74.512 \u00B5s, ends on rank 7"), std::string::npos);
    EXPECT_NE(svg.find("64.828 \u00B5s to 74.512 \u00B5s"), std::string::npos); // the last receive
    EXPECT_EQ(svg.find(">compute<"), std::string::npos); // the legend explains only what is drawn
    EXPECT_EQ(svg.find("too many"), std::string::npos);
    parsed(svg);
}

TEST(TimelineSvg, PlacesBarsByTime) {
    const LogGOPS parameters = figure_parameters();
    const Recording recording = linear_scatter(8, 1024, parameters);
    const TimelineLayout layout(recording, nullptr, {});
    EXPECT_DOUBLE_EQ(layout.x(Time::zero()), layout.left());
    EXPECT_DOUBLE_EQ(layout.x(layout.to()), layout.right());
    std::vector<Element> elements = parsed(draw(recording, parameters, {}, false));
    // The receive overhead of rank 7, from 64.828 to 74.512 us, on the CPU lane of the last band.
    int found = 0;
    for (std::size_t i = 0; i + 1 < elements.size(); ++i) {
        if (elements[i].name != "rect" || !elements[i + 1].text.starts_with("rank 7, operation 0: receive"))
            continue;
        ++found;
        EXPECT_NEAR(elements[i].number("x"), layout.x(Time::ns(64828)), 0.5);
        EXPECT_NEAR(elements[i].number("width"), layout.x(Time::ns(74512)) - layout.x(Time::ns(64828)), 1);
        EXPECT_NEAR(elements[i].number("y"), layout.bands().back().lanes.front().top, 0.01);
    }
    EXPECT_EQ(found, 1);
}

TEST(TimelineSvg, IsPlainSelfContainedXml) {
    const LogGOPS parameters = figure_parameters();
    SvgOptions options;
    options.title = "a <b> & \"c\" \x01 \xFF \xC3\xA9 \xED\xA0\x80";
    std::string svg = draw(dissemination(5, 100, parameters), parameters, options);
    parsed(svg);
    EXPECT_NE(svg.find("a &lt;b&gt; &amp; &quot;c&quot; ? ? \xC3\xA9 ???"), std::string::npos);
    svg.erase(svg.find("http://www.w3.org/2000/svg"), 26);
    for (const char* unwanted : {"http", "<script", "<image", "<style", "@import", "href"}) {
        EXPECT_EQ(svg.find(unwanted), std::string::npos) << unwanted;
    }
}

TEST(TimelineSvg, DrawsNoiseComputationAndSeveralCpus) {
    const LogGOPS parameters = figure_parameters();
    RecordedRun run(2, parameters);
    run.calc(0, Time::us(10), {.cpu = 1, .nic = 0, .noise = Time::us(2), .after = no_activity});
    run.recv(run.send(0, 1, 2000));
    const std::string svg = draw(run.take(), parameters);
    EXPECT_EQ(count(svg, ": compute\n"), 1U);
    EXPECT_EQ(count(svg, ": OS noise\n"), 1U);
    EXPECT_NE(svg.find(">CPU 1<"), std::string::npos);
    EXPECT_NE(svg.find(">out 0<"), std::string::npos);
    parsed(svg);
}

TEST(TimelineSvg, ShowsMessagesThatWait) {
    const LogGOPS parameters = figure_parameters();
    EXPECT_NE(draw(linear_gather(4, 1, parameters), parameters).find("message waits"), std::string::npos);
    EXPECT_EQ(draw(linear_scatter(4, 1, parameters), parameters).find("message waits"), std::string::npos);
}

TEST(TimelineSvg, LabelsDoNotOverlap) {
    const LogGOPS parameters = figure_parameters();
    for (const std::uint32_t ranks : {2U, 8U, 64U, 300U}) {
        for (const double width : {400.0, 1000.0}) {
            SvgOptions options;
            options.width = width;
            std::vector<double> rank_labels;
            std::vector<double> ticks;
            for (const Element& element :
                 parsed(draw(linear_scatter(ranks, 1024, parameters), parameters, options))) {
                if (element.name != "text") continue;
                if (element.text.starts_with("rank ")) rank_labels.push_back(element.number("y"));
                if (element.text.find_first_not_of("0123456789.") == std::string::npos) {
                    ticks.push_back(element.number("x"));
                }
            }
            ASSERT_GT(rank_labels.size(), 1U);
            ASSERT_GT(ticks.size(), 2U);
            for (std::size_t i = 1; i < rank_labels.size(); ++i)
                EXPECT_GE(rank_labels[i], rank_labels[i - 1] + 11);
            for (std::size_t i = 1; i < ticks.size(); ++i) EXPECT_GE(ticks[i], ticks[i - 1] + 50);
        }
    }
}

TEST(TimelineSvg, DrawsAWindowOfTimeAndRanks) {
    const LogGOPS parameters = figure_parameters();
    SvgOptions options;
    options.from = Time::us(20);
    options.to = Time::us(40);
    options.first_rank = 0;
    options.last_rank = 3;
    const std::string svg = draw(linear_scatter(8, 1024, parameters), parameters, options);
    EXPECT_EQ(svg.find(">rank 4<"), std::string::npos);
    EXPECT_NE(svg.find(">rank 3<"), std::string::npos);
    EXPECT_NE(svg.find("Only the time from 20.000 \u00B5s to 40.000 \u00B5s is drawn."), std::string::npos);
    EXPECT_NE(svg.find("Only ranks 0 to 3 of 8 are drawn."), std::string::npos);
    EXPECT_NE(svg.find("messages to or from ranks that are not drawn"), std::string::npos);
    EXPECT_EQ(svg.find("end 74.512"), std::string::npos); // outside
    parsed(svg);
}

TEST(TimelineSvg, LeavesOutRanksFarFromTheCriticalPathAndSaysSo) {
    const LogGOPS parameters = figure_parameters();
    const std::string svg = draw(linear_scatter(1000, 8, parameters), parameters);
    EXPECT_NE(svg.find("64 of 1,000 ranks are drawn: 2 on which the critical path stays longest"),
              std::string::npos);
    EXPECT_NE(svg.find(">rank 0<"), std::string::npos);
    EXPECT_NE(svg.find(">rank 999<"), std::string::npos);
    const std::vector<Element> elements = parsed(svg);
    EXPECT_EQ(std::count_if(elements.begin(), elements.end(),
                            [](const Element& e) { return e.name == "text" && e.text.starts_with("rank "); }),
              64);
}

TEST(TimelineSvg, DrawsSharesWhenThereAreTooManyOperations) {
    const LogGOPS parameters = figure_parameters();
    RecordedRun run(8, parameters);
    for (std::uint32_t round = 0; round < 2000; ++round) {
        for (std::uint32_t rank = 0; rank < 8; ++rank) run.calc(rank, Time::us(3));
        for (std::uint32_t rank = 0; rank < 8; rank += 2) run.recv(run.send(rank, rank + 1, 100));
    }
    const Recording recording = run.take();
    const std::string svg = draw(recording, parameters);
    EXPECT_NE(svg.find("32,000 operations are too many to draw one by one"), std::string::npos)
        << svg.substr(0, 500);
    EXPECT_EQ(svg.find("<title>rank"), std::string::npos);
    EXPECT_LT(svg.size(), 2'000'000U);
    parsed(svg);
    // A window of it is drawn in full.
    SvgOptions options;
    options.from = Time::us(100);
    options.to = Time::us(200);
    EXPECT_NE(draw(recording, parameters, options).find("<title>rank"), std::string::npos);
}

TEST(TimelineSvg, SharesAddUpToTheBusyTime) {
    const LogGOPS parameters = figure_parameters();
    RecordedRun run(1, parameters);
    run.calc(0, Time::us(60));
    Recording recording = run.take();
    SvgOptions options;
    options.most_shapes = 0;
    options.to = Time::us(80);
    double area = 0;
    const TimelineLayout layout(recording, nullptr, options);
    for (const Element& element : parsed(draw(recording, parameters, options, false))) {
        const auto fill = element.attributes.find("fill");
        const auto data = element.attributes.find("d");
        if (fill == element.attributes.end() || fill->second != "#c9e4d6" || data == element.attributes.end())
            continue;
        for (std::size_t at = data->second.find('h'); at != std::string::npos;
             at = data->second.find('M', at)) {
            at = data->second.find('h', at);
            char* end = nullptr;
            const double width = std::strtod(data->second.c_str() + at + 1, &end);
            ASSERT_EQ(*end, 'v');
            area += width * std::abs(std::strtod(end + 1, nullptr));
        }
    }
    const double full = (layout.right() - layout.left()) * (layout.bands()[0].bottom - layout.bands()[0].top);
    EXPECT_NEAR(area / full, 0.75, 0.01);
}

TEST(TimelineSvg, DrawsAPathThatChangesRanksAllTheTimeAsStrips) {
    const LogGOPS parameters = figure_parameters();
    RecordedRun run(2, parameters);
    std::uint32_t rank = 0;
    for (int i = 0; i < 1000; ++i) {
        run.recv(run.send(rank, 1 - rank, 1));
        rank = 1 - rank;
    }
    const Recording recording = run.take();
    const std::string words = "The critical path changes ranks too often";
    const std::string svg = draw(recording, parameters);
    EXPECT_NE(svg.find(words), std::string::npos);
    parsed(svg);
    SvgOptions options; // a piece of it is drawn as a line
    options.to = Time::us(200);
    EXPECT_EQ(draw(recording, parameters, options).find(words), std::string::npos);
}

TEST(TimelineSvg, DrawsAnEmptyRun) {
    parsed(draw(Recording{}, {}));
    RecordedRun run(3, {});
    parsed(draw(run.take(), {}));
}

TEST(TimelineSvg, RefusesWindowsThatAreEmpty) {
    const LogGOPS parameters = figure_parameters();
    const Recording recording = linear_scatter(4, 8, parameters);
    const auto refuse = [&](auto change) {
        SvgOptions options;
        change(options);
        EXPECT_THROW(draw(recording, parameters, options), UsageError);
    };
    refuse([](SvgOptions& o) { o.from = Time::us(9), o.to = Time::us(9); });
    refuse([](SvgOptions& o) { o.from = Time::us(900); }); // after the end
    refuse([](SvgOptions& o) { o.from = Time::us(-1); });
    refuse([](SvgOptions& o) { o.first_rank = 3, o.last_rank = 2; });
    refuse([](SvgOptions& o) { o.last_rank = 4; });
    refuse([](SvgOptions& o) { o.width = 50; });
}

TEST(SvgPage, WritesNumbersShort) {
    EXPECT_EQ(svg_number(12), "12");
    EXPECT_EQ(svg_number(12.5), "12.5");
    EXPECT_EQ(svg_number(-0.001), "0");
    EXPECT_EQ(svg_number(100), "100");
}

} // namespace
} // namespace orrery::timeline_svg_test
