// `orrery collectives`: which algorithms there are, which one would be taken, and how they compare on a
// machine.
#include "cli/collectives_compare.h"
#include "cli/simulate_options.h"
#include "cli/verbs.h"
#include "engine/error.h"
#include "engine/output_file.h"
#include "engine/units.h"
#include "observe/json_text.h"
#include "simulation/simulation.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace orrery::cli {

namespace {

struct CollectivesArguments {
    std::string operation;
    std::string selector;
    std::string ranks;
    std::vector<std::string> sizes;
    std::uint32_t per_node = 1;
    bool not_commutative = false;
    bool compare = false;
    bool all = false;
    bool json = false;
    std::string plot;
    SimulationText simulation;
};

Collective operation_of(const std::string& name) {
    if (const auto found = find_collective(name)) return *found;
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < collective_count; ++i) names.push_back(name_of(static_cast<Collective>(i)));
    const std::string near = nearest_word(name, names);
    throw UsageError(fmt::format("there is no collective '{}'{}", name,
                                 near.empty() ? "; 'orrery collectives' lists them"
                                              : fmt::format("; did you mean '{}'?", near)));
}

std::string programs_words(const Algorithm& algorithm) {
    static const std::map<std::string_view, std::string_view> proper{
        {"openmpi", "Open MPI"},       {"mpich", "MPICH"},
        {"mvapich2", "MVAPICH2"},      {"simgrid", "SimGrid"},
        {"simgrid-replay", "SimGrid"}, {"loggopsim", "LogGOPSim"},
        {"literature", "literature"}};
    std::string out;
    for (const std::string_view program : programs_of(algorithm)) {
        const auto found = proper.find(program);
        const std::string_view word = found == proper.end() ? program : found->second;
        if (out.find(word) == std::string::npos) out += fmt::format("{}{}", out.empty() ? "" : ", ", word);
    }
    return out;
}

nlohmann::ordered_json facts(const Algorithm& algorithm) {
    return {{"name", algorithm.name},
            {"summary", algorithm.summary},
            {"cost", algorithm.cost},
            {"aliases", algorithm.aliases}};
}

void list_collectives(bool json) {
    nlohmann::ordered_json out;
    std::size_t total = 0;
    for (std::size_t i = 0; i < collective_count; ++i) {
        const auto operation = static_cast<Collective>(i);
        std::string names;
        for (const Algorithm& each : algorithms(operation)) {
            out[std::string(name_of(operation))].push_back(facts(each));
            names += fmt::format("{}{}", names.empty() ? "" : " ", each.name);
            ++total;
        }
        if (!json) fmt::print("{} ({})\n    {}\n", name_of(operation), algorithms(operation).size(), names);
    }
    if (json) {
        fmt::print("{}\n", json_text(out, 2));
        return;
    }
    fmt::print("{} algorithms. 'orrery collectives OPERATION' explains those of one operation.\n", total);
}

void list_algorithms(Collective operation, bool json) {
    if (json) {
        nlohmann::ordered_json out;
        for (const Algorithm& each : algorithms(operation))
            out[std::string(name_of(operation))].push_back(facts(each));
        fmt::print("{}\n", json_text(out, 2));
        return;
    }
    for (const Algorithm& each : algorithms(operation)) {
        fmt::print("{}\n    {}\n    cost     {}\n    in       {}\n    aliases  {}\n", each.name, each.summary,
                   each.cost, programs_words(each), each.aliases);
    }
    fmt::print("\nCost: p ranks, n bytes, α per message, β per byte, γ per byte reduced, s bytes per segment, "
               "k the fanout,\n"
               "m nodes; lg is the logarithm to base 2, rounded up. Any name or alias may be forced:\n"
               "--collective {}=NAME, with tuning {}=NAME:segment=64KiB:fanout=4 where it has a meaning.\n",
               name_of(operation), name_of(operation));
}

std::uint32_t ranks_of(const CollectivesArguments& arguments) {
    if (arguments.ranks.empty()) throw UsageError("how many ranks? Say -n RANKS, such as -n 64");
    const std::uint64_t ranks = parse_count(arguments.ranks);
    if (ranks == 0 || ranks > 100'000'000) throw UsageError("-n takes a number of ranks of 1 at least");
    return static_cast<std::uint32_t>(ranks);
}

std::vector<Bytes> sizes_of(const CollectivesArguments& arguments) {
    std::vector<Bytes> sizes;
    for (const std::string& text : arguments.sizes) sizes.push_back(parse_bytes(text));
    if (sizes.empty()) sizes = {8, 128, 2048, 32768, 524288, 8388608};
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    return sizes;
}

