// POSIX threads, as Threads has them. Objects that a program initialises statically are used as they are; who
// has locked a mutex stands where the C library would put the thread's number.
#include "emulate/program/libc_tables.h"
#include "emulate/program/posix_threads.h"
#include "emulate/program/world.h"

#include <cerrno>
#include <climits>
#include <cstring>
#include <ctime>
#include <pthread.h>
#include <semaphore.h>

namespace orrery::emulate {

namespace {

// ---- threads ----

// The first one has the system's handle, so that what the system knows of it can be asked.
Thread* thread_of(pthread_t handle) {
    return handle == pthread_self() ? nullptr : reinterpret_cast<Thread*>(handle);
}

void own_thread_exit(void* result) { Threads::own().end(result); }
pthread_t own_self() {
    Threads* const threads = self().libc->threads.get();
    if (threads == nullptr || threads->in_main()) return pthread_self();
    return reinterpret_cast<pthread_t>(&threads->running());
}
int own_yield() {
    if (self().libc->threads != nullptr) self().libc->threads->yield();
    return 0;
}
int not_supported() { return ENOSYS; }
int own_setname(pthread_t /*handle*/, const char* /*name*/) { return 0; }
int own_setaffinity(pthread_t /*handle*/, std::size_t /*bytes*/, const cpu_set_t* /*set*/) { return 0; }

// ---- mutexes ----

int number() {
    Threads* const threads = self().libc->threads.get();
    return threads == nullptr ? 1 : static_cast<int>(threads->running().number);
}

bool take_mutex(Thread& mine) {
    auto& data = static_cast<pthread_mutex_t*>(mine.on)->__data;
    if (data.__lock != 0) return false;
    data.__lock = 1;
    data.__owner = static_cast<int>(mine.number);
    return true;
}
int kind_of(const pthread_mutex_t& mutex) { return mutex.__data.__kind & 3; }
int lock(pthread_mutex_t* mutex, const char* call, Time deadline) {
    auto& data = mutex->__data;
    if (data.__lock != 0 && data.__owner == number()) {
        if (kind_of(*mutex) == PTHREAD_MUTEX_RECURSIVE_NP) {
            ++data.__count;
            return 0;
        }
        if (kind_of(*mutex) == PTHREAD_MUTEX_ERRORCHECK_NP) return EDEADLK;
    }
    if (data.__lock == 0) { // without making threads
        data.__lock = 1;
        data.__owner = number();
        return 0;
    }
    return Threads::own().wait(call, take_mutex, mutex, deadline) ? 0 : ETIMEDOUT;
}
int own_mutex_lock(pthread_mutex_t* mutex) { return lock(mutex, "pthread_mutex_lock", Time::max()); }
int own_mutex_trylock(pthread_mutex_t* mutex) {
    auto& data = mutex->__data;
    if (data.__lock == 0) return own_mutex_lock(mutex);
    if (data.__owner != number() || kind_of(*mutex) != PTHREAD_MUTEX_RECURSIVE_NP) return EBUSY;
    ++data.__count;
    return 0;
}
Time time_of(const timespec* when) {
    if (when->tv_sec < 0) return Time::zero();
    const Time time = Time::of_clock(when->tv_sec, when->tv_nsec);
    return time < Time::longest() ? time : Time::max(); // after any run
}
int own_mutex_timedlock(pthread_mutex_t* mutex, const timespec* until) {
    return lock(mutex, "pthread_mutex_timedlock", time_of(until));
}
int own_mutex_clocklock(pthread_mutex_t* mutex, clockid_t /*clock*/, const timespec* until) {
    return own_mutex_timedlock(mutex, until);
}
int own_mutex_unlock(pthread_mutex_t* mutex) {
    auto& data = mutex->__data;
    if (kind_of(*mutex) != PTHREAD_MUTEX_TIMED_NP && kind_of(*mutex) != PTHREAD_MUTEX_ADAPTIVE_NP) {
        if (data.__lock == 0 || data.__owner != number()) return EPERM;
        if (data.__count > 0) {
            --data.__count;
            return 0;
        }
    }
    data.__lock = 0;
    data.__owner = 0;
    return 0;
}

// ---- condition variables ----

bool was_woken(Thread& mine) { return mine.ticket == 0; }

int wait_for(pthread_cond_t* condition, pthread_mutex_t* mutex, const char* call, Time deadline) {
    Threads& threads = Threads::own();
    Thread& mine = threads.running();
    mine.ticket = threads.next_ticket();
    (void)own_mutex_unlock(mutex);
    const bool woken = threads.wait(call, was_woken, condition, deadline);
    mine.ticket = 0;
    (void)lock(mutex, call, Time::max());
    return woken ? 0 : ETIMEDOUT;
}
int own_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* until) {
    return wait_for(condition, mutex, "pthread_cond_timedwait", time_of(until));
}
int own_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t /*clock*/,
                       const timespec* until) {
    return own_cond_timedwait(condition, mutex, until);
}
int wake(const pthread_cond_t* condition, bool everybody) {
    if (self().libc->threads != nullptr) self().libc->threads->wake(condition, everybody);
    return 0;
}

