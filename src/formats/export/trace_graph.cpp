#include "formats/export/trace_graph.h"

#include "collectives/comm_split.h"
#include "engine/error.h"
#include "engine/time.h"
#include "formats/export/context_tags.h"
#include "workload/rank_chain.h"
#include "workload/steps_graph.h"

#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace orrery {

namespace {

constexpr std::uint32_t none = 0xFFFF'FFFF;

class RankWriter {
  public:
    RankWriter(ActionSource& source, RankId rank, const TraceCommunicators& communicators,
               const TraceScheduleOptions& options, ContextTags& tags, TraceScheduleNotes& notes)
        : source_(source), rank_(rank), options_(options), tags_(tags), notes_(notes),
          communicators_(communicators, rank, source.file(rank)), chain_(graph_) {}

    const RankGraph& run() {
        for (std::span<const Action> window; !(window = source_.next(rank_)).empty();) {
            for (const Action& action : window) {
                const std::span<const Bytes> counts = source_.counts(rank_, action);
                if (!notes_.left_out.takes(action, communicators_)) {
                    add(action, counts);
                } else if (makes_request(action)) {
                    slot(action.request) = none;
                }
                communicators_.pass(action, counts);
            }
        }
        return graph_;
    }

  private:
    void add(const Action& action, std::span<const Bytes> counts);
    void compute(const Action& action, double seconds, RankChain& chain);
    void wait(std::uint32_t number);
    void choose(std::span<const Bytes> counts);
    void collective(const Action& action, std::span<const Bytes> counts);

    std::uint32_t tag(const Action& action) {
        const std::uint32_t communicator = communicators_.of(action).index;
        return tags_.message(communicator, action.tag);
    }
    Op sent(const Action& action) {
        return send_op(communicators_.world_rank(action, action.peer), action.bytes, tag(action));
    }
    Op received(const Action& action, std::uint32_t from, Bytes bytes) {
        if (action.tag == any_tag) ++notes_.any_tag;
        return recv_op(communicators_.world_rank(action, from), bytes == any_bytes ? 0 : bytes, tag(action));
    }
    std::uint32_t& slot(std::uint32_t number) {
        if (number >= requests_.size()) requests_.resize(number + std::size_t{1}, none);
        return requests_[number];
    }

