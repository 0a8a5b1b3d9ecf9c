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
#include "workload/rank_chain.h"
#include "workload/steps_graph.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>

namespace orrery {

using namespace allprof;

namespace {

constexpr std::uint32_t no_operation = 0xFFFF'FFFF;

// From a rank in a communicator to a rank of the program. Member i is
//     first + i                                 if there is no list: consecutive ranks
//     list[i % n] + (i / n) * stride + first    with a list of n: members that repeat every n ranks
struct Members {
    std::span<const std::uint32_t> list;
    std::uint32_t stride = 0;
    std::uint32_t first = 0;

    [[nodiscard]] std::uint32_t operator()(std::uint32_t member) const {
        if (list.empty()) return first + member;
        const auto n = static_cast<std::uint32_t>(list.size());
        return list[member % n] + member / n * stride + first;
    }
};

// The operations that a collective has added to a graph: which of them wait for none of the others, and which
// none of the others waits for. So it can be tied into the program.
class Fragment {
  public:
    void begin(const RankGraph& graph) {
        first_ = graph.ops.size();
        first_dependency_ = graph.dependencies.size();
    }
    void close(const RankGraph& graph) {
        links_.assign(graph.ops.size() - first_, 0);
        for (std::size_t i = first_dependency_; i < graph.dependencies.size(); ++i) {
            const Dependency& each = graph.dependencies[i];
            links_[each.after - first_] |= waits;
            if (!each.on_start) links_[each.before - first_] |= awaited;
        }
        starts_.clear();
        ends_.clear();
        for (std::size_t i = 0; i < links_.size(); ++i) {
            if ((links_[i] & waits) == 0) starts_.push_back(static_cast<std::uint32_t>(first_ + i));
            if ((links_[i] & awaited) == 0) ends_.push_back(static_cast<std::uint32_t>(first_ + i));
        }
    }
    [[nodiscard]] std::span<const std::uint32_t> starts() const { return starts_; }
    [[nodiscard]] std::span<const std::uint32_t> ends() const { return ends_; }

  private:
    enum Link : std::uint8_t { waits = 1, awaited = 2 };

    std::size_t first_ = 0;
    std::size_t first_dependency_ = 0;
    std::vector<std::uint8_t> links_; // per operation: Link flags
    std::vector<std::uint32_t> starts_;
    std::vector<std::uint32_t> ends_;
};

// A block for each member: those of the trace, again for each copy of the traced ranks.
void repeat_blocks(std::span<const Bytes> traced, std::uint32_t size, std::vector<Bytes>& out) {
    out.resize(size);
    for (std::uint32_t member = 0; member < size; ++member) out[member] = traced[member % traced.size()];
}

// Algorithms put the blocks of several members into one message.
void check_blocks(Bytes bytes, std::uint64_t blocks) {
    if (blocks != 0 && bytes > max_op_size / blocks) {
        throw InputError(fmt::format("a message of a collective operation is too large: {} blocks of {} bytes",
                                     blocks, bytes));
    }
}
void check_blocks(std::span<const Bytes> blocks) {
    Bytes sum = 0;
    for (const Bytes each : blocks) {
        if (each > max_op_size - sum) throw InputError("the blocks of a collective operation are too large");
        sum += each;
    }
}

} // namespace

class AllprofProgram {
  public:
    AllprofProgram(const AllprofTrace& trace, RankId rank, std::uint32_t total, RankGraph& out)
        : trace_(trace), records_(trace.ranks_[rank.value % trace.ranks()]),
          shift_(rank.value - rank.value % trace.ranks()), total_(total), out_(out), chain_(out),
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

    // Of the communicator on which the record's collective is called, among all ranks.
    struct Group {
        Members members;
        std::uint32_t rank = 0;
        std::uint32_t size = 1;
    };
    [[nodiscard]] Group group_of(const Record& record) const {
        const CommUse& use = records_.comms[record.comm];
        const std::uint32_t ranks = trace_.ranks();
        if (use.size != ranks) return {{trace_.communicators_[use.id], 0, shift_}, use.rank, use.size};
        Group group{{}, use.rank + shift_, total_}; // over all ranks: made anew for the larger number
        if (use.id != world) group.members = {trace_.communicators_[use.id], ranks, 0};
        return group;
    }

    // Valid until the next call of this function.
    [[nodiscard]] CollectiveCall call_of(const Record& record, const Group& group) {
        CollectiveCall call;
        call.operation = record.collective;
        call.rank = group.rank;
        call.size = group.size;
        call.root = record.peer;
        call.bytes = record.bytes;
        if (!record.has(record_flag::blocks)) {
            check_blocks(call.bytes, group.size);
            return call;
        }
        const std::size_t traced = records_.comms[record.comm].size;
        const std::span<const Bytes> blocks = trace_.blocks_;
        repeat_blocks(blocks.subspan(record.bytes, traced), group.size, blocks_);
        check_blocks(blocks_);
        call.bytes = blocks_[group.rank];
        switch (record.collective) {
        case Collective::scatterv: call.send_counts = blocks_; break;
        case Collective::alltoallv:
            repeat_blocks(blocks.subspan(record.bytes + traced, traced), group.size, in_blocks_);
            check_blocks(in_blocks_);
            call.send_counts = blocks_;
            call.receive_counts = in_blocks_;
            break;
        default: call.receive_counts = blocks_; break;
        }
        return call;
    }

    void collective(const Record& record) {
        const bool nonblocking = record.has(record_flag::nonblocking);
        const CollectivePolicy& policy = trace_.options_.collective_algorithms;
        const Group group = group_of(record);
        const CollectiveCall call = call_of(record, group);
        const Choice choice = nonblocking ? policy.choose_nonblocking(call) : policy.choose(call);
        fragment_.begin(out_);
        chain_.restart();
        append_steps(choice.run(call), chain_, record.tag, group.members(group.rank), std::cref(group.members),
                     scratch_);
        fragment_.close(out_);
        if (out_.ops.size() > max_operations) {
            throw InputError(
                fmt::format("{}:{}: with {} ranks, the program of one rank has more than {} operations",
                            records_.file, record.line, total_, max_operations));
        }
        const std::uint32_t done = out_.add(calc_op(0));
        for (const std::uint32_t op : fragment_.ends()) out_.require(done, op);

        // Started early, the collective runs beside the last part of the computation before it; whoever comes
        // after waits for both.
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
    RankChain chain_;
    StepsScratch scratch_;
    std::vector<Bytes> blocks_;          // of the members, for calls in which they differ
    std::vector<Bytes> in_blocks_;       // alltoallv: what this rank gets
    std::vector<std::uint32_t> at_slot_; // operation that a slot holds
    std::vector<Link> call_;             // operations of the present call
    std::vector<Link> before_;           // and of the one before
};

void AllprofTrace::program(RankId rank, std::uint32_t total_ranks, RankGraph& out) const {
    AllprofProgram(*this, rank, total_ranks, out).build();
}

} // namespace orrery
