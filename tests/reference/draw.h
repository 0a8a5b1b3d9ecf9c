// Numbers drawn one after the other, the same everywhere for the same seed and stream.
#pragma once

#include "engine/random.h"

#include <cstdint>

namespace orrery::reference {

class Draw {
  public:
    Draw(std::uint64_t seed, std::uint64_t stream) : stream_(seed, stream) {}
    std::uint32_t below(std::uint64_t bound) { return static_cast<std::uint32_t>(stream_.below(n_++, bound)); }
    bool chance(unsigned percent) { return below(100) < percent; }
    template <typename List> const auto& of(const List& all) { return all[below(all.size())]; }

  private:
    RandomStream stream_;
    std::uint64_t n_ = 0;
};

} // namespace orrery::reference
