#include "tools/sweep/study_database.h"

#include "engine/error.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <unistd.h>

namespace orrery::study_database_test {
namespace {

namespace fs = std::filesystem;

class Database : public testing::Test {
  protected:
    void SetUp() override { fs::create_directories(folder_); }
    void TearDown() override { fs::remove_all(folder_); }
    std::string file() const { return (folder_ / "s.db").string(); }
    fs::path folder_ = fs::path(testing::TempDir()) / ("database_" + std::to_string(getpid()));
};

PointResult replayed() {
    PointResult result;
    result.time = Time::us(7);
    result.ranks = 4;
    result.operations = 10;
    result.messages = 5;
    result.bytes = 5000;
    result.events = 15;
    result.compute = Time::us(3);
    result.overhead = Time::us(1);
    result.noise = Time::ps(5);
    CallTimes& calls = result.calls.emplace();
    calls[CallKind::compute] = Time::us(3);
    calls[CallKind::wait] = Time::us(2);
    result.efficiencies = Efficiencies{0.5, 0.75, 0.66, 0.9, 0.7, true};
    result.busiest_link = "n3-up";
    result.busiest_use = 0.25;
    result.simulation_seconds = 0.5;
    result.peak_rss_bytes = 1'000'000;
    return result;
}

void expect_same(const PointResult& a, const PointResult& b) {
    EXPECT_EQ(a.status, b.status);
    EXPECT_EQ(a.message, b.message);
    EXPECT_EQ(a.time, b.time);
    EXPECT_EQ(a.ranks, b.ranks);
    EXPECT_EQ(a.operations, b.operations);
    EXPECT_EQ(a.messages, b.messages);
    EXPECT_EQ(a.bytes, b.bytes);
    EXPECT_EQ(a.events, b.events);
    EXPECT_EQ(a.compute, b.compute);
    EXPECT_EQ(a.overhead, b.overhead);
    EXPECT_EQ(a.noise, b.noise);
    ASSERT_EQ(a.calls.has_value(), b.calls.has_value());
    if (a.calls) {
        EXPECT_EQ(a.calls->by_kind, b.calls->by_kind);
    }
    ASSERT_EQ(a.efficiencies.has_value(), b.efficiencies.has_value());
    if (a.efficiencies) {
        EXPECT_EQ(a.efficiencies->parallel, b.efficiencies->parallel);
        EXPECT_EQ(a.efficiencies->load_balance, b.efficiencies->load_balance);
        EXPECT_EQ(a.efficiencies->communication, b.efficiencies->communication);
        EXPECT_EQ(a.efficiencies->serialisation, b.efficiencies->serialisation);
        EXPECT_EQ(a.efficiencies->transfer, b.efficiencies->transfer);
        EXPECT_EQ(a.efficiencies->with_ideal, b.efficiencies->with_ideal);
    }
    EXPECT_EQ(a.busiest_link, b.busiest_link);
    EXPECT_EQ(a.busiest_use, b.busiest_use);
    EXPECT_EQ(a.simulation_seconds, b.simulation_seconds);
    EXPECT_EQ(a.peak_rss_bytes, b.peak_rss_bytes);
}

TEST_F(Database, ResultsComeBackAsTheyWere) {
    PointResult simulated = replayed();
    simulated.calls.reset();
    simulated.efficiencies.reset();
    simulated.busiest_link.clear();
    simulated.busiest_use = 0;
    PointResult failed;
    failed.status = PointStatus::failed;
    failed.message = "deadlock: 'ranks' 0, 1";
    {
        StudyDatabase database(file());
        database.store("a", replayed());
        database.store("b", simulated);
        database.store("c", failed);
    }
    StudyDatabase database(file(), true);
    expect_same(database.find("a").value(), replayed());
    expect_same(database.find("b").value(), simulated);
    expect_same(database.find("c").value(), failed);
    EXPECT_FALSE(database.find("d"));
    EXPECT_EQ(database.largest_peak_rss(), 1'000'000);
}

TEST_F(Database, ALaterResultReplacesAnEarlierOne) {
    StudyDatabase database(file());
    PointResult lost;
    lost.status = PointStatus::lost;
    database.store("a", lost);
    database.store("a", replayed());
    EXPECT_EQ(database.find("a")->status, PointStatus::ok);
}

TEST_F(Database, TheViewHasAColumnPerAxis) {
    Study study = read_study_text(
        "[base]\npattern = \"ring\"\n[vary]\nranks = [2, 4]\n[[vary.\"it's \\\"odd\\\"\"]]\nname = \"x\"\n",
        "s.toml");
    std::vector<StudyPoint> points;
    for (GridPoint& grid : expand(study)) points.push_back({grid, {}, "hash" + std::to_string(points.size())});
    {
        StudyDatabase database(file());
        database.describe(study, "orrery 1", points);
        database.describe(study, "orrery 1", points); // again: nothing doubles
        database.store("hash1", replayed());
    }
    Sqlite raw(file(), true);
    SqliteStatement rows(raw, "SELECT place, ranks, \"it's \"\"odd\"\"\", predicted_time_ps FROM answers");
    ASSERT_TRUE(rows.step());
    EXPECT_EQ(rows.integer(), 0);
    EXPECT_EQ(rows.text(), "2");
    EXPECT_EQ(rows.text(), "x");
    EXPECT_FALSE(rows.maybe_integer());
    ASSERT_TRUE(rows.step());
    EXPECT_EQ(rows.integer(), 1);
    EXPECT_EQ(rows.text(), "4");
    EXPECT_EQ(rows.text(), "x");
    EXPECT_EQ(rows.maybe_integer(), 7'000'000);
    EXPECT_FALSE(rows.step());
}

TEST_F(Database, WhatIsNoDatabaseOfAStudyIsRefused) {
    std::ofstream(file())
        << "this is a text, and long enough to be looked at by the library that reads databases\n";
    EXPECT_THROW(StudyDatabase{file()}, InputError);
    const std::string other = (folder_ / "other.db").string();
    Sqlite(other, false).execute("CREATE TABLE mine (x)");
    EXPECT_THROW(StudyDatabase{other}, InputError);
    EXPECT_THROW(StudyDatabase((folder_ / "none.db").string(), true), InputError);
    EXPECT_THROW(StudyDatabase("/nowhere/s.db"), InputError);
}

TEST(PointResultMeans, DoNotOverflow) {
    ReplayPrediction found;
    Prediction& prediction = found.base;
    const Time long_time = Time::ps(std::int64_t{1} << 60);
    prediction.time = long_time;
    prediction.ranks.assign(1000, RankTimes{long_time, long_time, Time::ps(3), Time::zero()});
    prediction.ranks[0].overhead = Time::ps(1003);
    const PointResult result = result_of(found);
    EXPECT_EQ(result.compute, long_time);
    EXPECT_EQ(result.overhead, Time::ps(4));
}

// The words of the error that opening the file gives; empty: none.
std::string damage(const std::string& file, bool read_only) {
    try {
        StudyDatabase{file, read_only};
        return {};
    } catch (const InputError& error) {
        return error.what();
    }
}

TEST_F(Database, AChangedByteOfAResultIsNamed) {
    {
        StudyDatabase database(file());
        database.store("a", replayed());
        database.store("b", replayed());
    }
    EXPECT_EQ(damage(file(), true), "");
    // The predicted time: 7,000,000 ps, as SQLite has it.
    std::fstream bytes(file(), std::ios::in | std::ios::out | std::ios::binary);
    const std::string all{std::istreambuf_iterator<char>(bytes), {}};
    const std::size_t at = all.find("\x6A\xCF\xC0");
    ASSERT_NE(at, std::string::npos);
    bytes.seekp(static_cast<std::streamoff>(at));
    bytes << '\x1A';
    bytes.close();
    for (const bool read_only : {true, false}) {
        const std::string words = damage(file(), read_only);
        EXPECT_EQ(words.find(file() + ": the database is damaged: the result of point "), 0U) << words;
    }
}

TEST_F(Database, DamagedStructureIsNamed) {
    {
        StudyDatabase database(file());
        for (int i = 0; i < 200; ++i) database.store("point " + std::to_string(i), replayed());
    }
    fs::resize_file(file(), fs::file_size(file()) - 4096);
    EXPECT_EQ(damage(file(), false).find(file() + ": "), 0U);
}

TEST_F(Database, OneWithoutChecksumsGetsThem) {
    {
        StudyDatabase database(file());
        database.store("a", replayed());
    }
    Sqlite(file(), false).execute("DROP TABLE checksum; PRAGMA user_version = 1;");
    expect_same(StudyDatabase(file(), true).find("a").value(), replayed());
    expect_same(StudyDatabase(file()).find("a").value(), replayed());
    Sqlite(file(), false).execute("UPDATE result SET events = 16");
    EXPECT_NE(damage(file(), true).find("the result of point a"), std::string::npos);
    Sqlite(file(), false).execute("DELETE FROM result WHERE point = 'a'"); // as the message says
    EXPECT_EQ(damage(file(), false), "");
}

} // namespace
} // namespace orrery::study_database_test
