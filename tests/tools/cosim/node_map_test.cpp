#include "engine/error.h"
#include "tools/cosim/node_map.h"

#include <gtest/gtest.h>

namespace orrery::node_map_test {
namespace {

class FourHosts final : public Topology {
  public:
    void route(HostId, HostId, std::vector<LinkId>&) const override {}
    [[nodiscard]] std::string host_name(HostId host) const override { return "h" + std::to_string(host.value); }
    [[nodiscard]] std::string link_name(LinkId) const override { return {}; }
    [[nodiscard]] std::optional<HostId> find_host(std::string_view name) const override {
        for (std::uint32_t host = 0; host < 4; ++host) {
            if (host_name(HostId{host}) == name) return HostId{host};
        }
        return std::nullopt;
    }
};

Platform four_hosts() { return {std::vector<Host>(4), {}, std::make_unique<FourHosts>()}; }

std::string complaint(const char* text) {
    try {
        (void)parse_node_map(text, "map.txt", four_hosts());
    } catch (const InputError& error) {
        return error.what();
    }
    return "no error";
}

TEST(CosimNodeMap, ALineIsANode) {
    const std::vector<HostId> expected{HostId{3}, HostId{1}, HostId{3}};
    EXPECT_EQ(parse_node_map("h3\nh1\r\n  h3 \n\n", "map.txt", four_hosts()), expected);
    EXPECT_EQ(parse_node_map("h3\nh1\nh3", "map.txt", four_hosts()), expected);
    EXPECT_EQ(all_hosts(four_hosts()).size(), 4U);
    EXPECT_EQ(all_hosts(four_hosts())[2], HostId{2});
}

TEST(CosimNodeMap, SaysWhatIsWrongAndWhere) {
    EXPECT_EQ(complaint("h1\n  nobody\n"), "map.txt:2:3: there is no host 'nobody'");
    EXPECT_NE(complaint("h0\n\nh0\n").find("map.txt:2: expected the name of a host"), std::string::npos);
    EXPECT_NE(complaint("h0 h1\n").find("no host 'h0 h1'"), std::string::npos);
    EXPECT_NE(complaint(""), "no error");
    EXPECT_NE(complaint("\n\n"), "no error");
    EXPECT_THROW(read_node_map("/nowhere/map.txt", four_hosts()), InputError);
}

} // namespace
} // namespace orrery::node_map_test
