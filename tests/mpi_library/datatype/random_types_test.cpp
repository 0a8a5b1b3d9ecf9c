// Random datatypes, nested up to three deep, against the list of their elements.
#include "functions.h"
#include "mpi_library/datatype/datatype.h"
#include "mpi_library/datatype/elements.h"
#include "mpi_library/datatype/transfer.h"
#include "reference/type_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

namespace orrery::emulate::mpi::random_types_test {
namespace {

using reference::byte_offsets;
using reference::TypeMap;

class RandomTypes {
  public:
    explicit RandomTypes(unsigned seed) : random_(seed) {}
    ~RandomTypes() {
        for (MPI_Datatype& type : made_) Type_free(&type);
    }
    RandomTypes(const RandomTypes&) = delete;
    RandomTypes& operator=(const RandomTypes&) = delete;

    int number(int low, int high) { return std::uniform_int_distribution(low, high)(random_); }

    MPI_Datatype basic() {
        constexpr MPI_Datatype types[] = {MPI_CHAR,      MPI_SHORT,       MPI_INT,  MPI_DOUBLE,
                                          MPI_SHORT_INT, MPI_DOUBLE_INT,  MPI_BYTE, MPI_C_DOUBLE_COMPLEX,
                                          MPI_2INT,      MPI_LONG_DOUBLE, MPI_LONG, MPI_LONG_DOUBLE_INT};
        return types[number(0, std::size(types) - 1)];
    }

    MPI_Datatype any(int depth) {
        MPI_Datatype type = MPI_DATATYPE_NULL;
        if (depth == 0) return basic();
        const MPI_Datatype old = any(depth - 1);
        const int count = number(0, 9) == 0 ? 0 : number(1, 5);
        const auto lengths = numbers(count, 0, 3);
        const auto displacements = numbers(count, -6, 12);
        const std::vector<MPI_Aint> bytes(displacements.begin(), displacements.end());
        switch (number(0, 12)) {
        case 0: Type_contiguous(count, old, &type); break;
        case 1: Type_vector(count, number(0, 3), number(-4, 5), old, &type); break;
        case 2: Type_create_hvector(count, number(0, 3), number(-60, 90), old, &type); break;
        case 3: Type_indexed(count, lengths.data(), displacements.data(), old, &type); break;
        case 4: Type_create_hindexed(count, lengths.data(), bytes.data(), old, &type); break;
        case 5: Type_create_indexed_block(count, number(0, 3), displacements.data(), old, &type); break;
        case 6: Type_create_hindexed_block(count, number(0, 3), bytes.data(), old, &type); break;
        case 7:
        case 8: type = structure(count, lengths, bytes, old, depth); break;
        case 9: type = subarray(old); break;
        case 10: type = darray(old); break;
        case 11: Type_create_resized(old, number(-8, 8), number(-40, 80), &type); break;
        default: Type_dup(old, &type); break;
        }
        made_.push_back(type);
        return type;
    }

