#include "machine/routing/routing.h"

#include "engine/error.h"
#include "engine/units.h"
#include "machine/platform.h"
#include "machine/routing/coloured.h"
#include "machine/routing/families.h"
#include "machine/routing/imported.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <numeric>
#include <optional>
#include <span>

namespace orrery {

namespace {

constexpr std::array parameter_table{
    Parameter{
        "routing.policy", "word", "auto",
        "which route packets take (docs/routing.md): auto, shortest, layered, up-down, file; on fat trees "
        "d-mod-k, "
        "s-mod-k, random, naive, adaptive, coloured; on tori, meshes, hypercubes and HyperX dimension-order, "
        "valiant, ugal; on dragonflies minimal, valiant, ugal"},
    Parameter{
        "routing.per", "word", "",
        "for what a random choice is made: pair (of hosts), message or packet; unless set: pair for random, "
        "packet for valiant and ugal"},
    Parameter{"routing.seed", "count", "1", "of random choices and of the search for coloured routes"},
    Parameter{
        "routing.form", "word", "parents",
        "of d-mod-k and s-mod-k: the number is divided by the parents passed (parents, Zahavi 2010) or by "
        "the children below (children, Rodriguez 2009)"},
    Parameter{
        "routing.pattern", "file", "",
        "coloured: the pattern that the routes are made for, a file of lines 'from to [bytes] [phase]' or a "
        "name such as shift:16"},
    Parameter{"routing.rounds", "count", "8", "coloured: how often the search starts again from an upset"},
    Parameter{
        "routing.view", "word", "local",
        "ugal: compares queues of the first router times hops (local), or all queues of the route (global)"},
    Parameter{"routing.bias", "bytes", "0", "ugal: a detour is taken if it is better by more than this"},
    Parameter{"routing.file", "file", "", "file: the route file"},
};

constexpr std::array<std::string_view, 15> policies{
    "auto",  "layered",  "shortest", "up-down",         "file",    "d-mod-k", "s-mod-k", "random",
    "naive", "adaptive", "coloured", "dimension-order", "minimal", "valiant", "ugal"};

class NoLoad final : public LoadView {
  public:
    [[nodiscard]] Bytes queued(LinkId /*channel*/) const override { return 0; }
};

// The topology as the routings see it.
enum class Family : std::uint8_t { tree, grid, dragonfly, other };

Family family_of(const Fabric& fabric) {
    const Regularity shape = fabric.platform().topology().regularity();
    if (shape.tree != nullptr) return Family::tree;
    if (shape.grid) return Family::grid;
    if (shape.groups != nullptr) return Family::dragonfly;
    return Family::other;
}

// Whether switches are joined without loops, so that there is one path only and no cycle.
bool is_forest(const Fabric& fabric) {
    std::vector<std::uint32_t> part(fabric.node_count());
    std::iota(part.begin(), part.end(), 0U);
    const auto root = [&](std::uint32_t node) {
        while (part[node] != node) node = part[node] = part[part[node]];
        return node;
    };
    for (std::uint32_t i = 0; i < fabric.channel_count(); ++i) {
        const Channel& channel = fabric.channel({i});
        if (!fabric.is_channel({i}) || channel.reverse.value < i) continue;
        const std::uint32_t a = root(channel.from.value);
        const std::uint32_t b = root(channel.to.value);
        if (a == b) return false;
        part[a] = b;
    }
    return true;
}

// The values of `routing.*`, all of them checked, whichever the policy uses.
struct RoutingChoice {
    explicit RoutingChoice(const Settings& settings)
        : policy(word(settings, "routing.policy", policies)),
          form(word(settings, "routing.form", std::array<std::string_view, 2>{"parents", "children"}) ==
                       "children"
                   ? ModForm::children
                   : ModForm::parents),
          seed(count(settings, "routing.seed", 1)), rounds(count(settings, "routing.rounds", 8)),
          global(word(settings, "routing.view", std::array<std::string_view, 2>{"local", "global"}) ==
                 "global"),
          bias(settings.bytes("routing.bias", 0)) {
        const std::string choice = settings.word("routing.per", "");
        if (choice == "pair") per = Decides::per_pair;
        if (choice == "message") per = Decides::per_message;
        if (choice == "packet") per = Decides::per_packet;
        if (!choice.empty() && !per) settings.complain("routing.per", "pair, message or packet");
    }

    std::string policy;
    ModForm form;
    std::optional<Decides> per; // none: what is usual for the policy
    std::uint32_t seed;
    std::uint32_t rounds;
    bool global;
    Bytes bias;

