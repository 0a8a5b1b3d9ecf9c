#include "tools/validate/study.h"

#include "engine/error.h"

#include <gtest/gtest.h>

namespace orrery::study_test {
namespace {

using Words = std::vector<std::string>;

ValidationPlan plan_of(std::string_view text) { return validation_from_text(text, "studies/mine.toml"); }

std::string complaint(std::string_view text) {
    try {
        (void)plan_of(text);
    } catch (const InputError& error) {
        return error.what();
    }
    return {};
}

TEST(ValidationStudy, ReadsAllOfIt) {
    const ValidationPlan plan = plan_of(R"(
name = "two"
machine = "../my.toml"
network = "flow"
map-by = "roundrobin"
collective = ["mpich", "bcast=binomial"]
runs = 9
warm-ups = 2
traces = 3
timeout = "2 min"
mpirun-options = "--bind-to core"
[set]
link.latency = "2 us"
flow.precision = 0.5
[[application]]
name = "heat"
command = "bin/heat --size 512 'a b'"
ranks = [1, 2]
[[application]]
command = ["/opt/cg", "x y"]
ranks = 4
trace = "cg.ort"
)");
    EXPECT_EQ(plan.name, "two");
    EXPECT_EQ(plan.simulation.machine, "my.toml");
    EXPECT_EQ(plan.simulation.network, "flow");
    EXPECT_EQ(plan.simulation.map_by, "roundrobin");
    EXPECT_EQ(plan.simulation.collectives, (Words{"mpich", "bcast=binomial"}));
    EXPECT_EQ(plan.simulation.settings, (Words{"flow.precision=0.5", "link.latency=2 us"}));
    EXPECT_EQ(plan.runs, 9U);
    EXPECT_EQ(plan.warm_ups, 2U);
    EXPECT_EQ(plan.traces, 3U);
    EXPECT_EQ(plan.timeout_seconds, 120);
    EXPECT_EQ(plan.mpirun_options, (Words{"--bind-to", "core"}));
    ASSERT_EQ(plan.applications.size(), 3U);
    EXPECT_EQ(plan.applications[0].command, (Words{"studies/bin/heat", "--size", "512", "a b"}));
    EXPECT_EQ(title_of(plan.applications[0]), "heat, 1 rank");
    EXPECT_EQ(title_of(plan.applications[1]), "heat, 2 ranks");
    EXPECT_EQ(plan.applications[2].command, (Words{"/opt/cg", "x y"}));
    EXPECT_EQ(plan.applications[2].name, "cg");
    EXPECT_EQ(plan.applications[2].trace, "studies/cg.ort");
}

TEST(ValidationStudy, PassesOnWhatIsNotAPath) {
    const ValidationPlan plan = plan_of("machine = 'graphene'\n[[application]]\ncommand = 'heat'\nranks = 2");
    EXPECT_EQ(plan.name, "mine");
    EXPECT_EQ(plan.simulation.machine, "graphene");
    EXPECT_EQ(plan.applications[0].command, (Words{"heat"})); // found in PATH
}

TEST(ValidationStudy, SaysWhatIsWrongAndWhere) {
    EXPECT_NE(complaint("machin = 'x'").find("mine.toml:1:10: unknown key 'machin'; did you mean 'machine'?"),
              std::string::npos);
    EXPECT_NE(complaint("runs = 0").find("runs: expected a number from 1 to 10000"), std::string::npos);
    EXPECT_NE(complaint("runs = 'x'").find("runs: expected a number"), std::string::npos);
    EXPECT_NE(complaint("timeout = '3 parsec'").find("timeout: "), std::string::npos);
    EXPECT_NE(complaint("network = 3").find("network: expected a text"), std::string::npos);
    EXPECT_NE(complaint("set = 3").find("expected a table of settings"), std::string::npos);
    EXPECT_NE(complaint("name = 'x'").find("at least one [[application]]"), std::string::npos);
    EXPECT_NE(complaint("application = 3").find("[[application]]"), std::string::npos);
    EXPECT_NE(complaint("[[application]]\nranks = 2").find("needs its command"), std::string::npos);
    EXPECT_NE(complaint("[[application]]\ncommand = 'a'").find("needs its ranks"), std::string::npos);
    EXPECT_NE(complaint("[[application]]\ncommand = 'a \"b'\nranks = 2").find("is not closed"),
              std::string::npos);
    EXPECT_NE(complaint("[[application]]\ncommand = []\nranks = 2").find("expected a program"),
              std::string::npos);
    EXPECT_NE(complaint("[[application]]\ncomand = 'a'").find("did you mean 'command'"), std::string::npos);
    EXPECT_NE(complaint("[[application]]\ncommand = 'a'\nranks = [2, 2]").find("two of 'a, 2 ranks'"),
              std::string::npos);
    EXPECT_NE(
        complaint("[[application]]\ncommand = 'a'\nranks = [1, 2]\ntrace = 'x'").find("one number of ranks"),
        std::string::npos);
    EXPECT_NE(complaint("runs = ").find("mine.toml:1"), std::string::npos);
    EXPECT_THROW((void)read_validation("no/such.toml"), InputError);
}

TEST(ValidationStudy, SplitsCommandsAsAShellDoes) {
    EXPECT_EQ(split_words("  a 'b c'\t\"d 'e\" f\\ g '' "), (Words{"a", "b c", "d 'e", "f g", ""}));
    EXPECT_TRUE(split_words(" ").empty());
    EXPECT_THROW((void)split_words("a 'b"), UsageError);
}

TEST(ValidationStudy, FoldersHaveNoStrangeCharacters) {
    ValidationApplication application;
    application.name = "../a b/c";
    application.ranks = 3;
    EXPECT_EQ(folder_of(application), "___a_b_c-3");
}

} // namespace
} // namespace orrery::study_test
