#include "simulation/loggops_result.h"

#include "engine/sums.h"

#include <bit>
#include <boost/container/small_vector.hpp>
#include <deque>
#include <tsl/robin_map.h>
#include <utility>

namespace orrery {

namespace {

// What the sends of one program (a distinct block of the schedule) amount to.
struct ProgramSends {
    struct OfSize {
        std::uint32_t k = 0; // class, as in by_size of the result
        std::uint64_t messages = 0;
    };
    boost::container::small_vector<OfSize, 4> by_size; // each class once
    Time overhead;                                     // CPU time of its sender

    void add(std::uint32_t k, std::uint64_t messages) {
        for (OfSize& each : by_size) {
            if (each.k != k) continue;
            each.messages += messages;
            return;
        }
        by_size.push_back({k, messages});
    }
};

// A message that shakes hands costs its sender a request and a clear-to-send as well, of one byte each.
Time overhead_of_sender(Bytes size, const LogGOPS& parameters) {
    const Time data = parameters.o + per_byte(size, parameters.O);
    const bool shakes_hands = size > parameters.S && parameters.rendezvous == Rendezvous::handshake;
    return shakes_hands ? 2 * parameters.o + data : data;
}

// Most messages have the size of the one before: about ten instructions for each operation.
ProgramSends sends_of(const BlockView& program, const LogGOPS& parameters) {
    ProgramSends sends;
    Bytes size = 0;
    Time overhead = overhead_of_sender(size, parameters);
    std::uint64_t messages = 0; // of this size, in a row
    for (std::uint32_t op = 0; op < program.ops(); ++op) {
        const BlockView::Record record = program.record(op);
        if (record.kind() != OpKind::send) continue;
        if (record.size() != size) {
            if (messages > 0) sends.add(static_cast<std::uint32_t>(std::bit_width(size)), messages);
            messages = 0;
            size = record.size();
            overhead = overhead_of_sender(size, parameters);
        }
        ++messages;
        add_busy(sends.overhead, overhead);
    }
    if (messages > 0) sends.add(static_cast<std::uint32_t>(std::bit_width(size)), messages);
    return sends;
}

// The sends of the program of each rank, asked for rank after rank.
class SendsOfRanks {
  public:
    SendsOfRanks(const Schedule& schedule, const LogGOPS& parameters)
        : schedule_(schedule), parameters_(parameters), shared_(schedule.header().blocks < schedule.ranks()) {}

    const ProgramSends& of(std::uint32_t rank) {
        const std::uint32_t block = schedule_.block_number(RankId{rank});
        if (rank > 0 && block == last_block_) return *last_;
        last_block_ = block;
        const BlockView program = schedule_.block(block, rank);
        if (!shared_ || program.ops() < worth_remembering) {
            only_ = sends_of(program, parameters_);
            last_ = &only_;
            return *last_;
        }
        const auto [at, fresh] = known_.try_emplace(block, programs_.size());
        if (fresh) programs_.push_back(sends_of(program, parameters_));
        last_ = &programs_[at->second];
        return *last_;
    }

  private:
    static constexpr std::uint32_t worth_remembering = 16; // operations: less costs no more than to look it up
    const Schedule& schedule_;
    const LogGOPS& parameters_;
    bool shared_; // programs by several ranks
    std::uint32_t last_block_ = 0;
    const ProgramSends* last_ = nullptr;
    ProgramSends only_;
    std::deque<ProgramSends> programs_;
    tsl::robin_map<std::uint32_t, std::size_t> known_; // by number of the block
};

} // namespace

ReplayPrediction loggops_result(Prediction prediction, const Schedule& schedule, const LogGOPS& parameters) {
    ReplayPrediction result;
    result.base = std::move(prediction);
    result.calls.resize(schedule.ranks());
    SendsOfRanks sends(schedule, parameters);
    for (std::uint32_t rank = 0; rank < schedule.ranks(); ++rank) {
        const RankTimes& times = result.base.ranks[rank];
        const ProgramSends& sent = sends.of(rank);
        for (const ProgramSends::OfSize& each : sent.by_size) result.by_size[each.k] += each.messages;
        CallTimes& calls = result.calls[rank];
        calls[CallKind::compute] = times.compute;
        calls[CallKind::send] = sent.overhead;
        calls[CallKind::receive] = times.overhead - sent.overhead;
        calls[CallKind::other] = times.noise;
        // What is left of a rank's run time, it waited (with several CPUs they may be busy at once).
        const Time busy = saturated_sum(saturated_sum(times.compute, times.overhead), times.noise);
        calls[CallKind::wait] = later(Time::zero(), times.finish - busy);
    }
    result.jobs.push_back({0, schedule.ranks(), Time::zero(), result.base.time});
    return result;
}

} // namespace orrery
