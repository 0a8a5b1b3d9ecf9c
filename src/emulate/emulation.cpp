#include "emulate/emulation.h"

#include "emulate/action_log.h"
#include "emulate/blas/routines.h"
#include "emulate/compute/engine_sink.h"
#include "emulate/compute/symbols.h"
#include "emulate/engine.h"
#include "emulate/fortran/sentinels.h"
#include "emulate/memory/allocation.h"
#include "emulate/memory/leaks.h"
#include "emulate/mpi/datatype/transfer.h"
#include "emulate/mpi/runtime.h"
#include "emulate/mpi/symbols.h"
#include "emulate/program/faults.h"
#include "emulate/program/outside.h"
#include "engine/error.h"
#include "engine/memory.h"
#include "engine/output_file.h"
#include "workload/recorded/ort_writer.h"

#include <exception>
#include <memory>
#include <utility>

namespace orrery::emulate {

namespace {

std::uint32_t who_runs() { return self().index; }

void bring_in(Rank& rank) { Program::active->bring_in(rank); }

void* where(std::uint32_t rank, void* address) { return Program::active->where(engine().rank(rank), address); }

[[noreturn]] void run_rank(void* rank) {
    leave_call(); // its stopwatch starts
    Program::active->run(*static_cast<Rank*>(rank));
}

// What is global to the process is put back, however the run ends.
struct Put {
    explicit Put(Engine& engine) {
        set_engine(&engine);
        mpi::copy_bytes = copy_bytes;
    }
    ~Put() {
        if (std::uncaught_exceptions() > 0) ranks_left_behind();
        watch_faults(nullptr);
        outside::forget();
        set_engine(nullptr);
        current = nullptr;
    }
    Put(const Put&) = delete;
    Put& operator=(const Put&) = delete;
};

} // namespace

EmulationResult emulate(const EmulationOptions& options, const Platform& platform, Network& network,
                        const ReplayOptions& replay, std::vector<HostId> hosts) {
    if (!options.trace.empty()) (void)OutputFile(options.trace); // better said now than after a long run
    ProgramOptions how = options.program;
    how.ranks = static_cast<std::uint32_t>(hosts.size());
    how.mpi = mpi::mpi_symbols();
    Program program(how);
    program.add_interposition(compute_symbols());
    program.add_interposition(memory_symbols());
    program.add_interposition(fortran::fortran_data_symbols());
    EmulationResult result;
    if (!options.kernels.empty()) program.add_interposition(blas_symbols());
    if (options.share_above != ~Bytes{0} && program.file().image().find(new_symbols()[0].name) == nullptr)
        program.add_interposition(new_symbols());
    const std::vector<const char*> names = program.referred_names();
    const std::vector<Symbol> skipped = skip_symbols(options.skip, names, result.unused);
    program.add_interposition(skipped);
    Stacks stacks(how.ranks, options.stack);
    Engine engine(platform, network, replay, std::move(hosts));
    const Put put(engine);
    EngineSink sink;
    Compute compute(options.compute,
                    options.kernels.empty() ? KernelTimes{} : read_kernel_times(options.kernels), sink);
    ProgramMemory memory(options.share_above, who_runs);
    watch_faults(&stacks);
    outside::watch();
    for (std::uint32_t index = 0; index < how.ranks; ++index) {
        Rank& rank = engine.rank(index);
        Stack stack = stacks[index];
        program.instantiate(rank, stack);
        mpi::make_process(rank, how.ranks);
        rank.context = Context(stack, run_rank, &rank);
    }
    const bool keeps = options.keep_actions || !options.trace.empty();
    std::shared_ptr<ActionLog> log;
    if (keeps || replay.observer != nullptr) {
        log = std::make_shared<ActionLog>(how.ranks, how.path,
                                          keeps ? ActionLog::Keep::all : ActionLog::Keep::last);
        engine.keep_log(log.get());
    }
    engine.on_switch(bring_in);
    if (program.mechanism() == Privatise::copy) engine.payloads().find_by(where);
    engine.stop_at(options.until);
    result.prediction = engine.run();
    if (engine.stopped()) ranks_left_behind();
    program.bring_out();
    if (memory.folded() != nullptr) result.prediction.base.memory_bytes = pss_bytes();
    if (!options.trace.empty()) write_ort(*log, options.trace, how.path, {}, logged_rate);
    if (options.keep_actions) {
        log->rewind();
        result.actions = log;
    }
    result.exit_code = engine.exit_code();
    return result;
}

} // namespace orrery::emulate
