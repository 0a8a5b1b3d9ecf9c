#include "emulate/compute/symbols.h"

#include <array>
#include <gtest/gtest.h>

namespace orrery::emulate::skip_test {
namespace {

TEST(EmulateSkip, PatternsNamesAndResults) {
    constexpr std::array<const char*, 4> names{"main", "HPL_pdmatgen", "HPL_dlaswp01T", "HPL_dlaswp02N"};
    const std::array<std::string, 4> patterns{"HPL_dlaswp*", "HPL_pdmatgen", "HPL_dlaswp0?N", "HPL_none"};
    std::vector<std::string> unused;
    const std::vector<Symbol> found = skip_symbols(patterns, names, unused);
    ASSERT_EQ(found.size(), 3U);
    EXPECT_STREQ(found[0].name, "HPL_dlaswp01T");
    EXPECT_STREQ(found[1].name, "HPL_dlaswp02N");
    EXPECT_STREQ(found[2].name, "HPL_pdmatgen");
    ASSERT_EQ(unused.size(), 1U);
    EXPECT_EQ(unused[0], "HPL_none");
    EXPECT_EQ(reinterpret_cast<long (*)(int)>(found[0].address)(7), 0);
    EXPECT_EQ(reinterpret_cast<double (*)(double)>(found[0].address)(7.5), 0.0);
}

} // namespace
} // namespace orrery::emulate::skip_test