    ActionSource& source_;
    RankId rank_;
    const TraceScheduleOptions& options_;
    ContextTags& tags_;
    TraceScheduleNotes& notes_;
    RankCommunicators communicators_;
    RankGraph graph_;
    RankChain chain_;
    std::vector<std::uint32_t> requests_; // by number in the trace: the operation whose end it is
};

void RankWriter::compute(const Action& action, double seconds, RankChain& chain) {
    const double picoseconds = seconds * 1e12;
    if (!(picoseconds < Time::longest().picoseconds()))
        communicators_.fail(action, "a computation is too long for a schedule");
    auto duration = static_cast<std::uint64_t>(Time::from_ps(picoseconds, "a computation").ps());
    if (options_.whole_nanoseconds) duration = (duration + 500) / 1000 * 1000;
    if (duration > 0) chain.after(chain.add(calc_op(duration)));
}

void RankWriter::wait(std::uint32_t number) {
    std::uint32_t& op = slot(number);
    if (op != none) chain_.wait_for(op);
    op = none;
}

// A wait for one of several: which, is for the run to say. The first in the list stands for it.
void RankWriter::choose(std::span<const Bytes> counts) {
    ++notes_.choices;
    for (const Bytes number : counts) {
        if (slot(static_cast<std::uint32_t>(number)) != none) return wait(static_cast<std::uint32_t>(number));
    }
    for (std::uint32_t number = 0; counts.empty() && number < requests_.size(); ++number) {
        if (requests_[number] != none) return wait(number);
    }
}

void RankWriter::collective(const Action& action, std::span<const Bytes> counts) {
    const CollectiveCall call = communicators_.call(action, counts);
    const Membership& member = communicators_.of(action);
    const Choice choice =
        action.nonblocking ? options_.collectives.choose_nonblocking(call) : options_.collectives.choose(call);
    std::optional<RankChain> beside;
    if (action.nonblocking) { // the call begins and ends on the rank's own CPU
        chain_.join();
        beside = chain_.fork();
    }
    RankChain& chain = beside ? *beside : chain_;
    Steps steps =
        action.kind == ActionKind::comm_split ? split_steps(options_.collectives.selector(), call) : Steps();
    if (!steps) steps = choice.run(call);
    append_steps(std::move(steps), chain, tags_.collective(member.index, member.calls), rank_.value,
                 [&](std::uint32_t peer) { return communicators_.world_rank(member, peer); });
    if (action.volume > 0) compute(action, action.volume / options_.speed, chain);
    if (!beside) return;
    slot(action.request) = beside->join();
    chain_.join();
}

void RankWriter::add(const Action& action, std::span<const Bytes> counts) {
    switch (action.kind) {
    case ActionKind::compute: return compute(action, action.volume / options_.speed, chain_);
    case ActionKind::sleep: return compute(action, action.volume, chain_);
    case ActionKind::ssend: ++notes_.synchronous; [[fallthrough]];
    case ActionKind::send: return chain_.after(chain_.add(sent(action)));
    case ActionKind::recv: return chain_.after(chain_.add(received(action, action.peer, action.bytes)));
    case ActionKind::issend: ++notes_.synchronous; [[fallthrough]];
    case ActionKind::isend:
    case ActionKind::irecv: {
        const std::uint32_t op = chain_.add(
            action.kind == ActionKind::irecv ? received(action, action.peer, action.bytes) : sent(action));
        slot(action.request) = op;
        return chain_.after_start(op);
    }
    case ActionKind::sendrecv: {
        const Op out = sent(action);
        const Op in = received(action, action.other, action.more_bytes);
        if (out.peer == rank_.value && in.peer == rank_.value) return; // a copy
        const std::uint32_t received = chain_.add(in);                 // posted before the send begins
        const std::uint32_t sent_op = chain_.add(out);
        chain_.after(sent_op);
        return chain_.wait_for(received);
    }
    case ActionKind::probe: ++notes_.probes; return;
    case ActionKind::test: ++notes_.tests; return;
    case ActionKind::wait: return wait(action.request);
    case ActionKind::wait_all:
        for (const Bytes number : counts) wait(static_cast<std::uint32_t>(number));
        for (std::uint32_t number = 0; counts.empty() && number < requests_.size(); ++number) wait(number);
        return;
    case ActionKind::wait_any:
    case ActionKind::wait_some: return choose(counts);
    case ActionKind::collective:
    case ActionKind::comm_split:
    case ActionKind::comm_dup:
    case ActionKind::window: return collective(action, counts); // a fence
    case ActionKind::forget: slot(action.request) = none; return;
    case ActionKind::comm_create:
    case ActionKind::comm_free:
    case ActionKind::neighbours:
    case ActionKind::one_sided:
    case ActionKind::cancel:
    case ActionKind::aside:
    case ActionKind::await: return; // the wait itself follows
    }
}

} // namespace

std::vector<std::string> TraceScheduleNotes::words() const {
    std::vector<std::string> all;
    const auto note = [&](std::uint64_t count, std::string_view what) {
        if (count > 0) all.push_back(fmt::format("{} {}", count, what));
    };
    note(any_tag, "receives of any tag: in a schedule they may take a message of a collective or of another "
                  "communicator");
    note(choices, "waits for any of several requests became waits for the first of them");
    note(probes, "probes are left out");
    note(tests, "tests are left out");
    note(synchronous, "synchronous sends became plain sends");
    left_out.append_words(all);
    return all;
}

TraceScheduleNotes write_schedule(ActionSource& source, const TraceCommunicators& communicators,
                                  const TraceScheduleOptions& options, ScheduleSink& sink) {
    ContextTags tags(communicators.largest_tag());
    TraceScheduleNotes notes;
    sink.begin(source.ranks());
    for (std::uint32_t rank = 0; rank < source.ranks(); ++rank) {
        RankWriter writer(source, RankId{rank}, communicators, options, tags, notes);
        const RankGraph& graph = writer.run();
        check_rank(graph, RankId{rank}, source.ranks(), source.file(RankId{rank}));
        sink.rank(RankId{rank}, graph);
    }
    sink.finish();
    return notes;
}

} // namespace orrery
