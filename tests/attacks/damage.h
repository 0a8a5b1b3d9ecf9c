// Damages the text or the bytes of a file, as chance will have it: the same seed does the same damage.
#pragma once

#include <cstdint>
#include <random>
#include <string>

namespace orrery::attacks {

using Chance = std::mt19937_64;

// Below `bound`, which is not 0. Not by a distribution of the library: every compiler is to give the same.
inline std::size_t pick(Chance& chance, std::size_t bound) {
    return static_cast<std::size_t>(chance() % bound);
}

// Numbers, words and signs that have surprised some program.
std::string surprising_word(Chance& chance);

// One to four damages: bytes flipped, cut out, repeated or put in; numbers and lines replaced or exchanged; the
// end cut off.
std::string damaged(std::string text, Chance& chance);

} // namespace orrery::attacks
