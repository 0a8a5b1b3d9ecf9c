// Collectives of emulated ranks: their steps move the program's own data.
#include "mpi_library/engine.h"

#include "mpi_library/call_kinds.h"
#include "mpi_library/op.h"
#include "mpi_library/process_state.h"

#include <fmt/format.h>
#include <utility>

namespace orrery::emulate {

void Engine::collective(Membership& member, const CollectiveCall& call, CollectiveData* data, Steps steps) {
    Fiber& own = fiber();
    own.run = start_collective(own, member, call, false, no_payload, std::move(steps));
    runs_[own.run].data = data;
    if (data != nullptr) data->call = static_cast<std::uint16_t>(self().mpi->present);
    if (advance_collective(own) == Outcome::blocked) leave();
}

RequestId Engine::icollective(Membership& member, const CollectiveCall& call, CollectiveData* data,
                              Steps steps) {
    // The call begins on the rank's own CPU.
    while (by_turns() && !acquire(fiber(), Processors::Use::compute)) leave();
    Fiber& other = spawn(self().index, member, call, no_payload, Time::zero(), std::move(steps));
    runs_[other.run].data = data;
    if (data != nullptr) data->call = static_cast<std::uint16_t>(self().mpi->present);
    const RequestId request = other.done;
    if (by_turns()) { // and ends there
        if (go_on_at(fiber(), clock_.now(), clock_.draw()) == Outcome::blocked) leave();
        std::uint8_t phase = 0;
        while (occupy(fiber(), phase, Time::zero()) == Outcome::blocked) leave();
    }
    return request;
}

// What touches a rank's variables, or is the application's, happens with the rank's variables in place.
template <typename Work> void Engine::as_rank(std::uint32_t rank, const Work& work) {
    Rank* const before = std::exchange(current, &processes_[rank]);
    if (on_switch_ != nullptr) on_switch_(*current);
    work();
    current = before;
    if (on_switch_ != nullptr && current != nullptr) on_switch_(*current);
}

void Engine::attach(CollectiveRun& run, const Fiber& fiber) {
    auto& data = *static_cast<CollectiveData*>(run.data);
    const Step& step = *run.step;
    const auto payload = [&](const Piece& piece, bool incoming) {
        Payload made;
        made.collective = &data;
        made.buffer = piece.buffer;
        made.count = static_cast<std::int64_t>(piece.offset);
        made.bytes = piece.bytes;
        made.rank = fiber.rank;
        made.orphan = incoming;
        made.call = data.call & 0x1fffU;
        return payloads_.add(std::move(made));
    };
    switch (step.kind) {
    case Step::Kind::send:
    case Step::Kind::isend: run.outgoing = payload(step.from, false); break;
    case Step::Kind::recv:
    case Step::Kind::irecv: run.incoming = payload(step.to, true); break;
    case Step::Kind::sendrecv: {
        const auto is_own = [&](std::uint32_t rank) {
            return communicators_.member(run.communicator, rank) == fiber.rank;
        };
        if (is_own(step.peer) && is_own(step.source)) { // a copy, as RankEngine::exchange knows
            Step copied = step;
            copied.kind = Step::Kind::copy;
            as_rank(fiber.rank, [&] { data.perform(copied); });
        } else {
            run.outgoing = payload(step.from, false);
            run.incoming = payload(step.to, true);
        }
        break;
    }
    case Step::Kind::wait:
    case Step::Kind::wait_all: break;
    case Step::Kind::copy:
    case Step::Kind::reduce:
    case Step::Kind::reduce_after: as_rank(fiber.rank, [&] { data.perform(step); }); break;
    }
}

void Engine::end_collective(CollectiveRun& run) {
    auto* const data = static_cast<CollectiveData*>(run.data);
    as_rank(data->rank, [&] { data->finish(); });
    if (data->owned) delete data;
}

std::string Engine::collective_words(const Communicators::Call& call) const {
    if (!call.same_bytes) return {};
    const std::string how =
        call.reduction == 0 ? std::string() : fmt::format("{} of ", mpi::op_name(call.reduction));
    const std::string what =
        call.basic == 0 ? std::string() : fmt::format(", {}", mpi::basic_words(call.basic));
    return fmt::format(" ({}{} bytes{})", how, call.bytes, what);
}

} // namespace orrery::emulate
