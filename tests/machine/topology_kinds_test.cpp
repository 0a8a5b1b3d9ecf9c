// The table of topologies: each row is enough for checks, help and platforms, and the manual says the same.
#include "machine/topology_kinds.h"

#include "engine/error.h"
#include "formats/load_machine.h"
#include "machine/machine_file.h"
#include "machine/machine_keys.h"
#include "places.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <set>

namespace orrery::topology_kinds_test {

namespace {

const std::string preamble = "[link]\nbandwidth = '1 GB/s'\nlatency = '1 us'\n";

// What [topology] must say at least, and how many hosts it makes.
struct Least {
    std::string text;
    std::uint32_t hosts;
};
const std::map<std::string_view, Least> least{
    {"crossbar", {"hosts = 3", 3}},
    {"cluster", {"hosts = 3", 3}},
    {"cabinets", {"cabinets = '2,3'", 5}},
    {"fat-tree", {"levels = '2; 2,3; 1,2; 1,1'", 6}},
    {"k-ary-n-tree", {"k = 2\nn = 3", 8}},
    {"torus", {"dimensions = '2,3'", 6}},
    {"mesh", {"dimensions = '2,3'", 6}},
    {"hypercube", {"dimensions = 3", 8}},
    {"hyperx", {"dimensions = '2,3'\nhosts_per_router = 2", 12}},
    {"dragonfly", {"groups = 3\nrouters = 2\nhosts_per_router = 2", 12}},
    {"graph", {"[[hosts]]\nnames = 'a,b'\nswitch = 's'\n[[switches]]\nnames = 's'\n", 2}},
};

std::string complaint(const std::string& text) {
    try {
        machine_from_text(text, "test.toml");
    } catch (const InputError& error) {
        return error.what();
    }
    return "none";
}

TEST(TopologyKinds, EachRowMakesAPlatform) {
    ASSERT_EQ(least.size(), topology_kinds().size());
    for (const TopologyKind* const kind : topology_kinds()) {
        const Least& of = least.at(kind->name);
        const std::string text = fmt::format("{}[topology]\ntype = '{}'\n{}\n", preamble, kind->name, of.text);
        EXPECT_EQ(machine_from_text(text, "test.toml").platform->host_count(), of.hosts) << kind->name;
        EXPECT_FALSE(kind->meaning.empty()) << kind->name;
    }
}

TEST(TopologyKinds, KeysAreSaidOnce) {
    std::set<std::string_view> names;
    for (const TopologyKind* const kind : topology_kinds()) {
        EXPECT_TRUE(names.insert(kind->name).second) << kind->name;
        std::set<std::string_view> keys;
        for (const Parameter& each : parameters_for(*kind))
            EXPECT_TRUE(keys.insert(each.key).second) << kind->name << ": " << each.key;
        for (const Parameter& each : kind->keys) {
            EXPECT_TRUE(is_hardware_key(each.key)) << each.key;
            EXPECT_FALSE(each.unit.empty() || each.meaning.empty()) << each.key;
        }
    }
}

// What a key of another topology says, a misspelt one, and a misspelt topology.
TEST(TopologyKinds, KeysAreCheckedByTheRow) {
    for (const TopologyKind* const kind : topology_kinds()) {
        if (kind->of_parts) continue;
        const std::string text =
            fmt::format("{}[topology]\ntype = '{}'\n{}\n", preamble, kind->name, least.at(kind->name).text);
        EXPECT_NE(complaint(text + "cost = 'hops'\n")
                      .find(fmt::format("'topology.cost' has no meaning for the topology '{}'", kind->name)),
                  std::string::npos)
            << complaint(text + "cost = 'hops'\n");
        for (const Parameter& each : kind->keys) {
            if (!each.key.starts_with("topology.")) continue;
            const std::string wrong = fmt::format("{}{}x = 1\n", text, each.key.substr(9));
            EXPECT_NE(complaint(wrong).find(fmt::format("did you mean '{}'?", each.key)), std::string::npos)
                << complaint(wrong);
        }
        const std::string wrong = fmt::format("{}[topology]\ntype = '{}x'\n", preamble, kind->name);
        EXPECT_NE(complaint(wrong).find(fmt::format("did you mean {}?", kind->name)), std::string::npos)
            << complaint(wrong);
    }
}

TEST(TopologyKinds, TheManualHasTheSameKeys) {
    const std::string manual = read_whole_file(project_folder() + "/docs/machines.md");
    for (const TopologyKind* const kind : topology_kinds()) {
        const std::size_t begin = manual.find(fmt::format("\n| {} | ", kind->name));
        ASSERT_NE(begin, std::string::npos) << kind->name;
        const std::string row = manual.substr(begin, manual.find('\n', begin + 1) - begin);
        if (row.find("as torus") != std::string::npos) continue;
        for (const Parameter& each : kind->keys) {
            if (!each.key.starts_with("topology.")) continue;
            EXPECT_NE(row.find(each.key.substr(9)), std::string::npos) << kind->name << ": " << each.key;
        }
    }
}

} // namespace

} // namespace orrery::topology_kinds_test
