// Schedules, traces, emulated programs and Dimemas traces: one summary, the same JSON keys, one run directory.
#include "cli/json_schema.h"
#include "cli/program_test.h"

#include <fmt/format.h>
#include <map>
#include <sstream>

namespace orrery::test::one_result_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const std::string crossbar = "[link]\nbandwidth = '1 GB/s'\nlatency = '50 ns'\n[topology]\ntype = 'crossbar'\n"
                             "hosts = 4\n[host]\nspeed = '1 Gf'\ncores = 1\n";
const std::string pair_goal = "num_ranks 2\nrank 0 {\nc: calc 5000\ns: send 4000b to 1\ns requires c\n}\n"
                              "rank 1 {\nr: recv 4000b from 0\nc: calc 700\nc requires r\n}\n";
const std::string pair_trace = "0 init\n0 compute 5000\n0 send 1 0 4000 0\n0 finalize\n"
                               "1 init\n1 recv 0 0 4000 0\n1 compute 700\n1 finalize\n";
// The same calls as the program's below.
const std::string calls_trace = "0 init\n0 send 1 0 1 6\n0 allreduce 1 0 6\n0 barrier\n0 finalize\n"
                                "1 init\n1 recv 0 0 1 6\n1 allreduce 1 0 6\n1 barrier\n1 finalize\n";
const std::string program =
    "#include <mpi.h>\nint main(int c, char** v) {\n  int r, x = 0;\n  MPI_Init(&c, &v);\n"
    "  MPI_Comm_rank(MPI_COMM_WORLD, &r);\n"
    "  if (r == 0) MPI_Send(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);\n"
    "  if (r == 1) MPI_Recv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n"
    "  return MPI_Finalize();\n}\n";
const std::string program_with_collectives =
    "#include <mpi.h>\nint main(int c, char** v) {\n  int r;\n  char x = 0, sum;\n  MPI_Init(&c, &v);\n"
    "  MPI_Comm_rank(MPI_COMM_WORLD, &r);\n"
    "  if (r == 0) MPI_Send(&x, 1, MPI_CHAR, 1, 0, MPI_COMM_WORLD);\n"
    "  if (r == 1) MPI_Recv(&x, 1, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n"
    "  MPI_Allreduce(&x, &sum, 1, MPI_CHAR, MPI_SUM, MPI_COMM_WORLD);\n  MPI_Barrier(MPI_COMM_WORLD);\n"
    "  return MPI_Finalize();\n}\n";

class OneResult : public ProgramTest {
  protected:
    void compile(const std::string& name, const std::string& text) {
        write(name + ".c", text);
        ASSERT_EQ(run_command("cd " + folder_.string() + " && " + orrery_program() + "-mpicc " + name +
                              ".c -o " + name)
                      .code,
                  0);
    }
    void SetUp() override {
        ProgramTest::SetUp();
        write("pair.goal", pair_goal);
        write("pair.txt", pair_trace);
        write("m.toml", crossbar);
    }
    json result(const std::string& arguments) {
        const Answer answer = run(arguments);
        EXPECT_EQ(answer.code, 0) << arguments;
        return json::parse(answer.out, nullptr, false);
    }
    [[nodiscard]] std::string content(const fs::path& name) const {
        std::ostringstream text;
        text << std::ifstream(folder_ / name).rdbuf();
        return text.str();
    }
    [[nodiscard]] std::set<std::string> names_in(const fs::path& folder) const {
        std::set<std::string> names;
        for (const auto& each : fs::directory_iterator(folder)) names.insert(each.path().filename());
        return names;
    }
};

JsonSchema schema() {
    std::ifstream file(project_folder() + "/docs/result.schema.json");
    return JsonSchema(json::parse(file));
}

void expect_valid(const json& value, const std::string& of) {
    for (const std::string& mistake : schema().mistakes_in(value)) ADD_FAILURE() << of << ": " << mistake;
}

const std::string dimemas =
    "replay " + test_data() + "/dimemas/link_steal.dim --on " + test_data() + "/dimemas/link_steal.cfg";

} // namespace

