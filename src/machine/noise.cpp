#include "machine/noise.h"

#include "engine/error.h"
#include "engine/random.h"
#include "engine/units.h"
#include "machine/machine_file.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <sstream>
#include <vector>

#include <tsl/robin_map.h>

namespace orrery {

namespace {

constexpr std::int64_t longest_delay = Time::longest().ticks();
constexpr double longest_trace_ns = 86'400e9; // a day
constexpr std::int64_t shortest_period_us = 1;
constexpr std::int64_t longest_period_us = 3'600'000'000; // an hour

// Detours of a measured trace, repeated with the trace's length as period.
class TraceNoise : public Noise {
  public:
    struct Detour {
        std::int64_t start; // ticks
        std::int64_t end;
    };

    TraceNoise(std::vector<Detour> detours, const NoiseOptions& options, std::string path)
        : detours_(std::move(detours)), period_(detours_.back().end), options_(options),
          path_(std::move(path)) {
        free_ = period_;
        for (const Detour& detour : detours_) free_ -= detour.end - detour.start;
    }

    Time delay(RankId rank, std::uint32_t, Time start, Time busy) override {
        if (busy == Time::zero()) return Time::zero();
        const RandomStream stream(options_.seed, options_.coscheduled ? 0 : rank.value);
        const auto offset = static_cast<std::int64_t>(stream.below(0, static_cast<std::uint64_t>(period_)));
        std::int64_t at = (start.ticks() + offset) % period_;
        std::int64_t remaining = busy.ticks();
        const std::int64_t whole = (remaining - 1) / free_; // periods that are used up entirely
        if (whole > longest_delay / (period_ - free_))
            return Time::ticks(longest_delay); // the run will be refused
        std::int64_t delay = whole * (period_ - free_);
        remaining -= whole * free_;
        auto next = std::upper_bound(detours_.begin(), detours_.end(), at,
                                     [](std::int64_t time, const Detour& detour) { return time < detour.end; });
        while (true) {
            if (next == detours_.end()) {
                next = detours_.begin();
                at -= period_;
            }
            const std::int64_t gap = std::max<std::int64_t>(next->start - at, 0);
            if (gap >= remaining) return Time::ticks(delay);
            remaining -= gap;
            delay += next->end - std::max(next->start, at);
            at = next->end;
            ++next;
        }
    }

    [[nodiscard]] std::string describe() const override {
        return fmt::format("noise from {}: {} detours in {}, {:.3f} % of the time{}", path_, detours_.size(),
                           format_time(Time::ticks(period_)),
                           100.0 * static_cast<double>(period_ - free_) / static_cast<double>(period_),
                           options_.coscheduled ? ", at the same time on all ranks" : "");
    }

  private:
    std::vector<Detour> detours_;
    std::int64_t period_;
    std::int64_t free_; // time without detours in one period
    NoiseOptions options_;
    std::string path_;
};

struct Distribution {
    Time period;
    Time duration;
    bool exponential_interval = false;
    bool exponential_length = false;
};

class DistributedNoise : public Noise {
  public:
    DistributedNoise(const Distribution& distribution, const NoiseOptions& options)
        : distribution_(distribution), options_(options) {}

    Time delay(RankId rank, std::uint32_t cpu, Time start, Time busy) override {
        if (busy == Time::zero() || start + busy >= Time::longest()) return Time::zero(); // the run is refused
        const std::uint64_t key = std::uint64_t{rank.value} << 32 | cpu;
        const RandomStream stream(options_.seed, options_.coscheduled ? 0 : key);
        const auto [found, added] = cursors_.try_emplace(key);
        Cursor& next = found.value();
        if (added) {
            // The first detour comes at a random point of the first period, or after a random interval.
            const double phase = distribution_.exponential_interval
                                     ? stream.exponential(0, distribution_.period.picoseconds())
                                     : stream.uniform(0) * distribution_.period.picoseconds();
            next = {Time::from_ps(phase, "noise: the time before the first detour"), length(stream, 0), 0};
        }
        while (next.start + next.length <= start) advance(next, stream);
        Time at = start;
        Time remaining = busy;
        Time delayed;
        while (true) {
            const Time gap = later(next.start - at, Time::zero());
            if (gap >= remaining) return delayed;
            remaining -= gap;
            const Time end = next.start + next.length;
            delayed += end - later(next.start, at);
            at = end;
            if (at >= Time::longest()) return delayed; // the run is refused
            advance(next, stream);
        }
    }

    [[nodiscard]] std::string describe() const override {
        return fmt::format("noise: {}{} every {}{}{}", format_time(distribution_.duration),
                           distribution_.exponential_length ? " (exponential)" : "",
                           format_time(distribution_.period),
                           distribution_.exponential_interval ? " (exponential)" : "",
                           options_.coscheduled ? ", at the same time on all ranks" : "");
    }

  private:
    // The next detour of one CPU.
    struct Cursor {
        Time start;
        Time length;
        std::uint64_t number = 0;
    };