// What a selector would take, for each size, and why.
void explain_choice(Collective operation, const CollectivesArguments& arguments) {
    const Selector selector = parse_selector(arguments.selector);
    const std::uint32_t ranks = ranks_of(arguments);
    std::vector<std::uint32_t> nodes(ranks);
    for (std::uint32_t r = 0; r < ranks; ++r) nodes[r] = r / std::max<std::uint32_t>(arguments.per_node, 1);
    nlohmann::ordered_json out;
    for (const Bytes bytes : sizes_of(arguments)) {
        const std::vector<Bytes> counts(ranks, bytes);
        CollectiveCall call;
        call.operation = operation;
        call.size = ranks;
        call.bytes = bytes;
        call.element = bytes % 8 == 0 ? 8 : 1;
        call.commutative = !arguments.not_commutative;
        call.send_counts = counts;
        call.receive_counts = counts;
        if (arguments.per_node > 1) call.node_of = nodes;
        const Choice choice = select(selector, call);
        if (arguments.json) {
            out.push_back({{"bytes", bytes},
                           {"algorithm", choice.algorithm->name},
                           {"nonblocking", select_nonblocking(selector, call).algorithm->name},
                           {"reason", reason_of(selector, call)}});
            continue;
        }
        std::string tuning;
        if (choice.tuning.segment != 0 && choice.tuning.segment < bytes)
            tuning += fmt::format(", segments of {}", size_words(choice.tuning.segment));
        if (choice.tuning.fanout != 0) tuning += fmt::format(", fanout {}", choice.tuning.fanout);
        fmt::print("{:>10}  {}{} ({})\n", size_words(bytes), choice.algorithm->name, tuning,
                   reason_of(selector, call));
    }
    if (arguments.json) fmt::print("{}\n", json_text(out, 2));
}

// A program that consists of one collective.
class OneCollective final : public ActionSource {
  public:
    OneCollective(Collective operation, std::uint32_t ranks, Bytes bytes) : given_(ranks, false) {
        action_.kind = ActionKind::collective;
        action_.collective = operation;
        action_.bytes = bytes;
        action_.element = bytes % 8 == 0 ? 8 : 1;
        const bool both = operation == Collective::alltoallv || operation == Collective::alltoallw;
        const bool one = operation == Collective::gatherv || operation == Collective::scatterv ||
                         operation == Collective::allgatherv || operation == Collective::reduce_scatter;
        if (both || one) counts_.assign(std::size_t{ranks} * (both ? 2 : 1), bytes);
        action_.counts = static_cast<std::uint32_t>(counts_.size());
    }
    [[nodiscard]] std::uint32_t ranks() const override { return static_cast<std::uint32_t>(given_.size()); }
    std::span<const Action> next(RankId rank) override {
        if (given_[rank.index()]) return {};
        given_[rank.index()] = true;
        return {&action_, 1};
    }
    [[nodiscard]] std::span<const Bytes> counts(RankId /*rank*/, const Action& /*action*/) const override {
        return counts_;
    }
    [[nodiscard]] std::string file(RankId /*rank*/) const override { return "orrery collectives"; }

  private:
    Action action_;
    std::vector<Bytes> counts_;
    std::vector<bool> given_;
};

void compare(Collective operation, const CollectivesArguments& arguments) {
    if (name_of(operation).starts_with("neighbor"))
        throw UsageError("there is nothing to compare: the neighbourhood collectives have one algorithm each");
    if (arguments.simulation.machine.empty() && arguments.simulation.loggops.empty())
        throw UsageError("on which machine? Say --on MACHINE ('orrery machine list' shows those built in)");
    const std::uint32_t ranks = ranks_of(arguments);
    std::vector<std::uint32_t> node_of;
    for (const HostId host : Simulation(arguments.simulation, true).map(ranks)) node_of.push_back(host.value);
    const Algorithm* loaded = nullptr;
    std::unique_ptr<Simulation> simulation;
    const auto time = [&](const Algorithm& algorithm, Bytes bytes) {
        if (loaded != &algorithm) {
            SimulationText text = arguments.simulation;
            text.collectives.push_back(fmt::format("{}={}", name_of(operation), algorithm.name));
            simulation = std::make_unique<Simulation>(text, true);
            loaded = &algorithm;
        }
        const std::vector<Simulation::Job> jobs{
            {std::make_shared<OneCollective>(operation, ranks, bytes), Time::zero(), {}}};
        return simulation->run(jobs, {}).base.time;
    };
    const Comparison comparison =
        compare_collectives(operation, node_of, sizes_of(arguments), arguments.all, time);
    const std::string machine =
        arguments.simulation.machine.empty() ? arguments.simulation.loggops : arguments.simulation.machine;
    if (!arguments.plot.empty()) {
        OutputFile file(arguments.plot);
        file.write(comparison_plot(comparison, machine));
        file.commit();
    }
    std::fputs((arguments.json ? comparison_json(comparison) : comparison_table(comparison)).c_str(), stdout);
    if (!arguments.json)
        fmt::print("* the quickest. Times of one call on {}, {} ranks.\n", machine, format_count(ranks));
}

