// RankEngine, part 4 of 6: one-sided communication.
#include "protocol/rank_engine.h"

namespace orrery {

namespace {

// Programs look at their own memory until another rank has written there, and flush in between: time goes on,
// and the other rank with it.
constexpr std::int64_t idle_flush_ns = 100;

} // namespace

RankEngine::Outcome RankEngine::send_operations(Fiber& fiber, WindowMember& own) {
    while (!own.outgoing.empty()) {
        if (!own.paid) {
            if (by_turns() && !acquire(fiber, Processors::Use::compute)) return Outcome::blocked;
            own.paid = true;
            if (by_turns()) {
                const Time end = clock_.now() + windows_.cost(own);
                if (logs()) events_->passes(fiber.index, fiber.rank, EventKind::send, clock_.now(), end);
                processors_.occupy(fiber.rank, cpu_of(fiber), end);
                if (logs()) events_->occupied(fiber.index, fiber.rank, cpu_of(fiber));
                if (sleep_until(fiber, end) == Outcome::blocked) return Outcome::blocked;
            } else if (work(fiber, windows_.cost(own), EventKind::send) == Outcome::blocked) {
                return Outcome::blocked;
            }
        }
        windows_.send_next(own);
    }
    return Outcome::done;
}

RankEngine::Outcome RankEngine::window_call(Fiber& fiber, std::uint8_t& phase, WindowMember& own,
                                            WindowCall call, std::uint32_t target, std::uint32_t flags,
                                            std::span<const Bytes> ranks) {
    if (phase == 0) {
        phase = 1;
        windows_.begin(own, call, target, flags, ranks);
    }
    if (phase == 1) {
        if (send_operations(fiber, own) == Outcome::blocked) return Outcome::blocked;
        const bool idle = Windows::is_flush(call) && windows_.holds(own, call, target);
        phase = idle ? 3 : 2;
        if (idle) return spend(fiber, clock_.now() + Time::ns(idle_flush_ns), EventKind::call);
    }
    if (phase == 2) {
        if (!windows_.holds(own, call, target)) {
            own.waiter = fiber.index;
            fiber.mode = Fiber::Mode::waiting_any;
            take_messages(fiber.rank);
            return Outcome::blocked;
        }
        phase = 3;
        own.waiter = nobody;
        windows_.end(own, call);
    }
    return Outcome::done;
}

RankEngine::Outcome RankEngine::one_sided(Fiber& fiber, std::uint8_t& phase, WindowMember& own,
                                          std::uint32_t target, Bytes bytes, Bytes back, RequestId* request,
                                          void* memory) {
    if (phase == 0) {
        phase = 1;
        windows_.begin(own, target, bytes, back, memory, request);
    }
    return send_operations(fiber, own);
}

void RankEngine::on_transferred() {
    // What an arrival sets off may carry something on.
    std::vector<Messenger::Transferred> all;
    all.swap(messenger_.transferred());
    for (const Messenger::Transferred& each : all) {
        if (logs()) events_->because_of_operation(each.line);
        windows_.arrive(each.line);
        for (const std::uint32_t fiber : windows_.woken()) let_go_on(fibers_[fiber]);
        windows_.woken().clear();
        end_timed_wait(each.to); // what came may be what its program looks for
    }
    drain();
}

} // namespace orrery
