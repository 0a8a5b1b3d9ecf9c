// Which messages send: the greedy selection of an iteration, kept up to date as messages come and go.
//
// The problem. Resources (links, and what a host can send and receive) have capacities. A message with rate u
// takes min(u, capacity) of each resource on its path. Messages have a total order, that of joining. The
// selection is what one pass over all messages in this order gives: a message is selected if every resource on
// its path still has room beside those selected before it.
//
// Two procedures lead to the same selection; settle() takes the one that promises to be cheaper.
//
// The pass (selection_pass.cpp) goes over all in order, for when much has changed, as between the iterations of
// a bulk operation, or when there are few messages. Each message remembers a resource that blocked it; as long
// as that one is full when its turn comes, one byte tells that it need not be examined: about 1 ns.
//
// The update (selection_update.cpp) is for a few changes among many messages. Whether a message is selected
// depends only on those before it. So those who may be affected are examined again in order, and what is
// decided for one is final. One that is not selected waits at a resource that has no room for it, and is
// examined again only when something before it has left that resource. One that is selected although those
// behind it hold what it needs drives the last of them out; these are examined again, and so are those that
// wait for what they held.
#pragma once

#include "engine/ids.h"

#include <cstdint>
#include <span>
#include <vector>

namespace orrery {

using MessageId = Id<struct MessageTag>; // chosen by the caller: small, dense, reused

class Selection {
  public:
    explicit Selection(const std::vector<std::uint64_t>& capacities);

    // What a message needs; the resources are different ones, at least one. Kept until forget().
    void know(MessageId message, std::uint64_t rate, std::span<const std::uint32_t> resources);
    void forget(MessageId message);
    // The message, which is known, joins behind all others in the order.
    void add(MessageId message);
    // One that is selected leaves.
    void remove(MessageId message);
    // Makes the selection right after any number of additions and removals. All that are known have joined.
    void settle();

    // What the last settle() changed. One that was selected before and after is in neither.
    [[nodiscard]] std::span<const MessageId> begun() const { return begun_; }
    [[nodiscard]] std::span<const MessageId> stopped() const { return stopped_; }

    [[nodiscard]] bool selected(MessageId message) const { return messages_[message.index()].selected; }
    [[nodiscard]] std::span<const std::uint32_t> resources(MessageId message) const {
        return resources_of(messages_[message.index()].path);
    }

    // The work done.
    [[nodiscard]] std::uint64_t passes() const { return passes_; }
    [[nodiscard]] std::uint64_t updates() const { return updates_; }
    [[nodiscard]] std::uint64_t examined() const { return examined_; } // messages, one by one

    // For tests: one procedure only.
    enum class Procedure : std::uint8_t { cheaper, pass, update };
    void always(Procedure procedure) { procedure_ = procedure; }

  private:
    struct Message {
        std::uint64_t order = 0;
        std::uint32_t path = 0;  // in pool_: what it needs
        std::uint32_t place = 0; // in line_
        bool selected = false;
        bool was_selected = false; // before this update
        bool noted = false;        // in touched_
    };
    struct Load { // what is read when a message is examined; the rest is apart
        std::uint64_t capacity = 0;
        std::uint64_t used = 0;  // in a pass: by those before the one that is examined
        std::uint64_t last = 0;  // update: the highest order among the holders
        std::uint64_t users = 0; // messages that will pass it, or are passing
    };
    struct InLine {
        std::uint32_t message = 0;
        std::uint32_t path = 0;
    };
    struct Waiting {
        std::uint64_t order = 0;
        std::uint32_t message = 0;
    };
    struct Queue {
        std::vector<std::uint32_t> holders; // few
        std::vector<Waiting> waiting;       // a heap, the first in the order on top
        std::uint64_t least = 0;            // nobody who waits needs less
        bool due = false;                   // on the agenda
    };
    struct Due { // somebody to examine: a message, or the first who waits at a resource
        std::uint64_t order = 0;
        std::uint32_t which = 0;
        bool message = false;
    };
    struct Rejected {
        std::uint32_t message = 0;
        std::uint32_t resource = 0;
    };

    static std::uint64_t need(std::uint64_t rate, const Load& load) {
        return rate < load.capacity ? rate : load.capacity;
    }
    // A path is in pool_ as: how many resources, the rate in two halves, the resources.
    static constexpr std::uint32_t header = 3;
    [[nodiscard]] std::span<const std::uint32_t> resources_of(std::uint32_t path) const {
        return {pool_.data() + path + header, pool_[path]};
    }
    [[nodiscard]] std::uint64_t rate_of(std::uint32_t path) const {
        return pool_[path + 1] | std::uint64_t{pool_[path + 2]} << 32U;
    }
    bool wants_queues();
    void close_up();

    void pass();
    void decide(std::uint32_t place);
    // The resource that has no room for this path, or to_examine_ if all have, and it takes them.
    std::uint32_t try_in_pass(std::uint32_t path);

    void make_queues();
    void drop_queues();
    void update();
    [[nodiscard]] bool blocked(const Message& message, std::uint32_t resource) const;
    void examine(std::uint32_t message);
    void examine_first(std::uint32_t resource);
    void select(std::uint32_t message);
    void hold(std::uint32_t message, std::uint32_t resource, std::uint64_t needed);
    void release(std::uint32_t message);
    void drive_out(std::uint32_t resource);
    void note(std::uint32_t message);
    void freed(std::uint32_t resource);
    void push_due(const Due& due);
    void wait(const Rejected& rejected);

    std::vector<Message> messages_;
    std::vector<Load> loads_;
    std::vector<std::uint32_t> pool_;               // the paths of all messages
    std::vector<std::vector<std::uint32_t>> spare_; // places in pool_, by length
    std::vector<InLine> line_;                      // all messages, in order
    std::vector<std::uint32_t> blocked_by_; // by place in line_: the resource that last had no room for it, or
    std::uint32_t to_examine_ = 0;          // it is selected or new, and is to be examined
    std::uint32_t left_ = 0;                // it has left
    std::vector<std::uint32_t> blocked_before_; // the one before
    std::size_t gone_ = 0;                      // how many have left
    std::uint64_t last_order_ = 0;
    std::uint64_t least_rate_ = ~std::uint64_t{0}; // of all messages ever known
    std::vector<MessageId> begun_;
    std::vector<MessageId> stopped_;

    // Of the pass.
    std::vector<std::uint8_t> full_; // by resource, and for the two values above: no room for anybody
    std::vector<std::uint32_t> selected_;

    bool queued_ = false; // the rest is kept up: it is for the update
    std::vector<Queue> queues_;
    std::vector<Due> agenda_; // a heap
    std::vector<std::uint32_t> added_;
    std::vector<Rejected> rejected_; // in this update: they wait once it is over
    std::vector<std::uint32_t> touched_;

    Procedure procedure_ = Procedure::cheaper;
    std::uint64_t changes_ = 0; // since the last settle()
    std::uint64_t new_ = 0;     // of these: have joined
    std::uint64_t in_vain_ = 0; // messages passed over for few changes, lately
    std::uint64_t passes_ = 0;
    std::uint64_t updates_ = 0;
    std::uint64_t examined_ = 0;
};

} // namespace orrery
