// How the ranks of a trace are spread over files, and how those are compressed.
#include "places.h"
#include "ti_text.h"

#include <zlib.h>
#include <zstd.h>

namespace orrery::layouts_test {
namespace {

using namespace ti_test;

std::string rank_text(std::uint32_t rank, std::uint32_t ranks, std::uint32_t rounds) {
    std::string text = fmt::format("{} init\n", rank);
    for (std::uint32_t i = 0; i < rounds; ++i) {
        text += fmt::format(
            "{0} compute {1}\n{0} irecv {2} {3} 800 6\n{0} send {4} {3} 100 0\n{0} wait {2} {0} {3}\n", rank,
            1000 * rank + i, (rank + ranks - 1) % ranks, i % 7, (rank + 1) % ranks);
    }
    return text + fmt::format("{} finalize\n", rank);
}

std::string merged_text(std::uint32_t ranks, std::uint32_t rounds) {
    std::string text;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) text += rank_text(rank, ranks, rounds);
    return text;
}

// Ranks take turns line by line.
std::string mixed_text(std::uint32_t ranks, std::uint32_t rounds) {
    std::vector<std::vector<std::string>> lines(ranks);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        std::string text = rank_text(rank, ranks, rounds);
        for (std::size_t end = 0; (end = text.find('\n')) != std::string::npos; text.erase(0, end + 1))
            lines[rank].push_back(text.substr(0, end + 1));
    }
    std::string text;
    for (std::size_t i = 0; i < lines[0].size(); ++i) {
        for (const auto& of_rank : lines) text += of_rank[i];
    }
    return text;
}

