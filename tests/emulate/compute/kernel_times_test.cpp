#include "emulate/compute/kernel_times.h"

#include "engine/error.h"

#include <gtest/gtest.h>

namespace orrery::emulate::kernel_times_test {
namespace {

KernelTimes times(const char* text) { return {parse_kernels(text, "k.toml"), "k.toml"}; }

// Figure 8 of the HPL emulation paper.
TEST(EmulateKernelTimes, StampedeAsInThePaper) {
    const KernelTimes all = read_kernel_times("stampede");
    const KernelTime* const dgemm = all.find("dgemm");
    ASSERT_NE(dgemm, nullptr);
    const double m = 50'325;
    const double k = 1024;
    EXPECT_DOUBLE_EQ(*dgemm->seconds(m, m, k), 1.981e-12 * m * m * k + 6.316e-1);
    EXPECT_DOUBLE_EQ(*dgemm->seconds(1280, m, k), 1.029e-11 * 1280 * m * k);
    EXPECT_DOUBLE_EQ(*dgemm->seconds(m, 1280, k), 1.029e-11 * m * 1280 * k);
    EXPECT_DOUBLE_EQ(*dgemm->seconds(m, m, 256), 1.029e-11 * m * m * 256);
    const double n = 2000;
    EXPECT_DOUBLE_EQ(*all.find("dtrsm_left")->seconds(k, n, 0), 1.954e-12 * k * k * n + 5.222e-1);
    EXPECT_DOUBLE_EQ(*all.find("dtrsm_right")->seconds(k, n, 0), 1.954e-12 * k * n * n + 5.222e-1);
    EXPECT_DOUBLE_EQ(*all.find("dtrsm_left")->seconds(512, n, 0), 9.882e-12 * 512 * 512 * n);
    EXPECT_EQ(all.find("dger"), nullptr);
}

TEST(EmulateKernelTimes, AgreesWithTheModelItIsMadeFrom) {
    const char* const text = "[[kernel.x]]\nwhen = \"M >= 10 && N < 5\"\nterms = [\"2*M*N^2 - 3*K\", \"1\"]\n"
                             "coefficients = [1.5, 7]\n[[kernel.x]]\nwhen = \"K <= 2\"\nterms = [\"M\"]\n"
                             "coefficients = [-1]\n[[kernel.x]]\nterms = [\"M*N*K\"]\ncoefficients = [1]\n";
    const KernelModel model = parse_kernels(text, "k.toml").at("x");
    const KernelTime made(model, "k.toml");
    for (const double m : {1., 10., 11.}) {
        for (const double n : {2., 5.}) {
            for (const double k : {1., 2., 3.})
                EXPECT_DOUBLE_EQ(*made.seconds(m, n, k), model.seconds(Sizes{{"M", m}, {"N", n}, {"K", k}}));
        }
    }
}

TEST(EmulateKernelTimes, OneModelServesBothSides) {
    const KernelTimes all = times("[[kernel.dtrsm]]\nterms = [\"M\"]\ncoefficients = [1]\n");
    EXPECT_EQ(all.find("dtrsm_left"), all.find("dtrsm"));
    EXPECT_EQ(all.find("dgemm"), nullptr);
}

TEST(EmulateKernelTimes, NoPieceHolds) {
    const KernelTimes all = times("[[kernel.x]]\nwhen = \"M > 3\"\nterms = [\"M\"]\ncoefficients = [1]\n");
    EXPECT_FALSE(all.find("x")->seconds(3, 0, 0).has_value());
}

TEST(EmulateKernelTimes, UnknownSizeHasItsLine) {
    try {
        times("# comment\n\n[[kernel.x]]\nterms = [\"L*N\"]\ncoefficients = [1]\n");
        FAIL();
    } catch (const InputError& error) {
        EXPECT_EQ(error.error().file, "k.toml");
        EXPECT_EQ(error.error().line, 3U);
        EXPECT_NE(std::string(error.what()).find("'L'"), std::string::npos);
    }
}

} // namespace
} // namespace orrery::emulate::kernel_times_test
