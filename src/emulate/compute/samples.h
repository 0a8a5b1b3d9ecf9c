// What was measured of a piece of the program that is run a few times and then only accounted for (the HPL
// emulation paper, section IV.B: kernel sampling).
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace orrery::emulate {

struct Samples {
    std::uint64_t count = 0;
    double sum = 0;     // seconds
    double squares = 0; // of the differences from the mean (Welford), s^2

    void add(double seconds) {
        const double before = mean();
        ++count;
        sum += seconds;
        squares += (seconds - before) * (seconds - mean());
    }
    [[nodiscard]] double mean() const { return count == 0 ? 0 : sum / static_cast<double>(count); }
    // Of the mean, relative to it. Times that are all zero are as sure as can be.
    [[nodiscard]] double relative_error() const {
        if (count < 2 || sum <= 0) return 0;
        const double n = static_cast<double>(count);
        return std::sqrt(squares / (n - 1) / n) / mean();
    }
    // Not yet `most` times, and not yet stable: at least two samples whose mean has a relative standard error
    // below the threshold. A limit that is zero or less does not count.
    [[nodiscard]] bool more(int most, double threshold) const {
        if (most > 0 && count >= static_cast<std::uint64_t>(most)) return false;
        return !(threshold > 0 && count >= 2 && relative_error() < threshold);
    }
};

// Where in the source, with a word of the user's. By content: each rank has its own copy of the name's bytes.
using SampleSite = std::tuple<std::string, int, std::string>;

// Of one rank, or of all together.
class SampleTable {
  public:
    Samples& at(const SampleSite& site) { return all_[site]; }

  private:
    std::map<SampleSite, Samples> all_; // its elements stay where they are
};

} // namespace orrery::emulate
