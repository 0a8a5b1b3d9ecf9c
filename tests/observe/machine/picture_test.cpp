// Pictures: well-formed, everything in them once, nothing outside.
#include "engine/error.h"
#include "machine/routing/fabrics.h"
#include "observe/machine/layout.h"
#include "observe/machine/picture.h"

#include <cmath>
#include <gtest/gtest.h>
#include <pugixml.hpp>

namespace orrery::picture_test {
namespace {

std::vector<WiredMachine> machines() {
    return {fat_tree_machine("3; 4,4,4; 1,4,2"),
            fat_tree_machine("2; 4,3; 2,3; 1,2"),
            torus_machine({6}),
            torus_machine({4, 5}),
            torus_machine({3, 4, 5}),
            torus_machine({2, 3, 2, 3, 2}),
            torus_machine({4, 3}, false, 2),
            hypercube_machine(5),
            hyperx_machine({3, 4}, 2),
            dragonfly_machine(5, 2, 3, 2, 1),
            dragonfly_machine(1, 1, 5, 2, 1),
            crossbar_machine(12),
            ring_machine(9)};
}

std::size_t count(const std::string& text, const std::string& word) {
    std::size_t found = 0;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
    return found;
}

TEST(MachineLayout, NodesLieApartAndInsideThePage) {
    for (const WiredMachine& machine : machines()) {
        SCOPED_TRACE(machine.platform->topology().words());
        const Layout layout = lay_out(*machine.fabric);
        for (std::size_t i = 0; i < layout.spots.size(); ++i) {
            const Spot& a = layout.spots[i];
            if (a.size == 0) continue;
            EXPECT_GE(a.x - a.size, 0);
            EXPECT_GE(a.y - a.size, 0);
            EXPECT_LE(a.x + a.size, layout.width);
            EXPECT_LE(a.y + a.size, layout.height);
            for (std::size_t j = 0; j < i; ++j) {
                const Spot& b = layout.spots[j];
                if (b.size == 0) continue;
                ASSERT_GT(std::hypot(a.x - b.x, a.y - b.y), (a.size + b.size) * 0.95) << i << " and " << j;
            }
        }
    }
}

TEST(MachineLayout, EveryCableIsDrawnOnce) {
    for (const WiredMachine& machine : machines()) {
        SCOPED_TRACE(machine.platform->topology().words());
        const Layout layout = lay_out(*machine.fabric);
        std::set<std::uint32_t> cables;
        for (std::uint32_t i = 0; i < machine.platform->link_count(); ++i) { // injection channels are not drawn
            if (machine.fabric->is_channel({i}))
                cables.insert(std::min(i, machine.fabric->channel({i}).reverse.value));
        }
        std::set<std::uint32_t> drawn;
        for (const CableLine& cable : layout.cables) {
            EXPECT_TRUE(drawn.insert(cable.channel.value).second);
            EXPECT_FALSE(cable.path.empty());
        }
        EXPECT_EQ(drawn, cables);
    }
}

TEST(MachinePicture, IsXmlWithANodeForEachSwitchAndHost) {
    for (const WiredMachine& machine : machines()) {
        SCOPED_TRACE(machine.platform->topology().words());
        const std::string svg = draw_machine(*machine.fabric, {"a < b", {"& more"}}, nullptr);
        pugi::xml_document document;
        const auto result = document.load_string(svg.c_str());
        EXPECT_TRUE(result) << result.description();
        EXPECT_EQ(count(svg, "<rect"), machine.fabric->switch_count() + 1U); // and the ground
        const bool injects = machine.fabric->injection_channel({0}) != no_link;
        EXPECT_EQ(count(svg, "<circle"), injects ? 0U : machine.fabric->host_count());
        EXPECT_EQ(svg, draw_machine(*machine.fabric, {"a < b", {"& more"}}, nullptr));
    }
}

TEST(MachinePicture, ShowsTheLoadOfAPattern) {
    const WiredMachine tree = fat_tree_machine("2; 4,4; 1,4");
    const auto naive = routing_of(tree, {"routing.policy=naive"});
    const PatternLoad load = load_of(*tree.fabric, *naive, read_pattern(*tree.platform, "shift:4"));
    const std::string svg = draw_machine(*tree.fabric, {"tree", {}}, &load);
    EXPECT_EQ(count(svg, ": 4 flows"), 4U); // one up cable of each leaf
    EXPECT_EQ(count(svg, ": 1 flow<"), 16U);
    EXPECT_NE(svg.find("flows on a cable"), std::string::npos);
}

TEST(MachinePicture, LeavesOutManyHostsAndRefusesTooMuch) {
    const WiredMachine tree = fat_tree_machine("2; 40,20; 1,4");
    const std::string svg = draw_machine(*tree.fabric, {"tree", {}}, nullptr);
    EXPECT_NE(svg.find("800 hosts are not drawn"), std::string::npos);
    EXPECT_EQ(count(svg, "<circle"), 0U);
    EXPECT_THROW(lay_out(*torus_machine({16, 16, 16}).fabric), UsageError);
}

} // namespace
} // namespace orrery::picture_test