    [[nodiscard]] Time length(const RandomStream& stream, std::uint64_t number) const {
        if (!distribution_.exponential_length) return distribution_.duration;
        return Time::from_ps(stream.exponential(2 * number + 1, distribution_.duration.picoseconds()),
                             "noise: a detour");
    }

    void advance(Cursor& cursor, const RandomStream& stream) const {
        ++cursor.number;
        Time interval = distribution_.period;
        if (distribution_.exponential_interval) {
            interval = Time::from_ps(stream.exponential(2 * cursor.number, interval.picoseconds()),
                                     "noise: an interval");
        }
        // Detours do not overlap: the next one starts when the last has ended at the earliest.
        cursor.start = later(cursor.start + interval, cursor.start + cursor.length);
        cursor.length = length(stream, cursor.number);
    }

    Distribution distribution_;
    NoiseOptions options_;
    tsl::robin_map<std::uint64_t, Cursor> cursors_;
};

// Reads one number of nanoseconds (decimals allowed) as ticks.
bool read_ns(const char*& at, const char* end, std::int64_t& value) {
    while (at < end && (*at == ' ' || *at == '\t')) ++at;
    double nanoseconds = 0;
    const auto result = std::from_chars(at, end, nanoseconds);
    if (result.ec != std::errc() || !(nanoseconds >= 0) || nanoseconds > longest_trace_ns) return false;
    at = result.ptr;
    value = Time::from_ps(nanoseconds * 1000, "noise: a detour").ticks();
    return true;
}

} // namespace

std::unique_ptr<Noise> noise_from_file(const std::string& path, const NoiseOptions& options) {
    constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30U;
    std::istringstream text(read_whole_file(path, most_bytes));
    return noise_from_text(text, path, options);
}

std::unique_ptr<Noise> noise_from_text(std::istream& text, const std::string& path,
                                       const NoiseOptions& options) {
    std::vector<TraceNoise::Detour> detours;
    std::string line;
    for (std::uint64_t number = 1; std::getline(text, line); ++number) {
        if (const auto comment = line.find('#'); comment != std::string::npos) line.resize(comment);
        if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
        const char* at = line.data();
        const char* const end = at + line.size();
        std::int64_t start = 0;
        std::int64_t duration = 0;
        if (!read_ns(at, end, start) || !read_ns(at, end, duration) ||
            std::string_view(at, end).find_first_not_of(" \t\r") != std::string_view::npos) {
            throw InputError(Error{path, number, static_cast<std::uint64_t>(at - line.data()) + 1,
                                   "expected \"<start> <duration>\" of a detour, in nanoseconds"});
        }
        if (!detours.empty() && start < detours.back().end) {
            throw InputError(Error{path, number, 0, "this detour starts before the previous one has ended"});
        }
        detours.push_back({start, start + duration});
    }
    std::erase_if(detours, [](const TraceNoise::Detour& detour) { return detour.start == detour.end; });
    if (detours.empty()) throw InputError(Error{path, 0, 0, "no detours in this noise trace"});
    std::int64_t taken = 0;
    for (const auto& detour : detours) taken += detour.end - detour.start;
    if (taken >= detours.back().end)
        throw InputError(Error{path, 0, 0, "detours leave no time for the application"});
    return std::make_unique<TraceNoise>(std::move(detours), options, path);
}

std::unique_ptr<Noise> noise_from_distribution(std::string_view text, const NoiseOptions& options) {
    constexpr std::string_view expected = "noise is given as \"period=1ms duration=25us\", with "
                                          "interval=exponential and length=exponential if wanted";
    Distribution distribution;
    std::size_t at = 0;
    while ((at = text.find_first_not_of(" ,", at)) != std::string_view::npos) {
        const std::size_t end = std::min(text.find_first_of(" ,", at), text.size());
        const std::string_view word = text.substr(at, end - at);
        at = end;
        const std::size_t equals = word.find('=');
        const std::string_view name = word.substr(0, equals);
        const std::string_view value = equals == std::string_view::npos ? "" : word.substr(equals + 1);
        if (name == "period") {
            distribution.period = parse_time(value);
        } else if (name == "duration") {
            distribution.duration = parse_time(value);
        } else if ((name == "interval" || name == "length") &&
                   (value == "exponential" || value == "constant")) {
            (name == "interval" ? distribution.exponential_interval : distribution.exponential_length) =
                value == "exponential";
        } else {
            throw UsageError(fmt::format("'{}': {}", word, expected));
        }
    }
    if (distribution.period <= Time::zero() || distribution.duration <= Time::zero())
        throw UsageError(std::string(expected));
    if (distribution.period < Time::us(shortest_period_us) ||
        distribution.period > Time::us(longest_period_us)) {
        throw UsageError("noise: the period must be between 1 us and 1 h");
    }
    if (distribution.duration >= distribution.period) {
        throw UsageError("noise: the duration must be shorter than the period");
    }
    return std::make_unique<DistributedNoise>(distribution, options);
}

} // namespace orrery
