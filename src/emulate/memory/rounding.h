// Sizes and addresses, rounded to a multiple of a unit.
#pragma once

#include "engine/ids.h"

namespace orrery::emulate {

template <typename T> constexpr T down(T value, Bytes unit) { return value / unit * unit; }
template <typename T> constexpr T up(T value, Bytes unit) { return (value + unit - 1) / unit * unit; }

} // namespace orrery::emulate
