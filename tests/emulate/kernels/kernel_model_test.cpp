#include "emulate/kernels/kernel_model.h"

#include "engine/error.h"
#include "engine/random.h"

#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace orrery::kernel_model_test {
namespace {

// Figure 8 of the HPL emulation paper: seconds per M*N*K (M*M*N for DTRSM), and intercepts, for the CPU and for
// the accelerator. The exponents of the intercepts are not legible in our copy; these are of a plausible size.
constexpr double dgemm_cpu = 1.029e-11;
constexpr double dgemm_phi = 1.981e-12;
constexpr double dtrsm_cpu = 9.882e-12;
constexpr double dtrsm_phi = 1.954e-12;
constexpr double dgemm_cpu_intercept = 2.737e-2;
constexpr double dgemm_phi_intercept = 6.316e-1;
constexpr double dtrsm_cpu_intercept = 4.329e-2;
constexpr double dtrsm_phi_intercept = 5.222e-1;

std::string stampede_points(double noise) {
    const RandomStream random(4, 2);
    std::uint64_t drawn = 0;
    std::string text = "routine,M,N,K,seconds\n";
    const auto noisy = [&](double seconds) {
        return seconds * (1 + noise * (2 * random.uniform(drawn++) - 1));
    };
    for (const int m : {128, 256, 400, 512, 800, 1500, 3000, 6000, 10000, 20000}) {
        for (const int n : {128, 300, 512, 1000, 2000, 5000, 12000, 25000}) {
            const double triangle = 1.0 * m * m * n;
            text += fmt::format("dtrsm,{},{},,{:.6e}\n", m, n,
                                noisy(m > 512 && n > 512 ? dtrsm_phi * triangle + dtrsm_phi_intercept
                                                         : dtrsm_cpu * triangle + dtrsm_cpu_intercept));
            for (const int k : {64, 256, 1024, 4096}) {
                const double volume = 1.0 * m * n * k;
                text += fmt::format("dgemm,{},{},{},{:.6e}\n", m, n, k,
                                    noisy(m > 512 && n > 512 ? dgemm_phi * volume + dgemm_phi_intercept
                                                             : dgemm_cpu * volume + dgemm_cpu_intercept));
            }
        }
    }
    return text;
}

TEST(KernelModel, TheCoefficientsOfStampedeAreFoundAgain) {
    const auto points = parse_kernel_points(stampede_points(0.05), "p.csv");
    const KernelOptions options{"", "M>512 && N>512"};
    const KernelModel dgemm = fit_kernel("dgemm", points.at("dgemm"), options, "p.csv");
    const KernelModel dtrsm = fit_kernel("dtrsm", points.at("dtrsm"), options, "p.csv");
    ASSERT_EQ(dgemm.pieces.size(), 2U);
    const auto expect = [](const KernelPiece& piece, double coefficient, double intercept) {
        EXPECT_NEAR(piece.coefficients[0] / coefficient, 1, 0.03);
        EXPECT_NEAR(piece.coefficients[1] / intercept, 1, 0.03);
        EXPECT_LT(std::abs(piece.coefficients[0] - coefficient), 4 * piece.standard_errors[0]);
        EXPECT_LT(std::abs(piece.coefficients[1] - intercept), 4 * piece.standard_errors[1]);
        EXPECT_GT(piece.r2, 0.99);
        EXPECT_LT(piece.worst_error, 0.08);
    };
    expect(dgemm.pieces[0], dgemm_phi / 2, dgemm_phi_intercept); // per operation: 2*M*N*K
    expect(dgemm.pieces[1], dgemm_cpu / 2, dgemm_cpu_intercept);
    expect(dtrsm.pieces[0], dtrsm_phi, dtrsm_phi_intercept);
    expect(dtrsm.pieces[1], dtrsm_cpu, dtrsm_cpu_intercept);
    // Close to the peak: section VII.A gives 1.009 Tflop/s.
    EXPECT_NEAR(1 / dgemm.pieces[0].coefficients[0], 1.009e12, 0.03e12);
}

TEST(KernelModel, TermsOfOnesOwn) {
    std::string text = "routine,M,N,seconds\n";
    for (const int m : {1, 2, 5, 9, 20}) {
        for (const int n : {1, 3, 7, 30})
            text += fmt::format("mine,{},{},{}\n", m, n, 3.0 * m * n + 0.5 * m * m + 7);
    }
    const auto points = parse_kernel_points(text, "p.csv");
    EXPECT_THROW(fit_kernel("mine", points.at("mine"), {}, "p.csv"), UsageError);
    const KernelModel model = fit_kernel("mine", points.at("mine"), {"M*N, M^2, 1", ""}, "p.csv");
    EXPECT_NEAR(model.pieces[0].coefficients[0], 3, 1e-9);
    EXPECT_NEAR(model.pieces[0].coefficients[1], 0.5, 1e-9);
    EXPECT_NEAR(model.pieces[0].coefficients[2], 7, 1e-9);
    EXPECT_NEAR(model.seconds({{"M", 4}, {"N", 5}}), 75, 1e-8);
    EXPECT_THROW((void)model.seconds({{"M", 4}}), UsageError);
}

TEST(KernelModel, PointsThatDoNotSuffice) {
    const auto points =
        parse_kernel_points("routine,M,N,K,seconds\ndgemm,4,4,4,1\ndgemm,4,4,4,1.1\ndgemv,4,4,,1\n", "p.csv");
    const auto words = [&](const char* routine) -> std::string {
        try {
            (void)fit_kernel(routine, points.at(routine), {}, "p.csv");
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_NE(words("dgemm").find("cannot tell the terms apart"), std::string::npos);
    EXPECT_NE(words("dgemv").find("1 points are too few for 2 terms"), std::string::npos);
    const auto half = parse_kernel_points("routine,M,seconds\ndgemm,4,1\ndgemm,5,1\n", "p.csv");
    try {
        (void)fit_kernel("dgemm", half.at("dgemm"), {}, "p.csv");
        FAIL();
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("p.csv:2: dgemm: there is no size 'N'"), std::string::npos)
            << error.what();
    }
}

TEST(KernelModel, ASplitThatHasOneSideOnlyIsNone) {
    const auto points =
        parse_kernel_points("routine,N,seconds\ndaxpy,10,1\ndaxpy,20,2\ndaxpy,30,3.1\n", "p.csv");
    const KernelModel model = fit_kernel("daxpy", points.at("daxpy"), {"", "N > 100"}, "p.csv");
    EXPECT_EQ(model.pieces.size(), 1U);
    EXPECT_TRUE(model.pieces[0].when.always());
    ASSERT_FALSE(model.notes.empty());
}

TEST(KernelModel, ASideMakesTwoRoutines) {
    const auto points =
        parse_kernel_points("routine,side,M,N,seconds\ndtrsm,L,2,3,1\ndtrsm,right,2,3,1\n", "p.csv");
    EXPECT_TRUE(points.contains("dtrsm_left"));
    EXPECT_TRUE(points.contains("dtrsm_right"));
    EXPECT_STREQ(known_work("dtrsm_right"), "M*N^2");
}

TEST(KernelModel, BadPointsAreNamed) {
    const auto error_of = [](const std::string& text) -> std::string {
        try {
            (void)parse_kernel_points(text, "p.csv");
        } catch (const InputError& error) {
            return error.what();
        }
        return "fine";
    };
    EXPECT_NE(error_of("").find("no points"), std::string::npos);
    EXPECT_NE(error_of("routine,M,seconds\n").find("no points"), std::string::npos);
    EXPECT_NE(error_of("M,N\n1,2\n").find("p.csv:1: the first line should name"), std::string::npos);
    EXPECT_NE(error_of("routine,M,M,seconds\n").find("two columns 'M'"), std::string::npos);
    EXPECT_NE(error_of("routine,M,seconds\ndgemm,4\n").find("p.csv:2: 2 columns"), std::string::npos);
    EXPECT_NE(error_of("routine,M,seconds\ndgemm,x,1\n").find("p.csv:2:2: 'x' is not a size"),
              std::string::npos);
    EXPECT_NE(error_of("routine,M,seconds\ndgemm,-4,1\n").find("not a size"), std::string::npos);
    EXPECT_NE(error_of("routine,M,seconds\ndgemm,4,0\n").find("not a time"), std::string::npos);
    EXPECT_NE(error_of("routine,M,seconds\ndgemm,4,nan\n").find("not a time"), std::string::npos);
    EXPECT_NE(error_of("routine,M,seconds\ndgemm,4,\n").find("time is missing"), std::string::npos);
    EXPECT_NE(error_of("routine,M,seconds\n,4,1\n").find("no name"), std::string::npos);
    EXPECT_NE(error_of("routine,M,seconds\na b,4,1\n").find("not a name"), std::string::npos);
    EXPECT_NE(error_of("routine,side,seconds\ndtrsm,up,1\n").find("not a side"), std::string::npos);
    EXPECT_EQ(error_of("# measured today\nroutine, M, seconds\r\n\ndgemm, 4, 1e-3\r\n"), "fine");
}

TEST(KernelModel, TheFileGivesTheModelBack) {
    const auto points = parse_kernel_points(stampede_points(0.05), "p.csv");
    const KernelModel model = fit_kernel("dgemm", points.at("dgemm"), {"", "M>512 && N>512"}, "p.csv");
    const auto read = parse_kernels(kernel_text({model}, "p.csv"), "k.toml");
    ASSERT_TRUE(read.contains("dgemm"));
    for (const double m : {100.0, 512.0, 513.0, 5000.0}) {
        const Sizes sizes{{"M", m}, {"N", 2000}, {"K", 300}};
        EXPECT_NEAR(read.at("dgemm").seconds(sizes) / model.seconds(sizes), 1, 1e-5);
    }
    EXPECT_EQ(read.at("dgemm").pieces[0].points, model.pieces[0].points);
}

TEST(KernelModel, BadFilesAreNamed) {
    const auto error_of = [](const std::string& text) -> std::string {
        try {
            (void)parse_kernels(text, "k.toml");
        } catch (const InputError& error) {
            return error.what();
        }
        return "fine";
    };
    EXPECT_NE(error_of("").find("no [[kernel.ROUTINE]]"), std::string::npos);
    EXPECT_NE(error_of("[kernel\n").find("k.toml:1"), std::string::npos);
    EXPECT_NE(error_of("[kernel]\ndgemm = 3\n").find("expected a table"), std::string::npos);
    EXPECT_NE(error_of("[[kernel.a]]\nterms = []\ncoefficients = []\n").find("'terms' should be"),
              std::string::npos);
    EXPECT_NE(error_of("[[kernel.a]]\nterms = [\"M\"]\n").find("'coefficients' is missing"), std::string::npos);
    EXPECT_NE(error_of("[[kernel.a]]\nterms = [\"M\"]\ncoefficients = [1, 2]\n").find("1 terms, but 2"),
              std::string::npos);
    EXPECT_NE(error_of("[[kernel.a]]\nterms = [\"M**N\"]\ncoefficients = [1]\n").find("not a number or a name"),
              std::string::npos);
    EXPECT_NE(error_of("[[kernel.a]]\nwhen = \"M\"\nterms = [\"M\"]\ncoefficients = [1]\n").find("comparisons"),
              std::string::npos);
    EXPECT_NE(error_of("[[kernel.a]]\ntrems = [\"M\"]\n").find("unknown key 'trems'"), std::string::npos);
    EXPECT_EQ(error_of("[kernel.a]\nterms = [\"M\"]\ncoefficients = [1.5]\n"), "fine");
}

TEST(KernelTerms, AreReadAndEvaluated) {
    const Sizes sizes{{"M", 3}, {"N", 5}, {"n_b", 2}};
    EXPECT_EQ(Polynomial::parse("2*M*N").at(sizes), 30);
    EXPECT_EQ(Polynomial::parse(" M ^2 * n_b ").at(sizes), 18);
    EXPECT_EQ(Polynomial::parse("M*N^2 - 0.5*N^3 + 1").at(sizes), 75 - 62.5 + 1);
    EXPECT_EQ(Polynomial::parse("-M + 1e-1*N").at(sizes), -2.5);
    EXPECT_EQ(Polynomial::parse("1").at({}), 1);
    EXPECT_EQ(parse_terms("M*N, N, 1").size(), 3U);
    for (const char* bad :
         {"", "*", "M*", "M^", "M^0", "M^1.5", "M^99", "M N", "3 4", "M+", "M,,N", "2(M)", "+", "-"})
        EXPECT_THROW((void)parse_terms(bad), UsageError) << bad;
    EXPECT_TRUE(Condition::parse("M > 2 && N<=5").holds(sizes));
    EXPECT_FALSE(Condition::parse("M>=3&&N<5").holds(sizes));
    EXPECT_TRUE(Condition::parse("").always());
    EXPECT_THROW((void)Condition::parse("K > 1").holds(sizes), UsageError);
    for (const char* bad : {"M", "M >", "> 3", "M == 3", "M > N", "M > 3 &&& N > 2", "M > 3 || N > 2"})
        EXPECT_THROW((void)Condition::parse(bad), UsageError) << bad;
}

} // namespace
} // namespace orrery::kernel_model_test
