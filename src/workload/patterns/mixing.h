// Random choices without state or tables: hashes of (seed, indices), and a permutation that can be evaluated
// in both directions at any single point in constant time and memory.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace orrery::patterns_detail {

// The finaliser of the SplitMix64 generator (Steele, Lea and Flood 2014): every input bit reaches every output
// bit.
constexpr std::uint64_t mix(std::uint64_t value) {
    value += 0x9E37'79B9'7F4A'7C15;
    value = (value ^ (value >> 30)) * 0xBF58'476D'1CE4'E5B9;
    value = (value ^ (value >> 27)) * 0x94D0'49BB'1331'11EB;
    return value ^ (value >> 31);
}
constexpr std::uint64_t mix(std::uint64_t a, std::uint64_t b) { return mix(mix(a) ^ b); }

// A pseudo-random permutation of 0 .. size-1: a Feistel network (Luby and Rackoff 1988) over the next even
// power of two, walked until it falls inside. At most four walks on average.
class Permutation {
  public:
    Permutation(std::uint32_t size, std::uint64_t seed)
        : size_(size), half_((static_cast<unsigned>(std::bit_width(size - 1)) + 1) / 2),
          mask_((std::uint64_t{1} << half_) - 1) {
        for (std::size_t i = 0; i < keys_.size(); ++i) keys_[i] = mix(seed, i);
    }

    [[nodiscard]] std::uint32_t image(std::uint32_t index) const {
        std::uint64_t value = index;
        do {
            std::uint64_t left = value >> half_;
            std::uint64_t right = value & mask_;
            for (const std::uint64_t key : keys_) {
                const std::uint64_t swapped = left ^ (mix(key ^ right) & mask_);
                left = right;
                right = swapped;
            }
            value = left << half_ | right;
        } while (value >= size_);
        return static_cast<std::uint32_t>(value);
    }

    // image(preimage(i)) == i
    [[nodiscard]] std::uint32_t preimage(std::uint32_t index) const {
        std::uint64_t value = index;
        do {
            std::uint64_t left = value >> half_;
            std::uint64_t right = value & mask_;
            for (std::size_t i = keys_.size(); i-- > 0;) {
                const std::uint64_t swapped = right ^ (mix(keys_[i] ^ left) & mask_);
                right = left;
                left = swapped;
            }
            value = left << half_ | right;
        } while (value >= size_);
        return static_cast<std::uint32_t>(value);
    }

  private:
    std::uint64_t size_;
    unsigned half_; // bits of one half of an index
    std::uint64_t mask_;
    std::array<std::uint64_t, 6> keys_{}; // six rounds: enough for the small halves of small sizes
};

} // namespace orrery::patterns_detail
