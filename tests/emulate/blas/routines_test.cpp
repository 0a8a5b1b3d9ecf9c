#include "emulate/blas/routines.h"

#include "emulate/compute/compute.h"
#include "emulate/compute/fake_sink.h"

#include <gtest/gtest.h>
#include <set>
#include <string_view>

namespace orrery::emulate::routines_test {
namespace {

template <typename F> F* routine(std::string_view name) {
    for (const Symbol& each : blas_symbols()) {
        if (name == each.name) return reinterpret_cast<F*>(each.address);
    }
    ADD_FAILURE() << name;
    return nullptr;
}

class EmulateBlas : public testing::Test {
  protected:
    static KernelTimes times() {
        const char* const text = "[[kernel.dgemm]]\nterms = [\"M + 10*N + 100*K\"]\ncoefficients = [1]\n"
                                 "[[kernel.dtrsm_left]]\nterms = [\"M + 10*N\"]\ncoefficients = [1]\n"
                                 "[[kernel.dtrsm]]\nterms = [\"M + 10*N\"]\ncoefficients = [1000]\n"
                                 "[[kernel.dlaswp]]\nterms = [\"M + 10*N\"]\ncoefficients = [1]\n"
                                 "[[kernel.idamax]]\nterms = [\"N\"]\ncoefficients = [1]\n";
        return {parse_kernels(text, "k.toml"), "k.toml"};
    }
    static ComputeOptions none() {
        ComputeOptions options;
        options.measured = false;
        return options;
    }
    double spent() {
        const double seconds = sink.busy[0].seconds() - before;
        before += seconds;
        return seconds;
    }
    test::FakeSink sink;
    Compute compute{none(), times(), sink};
    double before = 0;
    double number = 1;
    double* const nothing = nullptr; // no matrix is touched
    const int ld = 1;
};

TEST_F(EmulateBlas, SizesReachTheModel) {
    const int m = 2;
    const int n = 3;
    const int k = 4;
    const char letter = 'N';
    routine<void(const char*, const char*, const int*, const int*, const int*, const double*, double*,
                 const int*, double*, const int*, const double*, double*, const int*)>("dgemm_")(
        &letter, &letter, &m, &n, &k, &number, nothing, &ld, nothing, &ld, &number, nothing, &ld);
    EXPECT_DOUBLE_EQ(spent(), 432);
    routine<void(int, int, int, int, int, int, double, double*, int, double*, int, double, double*, int)>(
        "cblas_dgemm")(102, 111, 111, m, n, k, 1.0, nothing, 1, nothing, 1, 1.0, nothing, 1);
    EXPECT_DOUBLE_EQ(spent(), 432);
    routine<void(const int*, double*, const int*, const int*, const int*, const int*, const int*)>("dlaswp_")(
        &n, nothing, &ld, &m, &k, nullptr, &ld);
    EXPECT_DOUBLE_EQ(spent(), 33); // rows 2 to 4
}

TEST_F(EmulateBlas, SidesHaveTheirModels) {
    const int m = 2;
    const int n = 3;
    auto* const fortran =
        routine<void(const char*, const char*, const char*, const char*, const int*, const int*, const double*,
                     double*, const int*, double*, const int*)>("dtrsm_");
    fortran("L", "U", "N", "N", &m, &n, &number, nothing, &ld, nothing, &ld);
    EXPECT_DOUBLE_EQ(spent(), 32);
    fortran("l", "U", "N", "N", &m, &n, &number, nothing, &ld, nothing, &ld);
    EXPECT_DOUBLE_EQ(spent(), 32);
    fortran("R", "U", "N", "N", &m, &n, &number, nothing, &ld, nothing, &ld);
    EXPECT_DOUBLE_EQ(spent(), 32'000);
    auto* const c =
        routine<void(int, int, int, int, int, int, int, double, double*, int, double*, int)>("cblas_dtrsm");
    c(102, 141, 121, 111, 131, m, n, 1.0, nothing, 1, nothing, 1);
    EXPECT_DOUBLE_EQ(spent(), 32);
    c(102, 142, 121, 111, 131, m, n, 1.0, nothing, 1, nothing, 1);
    EXPECT_DOUBLE_EQ(spent(), 32'000);
}

TEST_F(EmulateBlas, ResultsAreFixed) {
    const int n = 5;
    const int none_left = 0;
    auto* const fortran = routine<int(const int*, double*, const int*)>("idamax_");
    EXPECT_EQ(fortran(&n, nothing, &ld), 1);
    EXPECT_EQ(fortran(&none_left, nothing, &ld), 0);
    EXPECT_EQ(routine<std::size_t(int, double*, int)>("cblas_idamax")(n, nothing, 1), 0U);
    EXPECT_DOUBLE_EQ(spent(), 10);
    EXPECT_EQ(routine<double(const int*, double*, const int*)>("dnrm2_")(&n, nothing, &ld), 1.0);
    EXPECT_EQ(spent(), 0); // no model: no time
    int pivots[3] = {};
    int info = 9;
    const int m = 3;
    routine<void(const int*, const int*, double*, const int*, int*, int*)>("dgetrf_")(&m, &n, nothing, &ld,
                                                                                      pivots, &info);
    EXPECT_EQ(info, 0);
    EXPECT_EQ(pivots[0], 1);
    EXPECT_EQ(pivots[2], 3);
    double work = 0;
    const int ask = -1;
    routine<void(const int*, const int*, double*, const int*, double*, double*, const int*, int*)>("dgeqrf_")(
        &m, &n, nothing, &ld, nothing, &work, &ask, &info);
    EXPECT_EQ(work, 5);
}

// HPL copies the row, column and value of its pivot with it.
TEST_F(EmulateBlas, CopyingIsReal) {
    const double from[] = {1, 2, 3, 4, 5, 6};
    double to[6] = {};
    const int n = 3;
    const int two = 2;
    const int back = -1;
    routine<void(const int*, const double*, const int*, double*, const int*)>("dcopy_")(&n, from, &two, to,
                                                                                        &back);
    EXPECT_EQ(to[0], 5);
    EXPECT_EQ(to[1], 3);
    EXPECT_EQ(to[2], 1);
    EXPECT_EQ(to[3], 0);
    routine<void(int, const void*, int, void*, int)>("cblas_zcopy")(2, from, 2, to, 1);
    EXPECT_EQ(to[0], 1);
    EXPECT_EQ(to[1], 2);
    EXPECT_EQ(to[2], 5);
    EXPECT_EQ(to[3], 6);
}

TEST_F(EmulateBlas, TheTableHasTheRoutinesOfHpl) {
    std::set<std::string_view> names;
    for (const Symbol& each : blas_symbols()) EXPECT_TRUE(names.insert(each.name).second) << each.name;
    for (const char* const each : {"dgemm", "dtrsm", "dgemv", "dger", "dswap", "dscal", "daxpy", "dcopy",
                                   "ddot", "dnrm2", "dasum", "idamax", "dtrsv", "dsyrk", "dsymm", "dtrmm"}) {
        EXPECT_TRUE(names.count(std::string(each) + "_")) << each;
        EXPECT_TRUE(names.count("cblas_" + std::string(each))) << each;
    }
    for (const char* const each : {"dgetrf_", "dgetrs_", "dpotrf_", "dlaswp_", "dlacpy_", "dlange_", "zgemm_"})
        EXPECT_TRUE(names.count(each)) << each;
}

} // namespace
} // namespace orrery::emulate::routines_test
