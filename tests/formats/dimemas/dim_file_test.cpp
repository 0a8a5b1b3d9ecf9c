// Dimemas traces: what is read, and what is refused and where.
#include "engine/error.h"
#include "formats/dimemas/dim_file.h"
#include "formats/dimemas/dim_writer.h"

#include "drivers/dimemas/run_text.h"
#include "places.h"

#include <cstdlib>
#include <gtest/gtest.h>

namespace orrery::dim_file_test {
using namespace orrery::dimemas;
using orrery::test::DimemasFolder;

namespace {

std::vector<DimRecord> records(const DimFile& file, std::uint32_t thread) {
    std::vector<DimRecord> all;
    DimCursor cursor = file.begin(thread);
    for (DimRecord record; file.next(cursor, record);) all.push_back(record);
    return all;
}

std::uint64_t refused(const std::string& text) {
    const DimemasFolder folder;
    try {
        const DimFile file = DimFile::open(folder.write("t.dim", text));
        for (std::uint32_t thread = 0; thread < file.threads(); ++thread) (void)records(file, thread);
    } catch (const InputError& error) {
        EXPECT_FALSE(error.error().reason.empty());
        return error.error().line;
    }
    ADD_FAILURE() << "not refused: " << text;
    return 0;
}

const std::string head = "#DIMEMAS:\"a\":0:2(1,1),1\nd:1:1:2:0:1\n";

} // namespace

TEST(DimFile, ReadsEveryRecord) {
    const DimemasFolder folder;
    const DimFile file = DimFile::open(
        folder.write("t.dim", "#DIMEMAS:\"a:b\":0:2(2,1),2,0,0\nd:1:1:2:0:1\nd:1:2:1:1\nd:2:9:1:0\n"
                              "1:0:0:0.001\n0:0:0\n2:0:0:1:-1:100:7:1:3\n2:0:0:1:100:7:1:0\n"
                              "1:0:1:1e-3\n"
                              "1:1:0:0\n3:1:0:0:-1:100:7:1:1\n3:1:0:-1:-1:100:7:1:2\n3:1:0:0:100:7:1:0\n"
                              "10:1:0:11:2:1:0:5:6\n10:1:0:27:2:0:0:5:6:2\n11:1:0:0.5\n20:1:0:50000001:1\n"));
    EXPECT_EQ(file.name(), "a:b");
    EXPECT_EQ(file.tasks(), 2U);
    EXPECT_EQ(file.threads(), 3U);
    EXPECT_EQ(file.threads(0), 2U);
    ASSERT_EQ(file.communicators().size(), 2U);
    EXPECT_EQ(file.communicators()[1].tasks, std::vector<std::uint32_t>{1});
    const std::vector<DimRecord> first = records(file, 0);
    ASSERT_EQ(first.size(), 4U);
    EXPECT_EQ(first[0].seconds, 0.001);
    EXPECT_EQ(first[1].kind, RecordKind::nothing);
    EXPECT_TRUE(first[2].immediate && first[2].rendezvous);
    EXPECT_EQ(first[3].peer_thread, any_thread);
    EXPECT_EQ(first[3].bytes, 100U);
    EXPECT_EQ(records(file, 1).size(), 1U);
    const std::vector<DimRecord> last = records(file, 2);
    ASSERT_EQ(last.size(), 8U);
    EXPECT_EQ(last[1].kind, RecordKind::receive_no_wait);
    EXPECT_EQ(last[2].peer, any_task);
    EXPECT_EQ(last[2].kind, RecordKind::wait);
    EXPECT_EQ(last[4].synchrony, Synchrony::blocking);
    EXPECT_EQ(last[4].bytes_received, 6U);
    EXPECT_EQ(last[5].operation, 11); // 27 is its nonblocking form
    EXPECT_EQ(last[5].synchrony, Synchrony::waiting);
    EXPECT_EQ(last[6].kind, RecordKind::gpu_burst);
    EXPECT_EQ(last[7].type, 50000001U);
}

TEST(DimFile, RefusesWithLine) {
    EXPECT_EQ(refused("hello\n"), 1U);
    EXPECT_EQ(refused("#DIMEMAS:\"a:0:2(1,1),1\n"), 1U);
    EXPECT_EQ(refused("#DIMEMAS:\"a\":0:3(1,1),1\n"), 1U);
    EXPECT_EQ(refused("#DIMEMAS:\"a\":0:2(1,0),1\n"), 1U);
    EXPECT_EQ(refused("#DIMEMAS:\"a\":0:4000000000(1),1\n"), 1U);
    EXPECT_EQ(refused("#DIMEMAS:\"a\":1:2(1,1),0\n"), 1U);
    EXPECT_EQ(refused("#DIMEMAS:\"a\":0:2(1,1),2\nd:1:1:2:0:1\n1:0:0:0\n"), 3U);
    EXPECT_EQ(refused("#DIMEMAS:\"a\":0:2(1,1),1\nd:1:1:2:0:0\n"), 2U);
    EXPECT_EQ(refused("#DIMEMAS:\"a\":0:2(1,1),1\nd:1:1:2:0:2\n"), 2U);
    EXPECT_EQ(refused("#DIMEMAS:\"a\":0:2(1,1),1\nd:1:1:1:0:1\n"), 2U);
    EXPECT_EQ(refused("#DIMEMAS:\"a\":0:2(1,1),1\nd:1:1:1:0\nd:1:1:1:1\n"), 3U);
    EXPECT_EQ(refused("#DIMEMAS:\"a\":0:2(1,1),1\nd:7:1:1:0\n"), 2U);
    EXPECT_EQ(refused(head + "1:0:0:x\n"), 3U);
    EXPECT_EQ(refused(head + "1:0:0:-1\n"), 3U);
    EXPECT_EQ(refused(head + "1:0:0:nan\n"), 3U);
    EXPECT_EQ(refused(head + "1:0:0:0\n1:2:0:0\n"), 4U);
    EXPECT_EQ(refused(head + "1:0:1:0\n"), 3U);
    EXPECT_EQ(refused(head + "1:0\n"), 3U);
    EXPECT_EQ(refused(head + "2:0:0:1:-1:5:1:1:4\n"), 3U);
    EXPECT_EQ(refused(head + "2:0:0:2:-1:5:1:1:0\n"), 3U);
    EXPECT_EQ(refused(head + "2:0:0:-1:-1:5:1:1:0\n"), 3U);
    EXPECT_EQ(refused(head + "2:0:0:1:-1:-5:1:1:0\n"), 3U);
    EXPECT_EQ(refused(head + "2:0:0:1:5:1:1\n"), 3U);
    EXPECT_EQ(refused(head + "3:0:0:1:-1:5:1:1:3\n"), 3U);
    EXPECT_EQ(refused(head + "10:0:0:32:1:0:0:5:5:1\n"), 3U);
    EXPECT_EQ(refused(head + "10:0:0:11:1:0:0:5:5:3\n"), 3U);
    EXPECT_EQ(refused(head + "10:0:0:11:1:0:0:5:5:1:1\n"), 3U);
    EXPECT_EQ(refused(head + "20:0:0:1\n"), 3U);
    EXPECT_EQ(refused(head + "99:0:0:1\n"), 3U);
    EXPECT_EQ(refused(head + "1:0:0:0\n1:1:0:0\n1:0:0:0\n"), 5U); // in two places
}

TEST(DimFile, TableOfOffsetsIsChecked) {
    const std::string body = "d:1:1:1:0\n1:0:0:0.5\n";
    const auto with = [&](std::uint64_t table, std::uint64_t offset) {
        return fmt::format("#DIMEMAS:\"a\":1,{:020}:1(1),1\n{}s:0:{}\n", table, body, offset);
    };
    const std::uint64_t begin = with(0, 0).find("d:1");
    const DimemasFolder folder;
    const DimFile file = DimFile::open(folder.write("t.dim", with(begin + body.size(), begin + 10)));
    EXPECT_EQ(records(file, 0).size(), 1U);
    (void)refused(with(begin + body.size() + 1, begin + 10)); // not where a line begins
    (void)refused(with(99999, begin + 10));
    (void)refused(with(begin + body.size(), begin + 11));
    (void)refused(with(begin + body.size(), begin));
}

TEST(DimFile, CompressedOnesAreUnpacked) {
    const DimemasFolder folder;
    const std::string path = folder.write("t.dim", head + "1:0:0:0.5\n1:1:0:0.25\n");
    ASSERT_EQ(std::system(("gzip -k " + path).c_str()), 0);
    ASSERT_TRUE(looks_like_dim(path + ".gz"));
    const DimFile file = DimFile::open(path + ".gz");
    EXPECT_EQ(records(file, 1).at(0).seconds, 0.25);
}

TEST(DimFile, WritesWhatItRead) {
    const std::filesystem::path folder = std::filesystem::path(test_data()) / "dimemas";
    const DimemasFolder here;
    for (const std::string name : {"p2p_eager", "coll_comm_file", "coll_reduce_rootsync", "modules_ratio"}) {
        const DimFile file = DimFile::open((folder / (name + ".dim")).string());
        const std::string out = here.file("out.dim");
        (void)write_dim(file, out);
        const DimFile again = DimFile::open(out);
        ASSERT_EQ(again.threads(), file.threads());
        EXPECT_EQ(again.name(), file.name());
        for (std::uint32_t thread = 0; thread < file.threads(); ++thread) {
            const std::vector<DimRecord> a = records(file, thread);
            const std::vector<DimRecord> b = records(again, thread);
            ASSERT_EQ(a.size(), b.size());
            for (std::size_t i = 0; i < a.size(); ++i) {
                std::string x;
                std::string y;
                append_record(x, 0, 0, a[i]);
                append_record(y, 0, 0, b[i]);
                EXPECT_EQ(x, y);
                EXPECT_EQ(a[i].seconds, b[i].seconds);
            }
        }
    }
}

} // namespace orrery::dim_file_test