  private:
    // One of `words`, of which the first is the default.
    static std::string word(const Settings& settings, std::string_view key,
                            std::span<const std::string_view> words) {
        std::string said = settings.word(key, words[0]);
        if (std::find(words.begin(), words.end(), said) != words.end()) return said;
        const std::string nearest = nearest_word(said, words);
        if (words.size() == 2) settings.complain(key, fmt::format("{} or {}", words[0], words[1]));
        settings.complain(key, nearest.empty() ? fmt::format("one of {}", fmt::join(words, ", "))
                                               : fmt::format("'{}'?", nearest));
    }
    static std::uint32_t count(const Settings& settings, std::string_view key, std::uint32_t otherwise) {
        const double value = settings.number(key, otherwise);
        if (!(value >= 0 && value <= 4e9) || value != static_cast<double>(static_cast<std::uint32_t>(value)))
            settings.complain(key, "a whole number from 0 to 4e9");
        return static_cast<std::uint32_t>(value);
    }
};

class RoutingMaker {
  public:
    RoutingMaker(const Fabric& fabric, const Settings& settings)
        : fabric_(fabric), settings_(settings), family_(family_of(fabric)), choice_(settings) {}

    std::unique_ptr<Routing> make() {
        if (choice_.policy == "auto") return make_auto();
        if (choice_.policy == "shortest") return make_platform_routing(fabric_, "shortest paths");
        if (choice_.policy == "layered") return make_layered(fabric_, "shortest paths");
        if (choice_.policy == "up-down") return make_up_down(fabric_);
        if (choice_.policy == "file") return from_file();
        if (choice_.policy == "dimension-order" || choice_.policy == "minimal" || choice_.policy == "valiant" ||
            choice_.policy == "ugal")
            return on_regular();
        return on_tree();
    }

  private:
    std::unique_ptr<Routing> make_auto() const {
        switch (family_) {
        case Family::tree: return make_d_mod_k(fabric_, ModForm::parents);
        case Family::grid:
        case Family::dragonfly: return make_minimal(fabric_);
        case Family::other: break;
        }
        // On as many lanes as the graph needs, unless it is too large to tell.
        if (!is_forest(fabric_) && fabric_.host_count() <= 2048) return make_layered(fabric_, "shortest paths");
        return make_platform_routing(fabric_, "shortest paths");
    }

    std::unique_ptr<Routing> on_tree() const {
        if (family_ != Family::tree) misfit("a fat tree");
        if (choice_.policy == "d-mod-k") return make_d_mod_k(fabric_, choice_.form);
        if (choice_.policy == "s-mod-k") return make_s_mod_k(fabric_, choice_.form);
        if (choice_.policy == "naive") return make_first_port(fabric_);
        if (choice_.policy == "random")
            return make_random_up(fabric_, choice_.per.value_or(Decides::per_pair), choice_.seed);
        if (choice_.policy == "adaptive") return make_adaptive_up(fabric_);
        const std::string name = settings_.word("routing.pattern", "");
        if (name.empty())
            settings_.complain("routing.policy", "routing.pattern in addition: coloured for what?");
        return make_coloured(fabric_, read_pattern(fabric_.platform(), name), choice_.seed, choice_.rounds);
    }

    std::unique_ptr<Routing> on_regular() const {
        if (family_ != Family::grid && family_ != Family::dragonfly)
            misfit("a torus, mesh, hypercube, HyperX or dragonfly");
        if (choice_.policy == "dimension-order" && family_ != Family::grid)
            misfit("a torus, mesh, hypercube or HyperX");
        if (choice_.policy == "minimal" || choice_.policy == "dimension-order") return make_minimal(fabric_);
        if (choice_.policy == "valiant")
            return make_valiant(fabric_, choice_.per.value_or(Decides::per_packet), choice_.seed);
        const Decides decides = choice_.per.value_or(Decides::per_packet);
        if (decides == Decides::per_pair) settings_.complain("routing.per", "message or packet for ugal");
        return make_ugal(fabric_, decides, choice_.seed, {choice_.global, choice_.bias});
    }

    std::unique_ptr<Routing> from_file() const {
        const std::string file = settings_.word("routing.file", "");
        if (file.empty()) settings_.complain("routing.policy", "routing.file in addition");
        return read_route_file(fabric_, file);
    }

    [[noreturn]] void misfit(std::string_view needs) const {
        settings_.complain("routing.policy",
                           fmt::format("a policy that fits {}: {} needs {}",
                                       fabric_.platform().topology().words(), choice_.policy, needs));
    }

    const Fabric& fabric_;
    const Settings& settings_;
    Family family_;
    RoutingChoice choice_;
};

} // namespace

Hop Routing::next(NodeId at, Hop came, HostId from, HostId to, std::uint64_t draw, const LoadView& load) const {
    std::vector<Hop> hops;
    path(from, to, draw, load, hops);
    if (came.channel == no_link || at == NodeId{from.value}) return hops.front();
    const auto here = std::find(hops.begin(), hops.end(), came);
    return here + 1 < hops.end() ? here[1] : hops.back();
}

bool Routing::paths(HostId from, HostId to, std::uint64_t /*most*/, PathSink& sink) const {
    std::vector<Hop> hops;
    path(from, to, 0, no_load(), hops);
    sink.path(hops);
    return true;
}

const LoadView& no_load() {
    static const NoLoad none;
    return none;
}

std::span<const Parameter> routing_parameters() { return parameter_table; }

void check_routing_settings(const Settings& settings) { (void)RoutingChoice(settings); }

std::unique_ptr<Routing> make_routing(const Fabric& fabric, const Settings& settings) {
    return RoutingMaker(fabric, settings).make();
}

} // namespace orrery
