// The CPUs of ranks without interfaces of their own: what each does, and what waits for it.
//
// A CPU does one thing at a time and is not interrupted. Operations that wait for it start in the order in
// which they became ready; of those of one instant, first those that take no time, then in the order of the
// program. While no operation is ready or under way it takes messages: those that have arrived and have a
// receive, in the order in which they got both. RankEngine says when (rank_engine_cpus.cpp).
//
// A record is made when the first operation or message has to wait: ranks without overheads have none.
#pragma once

#include "engine/time.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace orrery {

struct RankCpu {
    struct Waiting {
        Time since;              // when it became ready; of a message, when it and its receive were there
        std::uint64_t order = 0; // of those of one instant
        std::uint32_t ref = 0;   // a fiber or an operation; the request of a message
        bool takes_time = true;
    };
    std::vector<Waiting> operations; // heaps, the first to start in front
    std::vector<Waiting> messages;
    Time taking_until; // the end of the message that it takes, or took last
    std::uint32_t rank = 0;
    std::uint32_t number = 0;
    bool occupied = false; // by an operation
    bool taking = false;   // a message
    bool unsettled = false;

    static void add(std::vector<Waiting>& waiting, const Waiting& one) {
        waiting.push_back(one);
        std::push_heap(waiting.begin(), waiting.end(), starts_later);
    }
    static Waiting take_first(std::vector<Waiting>& waiting) {
        std::pop_heap(waiting.begin(), waiting.end(), starts_later);
        const Waiting first = waiting.back();
        waiting.pop_back();
        return first;
    }
    // What takes no time, and is ready now, happens at once: nothing has waited for longer.
    [[nodiscard]] bool lets_pass(Time now) const {
        return !occupied && !taking && (operations.empty() || operations.front().since >= now);
    }

  private:
    static bool starts_later(const Waiting& a, const Waiting& b) {
        if (a.since != b.since) return a.since > b.since;
        return a.takes_time != b.takes_time ? a.takes_time : a.order > b.order;
    }
};

class RankCpus {
  public:
    RankCpus(std::size_t ranks, std::uint32_t cpus) : cpus_(cpus), numbers_(ranks * cpus) {}

    // Null if nothing has waited for it yet.
    [[nodiscard]] RankCpu* find(std::uint32_t rank, std::uint32_t cpu) {
        const std::uint32_t number = numbers_[std::size_t{rank} * cpus_ + cpu];
        return number == 0 ? nullptr : &all_[number - 1];
    }
    RankCpu& at(std::uint32_t rank, std::uint32_t cpu) {
        if (RankCpu* const found = find(rank, cpu)) return *found;
        RankCpu& made = all_.emplace_back();
        made.rank = rank;
        made.number = cpu;
        numbers_[std::size_t{rank} * cpus_ + cpu] = static_cast<std::uint32_t>(all_.size());
        return made;
    }

    // Before time goes on it is seen what the CPU does next.
    void unsettle(RankCpu& cpu) {
        if (cpu.unsettled) return;
        cpu.unsettled = true;
        unsettled_.push_back(&cpu);
    }
    [[nodiscard]] bool settled() const { return unsettled_.empty(); }
    template <typename Visit> void settle(Visit&& visit) {
        settling_.swap(unsettled_);
        for (RankCpu* const cpu : settling_) {
            cpu->unsettled = false;
            visit(*cpu);
        }
        settling_.clear();
    }

  private:
    std::uint32_t cpus_;
    std::vector<std::uint32_t> numbers_; // per rank and CPU: 1 + its place in `all_`; 0: it has none
    std::deque<RankCpu> all_;            // never move
    std::vector<RankCpu*> unsettled_;
    std::vector<RankCpu*> settling_;
};

} // namespace orrery
