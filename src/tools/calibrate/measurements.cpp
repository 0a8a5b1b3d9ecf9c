#include "tools/calibrate/measurements.h"

#include "engine/error.h"
#include "machine/machine_file.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace orrery {

namespace {

using nlohmann::json;

constexpr std::string_view format_name = "orrery measurements 1";
constexpr double longest_ns = 1e15;

class LineReader {
  public:
    LineReader(const json& object, const std::string& file, std::uint64_t line)
        : object_(object), file_(file), line_(line) {}

    [[noreturn]] void fail(const std::string& reason) const {
        throw InputError(Error{file_, line_, 0, reason});
    }
    [[nodiscard]] const json& at(const char* key) const {
        const auto found = object_.find(key);
        if (found == object_.end()) fail(fmt::format("'{}' is missing", key));
        return *found;
    }
    [[nodiscard]] std::string text(const char* key) const {
        const json& value = at(key);
        if (!value.is_string()) fail(fmt::format("'{}' should be a string", key));
        return value.get<std::string>();
    }
    [[nodiscard]] double number(const char* key, double least, double most) const {
        const json& value = at(key);
        if (!value.is_number()) fail(fmt::format("'{}' should be a number", key));
        const double read = value.get<double>();
        if (!(read >= least && read <= most))
            fail(fmt::format("'{}' is {}, expected {:g} to {:g}", key, read, least, most));
        return read;
    }

  private:
    const json& object_;
    const std::string& file_;
    std::uint64_t line_;
};

void read_header(const LineReader& line, Measurements& into) {
    if (line.text("format") != format_name) line.fail(fmt::format("'format' should be \"{}\"", format_name));
    const json& hosts = line.at("hosts");
    if (!hosts.is_array() || hosts.size() != 2 || !hosts[0].is_string() || !hosts[1].is_string())
        line.fail("'hosts' should be two names");
    into.hosts = {hosts[0].get<std::string>(), hosts[1].get<std::string>()};
    into.cores = static_cast<std::uint32_t>(line.number("cores", 1, 1e6));
    into.cpu = line.text("cpu");
    into.mpi = line.text("mpi");
    into.started = line.text("started");
    into.burst = static_cast<std::uint32_t>(line.number("burst", 2, 1e6));
    into.rounds = static_cast<std::uint32_t>(line.number("rounds", 1, 1e9));
    into.most_bytes = static_cast<Bytes>(line.number("most_bytes", 1, 1e12));
    const double limit = line.number("eager_limit", -1, 1e12);
    // -1: even a message without bytes waits. The largest size that was tried: nothing is known of larger ones.
    if (limit < static_cast<double>(into.most_bytes))
        into.eager_limit = limit < 0 ? 0 : static_cast<Bytes>(limit);
}

MeasuredSeries read_series(const LineReader& line) {
    MeasuredSeries series;
    series.kind = line.text("kind");
    series.bytes = static_cast<Bytes>(line.number("bytes", 0, 1e12));
    series.delay_ns = line.number("delay_ns", 0, longest_ns);
    const json& samples = line.at("ns");
    if (!samples.is_array() || samples.empty()) line.fail("'ns' should be a list of times");
    for (const json& sample : samples) {
        // A call shorter than the clock's own cost may come out a little below zero.
        if (!sample.is_number() || !(std::abs(sample.get<double>()) <= longest_ns) ||
            sample.get<double>() < -1000)
            line.fail(fmt::format("{} is not a time in nanoseconds", sample.dump()));
        series.samples.push_back(std::max(sample.get<double>(), 0.0));
    }
    series.typical = quantile(series.samples, 0.25);
    return series;
}

} // namespace

double quantile(std::vector<double> samples, double q) {
    if (samples.empty()) return 0;
    const auto at = static_cast<std::ptrdiff_t>(q * static_cast<double>(samples.size() - 1));
    std::nth_element(samples.begin(), samples.begin() + at, samples.end());
    return samples[static_cast<std::size_t>(at)];
}

Measurements parse_measurements(std::string_view text, const std::string& file) {
    Measurements read;
    read.file = file;
    std::uint64_t number = 0;
    bool ended = false;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view words = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        ++number;
        if (words.find_first_not_of(" \t\r") == std::string_view::npos) continue;
        const json object = json::parse(words, nullptr, false);
        if (!object.is_object())
            throw InputError(Error{file, number, 0, "expected a JSON object: damaged, or not measurements"});
        const LineReader line(object, file, number);
        if (ended) line.fail("nothing is expected after the end");
        if (read.hosts[0].empty() && read.mpi.empty()) {
            read_header(line, read);
        } else if (object.contains("end")) {
            ended = true;
            if (line.number("samples", 0, 1e15) != static_cast<double>(read.samples))
                line.fail(fmt::format("{} samples should be here, but {} are", object["samples"].dump(),
                                      read.samples));
        } else {
            read.series.push_back(read_series(line));
            read.samples += read.series.back().samples.size();
        }
    }
    if (!ended) throw InputError(Error{file, number, 0, "the end is missing: the measurement was cut off"});
    std::stable_sort(read.series.begin(), read.series.end(),
                     [](const MeasuredSeries& a, const MeasuredSeries& b) { return a.bytes < b.bytes; });
    return read;
}

Measurements read_measurements(const std::string& path) {
    return parse_measurements(read_whole_file(path), path);
}

const MeasuredSeries* Measurements::find(std::string_view kind, Bytes bytes) const {
    for (const MeasuredSeries& each : series) {
        if (each.bytes == bytes && each.kind == kind) return &each;
    }
    return nullptr;
}

std::vector<const MeasuredSeries*> Measurements::of(std::string_view kind) const {
    std::vector<const MeasuredSeries*> found;
    for (const MeasuredSeries& each : series) {
        if (each.kind == kind) found.push_back(&each);
    }
    return found;
}

} // namespace orrery
