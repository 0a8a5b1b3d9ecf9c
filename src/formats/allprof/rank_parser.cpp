#include "formats/allprof/rank_parser.h"

#include "engine/error.h"
#include "formats/allprof/collective_line.h"
#include "formats/allprof/rank_parser_state.h"
#include "workload/op.h"

#include <limits>
#include <string>

namespace orrery::allprof {

namespace {

// MPICH makes handles of bit fields: the kind of object in bits 26 to 29 (1: communicator), how it was
// allocated in bits 30 and 31. Open MPI uses addresses in C and small numbers in Fortran.
bool is_mpich_handle(std::uint64_t handle) {
    const std::uint64_t high = handle >> 32;
    const std::uint64_t low = handle & 0xFFFF'FFFF;
    return (high == 0 || high == 0xFFFF'FFFF) && (low >> 26 & 0xF) == 1 && low >> 30 != 0;
}

} // namespace

RankRecords RankParser::run() {
    std::string_view text;
    const auto enough = [&] {
        return options_.max_collectives != 0 &&
               world_collectives_ >= options_.skip_collectives + options_.max_collectives;
    };
    while (!enough() && input_.next(text)) {
        if (text.empty() || text.front() == '#') continue;
        if (input_.number() > std::numeric_limits<std::uint32_t>::max()) {
            throw InputError(Error{out_.file, input_.number(), 0, "too many lines"});
        }
        if (!input_.complete() && !text.starts_with("MPI_Finalize:")) {
            if (options_.allow_truncated) break;
            throw InputError(
                Error{out_.file, input_.number(), 0,
                      "the file ends in the middle of a line (--allow-truncated reads it up to here)"});
        }
        line_.parse(out_.file, input_.number(), text);
        ++out_.tally.calls;
        const CallInfo info = find_call(line_.name());
        if (finished_ && info.kind != CallKind::local) line_.fail_call("a call after MPI_Finalize");
        call(info);
    }
    if (!finished_) {
        if (!enough() && !options_.allow_truncated) {
            throw InputError(Error{out_.file, input_.number(), 0,
                                   "the trace ends without MPI_Finalize: the run or the file was cut short "
                                   "(--allow-truncated reads it up to here)"});
        }
        requests_.leftovers(); // the trace does not show what completes the last ones
    }
    requests_.seal();
    return std::move(out_);
}

void RankParser::call(const CallInfo& info) {
    if (info.kind == CallKind::init) {
        if (initialised_) line_.fail_call("a second MPI_Init: does the file hold more than one run?");
        initialised_ = true;
        end_call();
        return;
    }
    const TimeStamp start = line_.start();
    if (info.kind != CallKind::local && !last_end_) last_end_ = start; // no MPI_Init: the program begins here
    if (info.kind == CallKind::finalize) {
        finish();
        return;
    }
    if (line_.end() < start) line_.fail_call("the call ends before it starts");
    switch (info.kind) {
    case CallKind::local:
        // The first call of a program that names a communicator is often one of these.
        if (line_.name() == "MPI_Comm_rank" || line_.name() == "MPI_Comm_size") comm(0);
        return;
    case CallKind::collective: collective(info); return;
    case CallKind::comm_split:
    case CallKind::comm_copy:
    case CallKind::comm_free: communicator_call(info); return;
    case CallKind::unsupported: skip(info.why); return;
    case CallKind::unknown: skip("not an MPI call that Orrery knows"); return;
    case CallKind::wait:
    case CallKind::waitall:
    case CallKind::waitany:
    case CallKind::waitsome:
    case CallKind::test:
    case CallKind::test_many: wait(info); return; // collectives have requests too
    default: break;
    }
    if (options_.point_to_point) point_to_point(info);
}

void RankParser::communicator_call(const CallInfo& info) {
    const auto at = static_cast<std::uint32_t>(line_.number());
    if (info.kind == CallKind::comm_split) {
        line_.expect_arguments(4);
        const std::uint32_t parent = comm(0);
        out_.events.push_back(
            {CommEvent::Kind::split, parent, line_.integer(1), line_.integer(2), line_.address(3), at});
    } else if (info.kind == CallKind::comm_copy) {
        if (line_.arguments() < 2) line_.expect_arguments(2);
        const std::uint32_t parent = comm(0);
        out_.events.push_back({CommEvent::Kind::copy, parent, 0, 0, line_.address(line_.arguments() - 1), at});
    } else {
        line_.expect_arguments(1);
        ++generation_;
        out_.events.push_back({CommEvent::Kind::free, 0, 0, 0, line_.address(0), at});
    }
}

std::uint64_t RankParser::gap() {
    Time time;
    if (!elapsed(*last_end_, line_.start(), time)) line_.fail_call("more than 26 days after the call before");
    if (time < Time::zero()) {
        ++out_.tally.overlaps;
        time = Time::zero();
    }
    if (options_.compute_scale != 1) {
        const double scaled = time.picoseconds() * options_.compute_scale;
        if (!(scaled < Time::longest().picoseconds()))
            line_.fail_call("the computing time before this call is too long");
        time = Time::from_ps(scaled, "a computation");
    }
    const std::uint64_t all = carried_ + static_cast<std::uint64_t>(time.ps());
    carried_ = 0;
    if (all > max_op_size) line_.fail_call("the computing time before this call is too long");
    return all;
}

Record RankParser::make_record(RecordKind kind) const {
    Record record;
    record.kind = kind;
    record.line = static_cast<std::uint32_t>(line_.number());
    return record;
}

std::uint32_t RankParser::comm(std::size_t argument) {
    if (argument >= line_.arguments()) line_.expect_arguments(argument + 1);
    const CommunicatorField field = line_.communicator(argument);
    if (library_ == MpiLibrary::detect) {
        library_ = options_.library;
        if (library_ == MpiLibrary::detect) {
            library_ = is_mpich_handle(field.handle) ? MpiLibrary::mpich : MpiLibrary::open_mpi;
        }
    }
    const auto [entry, added] = comm_index_.try_emplace({field.handle, field.rank, field.size, generation_},
                                                        static_cast<std::uint32_t>(out_.comms.size()));
    if (added) {
        const auto at = static_cast<std::uint32_t>(line_.number());
        CommUse use;
        use.handle = field.handle;
        use.rank = field.rank;
        use.size = field.size;
        use.line = at;
        out_.comms.push_back(use);
        out_.events.push_back({CommEvent::Kind::use, entry->second, 0, 0, 0, at});
    }
    return entry->second;
}

void RankParser::collective(const CallInfo& info) {
    const std::uint32_t on = comm(communicator_argument(line_, info));
    if (!options_.collectives) return;
    const CommUse& use = out_.comms[on];
    const std::uint64_t request = info.nonblocking ? line_.address(line_.arguments() - 1) : 0;
    const CollectiveFields fields = read_collective(line_, info, {use.handle, use.rank, use.size});
    if (!fields.missing.empty()) {
        skip(fields.missing);
        return;
    }
    if (info.nonblocking) {
        const std::uint32_t slot = requests_.displace(request);
        if (slot != no_slot) wait_before_this_call(slot);
    }
    if (use.size == 1 && ranks_ > 1) { // with nobody but itself
        if (info.nonblocking)
            requests_.post(request, RequestTable::What::nothing, request_stride(on), next_record());
        return;
    }
    Record record = make_record(RecordKind::collective);
    record.collective = info.collective;
    record.comm = on;
    record.peer = fields.root;
    record.bytes = fields.bytes;
    if (fields.differ) record.flags |= record_flag::blocks;
    if (!fields.out.empty()) {
        record.bytes = out_.blocks.size();
        out_.blocks.insert(out_.blocks.end(), fields.out.begin(), fields.out.end());
        out_.blocks.insert(out_.blocks.end(), fields.in.begin(), fields.in.end());
    }
    record.gap = gap();
    if (info.nonblocking) {
        record.flags |= record_flag::nonblocking;
        record.slot =
            requests_.post(request, RequestTable::What::collective, request_stride(on), next_record());
    }
    push(record);
    end_call();
    if (use.size == ranks_ && ++world_collectives_ == options_.skip_collectives) {
        out_.records.clear();
        out_.blocks.clear();
        requests_.reset();
    }
}

void RankParser::finish() {
    line_.expect_arguments(0);
    const std::vector<std::uint32_t> slots = requests_.leftovers();
    if (!slots.empty()) {
        Record record = make_record(RecordKind::wait);
        record.gap = gap();
        const std::uint32_t at = push(record);
        for (const std::uint32_t slot : slots) requests_.require(at, slot);
        last_end_ = line_.start();
    }
    Record record = make_record(RecordKind::finish);
    record.gap = gap();
    push(record);
    finished_ = true;
}

void RankParser::skip(std::string_view why) {
    for (Skipped& skipped : out_.skipped) {
        if (skipped.call != line_.name() || skipped.why != why) continue;
        ++skipped.count;
        return;
    }
    out_.skipped.push_back(
        {std::string(line_.name()), std::string(why), 1, static_cast<std::uint32_t>(line_.number())});
}

RankRecords parse_rank(LineReader& input, std::uint32_t ranks, const AllprofOptions& options) {
    return RankParser(input, ranks, options).run();
}

} // namespace orrery::allprof
