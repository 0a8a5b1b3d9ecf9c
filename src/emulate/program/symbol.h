// A name that a program may refer to, and what stands behind it.
#pragma once

namespace orrery::emulate {

struct Symbol {
    const char* name;
    void* address;
};

} // namespace orrery::emulate
