// How long this thread has computed: its CPU time, read in some 10 ns instead of a system call.
//
// The CPU's time-stamp counter runs on while another process has the core, so on its own it would count what
// others compute. But the kernel tells, without being asked: whenever it takes the thread off its core (and
// only then) it clears the field rseq_cs of the thread's rseq area, if that names a critical section which the
// thread is not in. We let it name one that nobody is ever in. As long as the field is set, nothing has
// interrupted us, and the counter is the CPU time; if it was cleared, the system's clock of the thread is read
// once, and everything is as before. Where there is no rseq (glibc before 2.35, or told off by a tunable) or no
// steady counter, each reading is a system call.
//
// What it cannot see: time that a hypervisor takes from the whole virtual machine. The system's clock does not
// see all of that either.
#pragma once

#include <cstdint>

namespace orrery::emulate {

class CpuClock {
  public:
    CpuClock(); // of the calling thread, which is the only one that may use it
    // A burst begins here.
    void mark();
    // CPU time since the mark, ns.
    [[nodiscard]] double since_mark();
    [[nodiscard]] bool asks_the_system() const { return watched_ == nullptr; }
    // Each reading a system call: for machines where the counter is not to be trusted, and for tests.
    void ask_the_system();

  private:
    void anchor();
    [[nodiscard]] bool undisturbed() const { return *watched_ == token_; }

    volatile std::uint64_t* watched_ = nullptr; // rseq_cs
    std::uint64_t token_ = 0;                   // what stands there while nothing has happened
    double ns_per_tick_ = 0;
    double anchor_ns_ = 0; // the system's clock of the thread, when the counter showed ...
    std::uint64_t anchor_ticks_ = 0;
    double mark_ns_ = 0; // CPU time of the thread at the mark
};

} // namespace orrery::emulate
