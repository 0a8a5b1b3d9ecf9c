#include "tools/sweep/study.h"

#include "engine/error.h"

#include <gtest/gtest.h>

namespace orrery::study_reader_test {
namespace {

std::vector<std::string> labels(const Axis& axis) {
    std::vector<std::string> out;
    for (const AxisValue& value : axis.values) out.push_back(value.label);
    return out;
}

// "line:column: reason" of what is wrong with a study.
std::string complaint(const std::string& text) {
    try {
        (void)expand(read_study_text(text, "s.toml"));
    } catch (const InputError& error) {
        return error.what();
    }
    return "nothing";
}

void expect_complaint(const std::string& text, const std::string& where, const std::string& what) {
    const std::string said = complaint(text);
    EXPECT_EQ(said.substr(0, where.size()), where) << said;
    EXPECT_NE(said.find(what), std::string::npos) << said;
}

const std::string base = "[base]\npattern = \"dissemination\"\nranks = 8\n";

TEST(StudyReader, BaseAndAxesInTheOrderOfTheFile) {
    const Study study = read_study_text(R"(
name = "all of it"
[base]
pattern = "dissemination"
machine = "odin"
link.bandwidth = "10 Gbit/s"     # a table in TOML, a key here
map_by = "node"
[vary]
ranks = {from = 4, to = 16, factor = 2}
loggops.L = ["1us", "2us"]
bytes = [8, "64 KiB"]
)",
                                        "dir/s.toml");
    EXPECT_EQ(study.name, "all of it");
    EXPECT_EQ(study.base.at("link.bandwidth").text, "10 Gbit/s");
    EXPECT_EQ(study.base.at("map-by").text, "node");
    ASSERT_EQ(study.axes.size(), 3);
    EXPECT_EQ(study.axes[0].name, "ranks");
    EXPECT_TRUE(study.axes[0].geometric);
    EXPECT_EQ(labels(study.axes[0]), (std::vector<std::string>{"4", "8", "16"}));
    EXPECT_EQ(study.axes[1].name, "loggops.L");
    EXPECT_EQ(study.axes[2].name, "bytes");
    EXPECT_EQ(expand(study).size(), 12);
}

TEST(StudyReader, TheLastAxisVariesFastest) {
    const auto points =
        expand(read_study_text(base + "[vary]\nbytes = [1, 2]\nloggops.L = [\"1us\", \"2us\"]\n", "s.toml"));
    ASSERT_EQ(points.size(), 4);
    EXPECT_EQ(points[1].assignments.at("bytes").text, "1");
    EXPECT_EQ(points[1].assignments.at("loggops.L").text, "2us");
    EXPECT_EQ(points[2].assignments.at("bytes").text, "2");
    EXPECT_EQ(points[2].assignments.at("ranks").text, "8") << "the base holds everywhere";
}

TEST(StudyReader, AnAxisReplacesTheBase) {
    const auto points = expand(read_study_text(base + "[vary]\nranks = [16]\n", "s.toml"));
    ASSERT_EQ(points.size(), 1);
    EXPECT_EQ(points[0].assignments.at("ranks").text, "16");
}

TEST(StudyReader, NamedVariantsSetSeveralKeys) {
    const Study study = read_study_text(base + R"(
[[vary.change]]
name = "as measured"
[[vary.change]]
name = "no overlap"
loggops.O = "3ns/B"
loggops.G = "3ns/B"
[[vary.change]]
bytes = 64
)",
                                        "s.toml");
    EXPECT_EQ(labels(study.axes.at(0)), (std::vector<std::string>{"as measured", "no overlap", "bytes=64"}));
    const auto points = expand(study);
    ASSERT_EQ(points.size(), 3);
    EXPECT_FALSE(points[0].assignments.contains("loggops.O"));
    EXPECT_EQ(points[1].assignments.at("loggops.G").text, "3ns/B");
    EXPECT_EQ(points[2].assignments.at("bytes").text, "64");
}

TEST(StudyReader, ZippedAxesAdvanceTogether) {
    const auto points =
        expand(read_study_text("zip = [\"ranks\", \"bytes\"]\n" + base +
                                   "[vary]\nranks = [4, 8]\nloggops.L = [\"1us\", \"2us\"]\nbytes = [64, 32]\n",
                               "s.toml"));
    ASSERT_EQ(points.size(), 4);
    for (const GridPoint& point : points) {
        EXPECT_EQ(point.assignments.at("bytes").text, point.assignments.at("ranks").text == "4" ? "64" : "32");
    }
}

TEST(StudyReader, RepeatsAreSeeds) {
    const Study study = read_study_text("repeat = 3\n" + base + "[vary]\nbytes = [1, 2]\n", "s.toml");
    ASSERT_EQ(study.axes.size(), 2);
    EXPECT_TRUE(study.axes[1].repeats);
    EXPECT_EQ(labels(study.axes[1]), (std::vector<std::string>{"1", "2", "3"}));
    EXPECT_EQ(expand(study).size(), 6);
}

