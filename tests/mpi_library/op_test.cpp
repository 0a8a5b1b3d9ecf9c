#include "mpi_library/op.h"

#include "functions.h"
#include "mpi_library/datatype/transfer.h"

#include <gtest/gtest.h>

#include <complex>
#include <cstring>
#include <vector>

namespace orrery::emulate::mpi::op_test {
namespace {

// What `a op b` gives, on unaligned buffers.
template <typename T> T result(MPI_Op which, MPI_Datatype type, T a, T b) {
    std::vector<std::byte> in(sizeof(T) + 1), inout(sizeof(T) + 1);
    std::memcpy(in.data() + 1, &a, sizeof a);
    std::memcpy(inout.data() + 1, &b, sizeof b);
    op(which).apply(in.data() + 1, inout.data() + 1, 1, type);
    std::memcpy(&b, inout.data() + 1, sizeof b);
    return b;
}

int error_of(MPI_Op which, MPI_Datatype type) {
    try {
        op(which).check(datatype(type));
    } catch (const Failure& failure) {
        return failure.code();
    }
    return MPI_SUCCESS;
}

TEST(EmulatedOps, IntegersOfEverySize) {
    EXPECT_EQ(result<int>(MPI_MAX, MPI_INT, -3, 5), 5);
    EXPECT_EQ(result<int>(MPI_MIN, MPI_INT, -3, 5), -3);
    EXPECT_EQ(result<unsigned>(MPI_MAX, MPI_UNSIGNED, 0xffffffffU, 5), 0xffffffffU);
    EXPECT_EQ(result<std::int8_t>(MPI_SUM, MPI_INT8_T, 127, 1), -128);
    EXPECT_EQ(result<std::uint16_t>(MPI_PROD, MPI_UINT16_T, 0xffff, 0xffff), 1);
    EXPECT_EQ(result<int>(MPI_SUM, MPI_INT, 0x7fffffff, 1), static_cast<int>(0x80000000U));
    EXPECT_EQ(result<long>(MPI_PROD, MPI_LONG, 1L << 33, 3), 3L << 33);
    EXPECT_EQ(result<std::int64_t>(MPI_BXOR, MPI_INTEGER8, 6, 3), 5);
    EXPECT_EQ(result<short>(MPI_LAND, MPI_SHORT, 4, 2), 1);
    EXPECT_EQ(result<short>(MPI_LXOR, MPI_SHORT, 4, 2), 0);
    EXPECT_EQ(result<std::int64_t>(MPI_BAND, MPI_AINT, 12, 10), 8);
    EXPECT_EQ(result<unsigned char>(MPI_BOR, MPI_BYTE, 0xf0, 0x0f), 0xff);
    EXPECT_EQ(result<int>(MPI_LOR, MPI_LOGICAL, 0, 1), 1);
    EXPECT_EQ(result<bool>(MPI_LAND, MPI_C_BOOL, true, false), false);
}

TEST(EmulatedOps, RealAndComplexNumbers) {
    using C = std::complex<double>;
    EXPECT_EQ(result<double>(MPI_SUM, MPI_DOUBLE_PRECISION, 1.5, 2.25), 3.75);
    EXPECT_EQ(result<long double>(MPI_PROD, MPI_LONG_DOUBLE, 1.5L, 2.0L), 3.0L);
    EXPECT_EQ(result<float>(MPI_MIN, MPI_REAL4, 1.5F, -2.0F), -2.0F);
    EXPECT_EQ(result<C>(MPI_SUM, MPI_C_DOUBLE_COMPLEX, C(1, 2), C(3, 4)), C(4, 6));
    EXPECT_EQ(result<C>(MPI_PROD, MPI_DOUBLE_COMPLEX, C(1, 2), C(3, 4)), C(-5, 10));
}

TEST(EmulatedOps, LocationsPreferTheLowerIndex) {
    struct DoubleInt {
        double value;
        int index;
    };
    const auto low = result<DoubleInt>(MPI_MINLOC, MPI_DOUBLE_INT, {1.0, 7}, {1.0, 3});
    EXPECT_EQ(low.index, 3);
    EXPECT_EQ((result<DoubleInt>(MPI_MAXLOC, MPI_DOUBLE_INT, {2.0, 7}, {1.0, 3}).index), 7);
    struct ShortInt {
        short value;
        int index;
    };
    EXPECT_EQ((result<ShortInt>(MPI_MINLOC, MPI_SHORT_INT, {-2, 7}, {1, 3}).index), 7);
    EXPECT_EQ((result<std::array<float, 2>>(MPI_MAXLOC, MPI_2REAL, {1, 2}, {1, 1})[1]), 1.0F);
}

TEST(EmulatedOps, OnlyWhatTheStandardAllows) {
    EXPECT_EQ(error_of(MPI_SUM, MPI_BYTE), MPI_ERR_OP);
    EXPECT_EQ(error_of(MPI_BAND, MPI_DOUBLE), MPI_ERR_OP);
    EXPECT_EQ(error_of(MPI_LAND, MPI_FLOAT), MPI_ERR_OP);
    EXPECT_EQ(error_of(MPI_MAX, MPI_C_COMPLEX), MPI_ERR_OP);
    EXPECT_EQ(error_of(MPI_MINLOC, MPI_INT), MPI_ERR_OP);
    EXPECT_EQ(error_of(MPI_SUM, MPI_CHARACTER), MPI_ERR_OP);
    EXPECT_EQ(error_of(MPI_SUM, MPI_PACKED), MPI_ERR_OP);
    EXPECT_EQ(error_of(MPI_SUM, MPI_DOUBLE_INT), MPI_ERR_OP);
    EXPECT_EQ(error_of(MPI_REPLACE, MPI_DOUBLE_INT), MPI_SUCCESS);
    EXPECT_EQ(error_of(MPI_BOR, MPI_INTEGER), MPI_SUCCESS);
    EXPECT_EQ(error_of(MPI_OP_NULL, MPI_INT), MPI_ERR_OP);
    EXPECT_EQ(error_of(MPI_INT, MPI_INT), MPI_ERR_OP); // no operation at all
    MPI_Datatype type = MPI_DATATYPE_NULL;
    Type_contiguous(2, MPI_INT, &type);
    EXPECT_EQ(error_of(MPI_SUM, type), MPI_ERR_OP);
    Type_free(&type);
    Type_create_f90_real(10, MPI_UNDEFINED, &type);
    EXPECT_EQ(error_of(MPI_SUM, type), MPI_SUCCESS);
}

// a op b = 10 a + b: neither commutative nor blind to order.
void shift(void* in, void* inout, int* count, MPI_Datatype* type) {
    MPI_Aint lb = 0, extent = 0;
    Type_get_extent(*type, &lb, &extent);
    for (int i = 0; i < *count; ++i) {
        const auto* a = reinterpret_cast<int*>(static_cast<char*>(in) + i * extent);
        auto* b = reinterpret_cast<int*>(static_cast<char*>(inout) + i * extent);
        *b = 10 * *a + *b;
    }
}

TEST(EmulatedOps, PackedReductionKeepsTheOrder) {
    MPI_Op own = MPI_OP_NULL;
    Op_create(shift, 0, &own);
    int commutes = 1;
    Op_commutative(own, &commutes);
    EXPECT_EQ(commutes, 0);
    MPI_Datatype wide = MPI_DATATYPE_NULL;
    Type_create_resized(MPI_INT, 0, 24, &wide);
    for (const MPI_Datatype type : {MPI_INT, wide}) {
        std::vector<int> in(3000, 1), inout(3000, 2);
        const auto reduce = [&](bool in_first) {
            reduce_packed(op(own), type, reinterpret_cast<std::byte*>(in.data()),
                          reinterpret_cast<std::byte*>(inout.data()), in.size() * sizeof(int), in_first);
        };
        reduce(true);
        EXPECT_EQ(inout, std::vector<int>(3000, 12));
        reduce(false);
        EXPECT_EQ(inout, std::vector<int>(3000, 121));
    }
    Type_free(&wide);
    Op_free(&own);
    EXPECT_EQ(own, MPI_OP_NULL);
}

TEST(EmulatedOps, PackedPairsHaveNoGaps) {
    std::vector<std::byte> in(24), inout(24);
    const auto put = [](std::byte* at, double value, int index) {
        std::memcpy(at, &value, 8);
        std::memcpy(at + 8, &index, 4);
    };
    put(in.data(), 1, 1), put(in.data() + 12, 9, 2), put(inout.data(), 5, 3), put(inout.data() + 12, 4, 4);
    reduce_packed(op(MPI_MAXLOC), MPI_DOUBLE_INT, in.data(), inout.data(), 24, true);
    std::vector<std::byte> expected(24);
    put(expected.data(), 5, 3), put(expected.data() + 12, 9, 2);
    EXPECT_EQ(inout, expected);
}

TEST(EmulatedOps, AFreedOperationLivesWhileItIsUsed) {
    MPI_Op own = MPI_OP_NULL;
    Op_create(shift, 1, &own);
    const OpRef used(op(own));
    const MPI_Op old = own;
    Op_free(&own);
    EXPECT_THROW(op(old), Failure);
    int a = 3, b = 4;
    used->apply(&a, &b, 1, MPI_INT);
    EXPECT_EQ(b, 34);
    MPI_Op sum = MPI_SUM;
    EXPECT_THROW(Op_free(&sum), Failure);
}

} // namespace
} // namespace orrery::emulate::mpi::op_test