TEST_F(OneResult, IsAsTheSchemaSaysForEveryWorkloadAndNetwork) {
    ASSERT_EQ(run("--version").code, 0);
    compile("program", program);
    for (const std::string more : {"", " --per-rank", " --efficiencies"}) {
        for (const std::string network : {"loggops", "flow", "packet", "kpacket", "ideal"}) {
            for (const std::string workload : {"replay pair.goal", "replay pair.txt", "run -n 2 ./program"}) {
                // The options of `run` stand before the program.
                const std::string verb = workload.substr(0, workload.find(' '));
                const std::string arguments = fmt::format("{} --json --on m.toml --network {}{}{}", verb,
                                                          network, more, workload.substr(verb.size()));
                const json value = result(arguments);
                expect_valid(value, arguments);
                EXPECT_EQ(value["ranks"], 2) << arguments;
                EXPECT_EQ(value["messages"], 1) << arguments;
                EXPECT_EQ(value["model"]["name"], network) << arguments;
                EXPECT_EQ(value["inputs"].size(), 2U) << arguments;
            }
        }
    }
    expect_valid(result("replay pair.goal --json --per-rank --critical-path"), "the critical path");
    expect_valid(result("replay pair.txt --on m.toml --json --critical-path"), "the critical path of a trace");
    write("calls.txt", calls_trace);
    expect_valid(result("replay calls.txt --on m.toml --json --per-rank"), "a trace with collectives");
    expect_valid(result("generate ring -n 4 --json --noise 'period=1ms duration=25us'"), "a pattern");
    expect_valid(result(dimemas + " --json --per-rank --critical-path --efficiencies"), "Dimemas");
}

// Keys that depend on more than the options: of the LogGOPS model of schedules, whose ranks may have several
// CPUs, and of what emulated ranks keep in memory.
const std::set<std::string> special{"cpu_seconds", "overhead_times_ps", "waiting_times_ps", "rank_memory_bytes",
                                    "memory_bytes"};

void add_keys(const json& value, const std::string& before, std::set<std::string>& keys) {
    for (const auto& [key, each] : value.items()) {
        if (special.contains(key)) continue;
        keys.insert(before + key);
        if (each.is_object()) add_keys(each, before + key + "/", keys);
    }
}

TEST_F(OneResult, HasTheSameKeysForEveryWorkload) {
    compile("program", program);
    for (const std::string more : {"", " --per-rank --efficiencies --critical-path"}) {
        for (const std::string network : {"loggops", "flow", "packet", "kpacket", "ideal"}) {
            const std::string options = " --json --on m.toml --network " + network + more;
            std::set<std::string> first;
            add_keys(result("replay pair.txt" + options), "", first);
            EXPECT_GT(first.size(), 40U);
            for (const std::string& arguments :
                 {"replay pair.goal" + options, "generate stencil-2d -n 4 --compute 1us" + options,
                  "run -n 2" + options + " ./program"}) {
                std::set<std::string> keys;
                add_keys(result(arguments), "", keys);
                EXPECT_EQ(keys, first) << arguments;
            }
        }
    }
    // The model of Dimemas has links; its path tells other parts of a message.
    std::set<std::string> with_dimemas;
    std::set<std::string> with_flow;
    add_keys(result(dimemas + " --json --per-rank --efficiencies"), "", with_dimemas);
    add_keys(result("replay pair.txt --on m.toml --json --per-rank --efficiencies"), "", with_flow);
    EXPECT_EQ(with_dimemas, with_flow);
}

