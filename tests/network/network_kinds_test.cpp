#include "network/network_kinds.h"

#include "engine/error.h"
#include "formats/load_machine.h"
#include "machine/machine_file.h"
#include "places.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <set>

namespace orrery::network_kinds_test {

TEST(NetworkKinds, StandInTheOrderOfTheirNumbersEachWithAllThatIsNeeded) {
    for (std::size_t i = 0; i < network_kinds().size(); ++i) {
        const NetworkKindRow& row = *network_kinds()[i];
        EXPECT_EQ(static_cast<std::size_t>(row.kind), i);
        EXPECT_EQ(&network_kind_row(row.kind), &row);
        EXPECT_EQ(network_names()[i], row.name);
        EXPECT_EQ(parse_network(std::string(row.name)), row.kind);
        EXPECT_FALSE(row.meaning.empty());
    }
    EXPECT_THROW((void)network_kind_row(static_cast<NetworkKind>(network_kinds().size())), std::out_of_range);
}

TEST(NetworkKinds, NameTheNearestOfAMisspeltOne) {
    try {
        (void)parse_network("packets");
        FAIL();
    } catch (const UsageError& error) {
        EXPECT_STREQ(error.what(), "--network packets: expected one of loggops, flow, packet, kpacket, ideal; "
                                   "did you mean packet?");
    }
}

TEST(NetworkKinds, HaveParametersOfTheirOwn) {
    std::set<std::string_view> keys;
    for (const NetworkKindRow* const row : network_kinds()) {
        for (const std::span<const Parameter> table : row->parameters()) {
            for (const Parameter& parameter : table)
                EXPECT_TRUE(keys.insert(parameter.key).second) << parameter.key;
        }
    }
    EXPECT_TRUE(keys.contains("packet.segment"));
    EXPECT_TRUE(keys.contains("routing.policy"));
    EXPECT_TRUE(keys.contains("loggops.L"));
}

// One message over each of them: it arrives, and those that have links say which it passed.
TEST(NetworkKinds, MakeNetworksThatReportWhatTheyCarried) {
    const Machine machine = load_machine("ideal-fat-tree");
    for (const NetworkKindRow* const row : network_kinds()) {
        SCOPED_TRACE(row->name);
        const std::unique_ptr<NetworkModel> model = row->read({machine, LogGOPS{}});
        model->connect(machine);
        EXPECT_TRUE(model->summary().starts_with(row->name));
        EXPECT_TRUE(model->same_parameters(*model));
        const std::unique_ptr<Network> network = model->make(nullptr);
        EXPECT_TRUE(network->validity().starts_with(row->name)) << network->validity();
        network->start({0}, {0}, {machine.platform->host_count() - 1}, 100'000, Time::zero());
        std::vector<TransferId> arrived;
        Time now;
        while (arrived.empty()) {
            now = network->next();
            ASSERT_LT(now, Time::max());
            network->advance(now, arrived);
        }
        const NetworkReport report = network->report(now);
        EXPECT_EQ(!report.busiest.empty(), row->links);
        EXPECT_EQ(report.crossed.size(), row->links ? 1U : 0U);
        EXPECT_EQ(report.packets.has_value(), model->fabric() != nullptr);
        for (const LinkLoad& link : report.busiest) {
            EXPECT_GE(link.bytes, 100'000) << link.name;
            EXPECT_GT(link.use, 0) << link.name;
            EXPECT_LE(link.use, 1) << link.name;
        }
    }
}

TEST(NetworkKinds, AreInTheManual) {
    const std::string manual = read_whole_file(project_folder() + "/docs/networks.md");
    for (const std::string_view name : network_names())
        EXPECT_NE(manual.find(fmt::format("\n| `{}` |", name)), std::string::npos) << name;
    EXPECT_EQ(networks_with_links(), "flow, packet or kpacket");
}

} // namespace orrery::network_kinds_test
