// A rank's life: constructors, main, exit handlers, destructors.
#include "emulate/program/child.h"
#include "emulate/program/libc_state.h"
#include "emulate/program/output.h"
#include "emulate/program/program.h"
#include "emulate/program/world.h"
#include "engine/error.h"

#include <cstring>
#include <unistd.h>

namespace orrery::emulate {

namespace {

template <typename T> T load(const std::byte* at) {
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

} // namespace

void Program::call_constructors(Rank& rank) {
    using Constructor = void (*)(int, char**, char**);
    const ElfImage& image = file_.image();
    std::byte* const base = rank.instance->base();
    const LibcState& libc = *rank.libc;
    if (image.init) reinterpret_cast<Constructor>(base + *image.init)(libc.argc, libc.argv, environ);
    for (std::uint64_t i = 0; i < image.init_array.count; ++i)
        if (const auto f = load<Constructor>(base + image.init_array.address + 8 * i); f != nullptr)
            f(libc.argc, libc.argv, environ);
}

void Program::run(Rank& rank) {
    if (options_.mechanism != Privatise::none || !constructed_) {
        constructed_ = true;
        call_constructors(rank);
    }
    using Main = int (*)(int, char**, char**);
    std::byte* const base = rank.instance->base();
    Main main = nullptr;
    if (const auto* pointer = file_.image().find("orrery_main"))
        main = load<Main>(base + pointer->value);
    else if (const auto* function = file_.image().find("main"))
        main = reinterpret_cast<Main>(base + function->value);
    if (main == nullptr) {
        world::abort(3, file_.path() + ": not built for 'orrery run', its main cannot be found; build it with "
                                       "orrery-mpicc, orrery-mpicxx or orrery-mpif90");
    }
    exit_rank(main(rank.libc->argc, rank.libc->argv, environ));
}

void run_exit_handlers(Rank& rank, int code) {
    LibcState& libc = *rank.libc;
    const auto run = [&](std::vector<ExitHandler>& all) {
        while (!all.empty()) { // a handler may register more, or call exit again
            const ExitHandler h = all.back();
            all.pop_back();
            switch (h.kind) {
            case ExitHandler::Kind::plain: reinterpret_cast<void (*)()>(h.function)(); break;
            case ExitHandler::Kind::with_argument:
                reinterpret_cast<void (*)(void*)>(h.function)(h.argument);
                break;
            case ExitHandler::Kind::with_code:
                reinterpret_cast<void (*)(int, void*)>(h.function)(code, h.argument);
                break;
            }
        }
    };
    run(libc.at_thread_exit);
    run(libc.at_exit);
}

void exit_rank(int code) {
    Rank& rank = self();
    run_exit_handlers(rank, code);
    Program& program = *Program::active;
    const ElfImage& image = program.file().image();
    std::byte* const base = rank.instance->base();
    if (program.mechanism() != Privatise::none) { // shared variables serve until the last rank has ended
        using Destructor = void (*)();
        // Counted per rank, so that exit() called by a destructor goes on behind it.
        for (std::uint64_t& done = rank.libc->destructors; done < image.fini_array.count;) {
            const std::uint64_t i = image.fini_array.count - ++done;
            if (const auto f = load<Destructor>(base + image.fini_array.address + 8 * i); f != nullptr) f();
        }
        if (image.fini && !rank.libc->finished) {
            rank.libc->finished = true;
            reinterpret_cast<Destructor>(base + *image.fini)();
        }
    }
    if (child::here) flush_output(rank); // as exit() does, also of its files
    close_output(rank);
    world::end_rank(code & 0xff);
}

} // namespace orrery::emulate