// A trace and a program that make the same calls have the same profile, on every network; what their messages
// do not say of them adds up.
TEST_F(OneResult, SaysWhatEachCollectiveCostsAndWhyItsAlgorithm) {
    compile("calls", program_with_collectives);
    write("calls.txt", calls_trace);
    for (const std::string network : {"loggops", "flow", "packet", "kpacket", "ideal"}) {
        const std::string options = " --json --on m.toml --network " + network;
        json trace = result("replay calls.txt" + options);
        json emulated = result("run -n 2 --compute none" + options + " ./calls");
        EXPECT_EQ(trace["collectives"], emulated["collectives"]) << network;
        ASSERT_EQ(trace["collectives"].size(), 2U) << trace;
        std::uint64_t bytes = trace["point_to_point"]["bytes"];
        std::uint64_t messages = trace["point_to_point"]["messages"];
        for (const json& each : trace["collectives"]) {
            EXPECT_EQ(each["calls"], 2);
            EXPECT_NE(each["reason"].get<std::string>().find("coll_tuned_decision_fixed.c of Open MPI: "),
                      std::string::npos)
                << each;
            bytes += each["bytes"].get<std::uint64_t>();
            messages += each["messages"].get<std::uint64_t>();
        }
        EXPECT_EQ(bytes, trace["bytes"]);
        EXPECT_EQ(messages, trace["messages"]);
        // The program also calls MPI_Init and its like, which take no time.
        std::map<std::string, json> rows[2];
        for (const json& each : trace["calls"]) rows[0][each["call"]] = each;
        for (const json& each : emulated["calls"]) rows[1][each["call"]] = each;
        for (const std::string call : {"send", "recv", "allreduce", "barrier"}) {
            EXPECT_EQ(rows[0][call], rows[1][call]) << network;
            EXPECT_EQ(rows[0][call]["calls"], call == "send" || call == "recv" ? 1 : 2);
        }
    }
    const auto reason = [&](const std::string& more) {
        const json value = result("replay calls.txt --json --on m.toml" + more);
        for (const json& each : value["collectives"]) {
            if (each["call"] == "allreduce")
                return each["algorithm"].get<std::string>() + ": " + each["reason"].get<std::string>();
        }
        return std::string();
    };
    EXPECT_EQ(reason(" --collective allreduce=ring"), "ring: forced: allreduce=ring");
    EXPECT_NE(reason(" --collective mpich").find("of MPICH"), std::string::npos);
    EXPECT_NE(reason(" --set collectives.selector=smpi-mpich").find("smpi_mpich_selector.cpp of SimGrid"),
              std::string::npos);
    const Answer words = run("replay calls.txt --on m.toml");
    EXPECT_NE(words.out.find("\n  collectives     2 calls of "), std::string::npos) << words.out;
    // A schedule does not tell the messages of collectives from others.
    const json schedule = result("replay pair.goal --json --on m.toml");
    EXPECT_EQ(schedule["collectives"], json::array());
    std::map<std::string, std::uint64_t> operations;
    for (const json& each : schedule["calls"]) operations[each["call"]] = each["calls"];
    EXPECT_EQ(operations,
              (std::map<std::string, std::uint64_t>{{"compute", 2}, {"send", 1}, {"recv", 1}, {"wait", 0}}));
    const json closed = result("replay " + test_data() + "/dimemas/coll_allreduce_lin8.dim --json --on " +
                               test_data() + "/dimemas/coll_allreduce_lin8.cfg");
    ASSERT_FALSE(closed["collectives"].empty());
    EXPECT_EQ(closed["collectives"][0]["algorithm"].get<std::string>().substr(0, 7), "fan in ");
    expect_valid(closed, "collectives of Dimemas");
}

// The test of the schema itself: it would notice.
TEST_F(OneResult, TheSchemaFindsMistakes) {
    const json good = result("replay pair.goal --json --per-rank");
    const auto broken = [&](const std::function<void(json&)>& change) {
        json value = good;
        change(value);
        return schema().mistakes_in(value).size();
    };
    EXPECT_EQ(broken([](json&) {}), 0U);
    EXPECT_EQ(broken([](json& value) { value.erase("events"); }), 1U);
    EXPECT_EQ(broken([](json& value) { value["events"] = "many"; }), 1U);
    EXPECT_EQ(broken([](json& value) { value["evnts"] = 1; }), 1U);
    EXPECT_EQ(broken([](json& value) { value["schema"] = 2; }), 1U);
    EXPECT_EQ(broken([](json& value) { value["inputs"][0]["hash"] = "abc"; }), 1U);
    EXPECT_EQ(broken([](json& value) { value["finish_times_ps"][1] = -1; }), 1U);
    EXPECT_EQ(broken([](json& value) { value["model"]["name"] = "flo"; }), 1U);
    EXPECT_EQ(broken([](json& value) { value["calls"][0]["kind"] = "sending"; }), 1U);
    EXPECT_EQ(broken([](json& value) { value["collectives"].push_back({{"call", "bcast"}}); }), 8U);
    const json path = result("replay pair.txt --on m.toml --json --critical-path");
    const auto broken_path = [&](const std::function<void(json&)>& change) {
        json value = path;
        change(value["critical_path"]);
        return schema().mistakes_in(value).size();
    };
    EXPECT_EQ(broken_path([](json&) {}), 0U);
    EXPECT_EQ(broken_path([](json& value) { value["link_classes"][0]["sensitivity"].erase("first_order"); }),
              1U);
    EXPECT_EQ(broken_path([](json& value) { value["sensitivity"]["first_order"] = 1; }), 1U);
    EXPECT_EQ(broken_path([](json& value) { value["top_links"][0].erase("latency_ps"); }), 1U);
}