// ---- barriers: our own words in the program's object ----

struct Barrier {
    unsigned int needed, there, round;
};
static_assert(sizeof(Barrier) <= sizeof(pthread_barrier_t));

struct BarrierWait {
    const Barrier* barrier;
    unsigned int round;
};

int own_barrier_init(pthread_barrier_t* out, const pthread_barrierattr_t* /*attributes*/, unsigned int count) {
    if (count == 0 || count > INT_MAX) return EINVAL;
    const Barrier made{count, 0, 0};
    std::memcpy(out, &made, sizeof made);
    return 0;
}
int own_barrier_destroy(pthread_barrier_t* /*barrier*/) { return 0; }
int own_barrier_wait(pthread_barrier_t* object) {
    auto* const barrier = reinterpret_cast<Barrier*>(object);
    if (++barrier->there == barrier->needed) {
        barrier->there = 0;
        ++barrier->round;
        return PTHREAD_BARRIER_SERIAL_THREAD;
    }
    BarrierWait wait{barrier, barrier->round};
    const auto over = [](Thread& mine) {
        const auto& mine_waits = *static_cast<const BarrierWait*>(mine.on);
        return mine_waits.barrier->round != mine_waits.round;
    };
    (void)Threads::own().wait("pthread_barrier_wait", over, &wait);
    return 0;
}

// ---- those that the C library can try by itself ----

bool take_read(Thread& mine) { return pthread_rwlock_tryrdlock(static_cast<pthread_rwlock_t*>(mine.on)) == 0; }
bool take_write(Thread& mine) { return pthread_rwlock_trywrlock(static_cast<pthread_rwlock_t*>(mine.on)) == 0; }
bool take_spin(Thread& mine) { return pthread_spin_trylock(static_cast<int*>(mine.on)) == 0; }
bool take_semaphore(Thread& mine) {
    const int before = errno;
    const bool taken = sem_trywait(static_cast<sem_t*>(mine.on)) == 0;
    errno = before;
    return taken;
}

int take(Thread::Ready ready, const char* call, void* on, Time deadline = Time::max()) {
    return Threads::own().wait(call, ready, on, deadline) ? 0 : ETIMEDOUT;
}

int own_rdlock(pthread_rwlock_t* lock) { return take(take_read, "pthread_rwlock_rdlock", lock); }
int own_wrlock(pthread_rwlock_t* lock) { return take(take_write, "pthread_rwlock_wrlock", lock); }
int own_timedrdlock(pthread_rwlock_t* lock, const timespec* until) {
    return take(take_read, "pthread_rwlock_timedrdlock", lock, time_of(until));
}
int own_timedwrlock(pthread_rwlock_t* lock, const timespec* until) {
    return take(take_write, "pthread_rwlock_timedwrlock", lock, time_of(until));
}
int own_spin_lock(pthread_spinlock_t* lock) {
    return take(take_spin, "pthread_spin_lock", const_cast<int*>(lock));
}
int own_sem_wait(sem_t* semaphore) { return take(take_semaphore, "sem_wait", semaphore); }
int own_sem_timedwait(sem_t* semaphore, const timespec* until) {
    const int result = take(take_semaphore, "sem_timedwait", semaphore, time_of(until));
    if (result == 0) return 0;
    errno = result;
    return -1;
}

// ---- keys ----

