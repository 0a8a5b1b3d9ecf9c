#include "mpi_library/emulation.h"

#include "emulate/blas/routines.h"
#include "emulate/compute/measurement_notes.h"
#include "emulate/compute/symbols.h"
#include "emulate/memory/allocation.h"
#include "emulate/memory/leaks.h"
#include "emulate/memory/rank_memory.h"
#include "emulate/program/descriptors.h"
#include "emulate/program/faults.h"
#include "emulate/program/library_bindings.h"
#include "emulate/program/outside.h"
#include "engine/content_hash.h"
#include "engine/error.h"
#include "engine/memory.h"
#include "engine/output_file.h"
#include "formats/ort/ort_writer.h"
#include "mpi_library/action_log.h"
#include "mpi_library/datatype/transfer.h"
#include "mpi_library/delivery.h"
#include "mpi_library/engine.h"
#include "mpi_library/engine_sink.h"
#include "mpi_library/fortran/sentinels.h"
#include "mpi_library/rank_ticks.h"
#include "mpi_library/runtime.h"
#include "mpi_library/symbols.h"

#include <csignal>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

namespace orrery::emulate {

namespace {

std::uint32_t who_runs() { return self().index; }

void restore_rank(Rank& rank) { Program::active->restore(rank); }

void* where(std::uint32_t rank, void* address) { return Program::active->where(engine().rank(rank), address); }

[[noreturn]] void run_rank(void* rank) {
    leave_call(reinterpret_cast<const void*>(&run_rank)); // its stopwatch starts
    Program::active->run(*static_cast<Rank*>(rank));
}

// A message that is delivered, a block of --check-memory, or both.
std::optional<FaultWords> explain_fault(const void* address, bool writes) {
    std::optional<FaultWords> known = delivery_words(address, writes);
    if (running_memory == nullptr || running_memory->checked() == nullptr) return known;
    const std::string block = running_memory->checked()->describe(address);
    if (block.empty()) return known;
    if (known)
        known->words += ", " + block;
    else if (current != nullptr)
        known = {current->index, block};
    return known;
}

// What was written behind or before blocks that were never freed.
void check_left_blocks(const ProgramMemory& memory) {
    if (memory.checked() == nullptr) return;
    if (const std::string words = memory.checked()->damaged(); !words.empty())
        throw ProgramFailed("--check-memory: " + words, 128 + SIGABRT);
}

// Restores what is global to the process, however the run ends.
struct GlobalsGuard {
    explicit GlobalsGuard(Engine& engine) {
        set_engine(&engine);
        mpi::copy_bytes = copy_bytes;
    }
    ~GlobalsGuard() {
        if (std::uncaught_exceptions() > 0) ranks_left_behind();
        watch_faults(nullptr);
        descriptors::restore();
        outside::forget();
        set_engine(nullptr);
        current = nullptr;
    }
    GlobalsGuard(const GlobalsGuard&) = delete;
    GlobalsGuard& operator=(const GlobalsGuard&) = delete;
};

// Bursts that are kept for other runs, or taken from another.
class KeptBursts {
  public:
    KeptBursts(const ComputeOptions& options, const Program& program, const ProgramOptions& how,
               Compute& compute)
        : record_(options.record), compute_(compute) {
        if (options.record.empty() && options.from.empty()) return;
        const std::span<const std::byte> bytes = program.file().bytes();
        origin_.program_hash =
            content_hash(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
        origin_.command = {how.path};
        origin_.command.insert(origin_.command.end(), how.arguments.begin(), how.arguments.end());
        if (!options.from.empty()) {
            recorded_.emplace(read_bursts(options.from));
            recorded_->check(origin_, how.ranks);
            compute.take_from(&*recorded_);
        } else {
            recorder_.emplace(how.ranks);
            compute.record_in(&*recorder_);
        }
    }
    void finish(bool whole) {
        if (recorded_ && whole) recorded_->check_all_taken();
        if (!recorder_) return;
        origin_.figures = compute_.figures();
        OutputFile file(record_);
        file.write(recorder_->file(origin_));
        file.commit();
    }
    [[nodiscard]] const RecordedBursts* recorded() const { return recorded_ ? &*recorded_ : nullptr; }

  private:
    std::string record_;
    Compute& compute_;
    BurstOrigin origin_;
    std::optional<BurstRecorder> recorder_;
    std::optional<RecordedBursts> recorded_;
};

} // namespace

EmulationResult emulate(const EmulationOptions& options, const Platform& platform, Network& network,
                        const ReplayOptions& replay, std::vector<HostId> hosts) {
    for (const std::string* const file : {&options.trace, &options.compute.record})
        if (!file->empty()) (void)OutputFile(*file); // better said now than after a long run
    ProgramOptions how = options.program;
    how.ranks = static_cast<std::uint32_t>(hosts.size());
    how.mpi = mpi::mpi_symbols();
    Program program(how);
    program.add_interposition(compute_symbols());
    program.add_interposition(memory_symbols());
    program.add_interposition(fortran::fortran_data_symbols());
    const bool own_new = program.file().image().find(new_symbols()[0].name) != nullptr;
    if (options.check_memory) {
        program.add_interposition(checked_memory_symbols());
        bind_libraries(checked_library_symbols());
        bind_libraries(checked_delete_symbols());
        if (!own_new) {
            program.add_interposition(checked_new_symbols());
            program.add_interposition(checked_delete_symbols());
        }
    }
    EmulationResult result;
    if (!options.kernels.empty()) program.add_interposition(blas_symbols());
    if (options.share_above != ~Bytes{0} && !options.check_memory && !own_new)
        program.add_interposition(new_symbols());
    const std::vector<const char*> names = program.referred_names();
    const std::vector<Symbol> skipped = skip_symbols(options.skip, names, result.unused);
    program.add_interposition(skipped);
    Stacks stacks(how.ranks, options.stack);
    Engine engine(platform, network, replay, std::move(hosts));
    const GlobalsGuard globals(engine);
    EngineSink sink;
    ComputeOptions measured = options.compute;
    measured.ranks = how.ranks;
    Compute compute(measured, options.kernels.empty() ? KernelTimes{} : read_kernel_times(options.kernels),
                    sink);
    KeptBursts bursts(options.compute, program, how, compute);
    ProgramMemory memory(options.share_above, who_runs);
    if (options.check_memory) memory.check();
    watch_faults(&stacks);
    explain_faults(explain_fault);
    descriptors::keep();
    outside::watch();
    const std::uint64_t heap_before = heap_bytes();
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
    engine.on_switch(restore_rank);
    if (program.mechanism() == Privatise::copy) engine.payloads().find_by(where);
    engine.stop_at(options.until);
    {
        const RankTicks ticks(engine, compute, {options.stall, options.until});
        result.prediction = engine.run();
        if (std::string left = ticks.left_ranks(); !left.empty())
            result.prediction.base.warnings.push_back(std::move(left));
    }
    check_left_blocks(memory);
    result.prediction.rank_memory = rank_memory(stacks, program.data_bytes(), heap_before);
    if (engine.stopped()) ranks_left_behind();
    bursts.finish(!engine.stopped() && engine.exit_code() == 0);
    tell_computation(compute, bursts.recorded(), result.prediction);
    program.restore_streams();
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
