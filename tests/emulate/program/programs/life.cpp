// Constructors, destructors and exit handlers in their order, exceptions, exit codes.
#include "runner.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>
static std::string story;
struct Said {
    explicit Said(const char* name) : name(name) { story += std::string("+") + name; }
    ~Said() {
        story += std::string("-") + name;
        if (std::strcmp(name, "first") == 0) {
            std::printf("%d %s\n", my_rank(), story.c_str());
        }
    }
    const char* name;
};
static std::string& unused = story;
static Said first("first");
static Said second("second");
thread_local Said local("local");
static Said& in_function() {
    static Said lazy("lazy");
    return lazy;
}
static void at_end() { story += "-atexit"; }
static void with_code(int code, void*) { story += "-on_exit" + std::to_string(code); }
static int thrown(int depth) {
    if (depth == 0) throw std::runtime_error("deep " + std::to_string(my_rank()));
    const Said* volatile kept = &first;
    return thrown(depth - 1) + (kept == nullptr ? 1 : 0);
}
int main(int argc, char** argv) {
    (void)unused;
    if (local.name[0] != 'l') return 1;
    in_function();
    std::atexit(at_end);
    on_exit(with_code, nullptr);
    for (int i = 0; i < 3; ++i) {
        try {
            thrown(20);
            return 2;
        } catch (const std::exception& e) {
            yield(); // others throw meanwhile
            if (e.what() != "deep " + std::to_string(my_rank())) return 3;
            try {
                throw;
            } catch (const std::runtime_error&) {
                yield();
            }
        }
    }
    const int code = argc > 1 ? std::atoi(argv[1]) : 0;
    if (argc > 2) std::exit(code);
    return code;
}
