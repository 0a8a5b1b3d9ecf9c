// The heap on huge pages.
//
// Thousands of ranks have what they allocate on one heap, and each switch goes to other pages of it: on pages
// of 4 KiB nearly every access costs a translation of its address (in a virtual machine, two). The C library
// could be told to ask for huge pages, but only by the environment of the process. So it is told to let the
// heap grow by 16 MiB at a time, and the system is asked for huge pages there before most of them are used.
// Where there are none to be had nothing happens.
#pragma once

#include <cstdint>
#include <unistd.h>

namespace orrery::emulate {

class HugeHeap {
  public:
    // Before the first large blocks of a run, so that they lie on the heap too.
    static void begin();
    HugeHeap();
    // Often: costs 2 ns if the heap is what it was.
    void follow() {
        if (sbrk(0) != seen_) ask();
    }

  private:
    void ask();
    void* seen_ = nullptr;    // its end
    std::uintptr_t done_ = 0; // up to here; 0: there is no heap
};

} // namespace orrery::emulate
