// What happened in a run, event by event, each with its cause: made only when somebody asks for the critical
// path or for the events.
//
// An event is a stretch of time of a rank's CPU, or of a message on its way. Gaps between the events of a CPU
// are waiting. A cause is an earlier event of the log: whatever let this one start when it did, and not before.
// So the chain of causes from the last event to time 0 is the critical path (observe/event_path.h).
//
// Cost: 40 bytes per event. Blocks of events beyond a limit of memory go to an unnamed file, oldest first; a
// walk from the end to the beginning then reads each block about once.
#pragma once

#include "engine/ids.h"
#include "engine/run_file.h"
#include "engine/time.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

enum class EventKind : std::uint8_t {
    compute,   // a computation, of the application or inside a collective
    noise,     // what OS noise added to the event before it
    core_wait, // what a computation lasted longer because others used the cores of its host
    send,      // CPU: overhead of sending a message
    receive,   // CPU: overhead of receiving one
    call,      // CPU: any other cost of a call (an unsuccessful test, a flush)
    transfer,  // the bytes of a message on their way, from `rank` to `peer`
    control,   // the same of a request or a clear-to-send
    idle,      // a pause that the application asked for, or a start later than time 0

    // Of models that charge latencies to CPUs, or know collectives as one cost (drivers/dimemas):
    startup,    // CPU: the latency of a message or collective, paid by who takes part
    latency,    // what a message or collective takes on its way whatever its size
    collective, // the bytes of a collective on their way; `rank` is who came last
};
std::string_view name_of(EventKind kind); // "core_wait"
// Whether events of this kind belong to a message.
constexpr bool of_a_message(EventKind kind) {
    return kind == EventKind::send || kind == EventKind::receive || kind == EventKind::transfer ||
           kind == EventKind::control || kind == EventKind::startup || kind == EventKind::latency ||
           kind == EventKind::collective;
}

// Why an event started when it did.
enum class EventCause : std::uint8_t {
    none,      // it could start at time 0
    before,    // the same CPU did `cause` before
    cpu,       // its CPU was taken by `cause`, which it did not have to wait for otherwise
    interface, // its network interface was occupied by the message of `cause`
    arrival,   // the message `cause` arrived
    partner,   // another rank did `cause`: it posted the receive, or took the message that went before
    lock,      // a lock of a window was held until `cause`

    // A message or collective needed what the message or collective of `cause` held.
    output_link,
    input_link,
    bus,
};
std::string_view name_of(EventCause cause);

inline constexpr std::uint32_t no_event = 0xFFFF'FFFF;

// What lets something start: that an event has ended, or has come to some point.
struct EventLink {
    std::uint32_t event = no_event;
    EventCause how = EventCause::none;
    bool early = false; // in the course of `event`, or, of an interface, at any time from its start on
};

struct LoggedEvent {
    Time start;
    Time end;
    Bytes bytes = 0; // of the message, as the network has it
    std::uint32_t cause = no_event;
    std::uint32_t rank = 0; // of a message on its way: who sent it
    std::uint32_t peer = 0; // of whatever belongs to a message: the other rank
    EventKind kind = EventKind::compute;
    EventCause how = EventCause::none;
    bool early = false;

    [[nodiscard]] EventLink link() const { return {cause, how, early}; }
};
static_assert(sizeof(LoggedEvent) == 40);

class EventLog {
  public:
    // `in_memory`: so many bytes of events are kept in memory; the rest in a file in the folder for temporary
    // files.
    explicit EventLog(std::size_t in_memory = std::size_t{256} << 20);

    // Its number. Throws InputError if the file cannot be written, SimulationError beyond 2^32 - 1 events.
    std::uint32_t add(const LoggedEvent& event) {
        if (last_->size() == block_events) [[unlikely]]
            next_block();
        last_->push_back(event);
        return static_cast<std::uint32_t>(first_of_last_ + last_->size() - 1);
    }
    [[nodiscard]] std::uint64_t size() const { return first_of_last_ + last_->size(); }
    // Cheap if it is in memory, or in the block of the file that was read last.
    [[nodiscard]] LoggedEvent read(std::uint32_t number) const;
    [[nodiscard]] std::uint64_t spilled_bytes() const { return spilled_ * block_events * sizeof(LoggedEvent); }

    // The end of each rank, and what made it.
    struct End {
        Time time;
        EventLink why;
    };
    std::vector<End> ends;     // per rank
    bool ended = false;        // the ends are known: nothing has stopped the run before
    std::vector<HostId> hosts; // of each rank
    Bytes envelope = 0;        // in the bytes of each transfer

  private:
    static constexpr std::size_t block_events = std::size_t{1} << 15; // 1.3 MB
    using Block = std::vector<LoggedEvent>;
    void next_block();

    std::size_t most_blocks_;
    std::deque<Block> blocks_; // in memory: the last ones
    Block* last_ = nullptr;
    std::uint64_t first_of_last_ = 0; // the number of its first event
    std::uint64_t spilled_ = 0;       // blocks in the file: the first ones
    RunFile file_;
    mutable Block again_; // a block read from the file
    mutable std::uint64_t again_is_ = ~std::uint64_t{0};
};

} // namespace orrery
