// The binary form: everything comes back, little is needed, and damage is found.
#include "formats/ti/oti_checksum.h"
#include "formats/ti/oti_layout.h"
#include "ti_text.h"

#include <cstring>
#include <random>
#include <span>

namespace orrery::binary_test {
namespace {

using namespace ti_test;

// Any actions, sound or not: what a writer is given.
class Listed : public ActionSource {
  public:
    explicit Listed(std::vector<std::vector<Action>> ranks) : ranks_(std::move(ranks)), given_(ranks_.size()) {}
    [[nodiscard]] std::uint32_t ranks() const override { return static_cast<std::uint32_t>(ranks_.size()); }
    std::span<const Action> next(RankId rank) override {
        if (given_[rank.index()]) return {};
        given_[rank.index()] = true;
        return ranks_[rank.index()];
    }
    [[nodiscard]] std::span<const Bytes> counts(RankId, const Action& action) const override {
        return std::span(counts_).subspan(action.first_count, action.counts);
    }
    [[nodiscard]] std::string file(RankId) const override { return "list"; }
    std::vector<Bytes> counts_;

  private:
    std::vector<std::vector<Action>> ranks_;
    std::vector<bool> given_;
};

std::string everything() {
    return "0 init\n0 compute 5\n0 compute 5\n0 compute 1e6\n0 compute 1000001\n0 compute 0.125\n0 compute "
           "1e300\n0 compute 7\n"
           "0 sleep 0.5\n0 send 1 7 100 6\n0 Ssend 1 7 100 6\n0 isend 1 0 0 6\n0 ISsend 1 2147483647 4e15 6\n0 "
           "recv 1 -444 5 "
           "6\n0 irecv -555 -444 5 6\n0 sendRecv 5 1 6 -555\n0 probe 1 3\n0 recv 1 3 -1 6\n0 test 0 1 0\n0 "
           "wait 0 1 0\n"
           "0 waitAny 2\n0 waitall\n0 barrier\n0 bcast 5 1 0\n0 reduce 5 3.5 1 0\n0 allreduce 8 0 0\n0 "
           "iallreduce 8 7 0\n"
           "0 gatherv 5 1 2 0 6 6\n0 allgatherv 5 1 2\n0 alltoallv 5 1 2 5 3 4\n0 ialltoallw 5 1 2 5 3 4\n0 "
           "waitsome\n"
           "0 reducescatter 1 2 5 1\n0 comm_split 3 1 2\n0 comm_dup 4 comm=3\n0 comm_create 5 1 0\n0 bcast 5 "
           "comm=5\n"
           "0 comm_free 4\n0 comm_split 9 -1 0\n0 scatterv 5 5 7 0 6 6\n0 reducescatterblock 5 1 0\n1 init\n1 "
           "scan 5 1 0\n"
           "1 rma 0 8 0\n1 rma 0 8 0\n1 irma 0 0 4e15\n1 irma 1 7 8\n1 waitall\n1 win_lock 0 7\n1 win_unlock "
           "0\n1 win_fence\n1 win_post 2 0 1\n1 win_wait\n1 isend 0 0 5 6\n1 cancel req=0\n1 aside 0 1 0 0 8 0 "
           "1 1 0 0 0 16\n1 aside\n1 waitall\n";
}

TEST(TiBinary, all_actions_come_back) {
    const Folder folder;
    const std::string text = folder.write("t", everything());
    const TiTrace trace = TiTrace::open(text);
    const TiWritten written = write_oti(*trace.source(), folder / "t.oti", trace.tally());
    const Words words = read_all(text);
    EXPECT_EQ(read_all(folder / "t.oti"), words);
    EXPECT_EQ(written.actions, words[0].size() + words[1].size());
    EXPECT_EQ(written.bytes, std::filesystem::file_size(folder / "t.oti"));
    EXPECT_TRUE(looks_like_ti(folder / "t.oti"));
    EXPECT_EQ(TiTrace::open(folder / "t.oti").format(), "binary time-independent trace");
}

TEST(TiBinary, notes_are_kept) {
    const Folder folder;
    const TiTrace trace = TiTrace::open(folder.write("t", "0 send 0 0 5 -1\n0 recv 0 0 5 -1\n"));
    write_oti(*trace.source(), folder / "t.oti", trace.tally());
    const TiTrace binary = TiTrace::open(folder / "t.oti");
    (void)binary.source();
    ASSERT_EQ(binary.notes().size(), 1U);
    EXPECT_EQ(binary.notes(), trace.notes());
}

TEST(TiBinary, random_actions_come_back) {
    std::mt19937_64 random(11);
    const auto below = [&](std::uint64_t n) { return random() % n; };
    std::vector<std::vector<Action>> ranks(3);
    std::vector<Bytes> counts;
    for (auto& rank : ranks) {
        for (int i = 0; i < 60'000; ++i) {
            Action action;
            const bool repeated = below(2) == 0; // small numbers: the same again and again
            const auto number = [&](std::uint64_t n) {
                return static_cast<std::uint32_t>(below(repeated ? std::min<std::uint64_t>(n, 3) : n));
            };
            switch (below(6)) {
            case 0:
                action.volume = repeated ? static_cast<double>(below(1000))
                                         : std::ldexp(static_cast<double>(below(1 << 20)),
                                                      static_cast<int>(below(100)) - 50);
                break;
            case 1:
                action.kind = ActionKind::isend;
                action.peer = number(3);
                action.tag = number(1U << 31);
                action.bytes = number(1U << 31);
                action.request = number(5000);
                break;
            case 2:
                action.kind = ActionKind::recv;
                action.peer = below(9) == 0 ? any_source : number(3);
                action.tag = below(9) == 0 ? any_tag : number(1000);
                action.bytes = below(9) == 0 ? any_bytes : number(1U << 31);
                break;
            case 3:
                action.kind = ActionKind::wait;
                action.request = number(3);
                break;
            case 4:
                action.kind = ActionKind::collective;
                action.collective = Collective::alltoallv;
                action.first_count = static_cast<std::uint32_t>(counts.size());
                action.counts = 6;
                for (int k = 0; k < 6; ++k) counts.push_back(below(1U << 30));
                break;
            default:
                action.kind = ActionKind::collective;
                action.collective = Collective::allreduce;
                action.bytes = number(1000);
                action.element = 1 + number(16);
                action.volume = number(5);
                action.commutative = below(3) != 0;
            }
            rank.push_back(action);
        }
        for (std::uint32_t request = 0; request < 5000; ++request) { // so that all numbers are in range
            Action action;
            action.kind = ActionKind::irecv;
            action.request = request;
            rank.push_back(action);
        }
    }
    const Folder folder;
    Listed source(ranks);
    source.counts_ = counts;
    write_oti(source, folder / "r.oti");
    Listed again(ranks);
    again.counts_ = counts;
    EXPECT_EQ(read_all(folder / "r.oti"), read_all(again));
}

std::string ring_of(std::uint32_t ranks, std::uint32_t rounds) {
    std::string text;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        for (std::uint32_t i = 0; i < rounds; ++i) {
            text += fmt::format("{0} recv {1} 0 1240 6\n{0} recv {2} 0 1240 6\n{0} compute {3}\n{0} send {1} 0 "
                                "1240 6\n{0} send {2} 0 "
                                "1240 6\n",
                                rank, (rank + 1) % ranks, (rank + ranks - 1) % ranks,
                                1'000'000 + (i * 7919) % 50'000);
        }
    }
    return text;
}

TEST(TiBinary, takes_less_than_four_bytes_per_action_of_a_wavefront) {
    const Folder folder;
    const TiTrace trace = TiTrace::open(folder.write("t", ring_of(8, 2000)));
    const TiWritten written = write_oti(*trace.source(), folder / "t.oti");
    EXPECT_EQ(written.actions, 80'000U);
    EXPECT_LT(written.bytes, 2 * written.actions);
}

std::string outcome(const std::string& path) {
    try {
        return fmt::format("{}", read_all(path).size());
    } catch (const InputError& error) {
        return error.error().reason;
    }
}

class TiDamagedBinary : public testing::Test {
  protected:
    TiDamagedBinary() {
        const TiTrace trace = TiTrace::open(folder_.write("t", everything() + ring_of(2, 20)));
        write_oti(*trace.source(), folder_ / "good.oti");
        bytes_ = read_file(folder_ / "good.oti");
    }
    std::string with(std::string bytes) { return outcome(folder_.write("bad.oti", bytes)); }
    // Checksums are made right again, so that the decoder itself is tried.
    std::string mended(std::string bytes) {
        ti::OtiHeader header;
        std::memcpy(&header, bytes.data(), sizeof header);
        for (std::size_t at = sizeof header; at + sizeof(ti::SegmentHeader) < header.index_offset;) {
            ti::SegmentHeader segment;
            std::memcpy(&segment, bytes.data() + at, sizeof segment);
            if (segment.bytes > header.index_offset - at - sizeof segment) break;
            segment.checksum =
                static_cast<std::uint32_t>(XXH3_64bits(bytes.data() + at + sizeof segment, segment.bytes));
            std::memcpy(bytes.data() + at, &segment, sizeof segment);
            at += sizeof segment + segment.bytes;
        }
        const auto index = std::as_bytes(std::span(bytes)).subspan(header.index_offset);
        header.checksum = ti::checksum_of(header, index);
        std::memcpy(bytes.data(), &header, sizeof header);
        return bytes;
    }
    Folder folder_;
    std::string bytes_;
};

TEST_F(TiDamagedBinary, is_refused) {
    EXPECT_EQ(with(bytes_), "2");
    EXPECT_EQ(with(mended(bytes_)), "2");
    EXPECT_EQ(with(bytes_.substr(0, 50)), "too short for a binary trace (.oti)");
    EXPECT_NE(with(bytes_.substr(0, bytes_.size() - 1)).find("cut off"), std::string::npos);
    EXPECT_NE(with(bytes_ + "x").find("cut off or damaged"), std::string::npos);
    std::string changed = bytes_;
    changed[8] = 9;
    EXPECT_EQ(with(changed), "a binary trace of version 9; expected version 1");
    changed = bytes_;
    changed[200] ^= 1;
    EXPECT_EQ(with(changed), "the file is damaged: the checksum of a segment is wrong");
    changed = bytes_;
    changed[changed.size() - 5] ^= 1;
    EXPECT_EQ(with(changed), "the file is damaged: the checksum of its index is wrong");
}

// Each byte in turn becomes something else: read or refused, never anything worse.
TEST_F(TiDamagedBinary, never_misleads_the_decoder) {
    std::size_t refused = 0;
    for (std::size_t i = sizeof(ti::OtiHeader); i < bytes_.size(); ++i) {
        for (const char flip : {'\x01', '\x80', '\xff'}) {
            std::string changed = bytes_;
            changed[i] = static_cast<char>(changed[i] ^ flip);
            if (with(mended(changed)) != "2") ++refused;
        }
    }
    EXPECT_GT(refused, bytes_.size()); // most changes make no sense
}

} // namespace
} // namespace orrery::binary_test
