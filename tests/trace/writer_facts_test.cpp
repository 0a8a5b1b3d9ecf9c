#include "trace/writer_facts.h"

#include "formats/ort/metadata.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace orrery::trace::writer_facts_test {
namespace {

TEST(TraceFacts, BeginBlockHasTheFieldsOfItsStruct) {
    RecordedBegin begin;
    begin.run = 0xABC;
    begin.ranks = 3;
    begin.program = "./a \"b\\c\"\n\x01 \xC3\xA9 \xFF\xC3";
    begin.host = "h";
    begin.counter = "cpu-time";
    begin.clock = "system call";
    begin.reference = 1e9;
    begin.timed = true;
    const auto json = nlohmann::json::parse(recorded::json_of(begin));
    EXPECT_EQ(json["run"], "0000000000000abc");
    EXPECT_EQ(json["ranks"], 3);
    EXPECT_EQ(json["program"], "./a \"b\\c\"\n\x01 \xC3\xA9 \xEF\xBF\xBD\xEF\xBF\xBD");
    EXPECT_EQ(json["counter"], "cpu-time");
    EXPECT_EQ(json["clock"], "system call");
    EXPECT_EQ(json["reference"], 1e9);
    EXPECT_EQ(json["timed"], true);
    for (const char* const name : {"host", "cpu", "mpi", "started", "version"}) {
        EXPECT_TRUE(json[name].is_string()) << name;
    }
}

TEST(TraceFacts, EndBlockHasTheFieldsOfItsStruct) {
    RecordedEnd end;
    end.how = "MPI_Abort with code 3";
    end.seconds = 0.1;
    end.volume = 12345678901234567.0;
    end.peak_bytes = 1ULL << 40U;
    end.calls = {{"MPI_Send", 7, true}, {"MPI_Put", 1, false}};
    const auto json = nlohmann::json::parse(recorded::json_of(end));
    EXPECT_EQ(json["finalized"], false);
    EXPECT_EQ(json["how"], end.how);
    EXPECT_EQ(json["seconds"], 0.1);
    EXPECT_EQ(json["volume"].get<double>(), end.volume);
    EXPECT_EQ(json["peak_bytes"].get<std::uint64_t>(), 1ULL << 40U);
    EXPECT_EQ(json["mpi_seconds"], 0);
    EXPECT_EQ(json["cost_seconds"], 0);
    ASSERT_EQ(json["calls"].size(), 2U);
    EXPECT_EQ(json["calls"][1]["name"], "MPI_Put");
    EXPECT_EQ(json["calls"][1]["calls"], 1);
    EXPECT_EQ(json["calls"][1]["replayed"], false);
}

TEST(TraceFacts, ClockFile) {
    const auto json = nlohmann::json::parse(clock_json({3, 1.5, 1.25}));
    EXPECT_EQ(json, nlohmann::json::parse(R"({"rank":3,"seconds":1.5,"cpu_seconds":1.25,"finalized":true})"));
}

TEST(TraceFacts, NamesOfMpis) {
    EXPECT_EQ(short_mpi_name("Open MPI v4.1.4, package: Debian Open MPI, ident: 4.1.4, repo rev: v4.1.4"),
              "Open MPI 4.1.4");
    EXPECT_EQ(short_mpi_name("MPICH Version:\t4.0.2\nMPICH Release date:\tThu Apr  7 2022"), "MPICH 4.0.2");
    EXPECT_EQ(short_mpi_name("Novel MPI"), "Novel MPI");
    EXPECT_EQ(short_mpi_name(""), "");
}

TEST(TraceFacts, ThisProcess) {
    EXPECT_NE(program_line().find("orrery_tests"), std::string::npos);
    EXPECT_FALSE(cpu_model().empty());
    EXPECT_EQ(utc_now().size(), std::string_view("2024-01-01T00:00:00Z").size());
    EXPECT_GT(peak_memory_bytes(), 1U << 20U);
}

} // namespace
} // namespace orrery::trace::writer_facts_test
