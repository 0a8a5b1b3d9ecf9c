#include "reference/random_packets.h"

#include "engine/random.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <memory>

namespace orrery::reference {

namespace {

// Numbers one after the other.
class Dice {
  public:
    explicit Dice(std::uint64_t seed) : random_(seed, 0) {}
    std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(random_.below(n_++, bound)); }
    std::uint32_t between(std::uint32_t low, std::uint32_t high) { return low + below(high - low + 1); }
    bool one_in(std::uint32_t n) { return below(n) == 0; }

  private:
    RandomStream random_;
    std::uint64_t n_ = 0;
};

constexpr Bytes flit = 8;

WiredPlan random_wiring(Dice& dice, Time flit_time) {
    WiredPlan plan;
    plan.hosts = dice.between(2, 16);
    plan.switches = dice.one_in(3) ? 1 : dice.between(2, 8);
    const bool same = dice.one_in(2); // all cables alike
    const Time latency = Time::ns(dice.below(12));
    const auto cable = [&](std::uint32_t a, std::uint32_t b) {
        const std::uint32_t slower = same || dice.one_in(2) ? 1 : dice.between(1, 3);
        const Time flit_here = slower * flit_time;
        plan.cables.push_back(
            {a, b, static_cast<double>(flit) / flit_here.seconds(), same ? latency : Time::ns(dice.below(12))});
    };
    const auto node = [&](std::uint32_t number) { return plan.hosts + number; };
    const std::uint32_t shape = dice.below(3);
    for (std::uint32_t i = 1; i < plan.switches; ++i) {
        if (shape == 0) cable(node(i), node(dice.below(i))); // a tree
        if (shape == 1) cable(node(i), node(i - 1));         // a ring
        if (shape == 2) {
            for (std::uint32_t j = 0; j < i; ++j) cable(node(i), node(j)); // all with all
        }
    }
    if (shape == 1 && plan.switches > 2) cable(node(0), node(plan.switches - 1));
    const bool own_channels = dice.one_in(4);
    for (std::uint32_t i = 0; i < plan.hosts; ++i) {
        const std::uint32_t at = node(dice.below(plan.switches));
        if (own_channels) {
            plan.router_of_host.push_back(at);
        } else {
            cable(i, at);
            if (dice.one_in(8)) cable(i, node(dice.below(plan.switches)));
        }
    }
    return plan;
}

void choose_marks(Dice& dice, const WiredPlan& plan, std::uint32_t most_flits, PacketParameters& parameters) {
    std::int64_t in_round_trip = 0;
    for (const WiredCable& cable : plan.cables) {
        const double flits = 2 * cable.latency.seconds() * cable.bandwidth / static_cast<double>(flit);
        in_round_trip = std::max(in_round_trip, static_cast<std::int64_t>(flits) + 1);
    }
    const Bytes stop = dice.between(2, 3 * most_flits);
    parameters.stop_mark = stop * flit;
    parameters.go_mark = dice.between(1, static_cast<std::uint32_t>(stop) - 1) * flit;
    parameters.buffer =
        (stop + static_cast<Bytes>(in_round_trip) + Bytes{2} * most_flits + dice.below(10)) * flit;
}

} // namespace

std::unique_ptr<Routing> routing_of(const Fabric& fabric, const PacketCase& each) {
    if (each.decides != Decides::per_pair)
        return std::make_unique<LeastLoadedRouting>(fabric, each.decides, each.lanes);
    return std::make_unique<TableRouting>(random_shortest_paths(fabric, each.lanes, each.path_seed));
}

