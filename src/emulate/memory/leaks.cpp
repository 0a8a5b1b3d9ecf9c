// For the leak checker of sanitized builds: what a program leaves allocated when a rank ends is the program's
// business. The sanitizer asks for this function; nothing else does.
extern "C" const char* __lsan_default_suppressions();

extern "C" const char* __lsan_default_suppressions() {
    return "leak:bound_\n"          // the program's own malloc (allocation.cpp)
           "leak:libgfortran.so\n"; // and that of its Fortran library
}
