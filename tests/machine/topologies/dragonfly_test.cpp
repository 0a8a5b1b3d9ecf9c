#include "machine/topologies/named_links.h"

#include <cstdio>
#include <map>

namespace orrery::dragonfly_test {
namespace {

// Where a router is, read from the names of links.
struct Place {
    int group = 0;
    int chassis = 0;
    int router = 0;
    auto operator<=>(const Place&) const = default;
};

// Follows a route by the names of its links. A blue cable's ends are learnt when it is first met, and must
// stay.
class Walker {
  public:
    Walker(const Platform& platform, int chassis, int routers, int hosts)
        : platform_(platform), chassis_(chassis), routers_(routers), hosts_(hosts) {}

    Place place(std::uint32_t host) const {
        const int router = static_cast<int>(host) / hosts_;
        return {router / routers_ / chassis_, router / routers_ % chassis_, router % routers_};
    }

    void check(std::uint32_t from, std::uint32_t to) {
        const auto names = names_of_route(platform_, from, to);
        ASSERT_EQ(names.front(), platform_.topology().host_name({from}) + " up");
        ASSERT_EQ(names.back(), platform_.topology().host_name({to}) + " down");
        Place at = place(from);
        int blues = 0;
        for (std::size_t i = 1; i + 1 < names.size(); ++i) blues += step(names[i], at);
        EXPECT_EQ(at, place(to)) << from << " to " << to;
        EXPECT_EQ(blues, place(from).group == place(to).group ? 0 : 1);
        EXPECT_LE(names.size(), blues == 0 ? 4U : 7U);
    }

    std::map<std::pair<std::string, int>, Place> blue_ends; // by cable and group

  private:
    int step(const std::string& name, Place& at) {
        int g = 0, c = 0, a = 0, b = 0, r = 0;
        char direction[8] = "";
        if (std::sscanf(name.c_str(), "green %d.%d.%d-%d %7s", &g, &c, &a, &b, direction) == 5) {
            const bool up = direction[0] == 'u';
            EXPECT_EQ(at, (Place{g, c, up ? a : b})) << name;
            at.router = up ? b : a;
        } else if (std::sscanf(name.c_str(), "black %d.%d-%d.%d %7s", &g, &a, &b, &r, direction) == 5) {
            const bool up = direction[0] == 'u';
            EXPECT_EQ(at, (Place{g, up ? a : b, r})) << name;
            at.chassis = up ? b : a;
        } else if (std::sscanf(name.c_str(), "blue %d-%d cable %d %7s", &a, &b, &c, direction) == 4) {
            const bool up = direction[0] == 'u';
            const std::string cable = name.substr(0, name.rfind(' '));
            const auto here = blue_ends.find({cable, up ? a : b});
            EXPECT_TRUE(here != blue_ends.end() && here->second == at) << name;
            const auto there = blue_ends.find({cable, up ? b : a});
            EXPECT_TRUE(there != blue_ends.end()) << name;
            if (there != blue_ends.end()) at = there->second;
            return 1;
        } else {
            ADD_FAILURE() << "no link of a dragonfly: " << name;
        }
        return 0;
    }

    const Platform& platform_;
    int chassis_, routers_, hosts_;
};

// Which routers hold the blue cables: routes that take one right after or right before a host's cable tell.
void learn_blue_ends(const Platform& platform, Walker& walker) {
    for (std::uint32_t a = 0; a < platform.host_count(); ++a) {
        for (std::uint32_t b = 0; b < platform.host_count(); ++b) {
            const auto names = names_of_route(platform, a, b);
            for (std::size_t i = 0; i < names.size(); ++i) {
                int first = 0, second = 0;
                if (std::sscanf(names[i].c_str(), "blue %d-%d", &first, &second) != 2) continue;
                const bool up = names[i].ends_with(" up");
                const std::string cable = names[i].substr(0, names[i].rfind(' '));
                if (i == 1) walker.blue_ends.emplace(std::pair(cable, up ? first : second), walker.place(a));
                if (i + 2 == names.size()) {
                    walker.blue_ends.emplace(std::pair(cable, up ? second : first), walker.place(b));
                }
            }
        }
    }
}

void check_all_routes(const Platform& platform, int chassis, int routers, int hosts, std::size_t blue_ends) {
    Walker walker(platform, chassis, routers, hosts);
    learn_blue_ends(platform, walker);
    EXPECT_EQ(walker.blue_ends.size(), blue_ends);
    for (std::uint32_t a = 0; a < platform.host_count(); ++a) {
        for (std::uint32_t b = 0; b < platform.host_count(); ++b) walker.check(a, b);
    }
}

TEST(Dragonfly, RoutesHoldTogether) {
    const auto platform = platform_of("[topology]\ntype = 'dragonfly'\ngroups = 5\nchassis = 2\nrouters = 3\n"
                                      "hosts_per_router = 2\nblue = 3\n[loopback]\nbandwidth = 'none'");
    ASSERT_EQ(platform->host_count(), 60U);
    check_all_routes(*platform, 2, 3, 2, 10 * 3 * 2);
    EXPECT_EQ(platform->topology().bisection(), 18e9); // 2 x 3 pairs of groups with 3 cables
}

TEST(Dragonfly, OneChassisIsAllToAllWithinAGroup) {
    const auto platform =
        platform_of("[topology]\ntype = 'dragonfly'\ngroups = 4\nrouters = 6\nhosts_per_router = 3\n"
                    "blue = 2\n[loopback]\nbandwidth = 'none'");
    check_all_routes(*platform, 1, 6, 3, 6 * 2 * 2);
}

TEST(Dragonfly, SimGridGoesOutOfItsWay) {
    const std::string shape =
        "[topology]\ntype = 'dragonfly'\ngroups = 2\nchassis = 2\nrouters = 3\nhosts_per_router = 1\n";
    const auto ours = platform_of(shape);
    const auto theirs = platform_of(shape + "simgrid_dragonfly = true");
    // Hosts 3 and 4 are on two routers of the second chassis.
    EXPECT_EQ(names_of_route(*ours, 3, 4).size(), 3U);
    EXPECT_EQ(names_of_route(*theirs, 3, 4).size(), 4U);
    EXPECT_EQ(names_of_route(*ours, 3, 1).size(), 4U);
    EXPECT_EQ(names_of_route(*theirs, 3, 1).size(), 3U);
}

} // namespace
} // namespace orrery::dragonfly_test
