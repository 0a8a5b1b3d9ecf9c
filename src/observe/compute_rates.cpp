#include "observe/compute_rates.h"

#include "engine/error.h"
#include "engine/output_file.h"

#include <array>
#include <cmath>
#include <fmt/format.h>
#include <iterator>

namespace orrery {

namespace {

int bin_of(double value, int per_decade) {
    return static_cast<int>(std::floor(std::log10(value) * per_decade));
}

double bin_start(int bin, int per_decade) { return std::pow(10, static_cast<double>(bin) / per_decade); }

int decade_of(int bin, int per_decade) {
    return bin >= 0 ? bin / per_decade : -((-bin + per_decade - 1) / per_decade);
}

// The rate that `share` of the bursts in these bins stay below: the middle of the bin where it is reached.
double quantile(const std::map<int, std::uint64_t>& by_rate, std::uint64_t total, double share) {
    std::uint64_t seen = 0;
    for (const auto& [bin, count] : by_rate) {
        seen += count;
        if (static_cast<double>(seen) >= share * static_cast<double>(total))
            return std::pow(10, (bin + 0.5) / ComputeRates::rates_per_decade);
    }
    return 0;
}

} // namespace

ComputeRates::ComputeRates(RecordedTrace::TimedSource& source) {
    for (std::uint32_t rank = 0; rank < source.ranks(); ++rank) {
        for (std::span<const Action> window; !(window = source.next(RankId{rank})).empty();) {
            const std::span<const recorded::ActionTimes> times = source.times(RankId{rank});
            for (std::size_t i = 0; i < window.size(); ++i) {
                if (window[i].kind == ActionKind::compute)
                    add(window[i].volume, static_cast<double>(times[i].end - times[i].begin) * 1e-9);
            }
        }
    }
}

void ComputeRates::add(double volume, double seconds) {
    ++bursts_;
    volume_ += volume;
    seconds_ += std::max(seconds, 0.0);
    if (!(volume > 0) || !(seconds > 0)) {
        ++unmeasured_;
        return;
    }
    const int size = bin_of(volume, sizes_per_decade);
    ++bins_[{size, bin_of(volume / seconds, rates_per_decade)}];
    Total& total = totals_[decade_of(size, sizes_per_decade)];
    total.volume += volume;
    total.seconds += seconds;
}

std::vector<ComputeRates::Decade> ComputeRates::decades() const {
    std::map<int, std::map<int, std::uint64_t>> rates; // by decade, then by rate
    for (const auto& [bin, count] : bins_) rates[decade_of(bin.first, sizes_per_decade)][bin.second] += count;
    std::vector<Decade> result;
    for (const auto& [number, by_rate] : rates) {
        Decade& decade = result.emplace_back();
        decade.decade = number;
        for (const auto& [rate, count] : by_rate) decade.bursts += count;
        decade.volume = totals_.at(number).volume;
        decade.seconds = totals_.at(number).seconds;
        decade.tenth = quantile(by_rate, decade.bursts, 0.1);
        decade.median = quantile(by_rate, decade.bursts, 0.5);
        decade.ninetieth = quantile(by_rate, decade.bursts, 0.9);
    }
    return result;
}

void check_rates_name(const std::string& path) {
    if (path.ends_with(".svg") || path.ends_with(".csv")) return;
    throw UsageError(fmt::format("--rates {}: expected a name that ends in .svg or .csv", path));
}

void write_rates(const ComputeRates& rates, const std::string& path, const std::string& title,
                 const CountedVolume& counted) {
    check_rates_name(path);
    std::string text;
    if (path.ends_with(".svg")) {
        text = rates_svg(rates, title, counted);
    } else {
        text = "size_from,size_to,rate_from,rate_to,bursts\n";
        for (const auto& [bin, count] : rates.bins()) {
            fmt::format_to(std::back_inserter(text), "{:.6g},{:.6g},{:.6g},{:.6g},{}\n",
                           bin_start(bin.first, ComputeRates::sizes_per_decade),
                           bin_start(bin.first + 1, ComputeRates::sizes_per_decade),
                           bin_start(bin.second, ComputeRates::rates_per_decade),
                           bin_start(bin.second + 1, ComputeRates::rates_per_decade), count);
        }
    }
    OutputFile file(path);
    file.write(text);
    file.commit();
}

} // namespace orrery
