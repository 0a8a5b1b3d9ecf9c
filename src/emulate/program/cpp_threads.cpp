// std::thread, std::condition_variable and std::future: the parts that libstdc++ keeps in its library. The rest
// is in headers and comes to the functions of libc_threads.cpp.
#include "emulate/program/libc_tables.h"
#include "emulate/program/posix_threads.h"

#include <cerrno>
#include <condition_variable>
#include <memory>
#include <system_error>
#include <thread>

namespace orrery::emulate {

namespace {

// A std::thread is the handle and nothing else.
static_assert(sizeof(std::thread) == sizeof(pthread_t));
struct Handle {
    pthread_t value;
};

void* run_state(void* state) {
    const std::unique_ptr<std::thread::_State> own(static_cast<std::thread::_State*>(state));
    own->_M_run();
    return nullptr;
}

void start_thread(Handle* thread, std::thread::_State_ptr* state, void (* /*depend*/)()) {
    if (posix::create(&thread->value, nullptr, run_state, state->get()) != 0)
        throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
    (void)state->release();
}
void join(Handle* thread) {
    const int code = thread->value == 0 ? EINVAL : posix::join(thread->value, nullptr);
    if (code != 0) throw std::system_error(code, std::generic_category());
    thread->value = 0;
}
void detach(Handle* thread) {
    if (thread->value == 0) throw std::system_error(EINVAL, std::generic_category());
    (void)posix::detach(thread->value);
    thread->value = 0;
}

void wait(pthread_cond_t* condition, std::unique_lock<std::mutex>* lock) {
    (void)posix::cond_wait(condition, lock->mutex()->native_handle());
}
void notify_one(pthread_cond_t* condition) { (void)posix::cond_signal(condition); }
void notify_all(pthread_cond_t* condition) { (void)posix::cond_broadcast(condition); }

// A future waits until a word has another value: false at the deadline.
struct Word {
    const unsigned int* at;
    unsigned int value;
};
bool wait_for_word(void* /*base*/, unsigned int* at, unsigned int value, bool has_deadline,
                   std::int64_t seconds, std::int64_t nanoseconds) {
    Word word{at, value};
    const auto changed = [](Thread& mine) {
        const auto& waited = *static_cast<const Word*>(mine.on);
        return *waited.at != waited.value;
    };
    const Time deadline = has_deadline ? Time::of_clock(seconds, nanoseconds) : Time::max();
    return Threads::own().wait("std::future::wait", changed, &word, deadline);
}

} // namespace

std::span<const Symbol> cpp_thread_symbols() {
    static const Symbol all[] = {
        bound("_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE",
              start_thread),
        bound("_ZNSt6thread4joinEv", join),
        bound("_ZNSt6thread6detachEv", detach),
        bound("_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE", wait),
        bound("_ZNSt18condition_variable10notify_oneEv", notify_one),
        bound("_ZNSt18condition_variable10notify_allEv", notify_all),
        bound("_ZNSt28__atomic_futex_unsigned_base19_M_futex_wait_"
              "untilEPjjbNSt6chrono8durationIlSt5ratioILl1ELl1EEEE"
              "NS2_IlS3_ILl1ELl1000000000EEEE",
              wait_for_word),
        bound("_ZNSt28__atomic_futex_unsigned_base26_M_futex_wait_until_"
              "steadyEPjjbNSt6chrono8durationIlSt5ratioILl1"
              "ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE",
              wait_for_word),
    };
    return all;
}

} // namespace orrery::emulate