int own_key_create(pthread_key_t* out, void (*destructor)(void*)) {
    auto& keys = Threads::own().keys;
    if (keys.size() >= PTHREAD_KEYS_MAX) return EAGAIN;
    *out = static_cast<pthread_key_t>(keys.size());
    keys.push_back(destructor);
    return 0;
}
int own_key_delete(pthread_key_t key) {
    auto& keys = Threads::own().keys;
    if (key >= keys.size()) return EINVAL;
    keys[key] = nullptr;
    return 0;
}
void* own_getspecific(pthread_key_t key) {
    const auto& values = Threads::own().running().values;
    return key < values.size() ? values[key] : nullptr;
}
int own_setspecific(pthread_key_t key, const void* value) {
    Threads& threads = Threads::own();
    if (key >= threads.keys.size()) return EINVAL;
    auto& values = threads.running().values;
    if (key >= values.size()) values.resize(key + 1);
    values[key] = const_cast<void*>(value);
    return 0;
}

} // namespace

int posix::create(pthread_t* out, const pthread_attr_t* attributes, Thread::Body body, void* argument) {
    std::size_t bytes = std::size_t{8} << 20;
    int state = PTHREAD_CREATE_JOINABLE;
    if (attributes != nullptr) {
        pthread_attr_getstacksize(attributes, &bytes);
        pthread_attr_getdetachstate(attributes, &state);
    }
    Thread* const made = Threads::own().start(body, argument, bytes, state == PTHREAD_CREATE_DETACHED);
    if (made == nullptr) return EAGAIN;
    *out = reinterpret_cast<pthread_t>(made);
    return 0;
}

int posix::join(pthread_t handle, void** result) {
    Threads& threads = Threads::own();
    Thread* const thread = thread_of(handle);
    if (thread == nullptr || thread == &threads.running()) return EDEADLK;
    if (thread->detached) return EINVAL;
    const auto ended = [](Thread& mine) { return static_cast<Thread*>(mine.on)->ended; };
    (void)threads.wait("pthread_join", ended, thread);
    if (result != nullptr) *result = thread->result;
    threads.forget(*thread);
    return 0;
}

int posix::detach(pthread_t handle) {
    if (Thread* const thread = thread_of(handle); thread != nullptr) Threads::own().forget(*thread);
    return 0;
}

int posix::cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
    return wait_for(condition, mutex, "pthread_cond_wait", Time::max());
}

int posix::cond_signal(pthread_cond_t* condition) { return wake(condition, false); }

int posix::cond_broadcast(pthread_cond_t* condition) { return wake(condition, true); }

std::span<const Symbol> thread_symbols() {
    static const Symbol all[] = {
        bound("pthread_create", posix::create),
        bound("pthread_join", posix::join),
        bound("pthread_detach", posix::detach),
        bound("pthread_exit", own_thread_exit),
        bound("pthread_self", own_self),
        bound("pthread_cancel", not_supported),
        bound("pthread_setname_np", own_setname),
        bound("pthread_setaffinity_np", own_setaffinity),
        bound("sched_yield", own_yield),
        bound("pthread_yield", own_yield),
        bound("pthread_mutex_lock", own_mutex_lock),
        bound("pthread_mutex_trylock", own_mutex_trylock),
        bound("pthread_mutex_timedlock", own_mutex_timedlock),
        bound("pthread_mutex_clocklock", own_mutex_clocklock),
        bound("pthread_mutex_unlock", own_mutex_unlock),
        bound("pthread_cond_wait", posix::cond_wait),
        bound("pthread_cond_timedwait", own_cond_timedwait),
        bound("pthread_cond_clockwait", own_cond_clockwait),
        bound("pthread_cond_signal", posix::cond_signal),
        bound("pthread_cond_broadcast", posix::cond_broadcast),
        bound("pthread_barrier_init", own_barrier_init),
        bound("pthread_barrier_destroy", own_barrier_destroy),
        bound("pthread_barrier_wait", own_barrier_wait),
        bound("pthread_rwlock_rdlock", own_rdlock),
        bound("pthread_rwlock_wrlock", own_wrlock),
        bound("pthread_rwlock_timedrdlock", own_timedrdlock),
        bound("pthread_rwlock_timedwrlock", own_timedwrlock),
        bound("pthread_spin_lock", own_spin_lock),
        bound("sem_wait", own_sem_wait),
        bound("sem_timedwait", own_sem_timedwait),
        bound("pthread_key_create", own_key_create),
        bound("pthread_key_delete", own_key_delete),
        bound("pthread_getspecific", own_getspecific),
        bound("pthread_setspecific", own_setspecific),
    };
    return all;
}

} // namespace orrery::emulate
