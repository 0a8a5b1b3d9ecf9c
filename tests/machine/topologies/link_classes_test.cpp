// Links are of the class whose section of the machine file describes them: a key of that section changes them
// and no others.
#include "machine/topologies/named_links.h"

#include <fmt/format.h>
#include <map>
#include <set>

namespace orrery::link_class_names_test {
namespace {

using Names = std::vector<std::string>;

Names classes_of_route(const Platform& platform, std::uint32_t from, std::uint32_t to) {
    std::vector<LinkId> links;
    platform.route({from}, {to}, links);
    Names names;
    for (const LinkId link : links) names.push_back(platform.topology().link_class(link));
    return names;
}

struct Shape {
    std::string toml; // of [topology]
    Names classes;    // all but the loopback
    std::string more = {};
};

TEST(LinkClassNames, AreSectionsOfTheMachineFile) {
    const std::vector<Shape> shapes{
        {"type = 'crossbar'\nhosts = 4", {"link"}},
        {"type = 'cluster'\nhosts = 4",
         {"link", "limiter", "backbone"},
         "[limiter]\nbandwidth = '2 GB/s'\n[backbone]\nbandwidth = '3 GB/s'\n"},
        {"type = 'cabinets'\ncabinets = '2,3'", {"link", "uplink", "core"}, "[core]\nbandwidth = '3 GB/s'\n"},
        {"type = 'fat-tree'\nlevels = '3; 2,2,2; 1,2,1; 1,1,2'",
         {"link.level1", "link.level2", "link.level3", "limiter"},
         "[limiter]\nbandwidth = '2 GB/s'\n"},
        {"type = 'k-ary-n-tree'\nk = 2\nn = 2", {"link.level1", "link.level2"}},
        {"type = 'torus'\ndimensions = '3,2'\nhosts_per_router = 2",
         {"link.dimension1", "link.dimension2", "link.node"}},
        {"type = 'mesh'\ndimensions = '3'", {"link.dimension1"}},
        {"type = 'hypercube'\ndimensions = 3\nhosts_per_router = 2", {"link", "link.node"}},
        {"type = 'hyperx'\ndimensions = '3,3'", {"link.node", "link.dimension1", "link.dimension2"}},
        {"type = 'dragonfly'\ngroups = 3\nchassis = 2\nrouters = 2\nhosts_per_router = 2",
         {"link.node", "link.green", "link.black", "link.blue"}},
    };
    for (const Shape& shape : shapes) {
        const std::string text = "[topology]\n" + shape.toml + "\n";
        SCOPED_TRACE(text);
        const auto platform = platform_of(text + shape.more);
        std::set<std::string> found;
        for (std::uint32_t link = 0; link < platform->link_count(); ++link)
            found.insert(platform->topology().link_class({link}));
        Names expected = shape.classes;
        expected.emplace_back("loopback");
        EXPECT_EQ(found, std::set<std::string>(expected.begin(), expected.end()));
        for (const std::string& name : shape.classes) {
            if (!name.starts_with("link.") || !shape.more.empty()) continue;
            const auto changed = platform_of(fmt::format("{}[{}]\nlatency = '7 us'\n", text, name));
            for (std::uint32_t link = 0; link < platform->link_count(); ++link) {
                const bool is_it = platform->topology().link_class({link}) == name;
                EXPECT_EQ(changed->link({link}).latency, is_it ? Time::us(7) : platform->link({link}).latency);
            }
        }
    }
}

TEST(LinkClassNames, OfGraphsAreHostsAndSwitches) {
    const std::string nodes = "[topology]\ntype = 'graph'\n[[hosts]]\nnames = 'n[0-1]'\nswitch = 's0'\n"
                              "[[hosts]]\nnames = 'n2'\nswitch = 's1'\n";
    const std::string cable = "[[cables]]\nfrom = 's0'\nto = 's1'\n";
    const auto flat = platform_of(nodes + "[[switches]]\nnames = 's[0-1]'\n" + cable);
    EXPECT_EQ(classes_of_route(*flat, 0, 2), (Names{"hosts", "switches", "hosts"}));
    EXPECT_EQ(classes_of_route(*flat, 0, 0), Names{"loopback"});
    const auto levels = platform_of(nodes +
                                    "[[switches]]\nnames = 's0'\nlevel = 1\n"
                                    "[[switches]]\nnames = 's1'\nlevel = 2\n" +
                                    cable);
    EXPECT_EQ(classes_of_route(*levels, 0, 2), (Names{"hosts", "switches, level 2", "hosts"}));
}

} // namespace
} // namespace orrery::link_class_names_test
