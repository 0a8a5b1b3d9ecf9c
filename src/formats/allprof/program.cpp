// The records of one rank into its graph.
//
// As LogGOPSim does it: a call is one operation (or two), before it a computation of the time since the call
// before; the operation waits for the computation, and the computation for the operations of the call before:
// until they have ended, or, if that call was nonblocking, until they have started. A wait is an empty
// computation that waits for the operations of its requests. The operations of a call stand before the
// computation in the program.
#include "engine/error.h"
#include "formats/allprof/communicators.h"
#include "formats/allprof/trace.h"

#include <algorithm>
#include <fmt/format.h>

namespace orrery {

using namespace allprof;

class AllprofProgram {
  public:
    AllprofProgram(const AllprofTrace& trace, RankId rank, std::uint32_t total, RankGraph& out)
        : trace_(trace), records_(trace.ranks_[rank.value % trace.ranks()]),
          shift_(rank.value - rank.value % trace.ranks()), total_(total), out_(out),
          at_slot_(records_.slots, no_operation) {}

    void build() {
        out_.clear();
        for (const Record& record : records_.records) {
            switch (record.kind) {
            case RecordKind::send:
                message(record, send_op(record.peer + shift_, record.bytes, record.tag));
                break;
            case RecordKind::recv:
                message(record, recv_op(record.peer == any_source ? any_source : record.peer + shift_,
                                        record.bytes, record.tag));
                break;
            case RecordKind::wait: wait(record); break;
            case RecordKind::collective: collective(record); continue;
            case RecordKind::finish: break;
            }
            if (record.has(record_flag::joined)) continue;
            const std::uint32_t calc = out_.add(calc_op(record.gap, trace_.options_.compute_cpu));
            for (const Link& link : call_) out_.require(link.op, calc);
            after_call_before(calc);
            before_.swap(call_);
            call_.clear();
        }
    }

  private:
    struct Link {
        std::uint32_t op;
        bool on_start;
    };

    void message(const Record& record, const Op& op) {
        const std::uint32_t added = out_.add(op);
        call_.push_back({added, record.has(record_flag::nonblocking)});
        if (record.slot != no_slot) at_slot_[record.slot] = added;
    }

    void wait(const Record& record) {
        const std::uint32_t done = out_.add(calc_op(0));
        for (std::uint32_t i = 0; i < record.peer; ++i) {
            const std::uint32_t op = at_slot_[records_.waits[record.slot + i]];
            if (op != no_operation) out_.require(done, op);
        }
        call_.push_back({done, false});
    }

    void after_call_before(std::uint32_t calc) {
        for (const Link& link : before_) {
            if (link.on_start) {
                out_.irequire(calc, link.op);
            } else {
                out_.require(calc, link.op);
            }
        }
    }

    // Member i of the communicator is a rank of the whole program.
    void begin_fragment(const Record& record) {
        const CommUse& use = records_.comms[record.comm];
        const std::uint32_t ranks = trace_.ranks();
        if (use.size == ranks) { // over all ranks: made anew for the larger number
            Members members;
            if (use.id != world) members = {trace_.communicators_[use.id], ranks, 0};
            fragment_.begin(out_, members, use.rank + shift_, total_, record.tag);
        } else {
            fragment_.begin(out_, {trace_.communicators_[use.id], 0, shift_}, use.rank, use.size, record.tag);
        }
    }

    [[nodiscard]] FragmentCall arguments(const Record& record) const {
        FragmentCall call{record.peer, record.bytes, {}, {}};
        if (!record.has(record_flag::blocks)) return call;
        const std::size_t size = records_.comms[record.comm].size;
        call.blocks = {trace_.blocks_.data() + record.bytes, size};
        if (record.collective == Collective::alltoallv) {
            call.in_blocks = {trace_.blocks_.data() + record.bytes + size, size};
        }
        return call;
    }

    void collective(const Record& record) {
        begin_fragment(record);
        trace_.options_.algorithms.append(record.collective, fragment_, arguments(record));
        fragment_.close();
        if (out_.ops.size() > max_operations) {
            throw InputError(
                fmt::format("{}:{}: with {} ranks, the program of one rank has more than {} operations",
                            records_.file, record.line, total_, max_operations));
        }
        const std::uint32_t done = out_.add(calc_op(0));
        for (const std::uint32_t op : fragment_.ends()) out_.require(done, op);

        // Started early, the collective runs beside the last part of the computation before it; whoever comes
        // after waits for both.
        const bool nonblocking = record.has(record_flag::nonblocking);
        const auto early_limit = static_cast<std::uint64_t>(trace_.options_.collectives_early.ps());
        const std::uint64_t early = nonblocking ? 0 : std::min(record.gap, early_limit);
        const std::uint32_t cpu = trace_.options_.compute_cpu;
        const std::uint32_t beside = early == 0 ? no_operation : out_.add(calc_op(early, cpu));
        if (beside != no_operation) out_.require(done, beside);

        const std::uint32_t calc = out_.add(calc_op(record.gap - early, cpu));
        for (const std::uint32_t op : fragment_.starts()) out_.require(op, calc);
        if (beside != no_operation) out_.require(beside, calc);
        if (fragment_.starts().empty() && beside == no_operation) out_.require(done, calc);
        after_call_before(calc);

        before_.clear();
        if (!nonblocking) {
            before_.push_back({done, false});
            return;
        }
        at_slot_[record.slot] = done;
        for (const std::uint32_t op : fragment_.starts()) before_.push_back({op, true});
        if (fragment_.starts().empty()) before_.push_back({calc, false});
    }

    static constexpr std::size_t max_operations = std::size_t{1} << 31;

    const AllprofTrace& trace_;
    const RankRecords& records_;
    const std::uint32_t shift_; // of this copy of the traced ranks
    const std::uint32_t total_;
    RankGraph& out_;
    Fragment fragment_;
    std::vector<std::uint32_t> at_slot_; // operation that a slot holds
    std::vector<Link> call_;             // operations of the present call
    std::vector<Link> before_;           // and of the one before
};

void AllprofTrace::program(RankId rank, std::uint32_t total_ranks, RankGraph& out) const {
    AllprofProgram(*this, rank, total_ranks, out).build();
}

} // namespace orrery