  private:
    std::vector<int> numbers(int count, int low, int high) {
        std::vector<int> list;
        for (int i = 0; i < count; ++i) list.push_back(number(low, high));
        return list;
    }
    MPI_Datatype structure(int count, const std::vector<int>& lengths, const std::vector<MPI_Aint>& bytes,
                           MPI_Datatype old, int depth) {
        std::vector<MPI_Datatype> types;
        for (int i = 0; i < count; ++i) {
            const int which = number(0, 9);
            types.push_back(which == 0   ? MPI_LB
                            : which == 1 ? MPI_UB
                            : which < 5  ? old
                                         : any(number(0, depth - 1)));
        }
        MPI_Datatype type = MPI_DATATYPE_NULL;
        Type_create_struct(count, lengths.data(), bytes.data(), types.data(), &type);
        return type;
    }
    MPI_Datatype subarray(MPI_Datatype old) {
        const int n = number(1, 3);
        const auto sizes = numbers(n, 1, 4);
        std::vector<int> sub, starts;
        for (const int size : sizes) {
            sub.push_back(number(1, size));
            starts.push_back(number(0, size - sub.back()));
        }
        MPI_Datatype type = MPI_DATATYPE_NULL;
        Type_create_subarray(n, sizes.data(), sub.data(), starts.data(), order(), old, &type);
        return type;
    }
    MPI_Datatype darray(MPI_Datatype old) {
        const int n = number(1, 3);
        const auto sizes = numbers(n, 1, 6);
        std::vector<int> kinds, arguments, processes;
        int all = 1;
        for (const int size : sizes) {
            const int kind = number(0, 2);
            kinds.push_back(kind == 0   ? MPI_DISTRIBUTE_NONE
                            : kind == 1 ? MPI_DISTRIBUTE_BLOCK
                                        : MPI_DISTRIBUTE_CYCLIC);
            processes.push_back(kind == 0 ? 1 : number(1, 3));
            const int least = kind == 1 ? (size + processes.back() - 1) / processes.back() : 1;
            arguments.push_back(number(0, 1) == 0 ? MPI_DISTRIBUTE_DFLT_DARG : number(least, least + 2));
            all *= processes.back();
        }
        MPI_Datatype type = MPI_DATATYPE_NULL;
        Type_create_darray(all, number(0, all - 1), n, sizes.data(), kinds.data(), arguments.data(),
                           processes.data(), order(), old, &type);
        return type;
    }
    int order() { return number(0, 1) == 0 ? MPI_ORDER_C : MPI_ORDER_FORTRAN; }

    std::mt19937 random_;
    std::vector<MPI_Datatype> made_;
};

// Memory that holds `count` elements, and where address 0 of the first is in it.
struct Memory {
    std::vector<std::byte> bytes;
    std::int64_t origin = 0;

