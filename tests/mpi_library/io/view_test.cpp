// Views of random filetypes against the list of their bytes: where each byte of the stream is in the file, what
// is written and read, and how much of the stream lies in a file of a given length.
#include "mpi_library/io/view.h"

#include "functions.h"
#include "reference/type_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <random>
#include <unistd.h>
#include <vector>

namespace orrery::emulate::mpi::view_test {
namespace {

using Offsets = std::vector<std::int64_t>;

class TemporaryFile {
  public:
    TemporaryFile() : file_(std::tmpfile()) {}
    ~TemporaryFile() { std::fclose(file_); }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    [[nodiscard]] int descriptor() const { return ::fileno(file_); }
    [[nodiscard]] std::vector<std::byte> content() const {
        const off_t length = ::lseek(descriptor(), 0, SEEK_END);
        std::vector<std::byte> bytes(static_cast<std::size_t>(length));
        EXPECT_EQ(::pread(descriptor(), bytes.data(), bytes.size(), 0), length);
        return bytes;
    }

  private:
    std::FILE* file_;
};

class ViewOfRandomType : public ::testing::TestWithParam<unsigned> {
  protected:
    int number(int low, int high) { return std::uniform_int_distribution(low, high)(random_); }

    // Blocks that go forward, of elements of one size, and an extent beyond them.
    MPI_Datatype ascending() {
        MPI_Datatype blocks = MPI_DATATYPE_NULL;
        const MPI_Datatype old = number(0, 1) == 0 ? MPI_SHORT : MPI_INT;
        if (number(0, 2) == 0) {
            const int length = number(1, 3);
            Type_vector(number(1, 4), length, number(length, 6), old, &blocks);
        } else {
            std::vector<int> lengths, displacements;
            int at = number(0, 3);
            for (int i = number(1, 5); i > 0; --i) {
                lengths.push_back(number(1, 3));
                displacements.push_back(at);
                at += lengths.back() + number(0, 4);
            }
            Type_indexed(static_cast<int>(lengths.size()), lengths.data(), displacements.data(), old, &blocks);
        }
        const std::int64_t end = datatype(blocks).true_lb() + datatype(blocks).true_extent();
        MPI_Datatype tile = MPI_DATATYPE_NULL;
        Type_create_resized(blocks, 0, end + number(0, 9), &tile);
        Type_free(&blocks);
        return tile;
    }

    void SetUp() override {
        type_ = ascending();
        view_.displacement = number(0, 20);
        view_.filetype = TypeRef(datatype(type_));
        view_.etype = TypeRef(datatype(reference::type_map(type_).elements[0].size == 2 ? MPI_SHORT : MPI_INT));
        places_ = reference::byte_offsets(reference::type_map(type_), 4);
        for (std::int64_t& place : places_) place += view_.displacement;
    }
    void TearDown() override { Type_free(&type_); }

    std::mt19937 random_{GetParam()};
    MPI_Datatype type_ = MPI_DATATYPE_NULL;
    View view_;
    Offsets places_; // of the bytes of the stream, in the file
};

TEST_P(ViewOfRandomType, IsAscending) { EXPECT_TRUE(is_ascending(*view_.filetype, false)); }

TEST_P(ViewOfRandomType, KnowsWhereEachByteIs) {
    for (std::size_t i = 0; i < places_.size(); ++i) EXPECT_EQ(view_.byte_offset(i), places_[i]) << i;
}

TEST_P(ViewOfRandomType, WritesAndReadsAnyPartOfTheStream) {
    for (int round = 0; round < 5; ++round) {
        const auto all = static_cast<int>(places_.size());
        const int first = number(0, all - 1);
        const int count = number(0, all - first);
        std::vector<std::byte> out(static_cast<std::size_t>(count));
        for (std::byte& each : out) each = static_cast<std::byte>(number(1, 255));
        const TemporaryFile file;
        const Moved written =
            write_stream(file.descriptor(), view_, static_cast<Bytes>(first), out.size(), out.data());
        EXPECT_EQ(written.bytes, out.size());
        const std::vector<std::byte> content = file.content();
        std::vector<std::byte> expected(content.size());
        for (int i = 0; i < count; ++i) {
            const auto at = static_cast<std::size_t>(places_[static_cast<std::size_t>(first + i)]);
            ASSERT_LT(at, expected.size());
            expected[at] = out[static_cast<std::size_t>(i)];
        }
        EXPECT_EQ(content, expected);
        // More than there is: up to the end of the file.
        std::vector<std::byte> in(out.size() + 100);
        const Moved read =
            read_stream(file.descriptor(), view_, static_cast<Bytes>(first), in.size(), in.data());
        EXPECT_EQ(read.bytes, out.size());
        EXPECT_TRUE(std::equal(out.begin(), out.end(), in.begin()));
    }
}

TEST_P(ViewOfRandomType, CountsEtypesUpToTheEndOfTheFile) {
    const auto size = static_cast<std::int64_t>(view_.etype->size());
    for (std::int64_t length = 0; length < places_.back(); ++length) {
        const auto inside =
            std::count_if(places_.begin(), places_.end(), [&](std::int64_t place) { return place < length; });
        EXPECT_EQ(view_.etypes_in(length), (inside + size - 1) / size) << length;
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, ViewOfRandomType, ::testing::Range(0U, 40U));

TEST(FileView, KnowsTypesThatGoBackOrOverlap) {
    const auto is_right = [](std::vector<int> lengths, std::vector<int> displacements, bool overlaps_allowed) {
        MPI_Datatype type = MPI_DATATYPE_NULL;
        Type_indexed(static_cast<int>(lengths.size()), lengths.data(), displacements.data(), MPI_INT, &type);
        const bool right = is_ascending(datatype(type), overlaps_allowed);
        Type_free(&type);
        return right;
    };
    EXPECT_TRUE(is_right({1, 1}, {0, 3}, false));
    EXPECT_FALSE(is_right({1, 1}, {3, 0}, true));
    EXPECT_FALSE(is_right({1, 1}, {-1, 3}, true));
    EXPECT_FALSE(is_right({3, 1}, {0, 1}, false));
    EXPECT_TRUE(is_right({3, 1}, {0, 1}, true));
}

} // namespace
} // namespace orrery::emulate::mpi::view_test