void collectives_verb(const CollectivesArguments& arguments) {
    if (arguments.operation.empty()) {
        if (!arguments.selector.empty() || arguments.compare)
            throw UsageError("which operation? Say for example 'orrery collectives allreduce'");
        return list_collectives(arguments.json);
    }
    const Collective operation = operation_of(arguments.operation);
    if (arguments.compare || !arguments.plot.empty()) return compare(operation, arguments);
    if (!arguments.selector.empty()) return explain_choice(operation, arguments);
    list_algorithms(operation, arguments.json);
}

} // namespace

void add_collectives(const Verb& app) {
    const Verb verb =
        app.add_subcommand("collectives", "List the collective algorithms, or compare them on a machine");
    const auto arguments = std::make_shared<CollectivesArguments>();
    SimulationText& simulation = arguments->simulation;
    verb.group("Studies");
    std::vector<std::string> operations;
    for (std::size_t i = 0; i < collective_count; ++i)
        operations.emplace_back(name_of(static_cast<Collective>(i)));
    verb.add_option("operation", arguments->operation, "An operation of MPI, such as allreduce; otherwise all")
        .type_name("OPERATION")
        .completes(operations);
    verb.add_option("--selector", arguments->selector,
                    "Show what this library would choose: openmpi, mpich, smpi-default, smpi-ompi, smpi-mpich, "
                    "smpi-mvapich2 or smpi-impi")
        .type_name("NAME")
        .completes(
            {"openmpi", "mpich", "smpi-default", "smpi-ompi", "smpi-mpich", "smpi-mvapich2", "smpi-impi"});
    verb.add_option("-n,--ranks,--np", arguments->ranks, "Number of ranks (also -np)").type_name("RANKS");
    verb.add_option("--bytes", arguments->sizes,
                    "Sizes of the call: all data of a broadcast or reduction, one block otherwise")
        .type_name("SIZES")
        .delimiter(',');
    verb.add_option("--per-node", arguments->per_node, "With --selector: ranks on each node");
    verb.add_flag("--not-commutative", arguments->not_commutative,
                  "With --selector: an operation that does not commute");
    verb.add_flag("--compare", arguments->compare, "Run every algorithm on the machine that --on names");
    verb.add_flag("--all", arguments->all, "With --compare: also the variants that only SimGrid has");
    verb.add_option("--plot", arguments->plot, "Draw the comparison (SVG): time over size").type_name("FILE");
    verb.add_flag("--json", arguments->json, "Print JSON instead of text");
    const std::string group = "Machine";
    add_on_option(verb, simulation);
    add_set_option(verb, simulation.settings);
    verb.add_option("--network", simulation.network, "loggops, flow, packet, kpacket or ideal")
        .type_name("MODEL")
        .completes(network_choices())
        .group(group);
    verb.add_option("--model", simulation.model, "A set of parameters, such as smpi-compat")
        .type_name("NAME")
        .group(group);
    verb.add_option("--loggops", simulation.loggops, "LogGOPS parameters, instead of a machine")
        .type_name("VALUES")
        .group(group);
    verb.add_option("--hostfile", simulation.hostfile, "The hosts to use").type_name("FILE").group(group);
    verb.add_option("--map-by", simulation.map_by, "Which rank runs where: block, roundrobin or file:FILE")
        .type_name("MAPPING")
        .completes({"block", "roundrobin", "file:"})
        .group(group);
    verb.examples({"orrery collectives allreduce --selector openmpi -n 64 --bytes 1KiB,1MiB",
                   "orrery collectives bcast --compare --on graphene -n 64 --plot bcast.svg",
                   "orrery collectives                      all operations and algorithms",
                   "orrery collectives allreduce            what each one does and costs"});
    verb.callback([arguments] { collectives_verb(*arguments); });
}

} // namespace orrery::cli
