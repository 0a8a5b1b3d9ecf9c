// The packet network against its flit-by-flit twin, on random small networks: every segment starts and ends at
// the same picosecond on every channel, and every message arrives at the same.
#include "reference/random_packets.h"
#include "reference/sanitized.h"

#include <cstdlib>
#include <gtest/gtest.h>

namespace orrery::reference::against_twin_test {

namespace {

struct Mode {
    const char* name;
    PacketMode mode;
};

class PacketTwin : public testing::TestWithParam<Mode> {};
class SlowPacketTwin : public testing::TestWithParam<Mode> {};

// ORRERY_PACKET_CASE=seed runs one case alone.
void compare(const PacketMode& mode, std::uint64_t first, std::uint64_t count) {
    if (const char* const only = std::getenv("ORRERY_PACKET_CASE"); only != nullptr) {
        first = std::strtoull(only, nullptr, 10);
        count = 1;
    }
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        const PacketCase each = random_packets(mode, seed);
        if (difference(each).empty()) continue;
        const PacketCase smaller = minimise(each);
        FAIL() << "case " << seed << " (ORRERY_PACKET_CASE=" << seed << " runs it alone):\n"
               << to_words(smaller) << difference(smaller);
    }
}

constexpr std::uint64_t cases = sanitized ? 15 : 120;
TEST_P(PacketTwin, SegmentsMoveAtTheSameTimes) { compare(GetParam().mode, 1, cases); }
TEST_P(SlowPacketTwin, SegmentsMoveAtTheSameTimes) { compare(GetParam().mode, 100'000, 2000); }

constexpr auto cut = Switching::cut_through;
constexpr auto worm = Switching::wormhole;
constexpr auto credits = FlowControl::credits;
constexpr auto stop_go = FlowControl::stop_go;
// "Adaptive": routes are chosen by message, by segment or at every hop, by what waits there.
const auto modes = testing::Values(Mode{"InputCredits", {cut, credits, Queueing::input, false}},
                                   Mode{"InputStopGo", {cut, stop_go, Queueing::input, false}},
                                   Mode{"OutputCredits", {cut, credits, Queueing::output, false}},
                                   Mode{"OutputStopGo", {cut, stop_go, Queueing::output, false}},
                                   Mode{"CombinedCredits", {cut, credits, Queueing::combined, false}},
                                   Mode{"CombinedStopGo", {cut, stop_go, Queueing::combined, false}},
                                   Mode{"WormholeCredits", {worm, credits, Queueing::input, false}},
                                   Mode{"WormholeStopGo", {worm, stop_go, Queueing::input, false}},
                                   Mode{"AdaptiveInput", {cut, credits, Queueing::input, true}},
                                   Mode{"AdaptiveOutput", {cut, credits, Queueing::output, true}},
                                   Mode{"AdaptiveCombined", {cut, credits, Queueing::combined, true}},
                                   Mode{"AdaptiveWormhole", {worm, credits, Queueing::input, true}});
const auto name = [](const auto& each) { return each.param.name; };

INSTANTIATE_TEST_SUITE_P(Modes, PacketTwin, modes, name);
INSTANTIATE_TEST_SUITE_P(Modes, SlowPacketTwin, modes, name);

} // namespace

} // namespace orrery::reference::against_twin_test
