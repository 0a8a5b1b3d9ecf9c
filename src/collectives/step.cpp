// The pool that coroutine frames come from: per thread, one list of free frames for each multiple of 64 bytes.
#include "collectives/step.h"

#include <array>
#include <new>

namespace orrery {

namespace {

constexpr std::size_t grain = 64;
constexpr std::size_t classes =
    64; // frames up to 4 KiB; a larger one, of which there is none yet, is not pooled

struct FreeFrame {
    FreeFrame* next;
};

struct Pool {
    std::array<FreeFrame*, classes> free{};
    ~Pool();
};

thread_local bool pool_closed = false; // the thread ends: what is freed from now on goes straight back
thread_local Pool pool;

Pool::~Pool() {
    pool_closed = true;
    for (FreeFrame* list : free) {
        while (list != nullptr) ::operator delete(std::exchange(list, list->next));
    }
}

constexpr std::size_t class_of(std::size_t bytes) { return (bytes + grain - 1) / grain - 1; }

} // namespace

void* Steps::promise_type::operator new(std::size_t bytes) {
    const std::size_t size_class = class_of(bytes);
    if (size_class >= classes) return ::operator new(bytes);
    if (FreeFrame*& list = pool.free[size_class]; list != nullptr) return std::exchange(list, list->next);
    return ::operator new((size_class + 1) * grain);
}

void Steps::promise_type::operator delete(void* frame, std::size_t bytes) {
    const std::size_t size_class = class_of(bytes);
    if (size_class >= classes || pool_closed) return ::operator delete(frame);
    auto* const free = static_cast<FreeFrame*>(frame);
    free->next = pool.free[size_class];
    pool.free[size_class] = free;
}

} // namespace orrery
