#include "machine/host_names.h"

#include "engine/error.h"

#include <gtest/gtest.h>

namespace orrery::host_names_test {
namespace {

TEST(HostNames, NumbersBetweenPrefixAndSuffix) {
    const HostNames names("graphene-", "1-3,58,10-11", ".nancy");
    ASSERT_EQ(names.count(), 6U);
    EXPECT_EQ(names.name(0), "graphene-1.nancy");
    EXPECT_EQ(names.name(3), "graphene-58.nancy");
    EXPECT_EQ(names.name(5), "graphene-11.nancy");
    for (std::uint32_t i = 0; i < names.count(); ++i) EXPECT_EQ(names.find(names.name(i)), i);
    for (const char* other :
         {"graphene-4.nancy", "graphene-.nancy", "graphene-01.nancy", "graphene-1", "1", ""}) {
        EXPECT_EQ(names.find(other), std::nullopt) << other;
    }
}

TEST(HostNames, RefusesWhatIsNoList) {
    for (const char* bad :
         {"", "a", "1-", "-3", "3-1", "1,,2", "1-2-3", "1,1", "0-5,3", "0-99999999999", "1.5"}) {
        EXPECT_THROW(HostNames("n", bad, ""), UsageError) << bad;
    }
}

TEST(HostNames, NaturalOrder) {
    EXPECT_TRUE(natural_less("n2", "n10"));
    EXPECT_FALSE(natural_less("n10", "n2"));
    EXPECT_TRUE(natural_less("a9b2", "a9b10"));
    EXPECT_TRUE(natural_less("n", "n0"));
    EXPECT_TRUE(natural_less("a10", "b1"));
    EXPECT_FALSE(natural_less("n1", "n1"));
    EXPECT_NE(natural_less("n01", "n1"), natural_less("n1", "n01")); // a total order
    EXPECT_TRUE(natural_less("n99999999999999999999", "n100000000000000000000"));
}

} // namespace
} // namespace orrery::host_names_test