TEST(StudyReader, SkippedPoints) {
    const std::string text = base + "[vary]\nranks = [4, 8, 16]\nbytes = [1, 2]\n";
    EXPECT_EQ(expand(read_study_text(text + "[[skip]]\nranks = [4, 8]\nbytes = 1\n", "s.toml")).size(), 4);
    EXPECT_EQ(expand(read_study_text(text + "[[skip]]\nranks = 4\n[[skip]]\nbytes = 2\n", "s.toml")).size(), 2);
    expect_complaint(text + "[[skip]]\nranks = [4, 8, 16]\n", "s.toml:7", "no point is left");
    expect_complaint(text + "[[skip]]\nrank = 4\n", "s.toml:8:8", "did you mean 'ranks'");
    expect_complaint(text + "[[skip]]\nranks = 5\n", "s.toml:8:9", "'5' is not a value of 'ranks'");
}

TEST(StudyReader, ListsBecomeOneValue) {
    const auto points = expand(read_study_text(
        base + "collective = [\"openmpi\", \"bcast=chain\"]\n[vary]\nhostfile = [[\"a\", \"b\"]]\n", "s.toml"));
    EXPECT_EQ(points.at(0).assignments.at("collective").text, "openmpi,bcast=chain");
    EXPECT_EQ(points.at(0).assignments.at("hostfile").text, "a,b");
}

TEST(StudyReader, WrongKeysAreNamedWithTheirPlace) {
    expect_complaint("naem = \"x\"\n" + base, "s.toml:1:8", "did you mean 'name'");
    expect_complaint("[base]\npatern = \"dissemination\"\n", "s.toml:2:10",
                     "unknown key 'patern'; did you mean 'pattern'");
    expect_complaint(base + "[vary]\nlink.bandwith = [\"1 Gbit/s\"]\n",
                     "s.toml:5:", "did you mean 'link.bandwidth'");
    expect_complaint(base + "[vary]\nloggops.l = [\"1us\"]\n", "s.toml:5:", "did you mean 'loggops.L'");
    expect_complaint(base + "[vary]\nbytes = {from = 1, two = 8}\n", "s.toml:5:", "did you mean 'to'");
    expect_complaint(base + "[vary]\nbytes = [1]\n[plot]\ny = \"tiem\"\n", "s.toml:7:5", "did you mean 'time'");
    expect_complaint(base + "[vary]\nbytes = [1]\n[plot]\nx = \"byte\"\n", "s.toml:7:5",
                     "did you mean 'bytes'");
    expect_complaint(base + "[[vary.change]]\nname = \"a\"\nloggops.Q = \"1us\"\n",
                     "s.toml:6:", "unknown key 'loggops.Q'");
}

TEST(StudyReader, WrongValuesAreNamedWithTheirPlace) {
    expect_complaint("[base]\npattern = \"disemination\"\nranks = 8\n", "s.toml:2:11", "dissemination");
    expect_complaint("[base]\npattern = \"dissemination\"\nranks = \"many\"\n", "s.toml:3:9", "'many'");
    expect_complaint(base + "[vary]\nbytes = [8,\n  \"8 parsec\"]\n", "s.toml:6:3", "8 parsec");
    expect_complaint(base + "[vary]\nloggops.L = [\"1\"]\n", "s.toml:5:", "L");
    expect_complaint(base + "[vary]\nnetwork = [\"flow\", \"flaw\"]\n", "s.toml:5:", "did you mean 'flow'");
    expect_complaint(base + "[vary]\nbytes = [[[1]]]\n", "s.toml:5:", "bytes");
    expect_complaint(base + "[vary]\nbytes = []\n", "s.toml:5:", "empty");
    expect_complaint(base + "[vary]\nbytes = 8\n", "s.toml:5:", "expected a list of values");
    expect_complaint(base + "[vary]\nbytes = [8, 8]\n", "s.toml:5:", "there twice");
    expect_complaint(base + "[vary]\nbytes = {from = 8, to = 4, factor = 2}\n", "s.toml:5:", "does not lead");
    expect_complaint(base + "[vary]\nmachine = [\"a\"]\non = [\"b\"]\n", "s.toml:6:", "varied twice");
    expect_complaint(base + "[vary]\nbytes = [1]\nc = [{bytes = 2}]\n",
                     "s.toml:6:", "set by the axis 'bytes' too");
    expect_complaint("zip = [\"ranks\", \"bytes\"]\n" + base + "[vary]\nranks = [1, 2]\nbytes = [1]\n",
                     "s.toml:1:17", "has 1 values, but 'ranks' has 2");
    expect_complaint("repeat = 0\n" + base, "s.toml:1:10", "repeat");
    expect_complaint("base = 3\n", "s.toml:1:8", "[base]");
    expect_complaint(
        base + "[vary]\nbytes = {from = 1, to = 1000, step = 1}\nsegment = {from = 1, to = 1000, step = 1}\n",
        "s.toml:", "points");
    expect_complaint("name = \n", "s.toml:1:", "");
    expect_complaint("[base\n", "s.toml:1:", "");
}

TEST(StudyReader, AMissingFileIsSaid) { EXPECT_THROW(read_study("/nowhere/s.toml"), InputError); }

} // namespace
} // namespace orrery::study_reader_test
