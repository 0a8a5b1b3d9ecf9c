#include "mpi_library/runtime.h"

#include "emulate/program/threads.h"
#include "formats/load_machine.h"
#include "functions.h"
#include "machine/machine.h"
#include "mpi_library/engine.h"
#include "mpi_library/errhandler.h"
#include "mpi_library/handle_error.h"
#include "mpi_library/process_state.h"
#include "network/ideal_network.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <thread>

namespace orrery::emulate::mpi {

ProcessState::ProcessState(std::uint32_t rank, std::uint32_t size) : world(0, rank, size) {
    world.handle = MPI_COMM_WORLD;
    world.name = "MPI_COMM_WORLD";
    own.handle = MPI_COMM_SELF;
    own.name = "MPI_COMM_SELF";
    local.world.universe_size = static_cast<int>(size);
}

namespace {

LocalState& state_of_rank() { return process().local; }

// A program by itself: one rank on one host, whose time is that of the machine.
struct Alone {
    Machine machine = machine_from_text("[host]\n[link]\nbandwidth = \"1 GB/s\"\nlatency = \"1 "
                                        "us\"\n[topology]\ntype = \"crossbar\"\nhosts = 1\n",
                                        "alone");
    IdealNetwork network;
    ReplayOptions options;
    Stacks stacks{1, std::size_t{1} << 20, Stacks::Guards::never};
    Engine engine{*machine.platform, network, options, {HostId{0}}};
    std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
    std::thread::id thread = std::this_thread::get_id(); // the one that called first
};

Alone* alone = nullptr;

[[noreturn]] void run_alone(void*) {
    try {
        (void)alone->engine.run();
    } catch (const std::exception& error) {
        (void)std::fflush(nullptr);
        (void)std::fprintf(stderr, "%s\n", error.what());
        std::_Exit(alone->engine.exit_code() != 0 ? alone->engine.exit_code() : 1);
    }
    std::_Exit(alone->engine.exit_code());
}

bool allowed_always(FunctionId function) {
    const std::string_view name = name_of(function);
    return function == FunctionId::Initialized || function == FunctionId::Finalized ||
           function == FunctionId::Get_version || function == FunctionId::Get_library_version ||
           name.starts_with("MPI_T_");
}

bool has_errhandler(int object) {
    try {
        (void)errhandler_of(object);
        return true;
    } catch (const Failure&) {
        return false; // what the function was called with is what is wrong
    }
}

void begin(int threads) {
    ProcessState& state = process();
    if (state.begun) throw Failure(MPI_ERR_OTHER, "MPI has been initialised already");
    state.begun = true;
    state.threads = threads;
}

} // namespace

void make_process(Rank& rank, std::uint32_t ranks) {
    local_state = state_of_rank;
    rank.mpi = std::make_unique<ProcessState>(rank.index, ranks);
    const std::uint32_t own = engine().communicators().create({rank.index}, rank.index);
    rank.mpi->own.member.index = own;
    rank.mpi->local.processor_name = engine().platform().topology().host_name(engine().host(rank.index));
}

void start_alone() {
    alone = new Alone; // for the life of the process
    set_engine(&alone->engine);
    make_process(alone->engine.rank(0), 1);
    alone->engine.run_beside(Context(alone->stacks[0], run_alone, nullptr));
}

void check_allowed(FunctionId function) {
    if (allowed_always(function)) return;
    const ProcessState& state = process();
    const bool begins = function == FunctionId::Init || function == FunctionId::Init_thread;
    if (!state.begun && begins) return;
    engine().abort(1, fmt::format("rank {} calls {} {}", self().index, name_of(function),
                                  state.over ? "after MPI_Finalize" : "before MPI_Init"));
}

int handle_error(const Failure& failure, const char* function, int object) {
    int code = failure.code();
    if (failure.handle() != 0) {
        object = failure.handle();
    } else if (object == 0 || !has_errhandler(object)) {
        object = MPI_COMM_WORLD;
    }
    if (errhandler_of(object).raise(object, code) == ErrhandlerSlot::Outcome::returns) return code;
    engine().abort(1, fmt::format("rank {}: {}: {} ({})", self().index, function, failure.what(),
                                  process().local.errors.words(failure.code())));
}

int Init(int*, char***) {
    begin(MPI_THREAD_SINGLE);
    return MPI_SUCCESS;
}

// While one thread of a rank is in MPI the others wait (program/threads.h).
int Init_thread(int*, char***, int required, int* provided) {
    *provided = required < MPI_THREAD_SERIALIZED ? required : MPI_THREAD_SERIALIZED;
    begin(*provided);
    return MPI_SUCCESS;
}

int Initialized(int* flag) {
    *flag = process().begun ? 1 : 0;
    return MPI_SUCCESS;
}

int Finalized(int* flag) {
    *flag = process().over ? 1 : 0;
    return MPI_SUCCESS;
}

int Query_thread(int* provided) {
    *provided = process().threads;
    return MPI_SUCCESS;
}

int Is_thread_main(int* flag) {
    const LibcState* const libc = self().libc.get(); // null in a program started by itself
    const bool is_main = libc != nullptr ? libc->threads == nullptr || libc->threads->in_main()
                                         : alone == nullptr || std::this_thread::get_id() == alone->thread;
    *flag = is_main ? 1 : 0;
    return MPI_SUCCESS;
}

int Finalize() {
    ProcessState& state = process();
    state.own.attributes.remove_all(MPI_COMM_SELF); // its deletion functions may still communicate
    state.over = true;
    if (state.requests > 0) engine().count_leaks(state.requests);
    return MPI_SUCCESS;
}

int Abort(MPI_Comm, int errorcode) {
    engine().abort(errorcode == 0 ? 1 : errorcode,
                   fmt::format("rank {} calls MPI_Abort with code {}", self().index, errorcode));
}

double Wtime() {
    if (alone != nullptr)
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - alone->begin).count();
    return engine().read_clock().seconds();
}

double Wtick() { return alone != nullptr ? 1e-9 : 1e-12; }

int Pcontrol(const int, ...) { return MPI_SUCCESS; }

} // namespace orrery::emulate::mpi
