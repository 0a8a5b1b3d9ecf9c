// Slurm's topology.conf as a tree.
#include "formats/load_machine.h"
#include "formats/slurm/slurm_file.h"

#include "machine/fabric/walks.h"

namespace orrery::slurm_file_test {
namespace {

using Names = std::vector<std::string>;

TEST(SlurmTopology, IsATree) {
    const Machine machine =
        machine_from_text("# two racks\nSwitchName=leaf0 Nodes=node[000-003] LinkSpeed=100\n"
                          "switchname=leaf1 nodes=node[004-006],big\n"
                          "SwitchName=top \\\n  Switches=leaf[0-1]\n",
                          "topology.conf");
    const Fabric fabric(*machine.platform);
    expect_sound(fabric);
    expect_walks(fabric);
    EXPECT_EQ(fabric.host_count(), 8U);
    EXPECT_EQ(fabric.name(NodeId{6}), "node006");
    EXPECT_EQ(fabric.name(NodeId{7}), "big");
    EXPECT_EQ(fabric.level(NodeId{8}), 1U);
    EXPECT_EQ(fabric.level(NodeId{10}), 2U);
    std::vector<LinkId> channels;
    fabric.route({0}, {7}, channels);
    EXPECT_EQ(channels.size(), 4U);
    EXPECT_EQ(fabric.channel(fabric.out(NodeId{8})[4]).to, NodeId{10}); // what is above follows the nodes
}

TEST(SlurmTopology, HostListsKeepTheirZeros) {
    EXPECT_EQ(expand_host_list("a[08-11,3],b"), (Names{"a08", "a09", "a10", "a11", "a3", "b"}));
    EXPECT_EQ(expand_host_list("r[0-1]n[1-2]x"), (Names{"r0n1x", "r0n2x", "r1n1x", "r1n2x"}));
    EXPECT_THROW(expand_host_list("a[1-"), UsageError);
    EXPECT_THROW(expand_host_list("a[2-1]"), UsageError);
    EXPECT_THROW(expand_host_list("a,,b"), UsageError);
    EXPECT_THROW(expand_host_list("a[0-999999999999]"), UsageError);
    EXPECT_THROW(expand_host_list("a[0-9999][0-9999]"), UsageError);
}

std::string complaint_about_slurm(const std::string& text) {
    try {
        read_slurm_tree(text, "topology.conf");
    } catch (const InputError& error) {
        return error.what();
    }
    return "no complaint";
}

TEST(SlurmTopology, BadFilesAreNamedWithTheirLine) {
    EXPECT_EQ(complaint_about_slurm("SwitchName=a Nodes=n[0-\n"), "topology.conf:1: Nodes: 'n[0-' has no ]");
    EXPECT_EQ(complaint_about_slurm("\nNodes=n0\n"), "topology.conf:2: expected SwitchName=");
    EXPECT_EQ(complaint_about_slurm("SwitchName=a Knodes=n0\n"),
              "topology.conf:1: unknown key 'Knodes'; expected SwitchName, Nodes, Switches or LinkSpeed");
    EXPECT_EQ(complaint_about_slurm("SwitchName=a Nodes=n0\nSwitchName=t Switches=a,b\n"),
              "topology.conf:2: there is no switch 'b'");
    EXPECT_EQ(complaint_about_slurm("SwitchName=a Switches=a\n"), "topology.conf:1: a cable from a to itself");
    EXPECT_EQ(complaint_about_slurm("SwitchName=a\n"), "topology.conf: has no hosts");
    EXPECT_EQ(complaint_about_slurm("SwitchName\n"),
              "topology.conf:1: 'SwitchName' is not of the form Key=Value");
}

} // namespace
} // namespace orrery::slurm_file_test
