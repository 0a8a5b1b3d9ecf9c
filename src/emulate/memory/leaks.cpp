// What a program leaves allocated when a rank ends is the program's business. The sanitizer asks for the
// functions with its own names; nothing else does.
#include "emulate/memory/leaks.h"

namespace orrery::emulate {

namespace {
bool left_behind = false;
} // namespace

void ranks_left_behind() { left_behind = true; }

} // namespace orrery::emulate

extern "C" const char* __lsan_default_suppressions();
extern "C" int __lsan_is_turned_off();

extern "C" const char* __lsan_default_suppressions() {
    return "leak:bound_\n"             // the program's own malloc (allocation.cpp)
           "leak:libgfortran.so\n"     // and that of its Fortran library
           "leak:std::locale::_Impl\n" // locales that ranks have made global, one after the other
           "leak:numpunct\n";
}
extern "C" int __lsan_is_turned_off() { return orrery::emulate::left_behind ? 1 : 0; }