// The hand-computed one: o = 1 us, L = 2 us, g = 3 us, G = 1 ns/B, O = 0.5 ns/B. Rank 0 computes 5 us and sends
// 4,000 B; the first byte arrives at 5 + o + L = 8 us; rank 1 is held for o + max(3999 O, 3999 G).
TEST_F(OneResult, OfTheFastPathSplitsItsOverheads) {
    const std::string loggops = " --loggops 'L=2us o=1us g=3us G=1ns/B O=0.5ns/B S=65535B' --json --per-rank";
    const json value = result("replay pair.goal" + loggops);
    EXPECT_EQ(value["compute_times_ps"], (json{5'000'000, 700'000}));
    EXPECT_EQ(value["send_times_ps"], (json{1'000'000 + 1'999'500, 0}));
    EXPECT_EQ(value["receive_times_ps"], (json{0, 1'000'000 + 3'999'000}));
    EXPECT_EQ(value["wait_times_ps"], (json{0, 8'000'000}));
    EXPECT_EQ(value["finish_times_ps"], (json{7'999'500, 13'699'000}));
    EXPECT_EQ(value["messages_by_size"],
              (json::array({{{"from_bytes", 2048}, {"to_bytes", 4095}, {"messages", 1}}})));
    EXPECT_DOUBLE_EQ(value["efficiencies"]["parallel"], (5.0 + 0.7) / 2 / 13.699);
    // A rendezvous that shakes hands: request and clear-to-send cost o at both ends.
    const json shaken = result("replay pair.goal --rendezvous handshake --loggops "
                               "'L=2us o=1us g=3us G=1ns/B O=0.5ns/B S=100B' --json --per-rank");
    EXPECT_EQ(shaken["send_times_ps"], (json{3'000'000 + 1'999'500, 0}));
    EXPECT_EQ(shaken["receive_times_ps"], (json{0, 3'000'000 + 3'999'000}));
    // On an ideal network computation and waiting are left.
    const json ideal = result("replay pair.goal --efficiencies" + loggops);
    EXPECT_DOUBLE_EQ(ideal["efficiencies"]["transfer"], 5.7 / 13.699);
}

// Ranks that share a program are counted once, the others one by one: the same sums.
TEST_F(OneResult, CountsMessagesBySizeOfEveryPattern) {
    for (const std::string pattern : {"dissemination -n 13", "binomial-bcast -n 9 --bytes 100kB",
                                      "linear-alltoall -n 7 --bytes 3", "ring -n 4 --bytes 0"}) {
        const json fast = result("generate " + pattern + " --json --on odin");
        const json hosts = result("generate " + pattern + " --json --on stampede --network flow");
        EXPECT_EQ(fast["messages_by_size"], hosts["messages_by_size"]) << pattern;
        EXPECT_EQ(fast["point_to_point"], hosts["point_to_point"]) << pattern;
        std::uint64_t all = 0;
        for (const json& row : fast["messages_by_size"]) all += row["messages"].get<std::uint64_t>();
        EXPECT_EQ(all, fast["messages"]) << pattern;
    }
}

TEST_F(OneResult, HasTheSameSummaryForEveryWorkload) {
    for (const std::string& arguments :
         {std::string("replay pair.goal --on m.toml --network loggops"),
          std::string("replay pair.goal --on m.toml --network flow"),
          std::string("replay pair.txt --on m.toml"),
          std::string("replay pair.txt --on m.toml --network loggops"), dimemas}) {
        const Answer answer = run(arguments);
        std::size_t at = 0;
        for (const char* const line : {"predicted time", "where it went", "efficiency", "what limits it",
                                       "message sizes", "machine", "model", "validity", "simulation"}) {
            const std::size_t found = answer.out.find(fmt::format("\n  {} ", line), at);
            EXPECT_NE(found, std::string::npos) << arguments << ": " << line << "\n" << answer.out;
            if (found != std::string::npos) at = found;
        }
    }
}

TEST_F(OneResult, IsARunDirectoryThatSaysWhereItComesFrom) {
    for (const std::string& arguments :
         {std::string("replay pair.goal --on m.toml --network flow --set link.latency=1us -o one"),
          std::string("replay pair.goal --on m.toml --network loggops -o two --critical-path"),
          std::string("replay pair.txt --on m.toml --noise-seed 7 -o three/"),
          std::string("generate ring -n 4 -o four"), dimemas + " -o five"}) {
        const std::string name = arguments.substr(arguments.find("-o ") + 3);
        const std::string folder = name.substr(0, name.find_first_of(" /"));
        const Answer answer = run(arguments);
        ASSERT_EQ(answer.code, 0) << arguments;
        EXPECT_NE(answer.out.find("  run directory   " + folder), std::string::npos) << answer.out;
        EXPECT_EQ(names_in(folder_ / folder),
                  (std::set<std::string>{"manifest.json", "summary.txt", "result.json", "ranks.csv",
                                         "links.csv", "sizes.csv", "calls.csv", "collectives.csv"}));
        const json value = json::parse(content(folder + "/result.json"));
        expect_valid(value, arguments);
        EXPECT_NE(content(folder + "/summary.txt").find("predicted time"), std::string::npos);
        const json manifest = json::parse(content(folder + "/manifest.json"));
        EXPECT_EQ(manifest["command"].size(), value["command"].size());
        EXPECT_EQ(manifest["command"].back(), value["command"].back());
        EXPECT_EQ(manifest["version"], built_version());
        EXPECT_EQ(manifest["inputs"], value["inputs"]);
        EXPECT_FALSE(manifest["host"].get<std::string>().empty());
        EXPECT_EQ(manifest["started"].get<std::string>().size(), 20U);
        EXPECT_GT(manifest["seconds"], 0);
        EXPECT_EQ(manifest["files"].size(), 7U);
    }
    const json one = json::parse(content("one/manifest.json"));
    EXPECT_EQ(one["machine"]["link.latency"], (json{{"value", "1us"}, {"from", "--set"}}));
    EXPECT_EQ(one["machine"]["topology.hosts"]["from"], "m.toml:6");
    EXPECT_EQ(json::parse(content("three/manifest.json"))["seeds"]["noise"], 7);
    const json inputs = one["inputs"];
    ASSERT_EQ(inputs.size(), 2U);
    EXPECT_EQ(inputs[0]["role"], "workload");
    EXPECT_EQ(inputs[0]["bytes"], pair_goal.size());
    EXPECT_EQ(inputs[1]["role"], "machine");
    EXPECT_EQ(names_in(folder_).size(), 3U + 5U); // nothing else is left
    // Another content has another hash.
    write("pair.goal", pair_goal + "\n");
    EXPECT_NE(result("replay pair.goal --json")["inputs"][0]["hash"], inputs[0]["hash"]);
}

TEST_F(OneResult, IsShownByInfo) {
    ASSERT_EQ(
        run("replay pair.goal --on m.toml --network flow --set link.latency=1us --noise-seed 7 -o 'a run'")
            .code,
        0);
    const Answer answer = run("info 'a run'");
    EXPECT_EQ(answer.code, 0);
    for (const std::string& words :
         {std::string("pair.goal: 2 ranks"), std::string("\n  predicted time  "),
          std::string(" replay pair.goal --on m.toml --network flow --set link.latency=1us --noise-seed 7 -o "
                      "'a run'\n"),
          fmt::format("\n  input           workload pair.goal, {} B, hash ", pair_goal.size()),
          std::string("\n  input           machine m.toml, "), std::string("by orrery ") + built_version(),
          std::string("\n  changed values  link.latency = 1us (--set)\n"),
          std::string("\n  seeds           noise 7, start skew 1\n"), std::string("ranks.csv")})
        EXPECT_NE(answer.out.find(words), std::string::npos) << words << "\n" << answer.out;
    EXPECT_EQ(answer.out.find("(missing)"), std::string::npos);
    const json both = result("info 'a run' --json");
    EXPECT_EQ(both["result"], json::parse(content("a run/result.json")));
    EXPECT_EQ(both["manifest"], json::parse(content("a run/manifest.json")));
    EXPECT_EQ(run("info 'a run' --matrix x.svg").code, 2);
    fs::remove(folder_ / "a run/links.csv");
    EXPECT_NE(run("info 'a run'").out.find("links.csv (missing)"), std::string::npos);
    write("a run/manifest.json", "{\"command\": 7}");
    const Answer broken = run("info 'a run'", true);
    EXPECT_EQ(broken.code, 3);
    EXPECT_NE(broken.out.find("not a manifest of a run directory"), std::string::npos) << broken.out;
    write("a run/manifest.json", "no JSON");
    EXPECT_EQ(run("info 'a run'").code, 3);
}

TEST_F(OneResult, IsReplacedOnlyIfAskedTo) {
    ASSERT_EQ(run("replay pair.goal -o a").code, 0);
    const Answer again = run("replay pair.goal --json -o a", true);
    EXPECT_EQ(again.code, 2);
    EXPECT_NE(again.out.find("holds a result already; --force replaces it"), std::string::npos) << again.out;
    write("a/mine.txt", "added");
    const Answer kept = run("replay pair.txt --on m.toml -o a --force", true);
    EXPECT_EQ(kept.code, 2);
    EXPECT_NE(kept.out.find("mine.txt in it is of no result"), std::string::npos) << kept.out;
    fs::remove(folder_ / "a/mine.txt");
    EXPECT_EQ(run("replay pair.txt --on m.toml -o a --force").code, 0);
    EXPECT_EQ(json::parse(content("a/result.json"))["what"], "pair.txt");
    fs::create_directory(folder_ / "b");
    EXPECT_EQ(run("replay pair.goal -o b").code, 0); // an empty folder
    fs::create_directory(folder_ / "c");
    write("c/mine.txt", "mine");
    EXPECT_EQ(run("replay pair.goal -o c --force").code, 2);
    EXPECT_EQ(content("c/mine.txt"), "mine");
    EXPECT_EQ(run("replay pair.goal -o pair.goal").code, 2);
    EXPECT_EQ(run("replay pair.goal -o nowhere/d").code, 3);
    EXPECT_EQ(names_in(folder_), (std::set<std::string>{"a", "b", "c", "m.toml", "pair.goal", "pair.txt"}));
}

TEST_F(OneResult, LeavesNothingOfARunThatFails) {
    const std::set<std::string> before = names_in(folder_);
    write("stuck.goal", "num_ranks 2\nrank 0 {\nr: recv 8b from 1\n}\nrank 1 {\n}\n");
    EXPECT_EQ(run("replay stuck.goal -o a").code, 1);
    fs::remove(folder_ / "stuck.goal");
    // No file may be larger than nothing: as on a full disk.
    const Answer full = run_command("cd " + folder_.string() + " && (ulimit -f 0; " + orrery_program() +
                                    " replay pair.goal -o a 2>&1 >/dev/null)");
    EXPECT_EQ(full.code, 3) << full.out;
    EXPECT_NE(full.out.find("cannot be written"), std::string::npos) << full.out;
    // Stopped in the middle of it.
    const Answer stopped = run_command("cd " + folder_.string() + " && timeout -s INT 1 " + orrery_program() +
                                       " generate dissemination -n 4M --iterations 50 -o a >/dev/null 2>&1");
    EXPECT_NE(stopped.code, 0);
    EXPECT_EQ(names_in(folder_), before);
}

TEST_F(OneResult, GenerateTellsSchedulesFromFolders) {
    EXPECT_EQ(run("generate ring -n 4 -o ring.goal").code, 0);
    EXPECT_EQ(run("generate ring -n 4 --write also.orr").code, 0);
    EXPECT_EQ(run("generate ring -n 4 -o ring").code, 0);
    EXPECT_TRUE(fs::is_regular_file(folder_ / "ring.goal"));
    EXPECT_TRUE(fs::is_regular_file(folder_ / "also.orr"));
    EXPECT_TRUE(fs::exists(folder_ / "ring/result.json"));
    EXPECT_EQ(run("generate ring -n 4 -o ring.gaol").code, 2);
    EXPECT_EQ(run("generate ring -n 4 -o dir --write x.goal").code, 2);
    EXPECT_EQ(run("generate ring -n 4 --write x.goal --json").code, 2);
    EXPECT_EQ(run("generate ring -n 4 --write -").out.substr(0, 9), "num_ranks");
    EXPECT_FALSE(fs::exists(folder_ / "ring.gaol"));
}

} // namespace orrery::test::one_result_test
