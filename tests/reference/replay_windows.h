// One-sided communication in the replay of reference/replay.h: all operations of a window, from its beginning.
#pragma once

#include "reference/replay_fiber.h"

#include "engine/ids.h"
#include "workload/window_call.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace orrery::reference {

struct OneSidedOperation {
    enum class Kind : std::uint8_t { data, lock, unlock, flush, complete, post };
    Kind kind = Kind::data;
    std::uint32_t from = 0; // ranks in the window
    std::uint32_t to = 0;
    Bytes bytes = 0;
    Bytes back = 0;
    bool answered = false;     // when it is performed something travels back
    bool needs_buffer = false; // of its origin, until it is over
    bool shared = false;       // of a lock
    PostedRequest* request = nullptr;

    bool arrived = false;
    bool queued = false; // a lock that waits for others to be given up
    bool performed = false;
    bool over = false; // and answered, if it is to be
};

// What an origin knows of a target.
struct WindowTarget {
    bool lock_asked = false;
    bool unconfirmed = false; // nothing that is answered has followed what is not
    std::uint32_t posts = 0;  // of its, that no start has used
};

struct WindowPart { // of a member
    std::vector<WindowTarget> targets;
    bool locks_first = false; // lock_all: a target is locked when an operation first goes there
    std::vector<std::uint32_t> started;
    bool awaits_posts = false;
    std::size_t expected = 0; // origins of its post
    std::size_t completed = 0;
    std::vector<OneSidedOperation*> holders; // of the lock of its memory
    std::vector<OneSidedOperation*> queue;   // for it, in the order in which they came
    Fiber* waiter = nullptr;
};

struct ReplayedWindow {
    std::uint32_t communicator = 0;
    std::vector<WindowPart> members;
    std::vector<std::unique_ptr<OneSidedOperation>> operations; // in the order in which they were asked for

    void set_size(std::size_t size) {
        members.resize(size);
        for (WindowPart& member : members) member.targets.resize(size);
    }
    // What its member's call waits for.
    [[nodiscard]] bool holds(WindowCall call, std::uint32_t own, std::uint32_t target) const;
    [[nodiscard]] bool may_have_lock(const OneSidedOperation& lock) const;
};

} // namespace orrery::reference
