#include "trace/recorder_session.h"

#include "formats/ort/metadata.h"
#include "trace/mpi_side.h"
#include "trace/writer_facts.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <sys/stat.h>

namespace orrery::trace {

Session::~Session() {
    while (first_thread != nullptr) {
        const std::unique_ptr<ThreadState> state(first_thread);
        first_thread = state->next;
    }
}

namespace {

// Other threads may still add to it.
std::uint64_t so_far(std::uint64_t& sum) {
    return std::atomic_ref<std::uint64_t>(sum).load(std::memory_order_relaxed);
}

} // namespace

std::string begin_block(const Session& session) {
    const CounterFacts counter = facts_of(session.counter);
    RecordedBegin begin;
    begin.run = session.settings.run;
    begin.ranks = session.ranks;
    begin.program = program_line();
    begin.host = mpi_host();
    begin.cpu = cpu_model();
    begin.mpi = short_mpi_name(mpi_version());
    begin.started = utc_now();
    begin.counter = counter.name;
    begin.clock = counter.clock;
    begin.reference = counter.reference;
    begin.version = ORRERY_VERSION;
    begin.timed = session.settings.timed;
    return recorded::json_of(begin);
}

std::string end_block(Session& session, bool finalized, const std::string& how) {
    constexpr double second = 1e9;
    RecordedEnd end;
    end.finalized = finalized;
    end.how = how;
    end.seconds = static_cast<double>(nanoseconds_of(CLOCK_MONOTONIC) - session.began) / second;
    std::int64_t volume = session.ended_volume;
    std::uint64_t mpi_ticks = session.ended_mpi_ticks;
    for (const ThreadState* thread = session.first_thread; thread != nullptr; thread = thread->next) {
        volume += thread->volume.get();
        mpi_ticks += thread->mpi_ticks.get();
    }
    end.volume = static_cast<double>(volume);
    std::uint64_t calls = 0;
    const std::span<const Function> table = functions();
    for (std::size_t i = 0; i < table.size(); ++i) {
        const std::uint64_t left_out = so_far(session.unreplayed[i]);
        const std::uint64_t all = so_far(session.calls[i]);
        calls += all;
        if (all > left_out) {
            end.calls.push_back({table[i].name, all - left_out, table[i].replayed});
        }
        if (left_out > 0) {
            end.calls.push_back({table[i].name, left_out, false});
        }
    }
    // An estimate by what was measured at the beginning; only waiting for a buffer is measured as it happens.
    const double calls_cost = static_cast<double>(calls) * session.call_ticks;
    const double cost = calls_cost + static_cast<double>(session.actions) * session.put_ticks +
                        static_cast<double>(session.buffers.waited_ticks());
    const double scale = nanoseconds_per_tick() / second;
    end.cost_seconds = cost * scale;
    end.mpi_seconds = std::max(static_cast<double>(mpi_ticks) - cost, 0.0) * scale;
    end.peak_bytes = peak_memory_bytes();
    return recorded::json_of(end);
}

std::string rank_file(const Settings& settings, std::uint32_t rank) {
    const std::string name = "rank-" + std::to_string(rank) + ".ort";
    if (settings.gather == 0 || rank == 0) {
        mkdir(settings.directory.c_str(), 0777);
    }
    struct stat found {};
    if (settings.gather > 0 && stat(settings.directory.c_str(), &found) != 0) {
        const char* const temporary = std::getenv("TMPDIR");
        return std::string(temporary != nullptr ? temporary : "/tmp") + "/orrery-" +
               std::to_string(settings.run) + "-" + name;
    }
    return settings.directory + "/" + name;
}

} // namespace orrery::trace
