// One-sided communication: what the members of a window ask of each other, when it is performed, and what each
// waits for. Who has memory, moves its bytes (WindowMemory); the times are the same without.
//
// An operation travels as one message and is performed when it has arrived and all before it between the same
// two members are performed, so that accumulates keep their order and an unlock comes last. The target takes no
// part. A lock that is not free holds up what follows it, so that a lock itself need not be waited for.
// Operations that read have an answer, which travels back. Others have none: the answer to what follows them, a
// flush if there is nothing else, says that they are performed. Below the eager limit the origin may use its
// buffer again at once; longer data are read from there when they are performed.
//
// A window is known by its communicator. Cost: an operation is a message without
// matching, and one more for an answer; a call that waits is looked at again whenever one of them arrives.
#pragma once

#include "engine/pool.h"
#include "protocol/messenger.h"
#include "workload/communicators.h"
#include "workload/window_call.h"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace orrery {

struct WindowState;

struct WindowOperation {
    enum class Kind : std::uint8_t { data, lock, unlock, flush, complete, post };
    Kind kind = Kind::flush;
    bool answered = false;  // something travels back
    bool shared = false;    // of a lock
    bool returning = false; // its answer is under way
    std::uint32_t from = 0; // ranks in the window
    std::uint32_t to = 0;
    RequestId request = no_request; // complete when the origin's buffers are free and filled
    WindowState* window = nullptr;
    std::uint64_t number = 0; // of those between the two
    Bytes bytes = 0;          // data that go there
    Bytes back = 0;           // and come back
    void* memory = nullptr;   // what the driver knows them by
};

// From one member to another.
struct WindowChannel {
    std::uint64_t sent = 0;
    std::uint64_t performed = 0;
    std::map<std::uint64_t, std::uint32_t> arrived; // operations by their numbers, not yet performed
    std::uint64_t using_buffers = 0;
    bool held_up = false;     // by a lock that is not free
    bool unconfirmed = false; // something without an answer was sent, and nothing with one has followed
    bool locked = false;      // by a call that named the target
    bool asked = false;       // a lock was sent
};

// A window as one member has it.
struct WindowMember {
    WindowState* window = nullptr;
    std::uint32_t rank = 0; // in the window

    // As an origin.
    std::map<std::uint32_t, WindowChannel> to; // by target
    std::vector<std::uint32_t> outgoing;       // operations of the present call, to be sent one after the other
    std::size_t next = 0;                      // of them
    bool paid = false;                         // what sending the next one costs
    bool locks_first = false;           // lock_all: a target is locked when an operation first goes there
    bool awaits_posts = false;          // of the present start
    std::vector<std::uint32_t> started; // targets
    std::map<std::uint32_t, std::uint32_t> posts; // of targets, not yet used by a start
    std::uint64_t under_way = 0;                  // sent and not yet performed
    std::uint64_t using_buffers = 0;              // operations that still need its buffers, or are to fill them
    std::uint64_t awaited = 0;                    // answers to locks, unlocks and flushes
    std::uint32_t waiter = nobody;                // the fiber that waits for some of this

    // As a target.
    std::size_t expected = 0; // origins of the present post
    std::size_t completed = 0;
    std::uint32_t sharing = 0;         // how many hold a shared lock
    bool exclusive = false;            // somebody holds the exclusive one
    std::uint32_t holder = nobody;     // who was given a lock last
    std::vector<std::uint32_t> queued; // locks that are waited for
};

struct WindowState {
    std::uint32_t communicator = 0;
    std::vector<WindowMember> members;
    std::deque<WindowChannel*> ready; // channels that may have something to perform
    bool working = false;             // somebody goes through them
    std::uint32_t left = 0;           // members that have freed it
    std::uint64_t under_way = 0;      // operations and answers
};

