// Steps of a collective algorithm as a list of numbers, for traces: six of each step.
//
// For algorithms that a replay cannot choose itself, those between two groups. What is left of a piece of data
// is how many bytes it has.
#pragma once

#include "collectives/step.h"

#include <cstdint>
#include <span>
#include <vector>

namespace orrery {

// Kind, peer, source, request, bytes that leave (or are worked on), bytes that come.
inline constexpr std::size_t numbers_of_step = 6;

void append_step(const Step& step, std::vector<Bytes>& list);
// Null if it is a list of steps among so many ranks; otherwise what is wrong with it.
const char* fault_of_steps(std::span<const Bytes> list, std::uint32_t ranks);
// The steps of such a list.
Steps listed_steps(std::vector<Bytes> list);

} // namespace orrery
