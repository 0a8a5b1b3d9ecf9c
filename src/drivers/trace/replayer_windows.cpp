// Replayer, part 4 of 4: one-sided communication, and algorithms that run beside the rank.
#include "drivers/trace/replayer.h"

#include "engine/error.h"
#include "workload/listed_steps.h"
#include "workload/window_ranks.h"

#include <algorithm>
#include <fmt/format.h>

namespace orrery {

// An algorithm that the trace itself has, beside the rank.
Replayer::Outcome Replayer::perform_aside(Fiber& fiber, TraceRank& rank, const Action& action) {
    Membership& member = membership(rank, action);
    const std::span<const Bytes> steps = counts(fiber, action);
    if (const char* const fault = fault_of_steps(steps, communicators_.size(member.index)))
        fail(fiber.rank, action, fault);
    CollectiveCall call;
    call.operation = action.collective;
    call.rank = member.rank;
    call.size = communicators_.size(member.index);
    slot(rank, action.request) =
        spawn(fiber.rank, member, call, action.line, Time::zero(), listed_steps({steps.begin(), steps.end()}))
            .done;
    return Outcome::done;
}

Replayer::Outcome Replayer::perform_window(Fiber& fiber, TraceRank& rank, const Action& action) {
    Membership& member = membership(rank, action);
    WindowMember& own = windows_.member(member);
    const auto call = static_cast<WindowCall>(action.other);
    if (fiber.phase == 0) check_window(fiber, rank, own, action);
    if (action.kind == ActionKind::one_sided) {
        return one_sided(fiber, fiber.phase, own, action.peer, action.bytes, action.more_bytes,
                         action.nonblocking ? &slot(rank, action.request) : nullptr);
    }
    constexpr std::uint8_t at_barrier = 10;
    if (fiber.phase == at_barrier) return Outcome::done;
    const Outcome outcome =
        window_call(fiber, fiber.phase, own, call, action.peer, action.tag, counts(fiber, action));
    if (outcome != Outcome::done || call != WindowCall::fence) return outcome;
    fiber.phase = at_barrier;
    CollectiveCall barrier;
    (void)make_call(action, {}, member, communicators_.size(member.index), barrier);
    fiber.run = start_collective(fiber, member, barrier, false, action.line);
    return Outcome::again;
}

// Some of what emulated programs are not let do either.
void Replayer::check_window(const Fiber& fiber, TraceRank& rank, const WindowMember& own,
                            const Action& action) {
    const bool data = action.kind == ActionKind::one_sided;
    const auto call = static_cast<WindowCall>(action.other);
    if (data || has_target(call)) (void)peer_of(rank, action, action.peer);
    if (data) return;
    for (const Bytes each : counts(fiber, action))
        (void)peer_of(rank, action, static_cast<std::uint32_t>(std::min<Bytes>(each, any_source - 1)));
    if (names_twice(counts(fiber, action))) fail(fiber.rank, action, "names a rank twice");
    const auto found = own.to.find(action.peer);
    const bool locked = found != own.to.end() && found->second.locked;
    if (call == WindowCall::lock && locked)
        fail(fiber.rank, action, fmt::format("locks rank {} a second time", action.peer));
    if (call == WindowCall::unlock && !locked)
        fail(fiber.rank, action, fmt::format("unlocks rank {}, which it has not locked", action.peer));
}

} // namespace orrery
