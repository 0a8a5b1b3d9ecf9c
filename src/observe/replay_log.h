// What a replay tells those who watch: which call each rank was in and when, and which messages travelled.
//
// Nobody watching costs one branch per action and per message.
#pragma once

#include "engine/time.h"
#include "workload/action.h"

#include <cstdint>

namespace orrery {

class ReplayObserver {
  public:
    virtual ~ReplayObserver() = default;
    // The rank performed the action in [begin, end); only told if it took any time.
    virtual void performed(std::uint32_t rank, const Action& action, Time begin, Time end) = 0;
    // The message was posted at `sent` and its last byte arrived at `arrived`.
    virtual void delivered(std::uint32_t from, std::uint32_t to, std::uint32_t tag, Bytes bytes, Time sent,
                           Time arrived) = 0;
};

} // namespace orrery