    explicit Memory(const std::vector<std::int64_t>& offsets, bool filled) {
        if (offsets.empty()) return;
        const auto [low, high] = std::minmax_element(offsets.begin(), offsets.end());
        origin = -*low;
        bytes.resize(static_cast<std::size_t>(*high - *low + 1));
        if (!filled) return;
        for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 131 + i / 251 + 1);
    }
    void* base() { return reinterpret_cast<void*>(reinterpret_cast<std::intptr_t>(bytes.data()) + origin); }
    std::byte& at(std::int64_t offset) { return bytes[static_cast<std::size_t>(offset + origin)]; }
};

class RandomTypesTest : public testing::TestWithParam<unsigned> {};

TEST_P(RandomTypesTest, BoundsAndSizesFollowFromTheElements) {
    RandomTypes types(GetParam());
    for (int i = 0; i < 200; ++i) {
        const MPI_Datatype handle = types.any(types.number(1, 3));
        const Datatype& type = datatype(handle);
        const TypeMap map = reference::type_map(handle);
        ASSERT_EQ(type.size(), static_cast<Bytes>(map.size())) << i;
        ASSERT_EQ(type.elements(), static_cast<std::int64_t>(map.elements.size())) << i;
        ASSERT_EQ(type.lb(), map.lb) << i;
        ASSERT_EQ(type.extent(), map.extent()) << i;
        ASSERT_EQ(type.true_lb(), map.true_lb()) << i;
        ASSERT_EQ(type.true_extent(), map.true_ub() - map.true_lb()) << i;
    }
}

TEST_P(RandomTypesTest, PackingInPiecesTakesTheBytesOfTheTypeMap) {
    RandomTypes types(GetParam());
    for (int i = 0; i < 100; ++i) {
        const MPI_Datatype handle = types.any(types.number(1, 3));
        const Datatype& type = datatype(handle);
        const int count = types.number(0, 4);
        const auto offsets = byte_offsets(reference::type_map(handle), count);
        ASSERT_EQ(offsets.size(), type.size() * static_cast<Bytes>(count));
        Memory memory(offsets, true);
        std::vector<std::byte> packed(offsets.size());
        for (std::size_t done = 0; done < packed.size();) {
            const auto now =
                std::min<std::size_t>(packed.size() - done, static_cast<std::size_t>(types.number(1, 200)));
            pack(type, memory.base(), count, done, now, packed.data() + done);
            done += now;
        }
        for (std::size_t k = 0; k < packed.size(); ++k)
            ASSERT_EQ(packed[k], memory.at(offsets[k])) << i << " " << k;
        if (!packed.empty() && type.dense()) {
            ASSERT_EQ(offsets[0], 0);
            ASSERT_EQ(offsets.back() + 1, static_cast<std::int64_t>(offsets.size()));
        }
    }
}

TEST_P(RandomTypesTest, UnpackingInPiecesWritesThoseBytesAndNoOthers) {
    RandomTypes types(GetParam());
    for (int i = 0; i < 100; ++i) {
        const MPI_Datatype handle = types.any(types.number(1, 3));
        const Datatype& type = datatype(handle);
        const int count = types.number(0, 4);
        const auto offsets = byte_offsets(reference::type_map(handle), count);
        std::vector<std::byte> packed(offsets.size());
        for (std::size_t k = 0; k < packed.size(); ++k) packed[k] = static_cast<std::byte>(k % 255 + 1);
        Memory expected(offsets, false), got(offsets, false);
        for (std::size_t k = 0; k < packed.size(); ++k) expected.at(offsets[k]) = packed[k];
        for (std::size_t done = 0; done < packed.size();) {
            const auto now =
                std::min<std::size_t>(packed.size() - done, static_cast<std::size_t>(types.number(1, 200)));
            unpack(type, got.base(), count, done, now, packed.data() + done);
            done += now;
        }
        ASSERT_EQ(got.bytes, expected.bytes) << i;
    }
}

TEST_P(RandomTypesTest, CopyingEqualsPackingAndUnpacking) {
    RandomTypes types(GetParam());
    for (int i = 0; i < 100; ++i) {
        const MPI_Datatype from_handle = types.any(types.number(0, 3)),
                           to_handle = types.any(types.number(0, 3));
        const Datatype &from = datatype(from_handle), &to = datatype(to_handle);
        const int from_count = types.number(0, 5), to_count = types.number(0, 5);
        const auto from_offsets = byte_offsets(reference::type_map(from_handle), from_count);
        const auto to_offsets = byte_offsets(reference::type_map(to_handle), to_count);
        const std::size_t bytes = std::min(from_offsets.size(), to_offsets.size());
        Memory source(from_offsets, true), expected(to_offsets, false), got(to_offsets, false);
        for (std::size_t k = 0; k < bytes; ++k) expected.at(to_offsets[k]) = source.at(from_offsets[k]);
        copy(from, source.base(), from_count, to, got.base(), to_count, bytes);
        ASSERT_EQ(got.bytes, expected.bytes) << i;
    }
}

TEST_P(RandomTypesTest, ElementsAreCountedInTheOrderOfTheTypeMap) {
    RandomTypes types(GetParam());
    for (int i = 0; i < 100; ++i) {
        const MPI_Datatype handle = types.any(types.number(1, 3));
        const TypeMap map = reference::type_map(handle);
        const int whole = types.number(0, 2);
        std::int64_t bytes = whole * map.size();
        auto elements = whole * static_cast<std::int64_t>(map.elements.size());
        for (const auto& e : map.elements) {
            ASSERT_EQ(elements_in(datatype(handle), static_cast<Bytes>(bytes)), elements);
            ASSERT_EQ(bytes_of_elements(datatype(handle), elements), static_cast<Bytes>(bytes));
            bytes += e.size;
            ++elements;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomTypesTest, testing::Range(1U, 9U));

} // namespace
} // namespace orrery::emulate::mpi::random_types_test
