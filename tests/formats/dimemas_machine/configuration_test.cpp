// Dimemas machines: what is read, and what is refused and where.
#include "engine/error.h"
#include "formats/dimemas_machine/configuration.h"

#include "drivers/dimemas/run_text.h"

#include <gtest/gtest.h>

namespace orrery::configuration_test {
using namespace orrery::dimemas;
using orrery::test::DimemasFolder;
using orrery::test::MachineText;

namespace {

// The line of the error, and its words.
Error refused(const std::string& text, const std::string& communications = {}) {
    const DimemasFolder folder;
    if (!communications.empty()) folder.write("models.comm", communications);
    try {
        (void)read_configuration(folder.write("m.cfg", text));
    } catch (const InputError& error) {
        return error.error();
    }
    ADD_FAILURE() << "not refused: " << text;
    return {};
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
    const std::size_t at = text.find(what);
    EXPECT_NE(at, std::string::npos);
    return text.replace(at, what.size(), with);
}

const std::string good = MachineText().text();

} // namespace

TEST(DimemasConfiguration, ReadsAllRecords) {
    const DimemasFolder folder;
    const Configuration machine = read_configuration(folder.write(
        "m.cfg",
        "#DIMEMAS_CONFIGURATION\n// a comment\n/* one\n of several lines */\n"
        "\"wide area network information\" {\"w, x\", 2, 1, 1, 5.0, 10.0, 1};;\n"
        "\"environment information\" {\"a\", 0, \"arch\", 2, 100.0, 3, 3};;\n"
        "\"environment information\" {\"b\", 1, \"\", 1, 0.0, 0, 2};;\n"
        "\"node information\" {0, \"x\", 2, 1.5, 2e-06, 1000.0, 4, 1, 2, 1e-05, 3, 0, 0.5};;\n"
        "\"node information\" {0, 1, \"x\", 2, 1.5, 2e-10, 1000.0, 4, 1, 2, 1e-05, 0, 0, 0.0};;\n"
        "\"multi node information\" {1, 1, \"\", 1, 1.0, 0.0, 0.0, 0, 1, 0, 1e-05, 1, 1, 0.001};;\n"
        "\"mapping information\" {\"trace.dim\", 3, [3] {2,0,1}};;\n"
        "\"configuration files\" {\"\", \"fs.txt\", \"\", \"\"};;\n"
        "\"modules information\" {60000019, 5, 4.0};;\n"
        "\"file system parameters\" {0.0, 0.0, 8.0, 0, 1.0};;\n"
        "\"dedicated connection information\" {0, 0, 1, 50.0, [2] {3,4}, 10, <, |, 20, >, [0] {}, 0.0, 0.0};;\n"
        "\"accelerator node information\" {2, 1, 1e-5, 1e-5, 100.0, 1, 2.5};;\n"));
    EXPECT_EQ(machine.name, "w, x");
    ASSERT_EQ(machine.clusters.size(), 2U);
    EXPECT_EQ(machine.clusters[0].buses, 3U);
    EXPECT_DOUBLE_EQ(machine.clusters[0].ps_per_byte, 1e12 / 1048576 / 100);
    EXPECT_EQ(machine.clusters[1].ps_per_byte, 0);
    EXPECT_EQ(machine.clusters[1].collectives[11].in.model, FanModel::linear);
    ASSERT_EQ(machine.nodes.size(), 3U);
    EXPECT_EQ(machine.nodes[0].cpus, 2U);
    EXPECT_EQ(machine.nodes[0].speed, 1.5);
    EXPECT_EQ(machine.nodes[0].intra_latency, Time::us(2));
    EXPECT_EQ(machine.nodes[0].latency, Time::us(10));
    EXPECT_TRUE(machine.nodes[0].links.half_duplex());
    EXPECT_EQ(machine.nodes[0].wan_latency, Time::zero());   // as Dimemas misreads it
    EXPECT_EQ(machine.nodes[1].intra_latency, Time::zero()); // below a nanosecond
    EXPECT_TRUE(machine.nodes[1].links.endless());
    EXPECT_EQ(machine.nodes[2].wan_latency, Time::us(1000));
    EXPECT_EQ(machine.nodes[2].accelerator_speed, 2.5);
    EXPECT_EQ(place_tasks(machine, 3), (std::vector<std::uint32_t>{2, 0, 1}));
    EXPECT_THROW((void)place_tasks(machine, 4), InputError);
    ASSERT_EQ(machine.connections.size(), 1U);
    EXPECT_TRUE(machine.connections[0].takes(3, 5));
    EXPECT_TRUE(machine.connections[0].takes(4, 25));
    EXPECT_FALSE(machine.connections[0].takes(4, 15));
    EXPECT_FALSE(machine.connections[0].takes(5, 5));
    EXPECT_EQ(machine.notes.size(), 5U); // traffic, the misread latency, file system twice, accelerators
}

TEST(DimemasConfiguration, Placements) {
    Configuration machine;
    for (const std::uint32_t cpus : {2U, 1U, 3U}) machine.nodes.emplace_back().cpus = cpus;
    machine.placement.kind = Placement::Kind::fill;
    EXPECT_EQ(place_tasks(machine, 8), (std::vector<std::uint32_t>{0, 0, 1, 2, 2, 2, 2, 2}));
    machine.placement.kind = Placement::Kind::interleaved;
    EXPECT_EQ(place_tasks(machine, 5), (std::vector<std::uint32_t>{0, 1, 2, 0, 1}));
    machine.placement.kind = Placement::Kind::per_node;
    machine.placement.tasks_per_node = 2;
    EXPECT_EQ(place_tasks(machine, 5), (std::vector<std::uint32_t>{0, 0, 1, 1, 2}));
    EXPECT_THROW((void)place_tasks(machine, 7), InputError);
}

TEST(DimemasConfiguration, RefusesWithFileAndLine) {
    EXPECT_EQ(refused("").line, 1U);
    EXPECT_NE(refused("SDDFA\n").reason.find("before version 4"), std::string::npos);
    EXPECT_EQ(refused(replaced(good, "\"environment", "\"environmental")).line, 3U);
    EXPECT_EQ(refused(replaced(good, "100, 0, 3};;", "100, 0, 4};;")).line, 3U);
    EXPECT_EQ(refused(replaced(good, "100, 0, 3};;", "100, 0};;")).line, 3U);
    EXPECT_EQ(refused(replaced(good, "100, 0, 3};;", "-1, 0, 3};;")).line, 3U);
    EXPECT_EQ(refused(replaced(good, "100, 0, 3};;", "1e400, 0, 3};;")).line, 3U);
    EXPECT_EQ(refused(replaced(good, "{0, 2, \"\", 1,", "{0, 2, \"\", 0,")).line, 4U);
    EXPECT_EQ(refused(replaced(good, "{0, 2, \"\", 1,", "{1, 2, \"\", 1,")).line, 4U);
    EXPECT_EQ(refused(replaced(good, "{0, 2, \"\", 1,", "{0, 3, \"\", 1,")).line, 0U); // not as many as said
    EXPECT_EQ(refused(replaced(good, "1 TASKS", "many TASKS")).line, 5U);
    EXPECT_EQ(refused(replaced(good, "1 TASKS_PER_NODE", "RANDOM")).line, 5U);
    EXPECT_EQ(refused(good + "\"modules information\" {1, 2\n").line, 7U);
    EXPECT_EQ(refused(good + "\"modules information\" {1, 2, x};;\n").line, 7U);
    EXPECT_EQ(refused(good + "\"mapping information\" {\"\", 2, [2] {0,7}};;\n").line, 7U);
    EXPECT_EQ(refused(good + "\"mapping information\" {\"\", 2, [3] {0,1}};;\n").line, 7U);
    EXPECT_EQ(
        refused("#DIMEMAS_CONFIGURATION\n\"environment information\" {\"\", 0, \"\", 1, 1, 0, 3};;\n").line,
        2U);
}

TEST(DimemasConfiguration, CommunicationsFile) {
    MachineText text;
    text.communications = "models.comm";
    const auto line_of = [&](const std::string& models) {
        const Error error = refused(text.text(), models);
        EXPECT_NE(error.file.find("models.comm"), std::string::npos);
        return error.line;
    };
    EXPECT_EQ(line_of("Machine globalop: 0 1 LOG MAX\n"), 1U);
    EXPECT_EQ(line_of("\nMachine globalop: 0 1 TREE MAX LOG MAX\n"), 2U);
    EXPECT_EQ(line_of("Machine globalop: 0 1 LOG MOST LOG MAX\n"), 1U);
    EXPECT_EQ(line_of("Machine globalop: 1 1 LOG MAX LOG MAX\n"), 1U);
    EXPECT_EQ(line_of("Machine globalop: 0 16 LOG MAX LOG MAX\n"), 1U);
    EXPECT_EQ(line_of("Flight time: 0\n"), 1U);
    EXPECT_EQ(line_of("Flight time: 0 soon\n"), 1U);
    EXPECT_EQ(line_of("Machine policy: 0 RR\n"), 1U);
    EXPECT_EQ(line_of("1 LOG MAX LOG MAX 0\n"), 1U);
    text.communications = "nowhere.comm";
    EXPECT_NE(refused(text.text()).reason.find("cannot be read"), std::string::npos);
}

} // namespace orrery::configuration_test
