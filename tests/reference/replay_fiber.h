// What runs beside each other in the replay of reference/replay.h: fibers, which are straight-line code.
#pragma once

#include "engine/time.h"

#include <coroutine>
#include <cstdint>
#include <exception>
#include <utility>
#include <vector>

namespace orrery::reference {

// A coroutine that another awaits: it runs to its end, then its caller goes on.
class Routine {
  public:
    struct promise_type {
        std::coroutine_handle<> caller = std::noop_coroutine();
        std::exception_ptr error;

        Routine get_return_object() {
            return Routine(std::coroutine_handle<promise_type>::from_promise(*this));
        }
        std::suspend_always initial_suspend() noexcept { return {}; }
        struct Return {
            bool await_ready() noexcept { return false; }
            std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> self) noexcept {
                return self.promise().caller;
            }
            void await_resume() noexcept {}
        };
        Return final_suspend() noexcept { return {}; }
        void return_void() noexcept {}
        void unhandled_exception() { error = std::current_exception(); }
    };

    Routine() = default;
    Routine(Routine&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    Routine& operator=(Routine&& other) noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }
    ~Routine() {
        if (handle_) handle_.destroy();
    }

    [[nodiscard]] bool await_ready() const noexcept { return false; }
    std::coroutine_handle<> await_suspend(std::coroutine_handle<> caller) noexcept {
        handle_.promise().caller = caller;
        return handle_;
    }
    void await_resume() const { rethrow(); }

    [[nodiscard]] std::coroutine_handle<> begin() const { return handle_; }
    void rethrow() const {
        if (handle_.promise().error) std::rethrow_exception(handle_.promise().error);
    }

  private:
    explicit Routine(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
    std::coroutine_handle<promise_type> handle_;
};

struct PostedRequest;

// Each rank has one, and one for each of its nonblocking collectives.
struct Fiber {
    enum class State : std::uint8_t { going, in_call, over };
    std::uint32_t rank = 0;
    std::uint32_t cpu = 0;    // 0: of the rank; 1: of its nonblocking collectives
    std::uint32_t number = 0; // among all: nonblocking collectives in the order of their calls
    State state = State::going;
    std::vector<PostedRequest*> awaited;
    bool one_is_enough = false;      // of those
    bool probes = false;             // a message that comes may be what it waits for
    std::uint64_t calls = 0;         // that waited so far
    Time ready_since;                // on CPU 1: when what it does next could have begun
    Time paid_until;                 // matching at the send: it pays for what it waits for until then
    std::coroutine_handle<> goes_on; // where
    Routine program;
};

// co_await Pause{fiber}: until somebody lets it go on.
struct FiberPause {
    Fiber& fiber;
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> here) const noexcept { fiber.goes_on = here; }
    void await_resume() const noexcept {}
};

} // namespace orrery::reference
