#include "formats/load_machine.h"
#include "machine/provenance.h"

#include "engine/error.h"
#include "machine/built_in.h"

#include <gtest/gtest.h>

namespace orrery::provenance_test {

namespace {

constexpr const char* provenance_base = "[host]\ncores = 4\n[link]\nbandwidth = '1 GB/s'\nlatency = '1 us'\n"
                                        "[topology]\ntype = 'crossbar'\nhosts = 2\n";

Machine machine_with(const std::string& more, const std::vector<std::string>& overrides = {}) {
    return machine_from_text(provenance_base + more, "m.toml", overrides);
}

TEST(Provenance, IsWhatSomeSectionSays) {
    EXPECT_FALSE(provenance_of(machine_with("")).stated);
    EXPECT_TRUE(provenance_of(machine_with("[provenance]\nsource = 'a paper'\n")).stated);
    EXPECT_TRUE(provenance_of(machine_with("[flow]\nset = 'smpi'\nsource = 'fitted'\n")).stated);
}

TEST(Provenance, AssumedValuesAreThoseThatNobodySet) {
    const std::string assumed = "[provenance]\nassumed = ['link.latency', 'host.speed']\n";
    const Provenance all = provenance_of(machine_with(assumed));
    ASSERT_EQ(all.assumed.size(), 2U);
    EXPECT_EQ(all.assumed[0].key, "link.latency");
    EXPECT_EQ(all.assumed[0].value, "1 us");
    EXPECT_EQ(all.assumed[1].value, "1 Gflop/s"); // what holds if nobody says it
    const Provenance one = provenance_of(machine_with(assumed, {"network.latency=2us"}));
    ASSERT_EQ(one.assumed.size(), 1U);
    EXPECT_EQ(one.assumed[0].key, "host.speed");
}

TEST(Provenance, EveryBuiltInMachineHasIt) {
    for (const BuiltInMachine& each : built_in_machines()) {
        const Provenance provenance = provenance_of(load_machine(std::string(each.name)));
        EXPECT_FALSE(provenance.source.empty()) << each.name;
        EXPECT_TRUE(provenance.assumed.empty()) << each.name;
    }
}

TEST(Provenance, AValidationIsWrittenAndReadAgain) {
    EXPECT_FALSE(validation_of(machine_with("")));
    const std::string once = with_validation(provenance_base, {0.0614, 0.04, 3, "flow", "2026-11-18"});
    const std::string twice =
        with_validation(once + "[flow]\nset = 'smpi'\n", {0.15, 0.1, 8, "flow", "2026-12-01"});
    const auto first = validation_of(machine_from_text(once, "m.toml"));
    ASSERT_TRUE(first);
    EXPECT_DOUBLE_EQ(first->error, 0.061);
    EXPECT_EQ(first->programs, 3U);
    EXPECT_EQ(first->network, "flow");
    const Machine again = machine_from_text(twice, "m.toml");
    EXPECT_DOUBLE_EQ(validation_of(again)->error, 0.15);
    EXPECT_EQ(validation_of(again)->date, "2026-12-01");
    EXPECT_EQ(again.settings.word("flow.set", ""), "smpi"); // what stood behind the old one is kept
    EXPECT_EQ(again.platform->host_count(), 2U);
}

TEST(Provenance, APercentageMustBeOne) {
    for (const char* const text : {"6", "six %", "-6 %", ""}) {
        EXPECT_THROW((void)validation_of(machine_with(std::string("[validation]\nerror = '") + text + "'\n")),
                     InputError)
            << text;
    }
}

} // namespace

} // namespace orrery::provenance_test
