#include "reference/random_trace.h"

#include "reference/draw.h"
#include "results/calls.h"
#include "workload/listed_steps.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <numeric>
#include <span>
#include <utility>

namespace orrery::reference {

namespace {

using Kind = TraceStep::Kind;

constexpr std::array<unsigned, TraceStep::kinds> weights{16, 5, 26, 4, 4, 20, 2, 3, 8, 2, 1, 3, 4, 2, 2};

// Gives each rank's part of the steps as the actions of a trace.
class TraceWriter {
  public:
    explicit TraceWriter(const RandomTrace& trace)
        : script(trace.ranks),
          trace_(trace), communicators_{{world, std::vector<std::uint32_t>(trace.ranks), false}},
          requests_(trace.ranks), next_(trace.ranks) {
        std::iota(communicators_.front().members.begin(), communicators_.front().members.end(), 0U);
    }

    void add(const TraceStep& step) {
        Draw draw(step.seed, 2);
        draw_ = &draw;
        communicator_ = communicators_[draw.chance(60) ? 0 : draw.below(communicators_.size())];
        switch (step.kind) {
        case Kind::compute: compute(); break;
        case Kind::sleep: sleep(); break;
        case Kind::message: message(); break;
        case Kind::exchange: exchange(); break;
        case Kind::gather: gather(); break;
        case Kind::complete: complete(); break;
        case Kind::cancel: cancel(); break;
        case Kind::forget: forget(); break;
        case Kind::collective: collective(); break;
        case Kind::communicator: communicator(); break;
        case Kind::neighbours: neighbours(); break;
        case Kind::fences: fences(); break;
        case Kind::locks: locks(); break;
        case Kind::lock_all: lock_all(); break;
        case Kind::post_start: post_start(); break;
        }
    }
    void end() {
        for (std::uint32_t rank = 0; rank < trace_.ranks; ++rank) script.wait_all(rank);
    }

    test::ActionScript script;

  private:
    struct Communicator {
        std::uint32_t name = world;
        std::vector<std::uint32_t> members; // ranks of the world
        bool has_neighbours = false;
    };

    [[nodiscard]] std::uint32_t size() const {
        return static_cast<std::uint32_t>(communicator_.members.size());
    }
    std::uint32_t any_rank() { return draw_->below(trace_.ranks); }
    std::uint32_t any_place() { return draw_->below(size()); }
    Bytes any_size() { return draw_->chance(70) ? draw_->of(trace_.sizes) : draw_->below(20); }
    std::uint32_t request(std::uint32_t rank) {
        requests_[rank].push_back(next_[rank]);
        return next_[rank]++;
    }
    // Of the communicator of the step; `rank` is one of the world.
    Action action(ActionKind kind, std::uint32_t peer = 0, Bytes bytes = 0, std::uint32_t tag = 0) const {
        Action made;
        made.kind = kind;
        made.comm = communicator_.name;
        made.peer = peer;
        made.bytes = bytes;
        made.tag = tag;
        return made;
    }
    void add(std::uint32_t rank, Action made) {
        if (makes_request(made)) made.request = request(rank);
        script.add(rank, made);
    }
    void add(std::uint32_t rank, Action made, const std::vector<Bytes>& counts) {
        if (makes_request(made)) made.request = request(rank);
        script.add(rank, script.with_counts(made, counts));
    }

    void compute() { script.compute(any_rank(), draw_->below(draw_->chance(50) ? 10 : 3000)); }

