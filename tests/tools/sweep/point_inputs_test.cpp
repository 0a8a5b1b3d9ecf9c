#include "tools/sweep/point_inputs.h"

#include "engine/error.h"
#include "places.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace orrery::point_inputs_test {
namespace {

namespace fs = std::filesystem;

class PointInputs : public testing::Test {
  protected:
    void SetUp() override { fs::create_directories(folder_); }
    void TearDown() override { fs::remove_all(folder_); }
    void write(const std::string& name, const std::string& text) {
        fs::create_directories((folder_ / name).parent_path());
        std::ofstream(folder_ / name) << text;
    }
    // Fresh each time, as a new run of the program would be.
    std::vector<InputFile> inputs(const Assignments& point) {
        return InputHashes((folder_ / "s.toml").string()).of(point);
    }
    std::string hash(const Assignments& point) { return point_hash("orrery 1", point, inputs(point)); }

    fs::path folder_ = fs::path(testing::TempDir()) / ("inputs_" + std::to_string(getpid()));
};

const Said said(const std::string& text) { return {text, 3, 5}; }

TEST_F(PointInputs, AFileCountsByItsContent) {
    write("a.goal", "num_ranks 1\n");
    write("copy.goal", "num_ranks 1\n");
    const auto one = inputs({{"workload", said("a.goal")}});
    ASSERT_EQ(one.size(), 1);
    EXPECT_EQ(one[0].bytes, 12);
    EXPECT_EQ(one[0].hash.size(), 32);
    EXPECT_EQ(inputs({{"workload", said("copy.goal")}})[0].hash, one[0].hash);
    const std::string before = hash({{"workload", said("a.goal")}});
    fs::last_write_time(folder_ / "a.goal", fs::file_time_type::clock::now() + std::chrono::hours(1));
    EXPECT_EQ(hash({{"workload", said("a.goal")}}), before) << "touching is not changing";
    write("a.goal", "num_ranks 2\n");
    EXPECT_NE(hash({{"workload", said("a.goal")}}), before);
}

TEST_F(PointInputs, ATraceCountsWithAllItsFiles) {
    const std::string source = test_data() + "/traces/sweep3d-2x2";
    fs::copy(source, folder_ / "trace");
    const auto before = inputs({{"workload", said("trace")}});
    ASSERT_EQ(before.size(), 1);
    EXPECT_EQ(before[0].files, 4);
    std::ofstream(folder_ / "trace" / "pmpi-trace-rank-2.txt", std::ios::app) << "# a comment\n";
    EXPECT_NE(inputs({{"workload", said("trace")}})[0].hash, before[0].hash);
}

TEST_F(PointInputs, ARecordedTraceCountsWithAllItsFiles) {
    write("app.trace/rank-0.ort", "one");
    write("app.trace/rank-1.ort", "other");
    write("app.trace/manifest.json", "{}");
    write("app.dim", "#DIMEMAS");
    const auto before = inputs({{"workload", said("app.trace")}});
    EXPECT_EQ(before[0].files, 2);
    EXPECT_EQ(before[0].bytes, 8);
    write("app.trace/rank-1.ort", "others");
    EXPECT_NE(inputs({{"workload", said("app.trace")}})[0].hash, before[0].hash);
    EXPECT_EQ(inputs({{"workload", said("app.dim")}})[0].files, 1);
}

TEST_F(PointInputs, AMachineCountsWithWhatItIncludes) {
    write("m.toml", "include = \"parts/base.toml\"\n");
    write("parts/base.toml", "include = \"odin\"\n");
    const auto all = inputs({{"machine", said("m.toml")}});
    ASSERT_EQ(all.size(), 3);
    EXPECT_EQ(all[2].name, "odin");
    const std::string before = hash({{"machine", said("m.toml")}});
    write("parts/base.toml", "include = \"odin\"\n[host]\ncores = 8\n");
    EXPECT_NE(hash({{"machine", said("m.toml")}}), before);
    write("parts/base.toml", "include = \"../m.toml\"\n");
    EXPECT_GT(inputs({{"machine", said("m.toml")}}).size(), 2) << "a circle ends";
}

TEST_F(PointInputs, AMappingCountsIfItIsAFile) {
    write("ranks", "0 n0\n");
    const auto one = inputs({{"map-by", said("file:ranks")}});
    ASSERT_EQ(one.size(), 1);
    EXPECT_EQ(one[0].bytes, 5);
    EXPECT_TRUE(inputs({{"map-by", said("block")}}).empty());
    EXPECT_EQ(mapping_beside_study("a/s.toml", "file:ranks"), "file:a/ranks");
    EXPECT_EQ(mapping_beside_study("a/s.toml", "block"), "block");
}

TEST_F(PointInputs, WhatIsMissingIsNamedWithItsLine) {
    for (const char* key : {"workload", "hostfile", "noise-file", "machine"}) {
        try {
            (void)inputs({{key, said("nowhere.toml")}});
            ADD_FAILURE() << key;
        } catch (const InputError& error) {
            EXPECT_EQ(error.error().line, 3) << key;
            EXPECT_NE(error.error().reason.find("nowhere"), std::string::npos) << error.what();
        }
    }
}

TEST_F(PointInputs, ThePointIsItsTextAndTheProgram) {
    const Assignments one{{"bytes", said("8")}, {"ranks", said("4")}};
    EXPECT_EQ(point_hash("orrery 1", one, {}),
              point_hash("orrery 1", {{"ranks", {"4", 9, 9}}, {"bytes", {"8", 9, 9}}}, {}))
        << "where it was said does not matter";
    EXPECT_NE(point_hash("orrery 1", one, {}), point_hash("orrery 2", one, {}));
    EXPECT_NE(point_hash("orrery 1", one, {}),
              point_hash("orrery 1", {{"bytes", said("84")}, {"ranks", said("")}}, {}));
}

} // namespace
} // namespace orrery::point_inputs_test
