// Whether a long burst was spent in the kernel and not in the program. A page fault may take milliseconds while
// the kernel makes room for a huge page (5 to 7 ms were measured); that is this computer's time, not the
// application's.
#pragma once

#include <cstdint>

namespace orrery::emulate {

class PageFaultTime {
  public:
    // To be called now and then, so that little time lies between the last call and a long burst. One call in
    // eight asks the system, which takes a third of a microsecond.
    void sample() {
        if (++calls_ % 8 == 0) ask();
    }
    // Whether the kernel took a good part of a burst of `ns` that has just ended, in page faults.
    bool took_most_of(std::int64_t ns);

  private:
    void ask();

    std::uint32_t calls_ = 0;
    std::int64_t system_us_ = 0;
    std::int64_t faults_ = 0;
};

} // namespace orrery::emulate
