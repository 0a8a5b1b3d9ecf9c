#include "simulation/loggops_result.h"

#include "engine/sums.h"

#include <array>
#include <bit>
#include <deque>
#include <tsl/robin_map.h>
#include <utility>
#include <vector>

namespace orrery {

namespace {

// What the sends of one program (a distinct block of the schedule) amount to.
struct ProgramSends {
    std::vector<std::pair<std::uint32_t, std::uint64_t>> by_size; // class as in by_size of the result, messages
    Time overhead;                                                // CPU time of its sender
};

// A message that shakes hands costs its sender a request and a clear-to-send as well, of one byte each.
Time overhead_of_sender(Bytes size, const LogGOPS& parameters) {
    const Time data = parameters.o + per_byte(size, parameters.O);
    const bool shakes_hands = size > parameters.S && parameters.rendezvous == Rendezvous::handshake;
    return shakes_hands ? 2 * parameters.o + data : data;
}

ProgramSends sends_of(const BlockView& program, const LogGOPS& parameters) {
    ProgramSends sends;
    std::array<std::uint64_t, 65> by_size{};
    Bytes last_size = 0; // most messages have the size of the one before
    Time last_overhead = overhead_of_sender(0, parameters);
    for (std::uint32_t op = 0; op < program.ops(); ++op) {
        const BlockView::Record record = program.record(op);
        if (record.kind() != OpKind::send) continue;
        const Bytes size = record.size();
        if (size != last_size) {
            last_size = size;
            last_overhead = overhead_of_sender(size, parameters);
        }
        ++by_size[static_cast<std::size_t>(std::bit_width(size))];
        add_busy(sends.overhead, last_overhead);
    }
    for (std::uint32_t k = 0; k < by_size.size(); ++k) {
        if (by_size[k] > 0) sends.by_size.emplace_back(k, by_size[k]);
    }
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
        if (!shared_) {
            only_ = sends_of(schedule_.block(block, rank), parameters_);
            last_ = &only_;
            return *last_;
        }
        const auto [at, fresh] = known_.try_emplace(block, programs_.size());
        if (fresh) programs_.push_back(sends_of(schedule_.block(block, rank), parameters_));
        last_ = &programs_[at->second];
        return *last_;
    }

  private:
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
        for (const auto& [k, messages] : sent.by_size) result.by_size[k] += messages;
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
