#include "reference/random_program.h"

#include "reference/draw.h"

#include <array>
#include <deque>
#include <fmt/format.h>
#include <utility>

namespace orrery::reference {

namespace {

using Kind = ProgramStep::Kind;

constexpr std::array collectives{Collective::barrier, Collective::bcast,     Collective::reduce,
                                 Collective::gather,  Collective::allreduce, Collective::allgather,
                                 Collective::alltoall};
constexpr std::array<const char*, 7> kind_names{"compute",    "message", "shift",   "gather",
                                                "collective", "wait",    "wait_all"};

ProgramStep random_step(Draw& draw, std::uint32_t ranks, const std::vector<Bytes>& sizes, bool nonblocking) {
    ProgramStep step;
    step.from = draw.below(ranks);
    step.to = draw.below(ranks);
    step.bytes = draw.chance(60) ? sizes[draw.below(sizes.size())] : draw.below(20);
    step.nonblocking_send = draw.chance(50);
    step.nonblocking_receive = draw.chance(50);
    const unsigned which = draw.below(100);
    if (which < 25) {
        step.kind = Kind::compute;
        step.bytes = draw.below(draw.chance(50) ? 10 : 100);
    } else if (which < 65) {
        step.kind = Kind::message;
        if (step.from == step.to) step.nonblocking_send = step.nonblocking_receive = true;
    } else if (which < 70) {
        step.kind = Kind::shift;
    } else if (which < 75) {
        step.kind = Kind::gather;
    } else if (which < 82) {
        step.kind = Kind::collective;
        step.collective = collectives.at(draw.below(collectives.size()));
        step.nonblocking_receive = nonblocking && draw.chance(40);
    } else {
        step.kind = which < 94 ? Kind::wait : Kind::wait_all;
    }
    return step;
}

// Gives each rank's part of the steps as the actions of a trace.
class Writer {
  public:
    explicit Writer(std::uint32_t ranks) : script(ranks), requests_(ranks), next_(ranks) {}

    void add(const ProgramStep& step) {
        const std::uint32_t ranks = script.ranks();
        switch (step.kind) {
        case Kind::compute: script.compute(step.from, static_cast<double>(step.bytes)); break;
        case Kind::message:
            // With itself a rank must post the receive first.
            if (step.nonblocking_receive) receive(step.to, step.from, step.bytes, 0, true);
            send(step.from, step.to, step.bytes, 0, step.nonblocking_send);
            if (!step.nonblocking_receive) receive(step.to, step.from, step.bytes, 0, false);
            break;
        case Kind::shift:
            for (std::uint32_t rank = 0; rank < ranks; ++rank) {
                Action action;
                action.kind = ActionKind::sendrecv;
                action.peer = (rank + 1) % ranks;
                action.other = (rank + ranks - 1) % ranks;
                action.bytes = action.more_bytes = step.bytes;
                action.tag = 1;
                script.add(rank, action);
            }
            break;
        case Kind::gather:
            ++gathers_;
            for (std::uint32_t rank = 0; rank < ranks; ++rank) {
                if (rank == step.to) continue;
                receive(step.to, any_source, step.bytes + rank, 1 + gathers_, true);
            }
            for (std::uint32_t rank = 0; rank < ranks; ++rank) {
                if (rank != step.to)
                    send(rank, step.to, step.bytes + rank, 1 + gathers_, step.nonblocking_send);
            }
            break;
        case Kind::collective:
            for (std::uint32_t rank = 0; rank < ranks; ++rank) {
                Action action;
                action.kind = ActionKind::collective;
                action.collective = step.collective;
                action.bytes = step.bytes;
                action.peer = step.to;
                action.nonblocking = step.nonblocking_receive;
                if (action.nonblocking) action.request = request(rank);
                script.add(rank, action);
            }
            break;
        case Kind::wait:
            if (requests_[step.from].empty()) break;
            script.wait(step.from, requests_[step.from].front());
            requests_[step.from].pop_front();
            break;
        case Kind::wait_all:
            script.wait_all(step.from);
            requests_[step.from].clear();
            break;
        }
    }

    test::ActionScript script;

  private:
    std::uint32_t request(std::uint32_t rank) {
        requests_[rank].push_back(next_[rank]);
        return next_[rank]++;
    }
    void send(std::uint32_t from, std::uint32_t to, Bytes bytes, std::uint32_t tag, bool nonblocking) {
        if (nonblocking) {
            script.message(from, ActionKind::isend, to, bytes, request(from), tag);
        } else {
            script.message(from, ActionKind::send, to, bytes, 0, tag);
        }
    }
    void receive(std::uint32_t to, std::uint32_t from, Bytes bytes, std::uint32_t tag, bool nonblocking) {
        if (nonblocking) {
            script.message(to, ActionKind::irecv, from, bytes, request(to), tag);
        } else {
            script.message(to, ActionKind::recv, from, bytes, 0, tag);
        }
    }

    std::vector<std::deque<std::uint32_t>> requests_; // that are not waited for, per rank
    std::vector<std::uint32_t> next_;                 // number of the next one, per rank
    std::uint32_t gathers_ = 0;
};

} // namespace

RandomProgram random_program(std::uint64_t seed, const std::vector<Bytes>& sizes,
                             bool nonblocking_collectives) {
    Draw draw(seed, 0);
    RandomProgram program;
    program.ranks = 2 + draw.below(draw.chance(70) ? 4 : 12);
    const std::uint32_t count = 1 + draw.below(40);
    for (std::uint32_t i = 0; i < count; ++i)
        program.steps.push_back(random_step(draw, program.ranks, sizes, nonblocking_collectives));
    return program;
}

test::ActionScript script_of(const RandomProgram& program) {
    Writer writer(program.ranks);
    for (const ProgramStep& step : program.steps) writer.add(step);
    for (std::uint32_t rank = 0; rank < program.ranks; ++rank) writer.script.wait_all(rank);
    return std::move(writer.script);
}

std::string words_of(const RandomProgram& program) {
    std::string text = fmt::format("{} ranks\n", program.ranks);
    for (const ProgramStep& step : program.steps) {
        text += fmt::format("{} {}->{} {} B{}{}{}\n", kind_names.at(static_cast<std::size_t>(step.kind)),
                            step.from, step.to, step.bytes, step.nonblocking_send ? " isend" : "",
                            step.nonblocking_receive ? " irecv" : "",
                            step.kind == Kind::collective ? fmt::format(" {}", name_of(step.collective)) : "");
    }
    return text;
}

} // namespace orrery::reference
