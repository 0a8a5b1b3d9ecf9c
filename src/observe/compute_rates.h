// How fast a program computed, by the size of its bursts: the distribution of Figure 14 of the paper on
// time-independent traces.
//
// A burst is what a rank computes between two calls; its rate is its volume over its duration. Bursts are
// counted in bins of size and rate, both logarithmic, so that memory and files stay small however many there
// are.
#pragma once

#include "formats/ort/recorded_trace.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace orrery {

class ComputeRates {
  public:
    static constexpr int sizes_per_decade = 16;
    static constexpr int rates_per_decade = 64;

    ComputeRates() = default;
    explicit ComputeRates(RecordedTrace::TimedSource& source); // all computations of all ranks

    void add(double volume, double seconds);

    [[nodiscard]] std::uint64_t bursts() const { return bursts_; }
    // Bursts too short for the clock, or without volume: they are in none of the bins.
    [[nodiscard]] std::uint64_t unmeasured() const { return unmeasured_; }
    [[nodiscard]] double volume() const { return volume_; }
    [[nodiscard]] double seconds() const { return seconds_; }
    // Of all bursts together: total volume over total time.
    [[nodiscard]] double average() const { return seconds_ > 0 ? volume_ / seconds_ : 0; }

    // Bursts of 10^decade up to ten times that.
    struct Decade {
        int decade = 0;
        std::uint64_t bursts = 0;
        double volume = 0;
        double seconds = 0;
        // Rates that 10, 50 and 90 % of the bursts stay below, to a bin.
        double tenth = 0;
        double median = 0;
        double ninetieth = 0;
    };
    [[nodiscard]] std::vector<Decade> decades() const;

    // Bursts by bin: the size is in 10^(first/sizes_per_decade) up to the next, the rate likewise.
    [[nodiscard]] const std::map<std::pair<int, int>, std::uint64_t>& bins() const { return bins_; }

  private:
    struct Total {
        double volume = 0;
        double seconds = 0;
    };
    std::map<std::pair<int, int>, std::uint64_t> bins_;
    std::map<int, Total> totals_; // by decade
    std::uint64_t bursts_ = 0;
    std::uint64_t unmeasured_ = 0;
    double volume_ = 0;
    double seconds_ = 0;
};

// What is counted, for the words of a picture.
struct CountedVolume {
    std::string unit; // "instructions"
    double per_cpu_second =
        0; // not 0: it is CPU time, this much of it a second; rates are then parts of a core
};

std::string rates_svg(const ComputeRates& rates, const std::string& title, const CountedVolume& counted);

// By the name: .svg (a picture) or .csv (the bins). Throws UsageError for another.
void check_rates_name(const std::string& path);
void write_rates(const ComputeRates& rates, const std::string& path, const std::string& title,
                 const CountedVolume& counted);

} // namespace orrery
