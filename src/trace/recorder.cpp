// The application's side of recording: a reading of the counter at each end of a call, and raw records into a
// buffer. Everything else happens on the background thread.
//
// The ends of a run: MPI_Finalize and MPI_Abort through end() and aborted(), exit() through a handler. Signals
// are left alone: a handler of ours would hide the program's own or the debugger's, and could not safely wait
// for the background thread. A program that dies of one leaves a file that ends with the last block written.
#include "trace/recorder.h"

#include "trace/buffer_record.h"
#include "trace/gather.h"
#include "trace/recorder_session.h"
#include "trace/writer_facts.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <pthread.h>
#include <span>

namespace orrery::trace {

namespace {

std::atomic<bool> recording = false;
// Lives until the process ends: threads may still be in a call when another one exits.
Session* session = nullptr;
bool of_the_parent = false; // this process was forked while that session recorded
std::mutex threads_mutex;
// Recursive: the end may come while a hook holds it.
pthread_mutex_t recording_mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
// The library is loaded with the program, so its thread-local variables are at a fixed place.
__attribute__((tls_model("initial-exec"))) thread_local ThreadState* mine = nullptr;

struct ClockRun {
    bool on = false;
    std::int64_t began = 0;
    std::int64_t cpu_began = 0;
} clock_run;

void add(std::uint64_t& sum) noexcept {
    if (session->threads) {
        std::atomic_ref<std::uint64_t>(sum).fetch_add(1, std::memory_order_relaxed);
    } else {
        ++sum;
    }
}

// When a thread other than the first ends, its sums are kept and its counter is closed.
struct ThreadEnd {
    ~ThreadEnd() {
        const std::lock_guard lock(threads_mutex);
        ThreadState* const state = mine;
        mine = nullptr;
        if (state == nullptr || session == nullptr) {
            return;
        }
        ThreadState** link = &session->first_thread;
        while (*link != nullptr && *link != state) {
            link = &(*link)->next;
        }
        if (*link == state) {
            *link = state->next;
            session->ended_volume += state->volume.get();
            session->ended_mpi_ticks += state->mpi_ticks.get();
            state->counter.stop();
            delete state;
        }
    }
};

// A thread's first call: it is counted from here on.
ThreadState* adopt_thread() noexcept {
    auto* const state = new (std::nothrow) ThreadState;
    if (state == nullptr) {
        return nullptr;
    }
    state->counter.start(session->counter);
    state->left = state->counter.after();
    state->recorded_until = state->left.ticks;
    const std::lock_guard lock(threads_mutex);
    state->next = session->first_thread;
    session->first_thread = state;
    mine = state;
    return state;
}

void record(const Action& action, std::span<const Bytes> counts, const RecordTimes& times) noexcept {
    const bool timed = session->settings.timed;
    const RecordLayout layout = layout_of(action.kind, !counts.empty());
    const std::size_t bytes = record_bytes(layout, timed, counts.size());
    std::byte* const room = session->buffers.room(bytes);
    if (room == nullptr) {
        recording.store(false, std::memory_order_relaxed);
        std::fprintf(stderr, "orrery: rank %u: no memory for the trace; it ends here, the program goes on\n",
                     session->rank);
        return;
    }
    pack_record(action, layout, timed ? &times : nullptr, counts, room);
    session->buffers.filled(bytes);
    ++session->actions;
}

// What was computed up to the call that the thread is in.
void record_pending(ThreadState& thread) noexcept {
    if (thread.pending < session->least) {
        return; // goes into the next
    }
    Action compute;
    compute.kind = ActionKind::compute;
    compute.volume = static_cast<double>(thread.pending);
    thread.pending = 0;
    record(compute, {}, {thread.recorded_until, thread.entered.ticks});
}

void note_burst(ThreadState& thread) noexcept {
    const std::int64_t burst = thread.entered.value - thread.left.value - session->gap;
    if (burst > 0) {
        thread.pending += burst;
        thread.volume.add(burst);
    }
}

std::int64_t median(std::span<std::int64_t> values) noexcept {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

// The own cost of recording on this machine, by doing it: what enter() finds right after leave(), and how long
// a call and a record take. Medians: whatever else the machine does meanwhile is no cost of ours.
void calibrate() noexcept {
    constexpr std::size_t pairs = 1001;
    constexpr std::size_t rounds = 15;
    constexpr std::size_t puts = 8; // of each round
    // Through pointers that the compiler must not look through, as the wrappers call them.
    bool (*volatile enter_call)(FunctionId) noexcept = enter;
    void (*volatile leave_call)() noexcept = leave;
    std::array<std::int64_t, pairs> gaps{};
    std::array<std::int64_t, pairs> calls{};
    std::uint64_t last = ticks();
    for (std::size_t i = 0; i < pairs; ++i) {
        const std::int64_t left = mine->left.value;
        enter_call(0);
        gaps[i] = mine->entered.value - left;
        calls[i] = static_cast<std::int64_t>(mine->entered.ticks - last);
        last = mine->entered.ticks;
        leave_call();
    }
    Action action;
    action.kind = ActionKind::isend;
    std::array<std::int64_t, rounds> records{};
    for (std::int64_t& round : records) {
        const std::uint64_t first = ticks();
        for (std::size_t i = 0; i < puts; ++i) {
            record(action, {}, {});
        }
        round = static_cast<std::int64_t>(ticks() - first);
    }
    session->buffers.discard();
    session->actions = 0;
    session->calls[0] = 0;
    session->gap = std::max<std::int64_t>(median(gaps), 0);
    session->call_ticks = static_cast<double>(median(calls));
    session->put_ticks = static_cast<double>(median(records)) / static_cast<double>(puts);
    mine->pending = 0;
    mine->volume.clear();
    mine->mpi_ticks.clear();
}

void finish(bool finalized, const std::string& how) noexcept {
    Session* const ending = session;
    if (ending == nullptr || ending->writer == nullptr || of_the_parent) {
        return;
    }
    const Recording lock;
    if (ending->writer->finished()) {
        return;
    }
    // The last burst, unless the wrapper has called enter(); not of a thread that never called.
    if (ThreadState* const thread = mine; thread != nullptr && recording.load(std::memory_order_relaxed)) {
        if (!thread->inside) {
            thread->entered = thread->counter.before();
            note_burst(*thread);
        }
        if (thread->pending > 0) {
            ending->least = 1;
            record_pending(*thread);
        }
        thread->counter.stop();
    }
    recording.store(false, std::memory_order_relaxed);
    try {
        const std::lock_guard threads(threads_mutex);
        ending->writer->finish(end_block(*ending, finalized, how));
    } catch (const std::exception&) { // no memory: the trace has no end block
        ending->writer->finish({});
    }
}

void at_exit() noexcept { finish(false, "exit without MPI_Finalize"); }

// The child of a fork has none of the threads and must not touch the parent's file: the session stays as it is.
void in_child() noexcept {
    recording.store(false, std::memory_order_relaxed);
    of_the_parent = session != nullptr && session->writer != nullptr && !session->writer->finished();
    clock_run.on = false;
}

void refuse(int rank, const std::string& why) {
    std::fprintf(stderr, "orrery: rank %d: %s; nothing is recorded\n", rank, why.c_str());
}

// False: instructions are demanded and cannot be counted. Another counter would not be what was asked for.
bool choose(Session& opening) {
    start_ticks();
    const ChosenCounter counter = choose_counter(opening.settings.counter);
    opening.counter = counter.kind;
    if (!counter.available && opening.rank == 0) {
        refuse(0, "ORRERY_TRACE_COUNTER=instructions: " + why_no_instructions());
    }
    return counter.available;
}

// Returns what is wrong, in words.
std::string open_session(Session& opening) {
    opening.least = std::max<std::int64_t>(facts_of(opening.counter).least, 1);
    opening.calls.resize(functions().size());
    opening.unreplayed.resize(functions().size());
    if (!opening.buffers.open(opening.settings.buffer)) {
        return "no memory for its buffers";
    }
    auto writer =
        std::make_unique<Writer>(WriterTarget{rank_file(opening.settings, opening.rank), opening.settings.run,
                                              opening.rank, opening.settings.timed},
                                 opening.buffers, recording);
    std::string wrong = writer->open(begin_block(opening));
    if (wrong.empty()) {
        opening.writer = std::move(writer);
    }
    return wrong;
}

void start_session(Session& starting) {
    if (adopt_thread() == nullptr) {
        throw std::bad_alloc();
    }
    recording.store(true, std::memory_order_relaxed);
    calibrate();
    if (!starting.writer->start()) {
        recording.store(false, std::memory_order_relaxed);
        refuse(static_cast<int>(starting.rank), "cannot create a thread");
        starting.writer.reset();
        return;
    }
    static bool registered = false;
    if (!registered) {
        registered = true;
        std::atexit(at_exit);
        pthread_atfork(nullptr, nullptr, in_child);
    }
    starting.began = nanoseconds_of(CLOCK_MONOTONIC);
    mine->left = mine->counter.after();
    mine->recorded_until = mine->left.ticks;
}

void write_clock() {
    const ClockFacts facts{static_cast<int>(session->rank),
                           static_cast<double>(nanoseconds_of(CLOCK_MONOTONIC) - clock_run.began) * 1e-9,
                           static_cast<double>(nanoseconds_of(CLOCK_PROCESS_CPUTIME_ID) - clock_run.cpu_began) *
                               1e-9};
    const std::string path = session->settings.directory + "/clock-" + std::to_string(facts.rank) + ".json";
    const std::string text = clock_json(facts);
    std::FILE* const file = std::fopen(path.c_str(), "we");
    const bool written = file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
    if (file == nullptr || std::fclose(file) != 0 || !written) {
        std::fprintf(stderr, "orrery: rank %d: cannot write %s\n", facts.rank, path.c_str());
    }
}

} // namespace

bool Recording::several_threads = false;
void Recording::lock() noexcept { pthread_mutex_lock(&recording_mutex); }
void Recording::unlock() noexcept { pthread_mutex_unlock(&recording_mutex); }

__attribute__((noinline)) bool enter(FunctionId function) noexcept {
    if (!recording.load(std::memory_order_relaxed)) {
        return false;
    }
    ThreadState* thread = mine;
    if (thread == nullptr) [[unlikely]] {
        thread = adopt_thread();
        if (thread == nullptr) {
            return false;
        }
        static thread_local ThreadEnd at_thread_end;
        static_cast<void>(&at_thread_end);
    }
    if (thread->inside) {
        return false;
    }
    thread->entered = thread->counter.before();
    thread->inside = true;
    thread->function = function;
    note_burst(*thread);
    add(session->calls[function]);
    return true;
}

void put(const Action& action, const Bytes* counts, std::size_t count) noexcept {
    if (!recording.load(std::memory_order_relaxed)) {
        return;
    }
    ThreadState& thread = *mine;
    RecordTimes times;
    if (!thread.has_put) {
        thread.has_put = true;
        record_pending(thread);
        if (session->settings.timed) {
            thread.returned = ticks();
        }
        times = {thread.entered.ticks, thread.returned};
    } else { // further actions of a call take no time of their own
        times = {thread.returned, thread.returned};
    }
    record(action, {counts, count}, times);
}

void not_replayed() noexcept {
    if (recording.load(std::memory_order_relaxed)) {
        add(session->unreplayed[mine->function]);
    }
}

__attribute__((noinline)) void leave() noexcept {
    ThreadState& thread = *mine;
    const bool had_put = thread.has_put;
    thread.has_put = false;
    thread.inside = false;
    if (!recording.load(std::memory_order_relaxed)) {
        return;
    }
    thread.left = thread.counter.after();
    thread.mpi_ticks.add(thread.left.ticks - thread.entered.ticks);
    if (had_put) {
        thread.recorded_until = thread.left.ticks;
    } else { // a call without an action (a test that fails) is not part of the burst around it
        thread.recorded_until += thread.left.ticks - thread.entered.ticks;
    }
}

void begin(int rank, int ranks, bool threads) noexcept {
    try {
        auto opening = std::make_unique<Session>();
        opening->settings = settings_from();
        const Settings& settings = opening->settings;
        if (settings.directory.empty()) {
            return;
        }
        if (!settings.error.empty()) {
            if (rank == 0) {
                refuse(rank, settings.error);
            }
            return;
        }
        opening->rank = static_cast<std::uint32_t>(rank);
        opening->ranks = static_cast<std::uint32_t>(ranks);
        opening->threads = threads;
        Recording::several_threads = threads;
        delete session; // none but in tests
        mine = nullptr;
        session = opening.release();
        if (settings.clock_only) {
            clock_run = {true, nanoseconds_of(CLOCK_MONOTONIC), nanoseconds_of(CLOCK_PROCESS_CPUTIME_ID)};
            return;
        }
        if (!choose(*session)) {
            return;
        }
        if (const std::string wrong = open_session(*session); wrong.empty()) {
            start_session(*session);
        } else {
            refuse(rank, wrong);
        }
    } catch (const std::exception& error) {
        recording.store(false, std::memory_order_relaxed);
        refuse(rank, error.what());
    }
}

void end() noexcept {
    try {
        if (session == nullptr || of_the_parent) {
            return;
        }
        if (clock_run.on) {
            clock_run.on = false;
            write_clock();
            return;
        }
        finish(true, "");
        if (session->settings.gather > 0) {
            const bool has_file = session->writer != nullptr;
            gather({session->rank, session->ranks, session->settings.gather,
                    has_file ? session->writer->path() : "", session->settings.directory + "/trace.ort"});
        }
    } catch (const std::exception& error) {
        std::fprintf(stderr, "orrery: %s\n", error.what());
    }
}

void aborted(int code) noexcept {
    try {
        finish(false, "MPI_Abort with code " + std::to_string(code));
    } catch (const std::exception&) { // no memory: the file ends with its last whole block
    }
}

} // namespace orrery::trace