    void sleep() {
        Action made;
        made.kind = ActionKind::sleep;
        made.other = draw_->below(pauses);
        made.volume = draw_->below(200) * 1e-9;
        made.bytes = draw_->below(draw_->chance(50) ? 100'000 : 3'000'000);
        script.add(any_rank(), made);
    }

    void message() {
        const std::uint32_t from = any_place();
        const std::uint32_t to = any_place();
        const Bytes bytes = any_size();
        std::uint32_t tag = draw_->below(3);
        constexpr std::array sends{ActionKind::send, ActionKind::isend, ActionKind::isend, ActionKind::ssend,
                                   ActionKind::issend};
        const ActionKind send = from == to ? ActionKind::isend : draw_->of(sends);
        std::uint32_t source = from;
        std::uint32_t wanted = tag;
        if (draw_->chance(20)) wanted = any_tag;
        if (draw_->chance(20)) {
            source = any_source;
            if (!trace_.careless) wanted = tag = 1000 + messages_++; // meant for this receive
        }
        const bool probe = from != to && draw_->chance(15);
        const bool later = from == to || draw_->chance(60);
        const auto receive = [&] {
            const std::uint32_t rank = communicator_.members[to];
            if (probe) {
                Action look = action(ActionKind::probe, source, 0, wanted);
                const bool take = later && draw_->chance(50);
                if (take) look.other = 1 + taken_++;
                add(rank, look);
                if (draw_->chance(50)) script.compute(rank, draw_->below(50));
                Action seen = action(later ? ActionKind::irecv : ActionKind::recv, source, bytes, wanted);
                seen.other = look.other;
                return add(rank, seen);
            }
            add(rank, action(later ? ActionKind::irecv : ActionKind::recv, source, bytes, wanted));
        };
        if (later && !probe) receive();
        add(communicator_.members[from], action(send, to, bytes, tag));
        if (!later || probe) receive();
    }

    void exchange() {
        const Bytes bytes = any_size();
        const std::uint32_t by = 1 + draw_->below(size());
        for (std::uint32_t place = 0; place < size(); ++place) {
            Action made = action(ActionKind::sendrecv, (place + by) % size(), bytes, 3);
            made.other = (place + size() - by % size()) % size();
            made.more_bytes = bytes;
            add(communicator_.members[place], made);
        }
    }

    // Dozens at once; those of one tag are received from anybody, or each from its sender.
    void burst() {
        const std::uint32_t root = any_place();
        const std::uint32_t first = 1000 + messages_;
        messages_ += 3;
        const unsigned from_any = draw_->below(8); // a bit for each tag
        const bool before = draw_->chance(50);
        std::vector<Action> sends;
        std::vector<Action> receives;
        std::vector<std::uint32_t> senders;
        for (unsigned left = 5 + draw_->below(30); left > 0; --left) {
            const std::uint32_t which = draw_->below(3);
            senders.push_back(any_place());
            sends.push_back(action(ActionKind::isend, root, any_size(), first + which));
            receives.push_back(action(ActionKind::irecv,
                                      (from_any >> which) % 2 == 1 ? any_source : senders.back(),
                                      sends.back().bytes, first + which));
        }
        for (const bool now : {true, false}) {
            for (std::size_t i = 0; now == before && i < receives.size(); ++i)
                add(communicator_.members[root], receives[i]);
            for (std::size_t i = 0; now && i < sends.size(); ++i)
                add(communicator_.members[senders[i]], sends[i]);
        }
    }

    void gather() {
        if (draw_->chance(30)) return burst();
        const std::uint32_t root = any_place();
        const Bytes bytes = any_size();
        const std::uint32_t tag = 1000 + messages_++;
        const bool blocks = draw_->chance(50);
        const bool posted_before = draw_->chance(50);
        const auto receive = [&] {
            for (std::uint32_t place = 0; place < size(); ++place) {
                if (place == root) continue;
                const ActionKind kind =
                    posted_before || draw_->chance(50) ? ActionKind::irecv : ActionKind::recv;
                add(communicator_.members[root], action(kind, any_source, bytes + place, tag));
            }
        };
        if (posted_before) receive();
        for (std::uint32_t place = 0; place < size(); ++place) {
            if (place != root)
                add(communicator_.members[place],
                    action(blocks ? ActionKind::send : ActionKind::isend, root, bytes + place, tag));
        }
        if (!posted_before) receive();
    }

    // Those that a rank has freed are left in the list: nothing happens to them.
    void complete() {
        const std::uint32_t rank = any_rank();
        std::vector<std::uint32_t>& open = requests_[rank];
        if (open.empty()) return;
        Action made;
        std::vector<Bytes> named;
        for (const std::uint32_t each : open) {
            if (draw_->chance(40)) named.push_back(each);
        }
        switch (draw_->below(7)) {
        case 0:
            script.wait_all(rank);
            open.clear();
            return;
        case 1: {
            const std::uint32_t which = draw_->of(open);
            script.wait(rank, which);
            std::erase(open, which);
            return;
        }
        case 2:
            made.kind = ActionKind::test;
            made.request = draw_->of(open);
            script.add(rank, made);
            return;
        case 3: made.kind = ActionKind::await; break;
        case 4: made.kind = ActionKind::wait_some; break;
        case 5: made.kind = ActionKind::wait_all; break;
        default: made.kind = ActionKind::wait_any; break;
        }
        if (named.empty() && made.kind == ActionKind::await) return;
        script.add(rank, script.with_counts(made, named));
    }

    void cancel() {
        const std::uint32_t from = any_place();
        const std::uint32_t rank = communicator_.members[from];
        Action made = action(draw_->chance(50) ? ActionKind::isend : ActionKind::issend, any_place(),
                             any_size(), 1000 + messages_++);
        const std::uint32_t number = next_[rank]++;
        made.request = number;
        script.add(rank, made);
        if (draw_->chance(50)) script.compute(rank, draw_->below(3000));
        made = {};
        made.kind = ActionKind::cancel;
        made.request = number;
        script.add(rank, made);
    }

    void forget() {
        const std::uint32_t from = any_place();
        const std::uint32_t to = any_place();
        const std::uint32_t tag = 1000 + messages_++;
        Action send = action(ActionKind::isend, to, any_size(), tag);
        Action receive = action(ActionKind::irecv, from, send.bytes, tag);
        Action made;
        made.kind = ActionKind::forget;
        const auto forgets = [&](std::uint32_t rank, Action& which) {
            made.request = which.request = next_[rank]++;
            script.add(rank, which);
            script.add(rank, made);
        };
        forgets(communicator_.members[to], receive);
        forgets(communicator_.members[from], send);
    }

    // An algorithm of the trace's own: round the ring, beside the ranks.
    void aside() {
        const Piece data{send_buffer, 0, any_size()};
        for (std::uint32_t place = 0; place < size(); ++place) {
            const std::uint32_t next = (place + 1) % size();
            std::vector<Bytes> steps;
            for (const Step& step :
                 {reduce(data, data), isend(next, data), recv((place + size() - 1) % size(), data),
                  sendrecv(next, data, (place + size() - 1) % size(), data), wait_all()})
                append_step(step, steps);
            add(communicator_.members[place], action(ActionKind::aside), steps);
        }
    }

    void collective() {
        if (draw_->chance(10)) return aside();
        static constexpr std::array kinds{
            Collective::barrier,   Collective::bcast,          Collective::gather,
            Collective::scatter,   Collective::allgather,      Collective::allgatherv,
            Collective::alltoall,  Collective::alltoallv,      Collective::reduce,
            Collective::allreduce, Collective::reduce_scatter, Collective::reduce_scatter_block,
            Collective::scan,      Collective::exscan};
        Action made = action(ActionKind::collective, any_place(), any_size());
        made.collective = draw_->of(kinds);
        if (communicator_.has_neighbours && draw_->chance(50))
            made.collective =
                draw_->chance(50) ? Collective::neighbor_allgather : Collective::neighbor_alltoall;
        made.nonblocking = draw_->chance(50);
        const bool reduces = made.collective >= Collective::reduce && made.collective <= Collective::exscan;
        if (reduces && draw_->chance(50)) made.volume = draw_->below(300);
        made.commutative = !draw_->chance(20);
        std::vector<Bytes> counts(size());
        for (Bytes& each : counts) each = any_size();
        for (std::uint32_t place = 0; place < size(); ++place) {
            std::vector<Bytes> own;
            if (made.collective == Collective::allgatherv || made.collective == Collective::reduce_scatter)
                own = counts;
            if (made.collective == Collective::allgatherv) made.bytes = counts[place];
            if (made.collective == Collective::alltoallv) { // from a to b what stands at a + b
                for (std::uint32_t other = 0; other < size(); ++other)
                    own.push_back(counts[(place + other) % size()]);
                own.insert(own.end(), own.begin(), own.begin() + size());
            }
            add(communicator_.members[place], made, own);
        }
    }

    void communicator() {
        const std::uint32_t name = ++names_;
        std::map<std::uint32_t, std::vector<std::pair<std::int32_t, std::uint32_t>>> groups;
        const unsigned which = draw_->below(3);
        if (which == 2) { // of some of the world, in any order
            std::vector<std::uint32_t> members;
            for (std::uint32_t rank = 0; rank < trace_.ranks; ++rank) {
                if (draw_->chance(60)) members.insert(members.begin() + draw_->below(members.size() + 1), rank);
            }
            if (members.empty()) return;
            for (const std::uint32_t rank : members)
                script.create(rank, name, std::vector<Bytes>(members.begin(), members.end()));
            communicators_.push_back({name, members});
            return;
        }
        for (std::uint32_t place = 0; place < size(); ++place) {
            const std::uint32_t rank = communicator_.members[place];
            Action made = action(which == 0 ? ActionKind::comm_dup : ActionKind::comm_split);
            made.request = name;
            made.peer = draw_->chance(10) ? any_source : draw_->below(2);
            made.other = draw_->below(4) - 1;
            script.add(rank, made);
            if (which == 0) {
                groups[0].emplace_back(0, rank);
            } else if (made.peer != any_source) {
                groups[made.peer].emplace_back(static_cast<std::int32_t>(made.other), rank);
            }
        }
        for (auto& [colour, group] : groups) {
            std::stable_sort(group.begin(), group.end(),
                             [](const auto& a, const auto& b) { return a.first < b.first; });
            Communicator created{name, {}, which == 0 && communicator_.has_neighbours};
            for (const auto& [key, rank] : group) created.members.push_back(rank);
            communicators_.push_back(created);
        }
    }

    // A topology stays with its communicator.
    void neighbours() {
        if (communicator_.has_neighbours) return;
        std::vector<std::vector<Bytes>> sources(size());
        std::vector<std::vector<Bytes>> destinations(size());
        for (std::uint32_t from = 0; from < size(); ++from) {
            for (std::uint32_t to = 0; to < size(); ++to) {
                if (!draw_->chance(40)) continue;
                destinations[from].push_back(to);
                sources[to].push_back(from);
            }
        }
        for (std::uint32_t place = 0; place < size(); ++place)
            script.neighbours(communicator_.members[place], sources[place], destinations[place],
                              communicator_.name);
        for (Communicator& each : communicators_) {
            if (each.name == communicator_.name && each.members == communicator_.members)
                each.has_neighbours = true;
        }
    }

    Action window(WindowCall call, std::uint32_t target = 0, std::uint32_t flags = 0) {
        Action made = action(ActionKind::window, target, 0, flags);
        made.other = static_cast<std::uint32_t>(call);
        return made;
    }
    void operations(std::uint32_t rank, const std::vector<std::uint32_t>& targets, unsigned most) {
        for (unsigned left = draw_->below(most + 1); left > 0; --left) {
            Action made = action(ActionKind::one_sided, draw_->of(targets));
            const unsigned which = draw_->below(3);
            if (which != 0) made.bytes = any_size();
            if (which != 1) made.more_bytes = any_size();
            made.nonblocking = draw_->chance(30);
            add(rank, made);
            if (draw_->chance(20)) script.compute(rank, draw_->below(1000));
        }
    }
    [[nodiscard]] std::vector<std::uint32_t> places() const {
        std::vector<std::uint32_t> all;
        for (std::uint32_t place = 0; place < size(); ++place) all.push_back(place);
        return all;
    }

    void fences() {
        for (const bool last : {false, true}) {
            for (const std::uint32_t rank : communicator_.members) {
                if (last) operations(rank, places(), 2);
                add(rank, window(WindowCall::fence));
            }
        }
    }

    // Several at once want the same, more or less.
    void locks() {
        const std::uint32_t target = any_place();
        const unsigned others = draw_->below(100);
        const std::uint32_t one = any_place();
        for (std::uint32_t place = 0; place < size(); ++place) {
            if (place == one || draw_->chance(others)) lock(communicator_.members[place], target);
        }
    }
    void lock(std::uint32_t rank, std::uint32_t target) {
        constexpr std::array<std::uint32_t, 5> flags{0, 0, window_shared, window_unchecked, window_memory};
        add(rank, window(WindowCall::lock, target, draw_->of(flags)));
        for (unsigned left = draw_->below(3); left > 0; --left) {
            operations(rank, {target}, 2);
            constexpr std::array calls{WindowCall::flush, WindowCall::flush_local, WindowCall::flush_all,
                                       WindowCall::flush_local_all};
            add(rank, window(draw_->of(calls), target));
        }
        operations(rank, {target}, 2);
        add(rank, window(WindowCall::unlock, target));
    }

    void lock_all() {
        const std::uint32_t rank = communicator_.members[any_place()];
        constexpr std::array<std::uint32_t, 4> flags{0, 0, window_unchecked, window_memory};
        add(rank, window(WindowCall::lock_all, 0, draw_->of(flags)));
        operations(rank, places(), 3);
        if (draw_->chance(50)) add(rank, window(WindowCall::flush, any_place()));
        operations(rank, places(), 2);
        add(rank, window(WindowCall::unlock_all));
    }

    void post_start() {
        std::vector<Bytes> origins;
        std::vector<Bytes> targets;
        for (std::uint32_t place = 0; place < size(); ++place) {
            if (draw_->chance(50)) origins.push_back(place);
            if (draw_->chance(50)) targets.push_back(place);
        }
        if (origins.empty() || targets.empty()) return;
        const std::uint32_t flags = draw_->chance(20) ? window_unchecked : 0;
        const auto in = [](const std::vector<Bytes>& list, std::uint32_t place) {
            return std::find(list.begin(), list.end(), place) != list.end();
        };
        for (std::uint32_t place = 0; place < size(); ++place) {
            const std::uint32_t rank = communicator_.members[place];
            if (in(targets, place)) add(rank, window(WindowCall::post, 0, flags), origins);
            if (in(origins, place)) {
                add(rank, window(WindowCall::start, 0, flags), targets);
                operations(rank, std::vector<std::uint32_t>(targets.begin(), targets.end()), 3);
                add(rank, window(WindowCall::complete));
            }
            if (in(targets, place)) add(rank, window(WindowCall::wait));
        }
    }

    const RandomTrace& trace_;
    Draw* draw_ = nullptr;
    Communicator communicator_; // of the step
    std::vector<Communicator> communicators_;
    std::vector<std::vector<std::uint32_t>> requests_; // that may not be freed yet, per rank
    std::vector<std::uint32_t> next_;                  // number of the next one, per rank
    std::uint32_t messages_ = 0;                       // with tags of their own
    std::uint32_t taken_ = 0;
    std::uint32_t names_ = 0;
};

} // namespace

RandomTrace random_trace(std::uint64_t seed, const std::vector<Bytes>& sizes, TraceStep::Kind last) {
    Draw draw(seed, 3);
    RandomTrace trace;
    trace.sizes = sizes;
    trace.ranks = 2 + draw.below(draw.chance(70) ? 4 : 10);
    trace.careless = draw.chance(15);
    const std::span<const unsigned> usable(weights.data(), static_cast<std::size_t>(last) + 1);
    unsigned sum = 0;
    for (const unsigned weight : usable) sum += weight;
    const std::uint32_t count = 1 + draw.below(40);
    for (std::uint32_t i = 0; i < count; ++i) {
        unsigned left = draw.below(sum);
        std::size_t kind = 0;
        while (left >= weights[kind]) left -= weights[kind++];
        trace.steps.push_back({static_cast<Kind>(kind), mix_bits(seed * 1000 + i)});
    }
    return trace;
}

test::ActionScript script_of(const RandomTrace& trace) {
    TraceWriter writer(trace);
    for (const TraceStep& step : trace.steps) writer.add(step);
    writer.end();
    return std::move(writer.script);
}

std::string words_of(const RandomTrace& trace) {
    std::string text;
    test::ActionScript script = script_of(trace);
    for (std::uint32_t rank = 0; rank < trace.ranks; ++rank) {
        for (const Action& action : script.next(RankId{rank})) {
            text += fmt::format(
                "{} {}: peer {} other {} tag {} bytes {} more {} volume {} request {} comm {} [{}]\n", rank,
                call_name(call_number(action)), static_cast<std::int32_t>(action.peer), action.other,
                static_cast<std::int32_t>(action.tag), action.bytes, action.more_bytes, action.volume,
                action.request, action.comm, fmt::join(script.counts(RankId{rank}, action), " "));
        }
    }
    return text;
}

} // namespace orrery::reference