std::string gzipped(const std::string& text) {
    z_stream state{};
    EXPECT_EQ(deflateInit2(&state, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    std::string out(deflateBound(&state, text.size()), '\0');
    state.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    state.avail_in = static_cast<uInt>(text.size());
    state.next_out = reinterpret_cast<Bytef*>(out.data());
    state.avail_out = static_cast<uInt>(out.size());
    EXPECT_EQ(deflate(&state, Z_FINISH), Z_STREAM_END);
    out.resize(state.total_out);
    deflateEnd(&state);
    return out;
}

std::string zstandard(const std::string& text) {
    std::string out(ZSTD_compressBound(text.size()), '\0');
    out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
    return out;
}

const Words& expected() {
    static const Words words = read_text(merged_text(5, 300));
    return words;
}

TEST(TiLayouts, one_file_by_rank) {
    ASSERT_EQ(expected().size(), 5U);
    EXPECT_EQ(expected()[2].size(), 1200U);
    EXPECT_EQ(expected()[2][0], "compute 2000");
    EXPECT_EQ(expected()[2][7], "wait #0");
    EXPECT_EQ(expected()[2][1199], "wait #0");
}

TEST(TiLayouts, one_file_in_any_order_of_ranks) {
    EXPECT_EQ(read_text(mixed_text(5, 300)), expected());
    std::string backwards;
    for (std::uint32_t rank = 5; rank-- > 0;) backwards += rank_text(rank, 5, 300);
    EXPECT_EQ(read_text(backwards), expected());
}

TEST(TiLayouts, lines_are_numbered_as_in_the_file) {
    const Folder folder;
    const std::string path =
        folder.write("t", "# first\n1 compute 1\n0 compute 2\n\n0 compute 3\n1 compute 4\n");
    const Words words = read_all(path, true);
    EXPECT_EQ(words[0], (std::vector<std::string>{"compute 2 line 3", "compute 3 line 5"}));
    EXPECT_EQ(words[1], (std::vector<std::string>{"compute 1 line 2", "compute 4 line 6"}));
    const Words unpacked = read_all(folder.write("t.gz", gzipped(read_file(path))), true);
    EXPECT_EQ(unpacked, words);
}

TEST(TiLayouts, a_file_per_rank_and_a_list) {
    const Folder folder;
    std::string list = "# ranks\n";
    for (std::uint32_t rank = 0; rank < 5; ++rank) {
        folder.write(fmt::format("T_files/17.5_rank-{}.txt", rank + 1),
                     rank_text(rank, 5, 300)); // SimGrid counts from 1
        list += fmt::format("T_files/17.5_rank-{}.txt\n", rank + 1);
    }
    folder.write("T", list);
    EXPECT_EQ(read_all(folder / "T"), expected());
    EXPECT_EQ(read_all(folder / "T_files"), expected());
    EXPECT_EQ(read_all(folder.path()), expected()); // where the list is
    EXPECT_TRUE(looks_like_ti(folder / "T"));
    EXPECT_TRUE(looks_like_ti(folder / "T_files"));
    EXPECT_TRUE(looks_like_ti(folder / "T_files/17.5_rank-1.txt"));
    EXPECT_TRUE(looks_like_ti(folder.path()));
}

TEST(TiLayouts, names_that_end_in_a_number) {
    const Folder folder;
    for (std::uint32_t rank = 0; rank < 12; ++rank)
        folder.write(fmt::format("lu8.{}", rank), rank_text(rank, 12, 2));
    folder.write("README", "not a trace\n");
    EXPECT_EQ(read_all(folder.path()), read_text(merged_text(12, 2)));
}

TEST(TiLayouts, a_list_of_one_file_is_a_merged_trace) {
    const Folder folder;
    folder.write("all.txt", merged_text(5, 300));
    EXPECT_EQ(read_all(folder.write("LIST", "all.txt\n")), expected());
}

TEST(TiLayouts, a_directory_with_one_merged_file) {
    const Folder folder;
    folder.write("trace.txt", merged_text(5, 300));
    EXPECT_EQ(read_all(folder.path()), expected());
}

TEST(TiLayouts, one_file_that_all_ranks_follow) {
    const Folder folder;
    const std::string text = "3 init\n3 compute 5\n3 isend 1 0 8 6\n3 irecv 1 0 8 6\n3 wait 3 1 0\n3 wait 1 3 "
                             "0\n3 allreduce 8 0 6\n";
    for (const std::string& path : {folder.write("t", text), folder.write("t.zst", zstandard(text))}) {
        const Words words = read_all(path, false, {7});
        ASSERT_EQ(words.size(), 7U);
        for (const auto& rank : words) {
            EXPECT_EQ(rank, (std::vector<std::string>{"compute 5", "isend 1 8 B #0", "irecv 1 8 B #1",
                                                      "wait #0", "wait #1", "allreduce 8 B"}));
        }
    }
    // One with the lines of several ranks is taken as it is if it has this number of them.
    EXPECT_EQ(error_of(folder.write("u", "0 init\n1 init\n"), {2}), "");
    EXPECT_THROW(error_of(folder.write("u", "0 init\n1 init\n"), {3}), UsageError);
}

TEST(TiLayouts, compressed_by_gzip_or_zstd_whatever_the_name) {
    const Folder folder;
    const std::string text = merged_text(5, 300);
    const std::string half = text.substr(0, text.size() / 2);
    const std::string rest = text.substr(text.size() / 2);
    EXPECT_EQ(read_all(folder.write("a.txt", gzipped(text))), expected());
    EXPECT_EQ(read_all(folder.write("b.txt", zstandard(text))), expected());
    EXPECT_EQ(read_all(folder.write("c", gzipped(half) + gzipped(rest))), expected()); // several members
    EXPECT_EQ(read_all(folder.write("d", zstandard(half) + zstandard(rest))), expected());
    for (std::uint32_t rank = 0; rank < 5; ++rank) {
        const std::string of_rank = rank_text(rank, 5, 300);
        folder.write(fmt::format("packed/rank-{}.txt.gz", rank), rank % 2 == 0 ? gzipped(of_rank) : of_rank);
    }
    EXPECT_EQ(read_all(folder / "packed"), expected());
    EXPECT_TRUE(looks_like_ti(folder / "packed"));
    EXPECT_TRUE(looks_like_ti(folder / "a.txt"));
}

TEST(TiLayouts, a_list_of_files_that_were_compressed_since) {
    const Folder folder;
    std::string list;
    for (std::uint32_t rank = 0; rank < 5; ++rank) {
        folder.write(fmt::format("rank-{}.txt.{}", rank, rank < 3 ? "gz" : "zst"),
                     rank < 3 ? gzipped(rank_text(rank, 5, 300)) : zstandard(rank_text(rank, 5, 300)));
        list += fmt::format("rank-{}.txt\n", rank);
    }
    EXPECT_EQ(read_all(folder.write("LIST", list)), expected());
}

TEST(TiLayouts, more_compressed_files_than_are_kept_open) {
    const Folder folder;
    for (std::uint32_t rank = 0; rank < 70; ++rank)
        folder.write(fmt::format("rank-{}.gz", rank), gzipped(rank_text(rank, 70, 20)));
    EXPECT_EQ(read_all(folder.path()), read_text(merged_text(70, 20)));
}

TEST(TiLayouts, ranks_that_alternate_too_often_to_be_listed) {
    const Folder folder; // 80 ranks x 1,200 lines are 96,000 parts
    const Words words = read_all(folder.write("t", mixed_text(80, 300)), true);
    const Words plain = read_text(merged_text(80, 300));
    ASSERT_EQ(words.size(), 80U);
    for (std::size_t rank = 0; rank < 80; ++rank) {
        ASSERT_EQ(words[rank].size(), plain[rank].size());
        for (std::size_t i = 0; i < words[rank].size(); ++i)
            ASSERT_EQ(words[rank][i], plain[rank][i] + fmt::format(" line {}", 80 * (i + 1) + rank + 1));
    }
}

// Longer than what is read at once, and with more counts than a window holds.
TEST(TiLayouts, long_lines) {
    constexpr std::uint32_t ranks = 600;
    const Folder folder;
    std::string text;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        std::string of_rank = fmt::format("{} init\n", rank);
        const bool acts = rank == 0 || rank == 313 || rank == 599;
        for (std::uint32_t i = 0; i < 7 && acts; ++i) {
            of_rank += fmt::format("{} alltoallv 1", rank);
            for (std::uint32_t k = 0; k < ranks; ++k) of_rank += fmt::format(" {}", 1000 + i + k);
            of_rank += " 1";
            for (std::uint32_t k = 0; k < ranks; ++k) of_rank += fmt::format(" {}", 1000 + rank + k);
            of_rank += fmt::format("\n{} compute {}\n", rank, i);
        }
        folder.write(fmt::format("files/rank-{}.txt", rank), of_rank);
        text += of_rank;
    }
    for (const std::string& path :
         {folder / "files", folder.write("all.txt", text), folder.write("all.gz", gzipped(text))}) {
        const TiTrace other = TiTrace::open(path);
        ASSERT_EQ(other.ranks(), ranks);
        const auto source = other.source();
        for (const std::uint32_t rank : {0U, 313U, 599U}) {
            std::vector<Bytes> seen;
            std::size_t actions = 0;
            for (std::span<const Action> window; !(window = source->next(RankId{rank})).empty();) {
                for (const Action& action : window) {
                    ++actions;
                    const auto counts = source->counts(RankId{rank}, action);
                    if (action.kind == ActionKind::compute) continue;
                    ASSERT_EQ(counts.size(), 2 * ranks);
                    seen.push_back(counts[5]);
                    EXPECT_EQ(counts[2 * ranks - 1], 1000 + rank + ranks - 1);
                }
            }
            EXPECT_EQ(actions, 14U);
            EXPECT_EQ(seen, (std::vector<Bytes>{1005, 1006, 1007, 1008, 1009, 1010, 1011}));
        }
    }
}

TEST(TiLayouts, several_sources_side_by_side) {
    const Folder folder;
    const TiTrace trace = TiTrace::open(folder.write("t", merged_text(5, 300)));
    const auto first = trace.source();
    (void)first->next(RankId{3});
    const auto second = trace.source();
    EXPECT_EQ(read_all(*second), expected());
}

TEST(TiLayouts, what_is_not_a_trace) {
    const Folder folder;
    EXPECT_FALSE(looks_like_ti(folder.write("a.goal", "num_ranks 2\nrank 0 {\n}\n")));
    EXPECT_FALSE(looks_like_ti(folder.write("b", "MPI_Init:-:1:2:100\n")));
    EXPECT_FALSE(looks_like_ti(folder.write("c", std::string("\0\1\2\3", 4))));
    EXPECT_FALSE(looks_like_ti(folder.write("d", "")));
    EXPECT_FALSE(looks_like_ti(folder.write("e", "12 34\n")));
    EXPECT_FALSE(looks_like_ti(folder / "absent"));
    EXPECT_FALSE(looks_like_ti(test_data() + "/traces/sweep3d-2x2"));
}

} // namespace
} // namespace orrery::layouts_test
