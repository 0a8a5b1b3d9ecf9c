#include "mpi_library/datatype/datatype.h"

#include "functions.h"
#include "mpi_library/code_of.h"
#include "mpi_library/datatype/transfer.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace orrery::emulate::mpi::datatype_test {
namespace {

TEST(EmulatedTypes, PairsAreLaidOutAsInC) {
    const auto check = [](MPI_Datatype type, Bytes size, std::int64_t extent, std::int64_t true_extent) {
        EXPECT_EQ(datatype(type).size(), size);
        EXPECT_EQ(datatype(type).extent(), extent);
        EXPECT_EQ(datatype(type).true_extent(), true_extent);
    };
    check(MPI_DOUBLE_INT, 12, 16, 12);
    check(MPI_SHORT_INT, 6, 8, 8);
    check(MPI_LONG_DOUBLE_INT, 20, 32, 20);
    check(MPI_2INT, 8, 8, 8);
    EXPECT_TRUE(datatype(MPI_2INT).dense());
    EXPECT_FALSE(datatype(MPI_DOUBLE_INT).dense());
    EXPECT_EQ(datatype(MPI_DOUBLE_INT).elements(), 2);
}

TEST(EmulatedTypes, LargeRegularTypesAreOnePiece) {
    MPI_Datatype vector = MPI_DATATYPE_NULL, row = MPI_DATATYPE_NULL, indexed = MPI_DATATYPE_NULL,
                 regular = MPI_DATATYPE_NULL;
    Type_vector(1000000, 1, 3, MPI_DOUBLE, &vector);
    EXPECT_EQ(datatype(vector).layout().piece_count(), 1U);
    Type_vector(1000000, 3, 3, MPI_DOUBLE, &row);
    EXPECT_TRUE(datatype(row).dense());
    std::vector<int> places;
    for (int i = 0; i < 1000; ++i) places.push_back(5 * i);
    Type_create_indexed_block(1000, 2, places.data(), MPI_INT, &indexed);
    EXPECT_EQ(datatype(indexed).layout().piece_count(), 1U);
    const int lengths[] = {1, 2};
    const MPI_Aint offsets[] = {0, 16};
    const MPI_Datatype types[] = {MPI_DOUBLE, MPI_INT};
    MPI_Datatype particle = MPI_DATATYPE_NULL;
    Type_create_struct(2, lengths, offsets, types, &particle);
    Type_contiguous(1000000, particle, &regular);
    EXPECT_LE(datatype(regular).layout().piece_count(), 3U);
    for (MPI_Datatype* type : {&vector, &row, &indexed, &particle, &regular}) Type_free(type);
}

TEST(EmulatedTypes, AFreedTypeLivesInsideOthers) {
    MPI_Datatype inner = MPI_DATATYPE_NULL, outer = MPI_DATATYPE_NULL;
    const std::size_t before = own_types().count();
    Type_vector(2, 1, 2, MPI_INT, &inner);
    Type_contiguous(3, inner, &outer);
    const MPI_Datatype old = inner;
    Type_free(&inner);
    EXPECT_EQ(inner, MPI_DATATYPE_NULL);
    EXPECT_EQ(code_of([&] { datatype(old); }), MPI_ERR_TYPE);
    int count = 0;
    MPI_Aint none = 0;
    Type_get_contents(outer, 1, 0, 1, &count, &none, &inner); // a new handle of the same type
    EXPECT_EQ(datatype(inner).size(), 8U);
    const TypeRef kept(datatype(outer));
    Type_free(&inner);
    Type_free(&outer);
    EXPECT_EQ(kept->size(), 24U);
    EXPECT_EQ(own_types().count(), before);
}

TEST(EmulatedTypes, ContentsGiveTheSameHandleWhileItLives) {
    MPI_Datatype inner = MPI_DATATYPE_NULL, outer = MPI_DATATYPE_NULL, again = MPI_DATATYPE_NULL;
    Type_contiguous(2, MPI_INT, &inner);
    Type_contiguous(3, inner, &outer);
    int count = 0;
    MPI_Aint none = 0;
    Type_get_contents(outer, 1, 0, 1, &count, &none, &again);
    EXPECT_EQ(again, inner);
    Type_free(&again);
    EXPECT_EQ(datatype(inner).size(), 8U); // still there
    Type_free(&inner);
    Type_free(&outer);
}

TEST(EmulatedTypes, WrongUseHasItsErrorClass) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    const int negative[] = {-1}, one[] = {1}, three[] = {3};
    EXPECT_EQ(code_of([&] { Type_contiguous(-1, MPI_INT, &type); }), MPI_ERR_COUNT);
    EXPECT_EQ(code_of([&] { Type_contiguous(1, MPI_DATATYPE_NULL, &type); }), MPI_ERR_TYPE);
    EXPECT_EQ(code_of([&] { Type_vector(1, -1, 1, MPI_INT, &type); }), MPI_ERR_ARG);
    EXPECT_EQ(code_of([&] { Type_indexed(1, negative, one, MPI_INT, &type); }), MPI_ERR_ARG);
    EXPECT_EQ(code_of([&] { Type_create_subarray(1, one, three, negative, MPI_ORDER_C, MPI_INT, &type); }),
              MPI_ERR_ARG);
    type = MPI_INT;
    EXPECT_EQ(code_of([&] { Type_free(&type); }), MPI_ERR_TYPE);
    EXPECT_EQ(code_of([&] { Type_get_contents(MPI_INT, 0, 0, 0, nullptr, nullptr, nullptr); }), MPI_ERR_TYPE);
    EXPECT_EQ(code_of([&] { datatype(MPI_SUM); }), MPI_ERR_TYPE);
    Type_contiguous(1, MPI_INT, &type);
    EXPECT_EQ(code_of([&] { committed_datatype(type); }), MPI_ERR_TYPE);
    Type_commit(&type);
    EXPECT_EQ(code_of([&] { committed_datatype(type); }), MPI_SUCCESS);
    Type_free(&type);
}

