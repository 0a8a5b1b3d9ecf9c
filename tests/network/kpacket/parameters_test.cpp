#include "network/kpacket/parameters.h"

#include "engine/error.h"

#include <gtest/gtest.h>

namespace orrery::parameters_test {
namespace {

TEST(KPacketParameters, AreReadWithUnits) {
    Settings settings;
    settings.set("kpacket.sharing", "exclusive", "test");
    settings.set("kpacket.injection", "18 GB/s", "test");
    settings.set("kpacket.ejection", "unlimited", "test");
    settings.set("kpacket.piece", "64 KiB", "test");
    const KPacketParameters read = read_kpacket_parameters(settings);
    EXPECT_EQ(read.sharing, LinkSharing::exclusive);
    EXPECT_EQ(read.injection, 18e9);
    EXPECT_EQ(read.ejection, 0);
    EXPECT_EQ(read.piece, 65536U);
    EXPECT_EQ(describe(read),
              "links carry one message at a time, hosts send 18 GB/s at most, pieces of 65.54 kB");
    const std::array<std::span<const Parameter>, 1> known{kpacket_parameters()};
    EXPECT_NO_THROW(settings.check_known(known));
}

TEST(KPacketParameters, NonsenseIsRefused) {
    for (const auto& [key, value] : {std::pair{"kpacket.sharing", "shares"},
                                     {"kpacket.injection", "-1 GB/s"},
                                     {"kpacket.ejection", "fast"},
                                     {"kpacket.ejection", "0 GB/s"},
                                     {"kpacket.tolerance", "2"},
                                     {"kpacket.local", "perhaps"},
                                     {"kpacket.piece", "0"}}) {
        Settings settings;
        settings.set(key, value, "test");
        EXPECT_THROW((void)read_kpacket_parameters(settings), InputError) << key;
    }
}

} // namespace
} // namespace orrery::parameters_test
