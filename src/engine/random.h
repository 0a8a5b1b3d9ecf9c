// Random numbers without hidden state: the n-th number of a stream is a function of (seed, stream, n).
//
// So a result depends on what is asked, not on the order in which it is asked, and every stream (a rank, a CPU)
// is independent of how many others there are.
#pragma once

#include <cmath>
#include <cstdint>

namespace orrery {

// The finaliser of SplitMix64 (Steele, Lea, Flood 2014): a bijection that mixes all bits.
constexpr std::uint64_t mix_bits(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xBF58'476D'1CE4'E5B9ULL;
    x = (x ^ (x >> 27)) * 0x94D0'49BB'1331'11EBULL;
    return x ^ (x >> 31);
}

class RandomStream {
  public:
    constexpr RandomStream(std::uint64_t seed, std::uint64_t stream)
        : key_(mix_bits(mix_bits(seed + golden) ^ (stream + 1) * golden)) {}

    [[nodiscard]] constexpr std::uint64_t bits(std::uint64_t n) const {
        return mix_bits(key_ + (n + 1) * golden);
    }
    // Uniform in [0, 1).
    [[nodiscard]] constexpr double uniform(std::uint64_t n) const {
        return static_cast<double>(bits(n) >> 11) * 0x1p-53;
    }
    // Uniform in [0, bound), for bound > 0; unbiased to within bound / 2^64.
    __extension__ typedef unsigned __int128 Wide;
    [[nodiscard]] constexpr std::uint64_t below(std::uint64_t n, std::uint64_t bound) const {
        return static_cast<std::uint64_t>((static_cast<Wide>(bits(n)) * bound) >> 64);
    }
    [[nodiscard]] double exponential(std::uint64_t n, double mean) const {
        return -mean * std::log1p(-uniform(n));
    }

  private:
    static constexpr std::uint64_t golden = 0x9E37'79B9'7F4A'7C15ULL;
    std::uint64_t key_;
};

} // namespace orrery