TEST(EmulatedTypes, NamesOfPredefinedTypesCanBeChanged) {
    char name[MPI_MAX_OBJECT_NAME];
    int length = 0;
    Type_get_name(MPI_DOUBLE, name, &length);
    EXPECT_STREQ(name, "MPI_DOUBLE");
    Type_set_name(MPI_DOUBLE, "real");
    Type_get_name(MPI_DOUBLE, name, &length);
    EXPECT_STREQ(name, "real");
    Type_set_name(MPI_DOUBLE, "MPI_DOUBLE");
}

TEST(EmulatedTypes, SignaturesCompareWhatIsInside) {
    MPI_Datatype three = MPI_DATATYPE_NULL, mixed = MPI_DATATYPE_NULL, swapped = MPI_DATATYPE_NULL;
    Type_contiguous(3, MPI_INT, &three);
    const int lengths[] = {1, 1};
    const MPI_Aint offsets[] = {0, 8};
    const MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE}, other[] = {MPI_DOUBLE, MPI_INT};
    Type_create_struct(2, lengths, offsets, types, &mixed);
    Type_create_struct(2, lengths, offsets, other, &swapped);
    const auto fits = [](MPI_Datatype a, int n, MPI_Datatype b, int m) {
        return compatible(datatype(a), n, datatype(b), m);
    };
    EXPECT_TRUE(fits(three, 2, MPI_INT, 6));
    EXPECT_TRUE(fits(MPI_INT, 2, MPI_INT, 6)); // shorter
    EXPECT_FALSE(fits(MPI_INT, 1, MPI_FLOAT, 1));
    EXPECT_TRUE(fits(MPI_INT, 1, MPI_BYTE, 4));
    EXPECT_TRUE(fits(MPI_PACKED, 8, MPI_DOUBLE, 1));
    EXPECT_TRUE(fits(mixed, 2, mixed, 2));
    EXPECT_FALSE(fits(mixed, 2, swapped, 2));
    EXPECT_TRUE(fits(MPI_C_DOUBLE_COMPLEX, 2, MPI_DOUBLE, 4));
    for (MPI_Datatype* type : {&three, &mixed, &swapped}) Type_free(type);
}