PacketCase random_packets(const PacketMode& mode, std::uint64_t seed) {
    Dice dice(seed);
    PacketCase each;
    PacketParameters& parameters = each.parameters;
    parameters.switching = mode.switching;
    parameters.flow_control = mode.flow_control;
    parameters.queueing = mode.queueing;
    const bool worm = mode.switching == Switching::wormhole;
    constexpr std::array<double, 4> speed_ups{1, 1.5, 2, 3};
    parameters.speed_up = speed_ups[dice.below(speed_ups.size())];
    const Time flit_time = Time::ns(mode.queueing == Queueing::combined ? 6 : 1);
    each.plan = random_wiring(dice, flit_time);
    parameters.flit = flit;
    parameters.segment = dice.between(1, 10) * flit;
    parameters.header = Bytes{5} * dice.below(3);
    const auto most_flits =
        static_cast<std::uint32_t>((parameters.segment + parameters.header + flit - 1) / flit);
    parameters.buffer =
        (worm ? dice.between(1, 3 * most_flits) : dice.between(most_flits, 4 * most_flits)) * flit;
    parameters.output_buffer = dice.between(most_flits, 3 * most_flits) * flit;
    if (mode.flow_control == FlowControl::stop_go) choose_marks(dice, each.plan, most_flits, parameters);
    parameters.switch_delay = Time::ns(worm ? dice.between(1, 5) : dice.below(5));
    parameters.injection = dice.one_in(2) ? Injection::interleaved : Injection::in_order;
    parameters.first_turn = dice.one_in(2) ? FirstTurn::equal : FirstTurn::random;
    parameters.seed = seed;
    parameters.control_priority = dice.one_in(3);
    parameters.injection_bandwidth =
        !worm && dice.one_in(2) ? 0 : static_cast<double>(flit) / (dice.between(1, 2) * flit_time).seconds();
    each.lanes = dice.between(1, 3);
    each.path_seed = seed;
    if (mode.adaptive) {
        constexpr std::array<Decides, 3> all{Decides::per_message, Decides::per_packet, Decides::per_hop};
        each.decides = all[dice.below(all.size())];
    }

    const std::uint32_t count = dice.between(1, 40);
    const std::uint32_t window = dice.between(1, 200); // ns
    const std::uint32_t hot = dice.below(each.plan.hosts);
    for (std::uint32_t i = 0; i < count; ++i) {
        FlitMessage message;
        message.from = HostId{dice.below(each.plan.hosts)};
        message.to = HostId{dice.one_in(4) ? hot : dice.below(each.plan.hosts)};
        message.bytes =
            dice.one_in(10) ? 0 : dice.between(1, static_cast<std::uint32_t>(4 * parameters.segment));
        message.time = Time::ns(dice.below(window));
        message.control = dice.one_in(5);
        if (message.from != message.to) each.messages.push_back(message);
    }
    std::stable_sort(each.messages.begin(), each.messages.end(),
                     [](const FlitMessage& a, const FlitMessage& b) { return a.time < b.time; });
    return each;
}

PacketCase minimise(PacketCase failing) {
    for (std::size_t i = failing.messages.size(); i-- > 0;) {
        PacketCase smaller = failing;
        smaller.messages.erase(smaller.messages.begin() + static_cast<std::ptrdiff_t>(i));
        if (!difference(smaller).empty()) failing = std::move(smaller);
    }
    return failing;
}

std::string to_words(const PacketCase& each) {
    const PacketParameters& p = each.parameters;
    std::string words = fmt::format(
        "{} hosts, {} switches, {} lanes of the routing (path seed {}, decides {})\n"
        "switching {} flow_control {} queueing {} (numbers of the enums), speed_up {}\n"
        "segment {} header {} flit {} buffer {} output_buffer {} stop {} go {} bytes\n"
        "switch_delay {} ps, injection {}, first_turn {}, seed {}, control_priority {}, injection_bandwidth "
        "{:g}\n",
        each.plan.hosts, each.plan.switches, each.lanes, each.path_seed, static_cast<int>(each.decides),
        static_cast<int>(p.switching), static_cast<int>(p.flow_control), static_cast<int>(p.queueing),
        p.speed_up, p.segment, p.header, p.flit, p.buffer, p.output_buffer, p.stop_mark, p.go_mark,
        p.switch_delay.ps(), static_cast<int>(p.injection), static_cast<int>(p.first_turn), p.seed,
        p.control_priority, p.injection_bandwidth);
    for (std::size_t i = 0; i < each.plan.cables.size(); ++i) {
        const WiredCable& cable = each.plan.cables[i];
        words += fmt::format("channels {} and {}: node {} with {}, {:.0f} ps per flit, latency {} ps\n", 2 * i,
                             2 * i + 1, cable.a, cable.b, static_cast<double>(p.flit) / cable.bandwidth * 1e12,
                             cable.latency.ps());
    }
    for (std::size_t i = 0; i < each.plan.router_of_host.size(); ++i) {
        words += fmt::format("host {} sits on node {}\n", i, each.plan.router_of_host[i]);
    }
    const std::unique_ptr<Platform> platform = make_platform(each.plan);
    const Fabric fabric(*platform, {p.injection_bandwidth, {}});
    const std::unique_ptr<Routing> routing = routing_of(fabric, each);
    for (std::size_t i = 0; i < each.messages.size(); ++i) {
        const FlitMessage& message = each.messages[i];
        words +=
            fmt::format("message {}: {} > {}, {} bytes at {} ps{}, by", i, message.from.value, message.to.value,
                        message.bytes, message.time.ps(), message.control ? " (control)" : "");
        std::vector<Hop> path;
        routing->path(message.from, message.to, i, no_load(), path);
        for (const Hop& hop : path) words += fmt::format(" {}/{}", hop.channel.value, hop.lane);
        words += "\n";
    }
    return words;
}

} // namespace orrery::reference
