// Exceptions in the copies of the program.
//
// libgcc asks the C library's _dl_find_object which object holds a return address. This one takes precedence in
// the process, knows our copies (a division), and asks the real one about everything else.
#include "emulate/program/program.h"

#include <dlfcn.h>

extern "C" [[gnu::visibility("default")]] int _dl_find_object(void* address, dl_find_object* result) noexcept {
    using orrery::emulate::Program;
    if (Program::Unwind found{}; Program::active != nullptr && Program::active->find_unwind(address, found)) {
        result->dlfo_flags = 0;
        result->dlfo_map_start = found.start;
        result->dlfo_map_end = found.end;
        result->dlfo_link_map = nullptr;
        result->dlfo_eh_frame = found.header;
        return 0;
    }
    using Find = int (*)(void*, dl_find_object*);
    static const auto real = reinterpret_cast<Find>(dlsym(RTLD_NEXT, "_dl_find_object"));
    return real == nullptr ? -1 : real(address, result);
}