TEST(EmulatedTypes, FortranKindsGiveTheSameTypeAgain) {
    MPI_Datatype first = MPI_DATATYPE_NULL, second = MPI_DATATYPE_NULL;
    Type_create_f90_real(15, 200, &first);
    Type_create_f90_real(15, 200, &second);
    EXPECT_EQ(first, second);
    EXPECT_EQ(datatype(first).size(), 8U);
    EXPECT_TRUE(datatype(first).committed());
    int integers = 0, addresses = 0, types = 0, combiner = 0;
    Type_get_envelope(first, &integers, &addresses, &types, &combiner);
    EXPECT_EQ(combiner, MPI_COMBINER_F90_REAL);
    EXPECT_EQ(integers, 2);
    EXPECT_EQ(code_of([&] { Type_create_f90_integer(99, &first); }), MPI_ERR_ARG);
    Type_match_size(MPI_TYPECLASS_COMPLEX, 16, &first);
    EXPECT_EQ(first, MPI_COMPLEX16);
}

TEST(EmulatedTypes, BytesGoThroughTheHook) {
    static Bytes moved;
    moved = 0;
    const CopyBytes plain = copy_bytes;
    copy_bytes = [](void* to, const void* from, Bytes bytes) {
        moved += bytes;
        std::memcpy(to, from, bytes);
    };
    MPI_Datatype type = MPI_DATATYPE_NULL;
    Type_vector(4, 1, 2, MPI_INT, &type);
    int from[8] = {1, 2, 3, 4, 5, 6, 7, 8}, to[4] = {};
    copy(datatype(type), from, 1, datatype(MPI_INT), to, 4, 16);
    copy_bytes = plain;
    EXPECT_EQ(moved, 16U);
    EXPECT_EQ(to[3], 7);
    Type_free(&type);
}

TEST(EmulatedTypes, PackExternalIsBigEndianWithFixedSizes) {
    const long numbers[] = {1, -2};
    std::vector<unsigned char> out(8);
    MPI_Aint position = 0, size = 0;
    Pack_external_size("external32", 2, MPI_LONG, &size);
    EXPECT_EQ(size, 8);
    Pack_external("external32", numbers, 2, MPI_LONG, out.data(), 8, &position);
    EXPECT_EQ(position, 8);
    EXPECT_EQ(out, (std::vector<unsigned char>{0, 0, 0, 1, 0xff, 0xff, 0xff, 0xfe}));
    long back[2] = {};
    position = 0;
    Unpack_external("external32", out.data(), 8, &position, back, 2, MPI_LONG);
    EXPECT_EQ(back[1], -2);
    const long double value = 1.0L / 3;
    long double same = 0;
    std::vector<unsigned char> wide(16);
    position = 0;
    Pack_external("external32", &value, 1, MPI_LONG_DOUBLE, wide.data(), 16, &position);
    EXPECT_EQ(wide[0], 0x3f);
    EXPECT_EQ(wide[1], 0xfd);
    position = 0;
    Unpack_external("external32", wide.data(), 16, &position, &same, 1, MPI_LONG_DOUBLE);
    EXPECT_EQ(same, value);
    EXPECT_EQ(code_of([&] { Pack_external("internal", numbers, 1, MPI_LONG, out.data(), 8, &position); }),
              MPI_ERR_ARG);
}

TEST(EmulatedTypes, PackRefusesWhatDoesNotFit) {
    const int numbers[4] = {1, 2, 3, 4};
    char out[16];
    int position = 4;
    EXPECT_EQ(code_of([&] { Pack(numbers, 4, MPI_INT, out, 16, &position, MPI_COMM_WORLD); }),
              MPI_ERR_TRUNCATE);
    EXPECT_EQ(position, 4);
    Pack(numbers, 3, MPI_INT, out, 16, &position, MPI_COMM_WORLD);
    EXPECT_EQ(position, 16);
}

TEST(EmulatedTypes, CountsAndElementsOfAStatus) {
    MPI_Status status{};
    int count = 0;
    status.bytes_ = 14; // two pairs of 6 bytes and the short of a third
    Get_count(&status, MPI_SHORT_INT, &count);
    EXPECT_EQ(count, MPI_UNDEFINED);
    Get_elements(&status, MPI_SHORT_INT, &count);
    EXPECT_EQ(count, 5);
    Status_set_elements(&status, MPI_SHORT_INT, 4);
    Get_count(&status, MPI_SHORT_INT, &count);
    EXPECT_EQ(count, 2);
}

} // namespace
} // namespace orrery::emulate::mpi::datatype_test
