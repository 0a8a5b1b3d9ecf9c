// How a random case is made: messages first, each a send and a receive in one "step"; then computations; then
// dependencies from lower to higher steps, which cannot deadlock. Wildcards, equal tags, lost partners and a
// few dependencies are added afterwards and may break that: such cases must be found to deadlock.
#include "reference/random_schedule.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <initializer_list>
#include <numeric>
#include <utility>

namespace orrery::reference {
namespace {

// splitmix64: tiny, and the same on every platform (the distributions of <random> are not).
class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed * 0x9E37'79B9'7F4A'7C15U + 1) {}
    std::uint64_t next() {
        std::uint64_t z = (state_ += 0x9E37'79B9'7F4A'7C15U);
        z = (z ^ (z >> 30U)) * 0xBF58'476D'1CE4'E5B9U;
        z = (z ^ (z >> 27U)) * 0x94D0'49BB'1331'11EBU;
        return z ^ (z >> 31U);
    }
    std::uint64_t below(std::uint64_t n) { return next() % n; }
    std::uint32_t below32(std::uint64_t n) { return static_cast<std::uint32_t>(below(n)); }
    bool chance(unsigned percent) { return below(100) < percent; }
    template <typename T> T pick(std::initializer_list<T> values) {
        return *(values.begin() + below(values.size()));
    }

  private:
    std::uint64_t state_;
};

LogGOPS random_parameters(Random& random) {
    LogGOPS p;
    if (random.chance(20)) { // of a real machine, in ns
        p.L = Time::ns(random.pick({2500, 5300, 3700}));
        p.o = Time::ns(random.pick({1500, 2300, 200}));
        p.g = Time::ns(random.pick({1000, 4000, 5}));
        p.G = random.pick({6000.0, 2500.0, 40.0, 180.0});
        p.O = random.pick({0.0, 8000.0, 1000.0, 333.3});
        p.S = random.pick<Bytes>({0, 1000, 65535});
    } else { // small integers: many things happen at the same time
        p.L = Time::ns(random.pick({0, 0, 1, 2, 3, 5, 20}));
        p.o = Time::ns(random.pick({0, 0, 1, 1, 2, 3, 10}));
        p.g = Time::ns(random.pick({0, 0, 1, 2, 4, 15}));
        p.G = random.pick({0.0, 0.0, 1000.0, 2000.0, 40.0, 166.67});
        p.O = random.pick({0.0, 0.0, 1000.0, 3000.0, 180.0, 0.4});
        p.S = random.pick<Bytes>({0, 1, 4, 8, 8, unlimited});
    }
    p.rendezvous = random.chance(50) ? Rendezvous::handshake : Rendezvous::sender_waits;
    return p;
}

// What kind of schedule this is; drawn once per case so that cases differ from each other.
struct Style {
    std::uint32_t ranks = 1;
    std::uint32_t steps = 0;
    std::uint32_t tags = 1;
    unsigned hot_destination = 0; // per cent: most messages go to one rank
    unsigned wildcard = 0;        // per cent of receives that have one
    bool wild_ranks = false;      // rather per cent of ranks, all receives of which take anything from anyone
    unsigned lost = 0;            // per cent of messages that lack one side
    unsigned calcs = 0;           // per cent of steps that are computations
    unsigned long_calcs = 0;      // per cent of those that are long
    std::uint32_t chained = 0;    // 0: random dependencies; 1: each after the previous one; 2: none
    std::uint32_t density = 0;    // random dependencies per operation, at most
    unsigned on_start = 0;        // per cent of dependencies that are irequires
    unsigned crossed = 0;   // per cent of operations that change places, so that ranks may wait in a circle
    unsigned joins = 0;     // per cent of operations that wait for everything before them in their rank
    bool symmetric = false; // every rank does the same, with partners at the same distance
    bool exclusive = false; // the distance is not a difference but an exclusive or
    bool shuffled = false;  // program order is not the order of the steps
    std::vector<std::uint32_t> cpus, nics;
};

Style random_style(Random& random) {
    Style s;
    const bool large = random.chance(2);
    s.ranks = large ? 16 + random.below32(100) : 1 + random.below32(random.chance(50) ? 4 : 12);
    s.steps = large ? 1 + random.below32(2000) : 1 + random.below32(random.chance(30) ? 100 : 16);
    s.tags = random.pick<std::uint32_t>({1, 1, 2, 3, 1000, 1000});
    s.hot_destination = random.pick({0U, 0U, 50U, 90U});
    s.wildcard = random.pick({0U, 0U, 0U, 10U, 30U, 100U});
    s.wild_ranks = random.chance(70);
    s.lost = random.chance(4) ? 5 : 0;
    s.calcs = random.pick({0U, 20U, 50U});
    s.long_calcs = random.pick({0U, 0U, 5U, 30U});
    s.chained = random.pick<std::uint32_t>({0, 0, 0, 1, 2});
    s.density = 1 + random.below32(4);
    s.on_start = random.pick({0U, 20U, 50U, 100U});
    s.crossed = random.chance(4) ? 10 : 0;
    s.joins = random.pick({0U, 0U, 2U, 10U});
    s.symmetric = random.chance(15);
    s.shuffled = random.chance(30);
    if (random.chance(3)) { // a flood: long queues of receives, messages and waiting operations
        s.ranks = 1 + random.below32(5);
        s.steps = 100 + random.below32(400);
        s.hot_destination = random.pick({0U, 90U, 100U});
        s.calcs = random.pick({0U, 5U});
        s.chained = random.chance(50) ? 2 : 0;
        s.density = 1;
        s.joins = random.pick({0U, 1U});
        s.symmetric = false;
    }
    if (s.symmetric && random.chance(30)) {
        s.exclusive = true;
        s.ranks = std::bit_floor(s.ranks);
    }
    if (s.symmetric && !large) s.steps = std::min(s.steps, 30U);
    if (s.symmetric && large) s.steps = std::min(s.steps, 10U);
    const std::array<std::vector<std::uint32_t>, 5> resources{
        {{0}, {0}, {0, 1}, {0, 1, 2, 3}, {7, 255, 256, 300, 4000}}};
    s.cpus = resources.at(random.below(resources.size()));
    s.nics = resources.at(random.below(resources.size()));
    return s;
}

Bytes random_size(Random& random, const LogGOPS& p) {
    if (p.S == unlimited || random.chance(40)) return random.below(6);
    const std::uint64_t around = p.S + random.below(4);
    return random.chance(20) ? 2 * p.S + random.below(10) : around == 0 ? 0 : around - 1;
}

// An operation of a rank and its place in the order that cannot deadlock.
struct Placed {
    std::uint32_t step = 0;
    Op op;
};

// The two sides of a message. The send's peer is still open; so is the receive's unless it is a wildcard.
struct Draft {
    Op send, recv;
    bool lost_send = false;
    bool lost_recv = false;
};

Draft random_message(Random& random, const Style& style, const LogGOPS& p) {
    const auto cpu = [&] { return style.cpus[random.below(style.cpus.size())]; };
    const auto nic = [&] { return style.nics[random.below(style.nics.size())]; };
    const std::uint32_t tag = random.below32(style.tags);
    const Bytes size = random_size(random, p);
    Draft draft;
    draft.send = send_op(0, size, tag, cpu(), nic());
    draft.recv = recv_op(0, random.chance(80) ? size : random_size(random, p), tag, cpu(), nic());
    if (!style.wild_ranks && random.chance(style.wildcard)) {
        if (random.chance(70)) draft.recv.peer = any_source;
        if (random.chance(50)) draft.recv.tag = any_tag;
    }
    if (random.chance(style.lost)) (random.chance(50) ? draft.lost_send : draft.lost_recv) = true;
    return draft;
}

std::vector<std::vector<Placed>> random_operations(Random& random, const Style& style, const LogGOPS& p) {
    std::vector<std::vector<Placed>> placed(style.ranks);
    std::vector<bool> wild;
    for (std::uint32_t r = 0; r < style.ranks; ++r) {
        wild.push_back(style.wild_ranks && random.chance(style.wildcard));
    }
    const std::uint32_t hot = random.below32(style.ranks);
    for (std::uint32_t step = 0; step < style.steps; ++step) {
        std::vector<std::uint32_t> actors{random.below32(style.ranks)};
        if (style.symmetric) {
            actors.resize(style.ranks);
            std::iota(actors.begin(), actors.end(), 0U);
        }
        if (random.chance(style.calcs)) {
            const std::uint64_t ns =
                random.chance(style.long_calcs) ? random.below(5'000'000) : random.below(12);
            const Op op = calc_op(ns * 1000, style.cpus[random.below(style.cpus.size())]);
            for (const std::uint32_t rank : actors) placed[rank].push_back({step, op});
            continue;
        }
        Draft draft = random_message(random, style, p);
        const bool to_hot = !style.symmetric && random.chance(style.hot_destination);
        const std::uint32_t distance = random.below32(style.ranks);
        const auto destination = [&](std::uint32_t from) {
            if (to_hot) return hot;
            return style.exclusive ? from ^ distance : (from + distance) % style.ranks;
        };
        for (const std::uint32_t from : actors) {
            draft.send.peer = destination(from);
            if (!draft.lost_send) placed[from].push_back({step, draft.send});
        }
        for (const std::uint32_t from : actors) {
            const std::uint32_t to = destination(from);
            Op recv = draft.recv;
            if (recv.peer != any_source) recv.peer = from;
            if (wild[to]) {
                recv.peer = any_source;
                recv.tag = any_tag;
            }
            if (!draft.lost_recv) placed[to].push_back({step, recv});
        }
    }
    return placed;
}

RankGraph random_graph(Random& random, const Style& style, std::vector<Placed> placed) {
    const std::size_t count = placed.size();
    for (std::size_t i = 1; i < count; ++i) {
        if (random.chance(style.crossed)) std::swap(placed[i], placed[random.below(i)]);
    }
    std::vector<std::uint32_t> index(count); // of the i-th operation in the order of the steps
    std::iota(index.begin(), index.end(), 0U);
    if (style.shuffled) {
        for (std::size_t i = count; i > 1; --i) std::swap(index[i - 1], index[random.below(i)]);
    }
    RankGraph graph;
    graph.ops.resize(count);
    for (std::size_t i = 0; i < count; ++i) graph.ops[index[i]] = placed[i].op;

    for (std::size_t i = 1; i < count; ++i) {
        const auto depend = [&](std::size_t before) {
            // Both sides of a message to oneself are in one step: they must not wait for each other.
            if (placed[before].step == placed[i].step) return;
            graph.dependencies.push_back({index[before], index[i], random.chance(style.on_start)});
        };
        if (random.chance(style.joins)) {
            for (std::size_t before = 0; before < i; ++before) depend(before);
            continue;
        }
        if (style.chained == 1) depend(i - 1);
        if (style.chained != 0) continue;
        for (std::uint32_t n = random.below32(style.density + 1); n > 0; --n) {
            const std::size_t reach = random.chance(70) ? std::min<std::size_t>(i, 4) : i;
            depend(i - 1 - random.below(reach));
        }
    }
    // The order in which dependencies are written decides the order in which operations become free.
    for (std::size_t i = graph.dependencies.size(); style.shuffled && i > 1; --i) {
        std::swap(graph.dependencies[i - 1], graph.dependencies[random.below(i)]);
    }
    return graph;
}

} // namespace

LogGOPS random_parameters(std::uint64_t seed) {
    Random random(seed);
    return random_parameters(random);
}

RandomCase random_case(std::uint64_t seed) {
    Random random(seed);
    RandomCase result;
    result.parameters = random_parameters(random);
    const Style style = random_style(random);
    for (auto& placed : random_operations(random, style, result.parameters)) {
        Random same = random; // symmetric: the same dependencies on every rank
        result.ranks.push_back(random_graph(style.symmetric ? same : random, style, std::move(placed)));
    }
    return result;
}

} // namespace orrery::reference
