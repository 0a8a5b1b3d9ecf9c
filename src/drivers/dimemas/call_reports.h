// Reports calls and messages to a ReplayObserver. Each thread is a rank of it, counted through all tasks; the
// time that it waits for a processor is between its calls.
#pragma once

#include "drivers/dimemas/state.h"
#include "results/replay_log.h"

#include <deque>
#include <map>
#include <tuple>
#include <vector>

namespace orrery::dimemas {

class CallReports {
  public:
    CallReports(const DimFile& trace, ReplayObserver& observer) : trace_(trace), observer_(observer) {}

    void computed(std::uint32_t thread, const DimRecord& burst, Time begin, Time end);
    // The record of a call is done. `task` is whose thread it is.
    void called(std::uint32_t thread, std::uint32_t task, const DimRecord& record, Time begin, Time end);
    // Of the collective whose calls are reported next.
    void root_is(std::uint32_t task) { root_ = task; }

    // Messages, by the number of their transfer: called for, begun, arrived, taken by a receive or a wait.
    void sent(std::uint32_t transfer, Time at);
    void left(std::uint32_t transfer, Time at) { times_[transfer].left = at; }
    void arrived(std::uint32_t transfer, const Transfer& message, std::uint32_t to, Time at);
    void posted(std::uint32_t thread, const DimRecord& receive, Time at);
    void received(std::uint32_t transfer, const Transfer& message, std::uint32_t thread,
                  const Thread& receiver);

  private:
    struct Times {
        Time sent;
        Time left;
        Time arrived;
    };
    using ReceiveKey = std::tuple<std::uint32_t, std::int32_t, std::int32_t, std::int64_t, std::int64_t>;
    static ReceiveKey key_of(std::uint32_t thread, const DimRecord& receive) {
        return {thread, receive.peer, receive.peer_thread, receive.tag, receive.communicator};
    }
    [[nodiscard]] Action action_of(std::uint32_t task, const DimRecord& record) const;

    const DimFile& trace_;
    ReplayObserver& observer_;
    std::uint32_t root_ = nobody;
    std::vector<Times> times_;                        // by transfer
    std::map<ReceiveKey, std::deque<Time>> receives_; // nonblocking ones that nobody has waited for: posted
};

} // namespace orrery::dimemas
