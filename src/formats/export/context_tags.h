// Tags that keep communicators and collectives apart where a format knows ranks and tags only.
//
// Messages of the world keep their tags. Those of other communicators, and those of collectives, get tags above
// all of the trace, the same ones on all ranks. A receive of any tag cannot be kept apart: it may take a
// message of another communicator.
#pragma once

#include "engine/error.h"
#include "workload/action.h"

#include <cstdint>
#include <map>
#include <utility>

namespace orrery {

class ContextTags {
  public:
    explicit ContextTags(std::uint32_t largest) : next_(std::uint64_t{largest} + 1) {}

    // `communicator`: the index of Communicators.
    std::uint32_t message(std::uint32_t communicator, std::uint32_t tag) {
        return communicator == 0 || tag == any_tag ? tag : find({2 * communicator, tag});
    }
    // Of a collective, by its number in the communicator. Messages between two ranks do not overtake each
    // other, so a number may come again once no call of that number can be under way.
    std::uint32_t collective(std::uint32_t communicator, std::uint32_t number) {
        return find({2 * communicator + 1, number % at_once});
    }

  private:
    static constexpr std::uint32_t at_once = 64; // nonblocking collectives of one communicator
    static constexpr std::uint64_t limit = 0x7FFF'FFFF;

    std::uint32_t find(std::pair<std::uint32_t, std::uint32_t> key) {
        const auto [place, fresh] = given_.try_emplace(key, static_cast<std::uint32_t>(next_));
        if (fresh && ++next_ > limit)
            throw InputError("the trace has too many different tags and communicators for this format");
        return place->second;
    }

    std::uint64_t next_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> given_; // by context and tag
};

} // namespace orrery
