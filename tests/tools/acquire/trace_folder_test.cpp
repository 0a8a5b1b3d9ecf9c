// The folder of a trace: what may be replaced, what is never touched, and how it becomes one file.
#include "engine/error.h"
#include "formats/ort/layout.h"
#include "tools/acquire/trace_folder.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <unistd.h>

namespace orrery::trace_folder_test {
namespace {

namespace fs = std::filesystem;

std::string block(std::uint32_t rank, std::uint32_t number, const std::string& payload) {
    recorded::BlockHeader header;
    header.rank = rank;
    header.number = number;
    header.bytes = static_cast<std::uint32_t>(payload.size());
    return std::string(reinterpret_cast<const char*>(&header), sizeof header) + payload;
}

class TraceFolderTest : public testing::Test {
  protected:
    void SetUp() override { fs::create_directories(folder_); }
    void TearDown() override { fs::remove_all(folder_); }
    void write(const std::string& name, const std::string& text) {
        std::ofstream(folder_ / name, std::ios::binary) << text;
    }
    std::string read(const fs::path& path) {
        std::ifstream file(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    fs::path folder_ = fs::path(testing::TempDir()) / ("trace_folder_" + std::to_string(::getpid()));
};

TEST_F(TraceFolderTest, IsMadeWithItsParents) {
    const TraceFolder made((folder_ / "a/b/").string(), false);
    EXPECT_TRUE(fs::is_directory(folder_ / "a/b"));
    EXPECT_EQ(made.path(), (folder_ / "a/b").string());
    EXPECT_FALSE(made.has_trace());
}

TEST_F(TraceFolderTest, ATraceIsReplacedOnlyIfToldSo) {
    write("rank-0.ort", "x");
    write("rank-10.ort", "x");
    write("manifest.json", "{}");
    EXPECT_THROW(TraceFolder(folder_.string(), false), UsageError);
    EXPECT_TRUE(fs::exists(folder_ / "rank-10.ort"));
    const TraceFolder taken(folder_.string(), true);
    EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(TraceFolderTest, NothingElseIsEverDeleted) {
    for (const char* const name : {"notes.txt", "rank-1.ort.bak", "rank-x.ort", "rank-.ort", "my-rank-1.ort"}) {
        write("rank-0.ort", "x");
        write(name, "precious");
        EXPECT_THROW(TraceFolder(folder_.string(), true), UsageError) << name;
        EXPECT_EQ(read(folder_ / name), "precious");
        EXPECT_EQ(read(folder_ / "rank-0.ort"), "x");
        fs::remove(folder_ / name);
    }
}

TEST_F(TraceFolderTest, OnlyOneMayRecord) {
    const TraceFolder first(folder_.string(), false);
    try {
        const TraceFolder second(folder_.string(), true);
        FAIL() << "two at once";
    } catch (const UsageError& error) {
        EXPECT_NE(std::string(error.what()).find("another 'orrery trace' is recording"), std::string::npos);
    }
}

TEST_F(TraceFolderTest, AFileIsNoFolder) {
    write("file", "x");
    EXPECT_THROW(TraceFolder((folder_ / "file").string(), true), UsageError);
    EXPECT_EQ(read(folder_ / "file"), "x");
}

// Ranks in their order by number, not by name; what a killed rank left half written is left out.
TEST_F(TraceFolderTest, IsJoinedByWholeBlocks) {
    TraceFolder made((folder_ / "x.ort.parts").string(), false);
    const std::string zero = block(0, 0, "zero") + block(0, 1, "more");
    const std::string two = block(2, 0, "two");
    const std::string ten = block(10, 0, "ten");
    write("x.ort.parts/rank-0.ort", zero);
    write("x.ort.parts/rank-10.ort", ten);
    write("x.ort.parts/rank-2.ort", two + block(2, 1, "cut off").substr(0, 43));
    EXPECT_TRUE(made.has_trace());
    made.join((folder_ / "x.ort").string());
    EXPECT_EQ(read(folder_ / "x.ort"), zero + two + ten);
    EXPECT_FALSE(fs::exists(folder_ / "x.ort.parts"));
}

TEST_F(TraceFolderTest, AFileThatIsNoTraceIsNotReplaced) {
    const std::string path = (folder_ / "x.ort").string();
    EXPECT_NO_THROW(check_trace_file(path, false));
    write("x.ort", "my own notes");
    EXPECT_THROW(check_trace_file(path, true), UsageError);
    write("x.ort", block(0, 0, "x"));
    EXPECT_THROW(check_trace_file(path, false), UsageError);
    EXPECT_NO_THROW(check_trace_file(path, true));
}

} // namespace
} // namespace orrery::trace_folder_test
