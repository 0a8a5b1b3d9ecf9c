// The steps of a collective algorithm on one rank, one at a time.
//
// An algorithm is a C++20 coroutine: straight-line code that yields what its rank does next. It knows neither
// time nor network nor data. Whoever pulls the steps decides what they mean: replay turns them into messages of
// the given size, the emulator also moves the data, a test follows symbolically which blocks get where, and a
// generator of schedules writes them down. Nothing is stored: memory is one coroutine frame per rank.
//
// Data are named by pieces of three kinds of buffers, in bytes and in the order of the blocks, without gaps:
// where a block really lies in memory (displacements, derived types) is for the emulator to know.
#pragma once

#include "engine/ids.h"

#include <coroutine>
#include <cstdint>
#include <exception>
#include <utility>

namespace orrery {

// Buffers 2, 3, ... are temporaries; they exist from their first use to the end of the call.
inline constexpr std::uint8_t send_buffer = 0;
inline constexpr std::uint8_t receive_buffer = 1;
inline constexpr std::uint8_t first_temporary = 2;

struct Piece {
    std::uint8_t buffer = send_buffer;
    Bytes offset = 0;
    Bytes bytes = 0;
    bool operator==(const Piece&) const = default;
};

struct Step {
    enum class Kind : std::uint8_t {
        send,  // blocking: `from` to `peer`
        recv,  // blocking: into `to` from `peer`
        isend, // as send, but goes on; done when `request` has been waited for
        irecv,
        sendrecv,     // `from` to `peer` and, at the same time, into `to` from `source`
        wait,         // for `request`
        wait_all,     // for all requests of this call that have not been waited for
        copy,         // `from` to `to`, on this rank
        reduce,       // to = from (op) to: `from` holds the operand of the lower ranks
        reduce_after, // to = to (op) from: `from` holds the operand of the higher ranks
    };
    // When an isend or irecv may begin, for a schedule that does not keep to the order of a program. Whoever
    // runs the steps one after the other need not look at it: in their order they are right as well.
    enum class Begin : std::uint8_t {
        in_order,   // after the steps before it
        at_once,    // with the call
        after_wait, // as soon as the last wait is over, whatever else stands before it
    };
    Kind kind = Kind::wait_all;
    Begin begin = Begin::in_order;
    std::uint32_t peer = 0;    // rank in the communicator
    std::uint32_t source = 0;  // of sendrecv
    std::uint32_t request = 0; // small number chosen by the algorithm; free again once waited for
    Piece from;
    Piece to;
};
static_assert(sizeof(Step) == 64); // one cache line, in every coroutine frame

// What an algorithm returns: pull with next().
class Steps {
  public:
    struct promise_type {
        const Step* current = nullptr;
        Steps get_return_object() { return Steps(std::coroutine_handle<promise_type>::from_promise(*this)); }
        std::suspend_always initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        std::suspend_always yield_value(const Step& step) noexcept { // lives until the coroutine goes on
            current = &step;
            return {};
        }
        void return_void() noexcept {}
        [[noreturn]] void unhandled_exception() { throw; }
        // Frames come from a pool: a collective on a rank costs no call of the general allocator.
        static void* operator new(std::size_t bytes);
        static void operator delete(void* frame, std::size_t bytes);
    };

    Steps() = default;
    Steps(Steps&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    Steps& operator=(Steps&& other) noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }
    ~Steps() {
        if (handle_) handle_.destroy();
    }

    // The next step, or null after the last. Valid until the next call.
    const Step* next() {
        handle_.resume();
        return handle_.done() ? nullptr : handle_.promise().current;
    }
    explicit operator bool() const { return handle_ != nullptr; }

  private:
    explicit Steps(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
    std::coroutine_handle<promise_type> handle_;
};

// Words for the code of an algorithm: `co_yield send(peer, piece)`, `co_yield at_once(irecv(peer, piece))`.
constexpr Step make_step(Step::Kind kind, std::uint32_t peer, std::uint32_t source, std::uint32_t request,
                         Piece from, Piece to) {
    return {kind, Step::Begin::in_order, peer, source, request, from, to};
}
constexpr Step send(std::uint32_t peer, Piece from) {
    return make_step(Step::Kind::send, peer, 0, 0, from, {});
}
constexpr Step recv(std::uint32_t peer, Piece to) { return make_step(Step::Kind::recv, peer, 0, 0, {}, to); }
constexpr Step isend(std::uint32_t peer, Piece from, std::uint32_t request = 0) {
    return make_step(Step::Kind::isend, peer, 0, request, from, {});
}
constexpr Step irecv(std::uint32_t peer, Piece to, std::uint32_t request = 0) {
    return make_step(Step::Kind::irecv, peer, 0, request, {}, to);
}
constexpr Step sendrecv(std::uint32_t peer, Piece from, std::uint32_t source, Piece to) {
    return make_step(Step::Kind::sendrecv, peer, source, 0, from, to);
}
constexpr Step wait(std::uint32_t request) { return make_step(Step::Kind::wait, 0, 0, request, {}, {}); }
constexpr Step wait_all() { return {}; }
constexpr Step copy(Piece from, Piece to) { return make_step(Step::Kind::copy, 0, 0, 0, from, to); }
constexpr Step reduce(Piece from, Piece to) { return make_step(Step::Kind::reduce, 0, 0, 0, from, to); }
constexpr Step reduce_after(Piece from, Piece to) {
    return make_step(Step::Kind::reduce_after, 0, 0, 0, from, to);
}
constexpr Step at_once(Step step) {
    step.begin = Step::Begin::at_once;
    return step;
}
constexpr Step after_wait(Step step) {
    step.begin = Step::Begin::after_wait;
    return step;
}

} // namespace orrery