// Who moves the data of operations, where there are any (emulation).
class WindowMemory {
  public:
    virtual ~WindowMemory() = default;
    // All before it are performed: reads and writes the target's memory. One without an answer is over then.
    virtual void perform(const WindowOperation& operation) = 0;
    // The answer is there: into the origin's memory.
    virtual void take_answer(const WindowOperation& operation) = 0;
};

class Windows {
  public:
    Windows(const EndpointParameters& endpoint, Messenger& messenger, const Communicators& communicators)
        : endpoint_(endpoint), messenger_(messenger), communicators_(communicators) {}
    void use(WindowMemory* memory) { memory_ = memory; } // otherwise operations move no data

    // Stays where it is until all members have left and nothing is under way.
    WindowMember& member(const Membership& of);
    void leave(const Membership& who);

    // A call: begin; send what is in `outgoing`, each when its cost has been paid; wait until it holds; end.
    void begin(WindowMember& own, WindowCall call, std::uint32_t target, std::uint32_t flags,
               std::span<const Bytes> ranks);
    // Data: begin and send. `request`: null, or where that of the operation goes.
    void begin(WindowMember& own, std::uint32_t target, Bytes bytes, Bytes back, void* memory,
               RequestId* request);
    [[nodiscard]] Time cost(const WindowMember& own) const;
    void send_next(WindowMember& own);
    [[nodiscard]] bool holds(const WindowMember& own, WindowCall call, std::uint32_t target) const;
    void end(WindowMember& own, WindowCall call);
    [[nodiscard]] static bool is_flush(WindowCall call) {
        return call >= WindowCall::flush && call <= WindowCall::flush_local_all;
    }

    void arrive(std::uint32_t operation);
    // Fibers whose wait may be over: the driver lets them test again.
    std::vector<std::uint32_t>& woken() { return woken_; }
    // What a rank waits for, in words, and for whom, if that is known.
    [[nodiscard]] std::string waits_for(std::uint32_t rank, std::uint32_t& other) const;
    // Operations that wait for a lock in vain, when nothing is left to happen.
    [[nodiscard]] std::uint64_t unperformed() const { return unperformed_; }

  private:
    using Kind = WindowOperation::Kind;
    std::uint32_t make(WindowMember& own, Kind kind, std::uint32_t target);
    void add(WindowMember& own, std::uint32_t operation, WindowChannel& channel);
    void ask(WindowMember& own, std::uint32_t target, WindowChannel& channel, Kind kind, bool answered,
             bool shared = false);
    void ask_unlock(WindowMember& own, std::uint32_t target, WindowChannel& channel);
    void ask_flush(WindowMember& own, std::uint32_t target, WindowChannel& channel);
    [[nodiscard]] bool uses_buffers(const WindowOperation& operation) const;
    void transfer(std::uint32_t operation);
    [[nodiscard]] Bytes transferred_bytes(const WindowOperation& operation) const;
    void go_on(WindowChannel& channel);
    void perform(std::uint32_t operation);
    void release_lock(WindowMember& target);
    void release_buffers(const WindowOperation& operation);
    void on_post(const WindowOperation& operation);
    void on_answer(const WindowOperation& operation);
    void wake(const WindowMember& member) {
        if (member.waiter != nobody) woken_.push_back(member.waiter);
    }
    void remove(std::uint32_t operation);
    void remove_if_over(WindowState& window);
    static WindowMember& origin(const WindowOperation& operation);
    static WindowMember& target(const WindowOperation& operation);
    static WindowChannel& channel(const WindowOperation& operation);

    const EndpointParameters& endpoint_;
    Messenger& messenger_;
    const Communicators& communicators_;
    WindowMemory* memory_ = nullptr;
    std::unordered_map<std::uint32_t, std::unique_ptr<WindowState>> windows_; // by communicator
    Pool<WindowOperation, std::deque<WindowOperation>> operations_;           // never move
    std::vector<std::uint32_t> woken_;
    std::uint64_t unperformed_ = 0;
};

} // namespace orrery
