// What the C library keeps once per process, kept here once per rank.
//
// The loader binds the program's references to the variables in LibcVariables to those of its rank, and the
// functions that use the rest to ours (libc_symbols.h). Under 1 kB; what few programs use is made when it is
// used.
#pragma once

#include "emulate/program/symbol.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::emulate {

struct Rank;
struct Stack;
class Threads;      // threads.h
struct SignalState; // signals.h

// Variables that a program may name. Standard layout: the loader adds offsets.
struct LibcVariables {
    char* argument = nullptr; // optarg
    int index = 1;            // optind
    int errors = 1;           // opterr
    int option = '?';         // optopt
    std::FILE* in = nullptr;  // stdin
    std::FILE* out = nullptr; // stdout
    std::FILE* err = nullptr; // stderr
};

struct ExitHandler {
    enum class Kind : unsigned char { plain, with_argument, with_code };
    void* function;
    void* argument;
    Kind kind;
};

struct RandomState {
    random_data data{};
    char words[128]; // NOLINT: what initstate_r wants
    drand48_data words48{};
};

struct TaggedOutput; // output.h

struct LibcState {
    LibcState();
    ~LibcState();
    LibcState(const LibcState&) = delete;
    LibcState& operator=(const LibcState&) = delete;

    LibcVariables variables;
    // getopt between two calls: the rest of a cluster of letters, and the arguments that are to be moved
    // behind.
    char* cluster = nullptr;
    int first_skipped = 1, last_skipped = 1;
    char* strtok_rest = nullptr;
    std::vector<ExitHandler> at_exit, at_thread_exit, at_quick_exit;
    std::unique_ptr<RandomState> random;
    // Changes of the environment by this rank, "NAME=value"; "NAME" alone: removed. Strings of putenv stay the
    // caller's.
    struct Setting {
        std::unique_ptr<std::string> own;
        char* text;
    };
    std::unique_ptr<std::vector<Setting>> settings;
    std::unique_ptr<std::vector<int>> fortran_seed; // of libgfortran's generator while another rank uses it
    std::unique_ptr<char[]> argument_block;         // NOLINT: argv, if it is long
    std::unique_ptr<TaggedOutput> tagged;
    std::unique_ptr<Threads> threads;     // null: there is only main's
    std::unique_ptr<SignalState> signals; // null: all by default
    char** argv = nullptr;
    int argc = 0;
    std::uint64_t destructors = 0; // of the list of destructors, how many have run
    bool finished = false;         // DT_FINI has run

    // Where they are in a process: at the top of the stack, next to the variables of main. Many of them on the
    // heap.
    void set_arguments(std::span<const std::string> arguments, Stack& stack);
    RandomState& random_state();
};

// Where in LibcVariables a variable of that name is.
std::optional<std::size_t> libc_variable(std::string_view name);

// The functions that programs are bound to instead of the C, C++ and Fortran libraries' own.
std::span<const Symbol> libc_symbols();

// As exit() of the program: handlers, destructors, output, then the rank ends.
[[noreturn]] void exit_rank(int code);
// Runs what a rank has registered with atexit and its kin, last first.
void run_exit_handlers(Rank& rank, int code);

} // namespace orrery::emulate
