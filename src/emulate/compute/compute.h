// The time of computation: measured between the calls of a rank, sampled, or said by the program or by models.
//
// The emulator's own time does not count: the watch stops when a rank enters a call and starts when it leaves
// it. Only one rank runs at a time, so there is one watch.
#pragma once

#include "emulate/compute/burst_file.h"
#include "emulate/compute/burst_filter.h"
#include "emulate/compute/kernel_times.h"
#include "emulate/compute/page_fault_time.h"
#include "emulate/compute/samples.h"
#include "engine/cpu/counter.h"
#include "engine/time.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orrery::emulate {

struct ComputeOptions {
    bool measured = true; // false: the program's own computation takes no time
    double scale = 1;     // simulated seconds per measured second
    // flop/s of the machine that measures: bursts count as that many operations, at the speed of the target's
    // hosts. 0: a measured second is a second there.
    double reference_speed = 0;
    // Shorter bursts are kept and added up until there are that many, so that a rank that calls often does not
    // cost an event per call; none is lost.
    Time least = Time::us(1);
    std::uint32_t ranks = 1; // that are measured together
    std::string record;      // a file for the bursts of this run; empty: none
    std::string from;        // a file to take the bursts from, instead of measuring them; empty: none
};

// "measured", "none", "scale=2.5", "record=FILE", "from=FILE", "scale=2.5,from=FILE"; throws UsageError.
void parse_compute(std::string_view words, ComputeOptions& options);

// What hangs off a rank.
struct ComputeState {
    double pending_ns = 0;  // measured and scaled, but not yet injected
    double measured_ns = 0; // as measured, all of it
    SampleTable samples;    // local ones
    struct Open {
        Samples* samples = nullptr;
        double from_ns = 0; // measured_ns when it began
    };
    std::vector<Open> open; // being run now; the innermost last
    std::map<std::pair<const void*, int>, std::pair<Samples*, std::string>>
        known; // by the address of the name; with the tag
};

// What the time is spent in: the engine and the rank that runs now; in tests, something simpler.
// Where a rank calls from its own code, null if that is not known; and which function, 0 for one that is not of
// MPI.
struct CallSite {
    const void* address = nullptr;
    std::uint32_t function = 0;
};

class TimeSink {
  public:
    virtual ~TimeSink() = default;
    virtual void compute(Time busy) = 0;
    virtual void compute_volume(double flops) = 0;
    virtual Time duration(double flops) = 0; // of so much on the rank's host
    virtual ComputeState& state() = 0;
    virtual std::uint32_t rank() = 0;
    // The same number for one place of the program in all ranks.
    virtual std::uint64_t place(const void* address) = 0;
    // The program asks for something impossible: the words name the call.
    [[noreturn]] virtual void fail(const std::string& words) = 0;
    // The recording of bursts does not fit what the program does.
    [[noreturn]] virtual void refuse(const std::string& words) = 0;
};

class Compute {
  public:
    Compute(const ComputeOptions& options, KernelTimes kernels, TimeSink& sink);
    Compute(const Compute&) = delete;
    Compute& operator=(const Compute&) = delete;
    ~Compute();

    // Of every MPI call, and of every other call that looks at or spends simulated time. A rank begins with
    // leave_call() and ends with enter_call(). They are not for calls within calls.
    void enter_call(const CallSite& site = {}) {
        if (options_.measured) stop(site);
    }
    void leave_call(const void* site = nullptr) {
        if (!reads_clock_) return;
        left_ns_ = clock_.after().value;
        left_disturbances_ = clock_.disturbances();
        left_site_ = site;
    }

    // What the burst that the rank is in has come to so far, on its host. Zero: it takes no time.
    [[nodiscard]] Time so_far();

    void execute(double seconds);
    void execute_flops(double flops);
    void kernel(const KernelTime& kernel, double m, double n, double k);
    [[nodiscard]] const KernelTimes& kernels() const { return kernels_; }

    // One execution of a sampled piece: true if it is to be run; otherwise its mean has been spent.
    bool enter_sample(bool global, const char* file, int line, const char* tag, int most, double threshold);
    // One turn of a sampled loop of which `left` turns are left, this one included: true if it is to be run;
    // otherwise the mean has been spent for all that are left.
    bool enter_turn(bool global, const char* file, int line, const char* tag, int most, double threshold,
                    long left);
    void leave_sample();

    [[nodiscard]] unsigned epoch() const { return epoch_; }

    // Take bursts from there, or write them there, from now on; neither is owned.
    void take_from(RecordedBursts* recorded);
    void record_in(BurstRecorder* recorder) { recorder_ = recorder; }
    [[nodiscard]] bool measures() const { return options_.measured; }
    // Whether simulated time passes while a rank computes, not only when its burst ends.
    [[nodiscard]] bool passes_time() const { return reads_clock_; }
    [[nodiscard]] BurstFigures figures() const { return filter_.figures(); }
    [[nodiscard]] std::uint64_t bursts() const { return bursts_; }
    [[nodiscard]] double measured_seconds() const { return total_ns_ * 1e-9; } // of all ranks, as counted

  private:
    void stop(const CallSite& site);
    std::int64_t measure(const CallSite& site);
    std::int64_t next_recorded(const CallSite& site);
    std::int64_t judge(std::int64_t ns, bool disturbed, const CallSite& site);
    void flush(ComputeState& state);
    void spend(double seconds);
    Samples& samples_of(bool global, const char* file, int line, const char* tag);
    bool begin(Samples& samples, int most, double threshold, const char* file, int line, long turns);

    ComputeOptions options_;
    KernelTimes kernels_;
    TimeSink& sink_;
    trace::Counter clock_; // CPU time of this thread
    bool reads_clock_ = false;
    std::int64_t left_ns_ = 0;            // what it showed when the program went on
    std::uint32_t left_disturbances_ = 0; // and how often it had been disturbed
    const void* left_site_ = nullptr;     // from which call
    BurstFilter filter_;
    PageFaultTime page_faults_;
    std::uint32_t until_judged_ = 1; // of the short bursts only some are
    std::uint32_t random_ = 1;
    RecordedBursts* recorded_ = nullptr;
    BurstRecorder* recorder_ = nullptr;
    std::uint64_t bursts_ = 0;
    double total_ns_ = 0;
    SampleTable samples_; // global ones
    unsigned epoch_ = 0;  // which of the process's emulations this is, from 1
};

// Of the emulation that runs in this process; null if there is none.
extern Compute* running_compute;

inline void enter_call(const CallSite& site = {}) {
    if (running_compute != nullptr) running_compute->enter_call(site);
}
inline void leave_call(const void* site = nullptr) {
    if (running_compute != nullptr) running_compute->leave_call(site);
}

} // namespace orrery::emulate
