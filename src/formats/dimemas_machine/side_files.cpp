#include "formats/dimemas_machine/side_files.h"

#include "engine/error.h"
#include "machine/machine_file.h"

#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <sstream>
#include <string_view>

namespace orrery::dimemas {

namespace {

constexpr std::uint32_t reduce_id = 10;

// The words of a line behind its title, with where they stand.
class Words {
  public:
    Words(const std::string& text, std::string file, std::uint64_t line)
        : stream_(text), file_(std::move(file)), line_(line) {}

    bool next(std::string& word) { return static_cast<bool>(stream_ >> word); }
    std::string word(std::string_view what) {
        std::string found;
        if (!next(found)) fail(fmt::format("expected {} at the end of the line", what));
        return found;
    }
    std::uint32_t whole(std::string_view what, std::size_t below) {
        const std::string found = word(what);
        std::uint32_t value = 0;
        const char* const end = found.data() + found.size();
        const auto result = std::from_chars(found.data(), end, value);
        if (result.ec != std::errc() || result.ptr != end || value >= below)
            fail(fmt::format("{} is \"{}\"; expected a number below {}", what, found, below));
        return value;
    }
    [[noreturn]] void fail(const std::string& reason) const {
        throw InputError(Error{file_, line_, 0, reason});
    }
    double seconds(const std::string& found) const {
        double value = 0;
        const char* const end = found.data() + found.size();
        const auto result = std::from_chars(found.data(), end, value);
        if (result.ec != std::errc() || result.ptr != end || !std::isfinite(value) || value < 0 || value > 1e6)
            fail(fmt::format("\"{}\"; expected a time in seconds", found));
        return value;
    }

  private:
    std::istringstream stream_;
    std::string file_;
    std::uint64_t line_;
};

FanModel model_of(Words& words) {
    const std::string word = words.word("a model");
    if (word == "0") return FanModel::none;
    if (word == "CTE") return FanModel::constant;
    if (word == "LIN") return FanModel::linear;
    if (word == "LOG") return FanModel::logarithmic;
    words.fail(fmt::format("model \"{}\"; expected 0, CTE, LIN or LOG", word));
}

FanSize size_of(Words& words) {
    const std::string word = words.word("a size");
    if (word == "MIN") return FanSize::least;
    if (word == "MAX") return FanSize::most;
    if (word == "MEAN") return FanSize::mean;
    if (word == "2MAX") return FanSize::twice_most;
    if (word == "S+R") return FanSize::sum;
    words.fail(fmt::format("size \"{}\"; expected MIN, MAX, MEAN, 2MAX or S+R", word));
}

CollectiveModel model_and_size(Words& words) {
    CollectiveModel model;
    model.in.model = model_of(words);
    model.in.size = size_of(words);
    model.out.model = model_of(words);
    model.out.size = size_of(words);
    return model;
}

void read_flight(Words& words, Configuration& configuration) {
    const std::size_t clusters = configuration.clusters.size();
    const std::uint32_t from = words.whole("a machine", clusters);
    configuration.flight.resize(clusters, std::vector<Time>(clusters));
    for (std::size_t to = 0; to < clusters; ++to) {
        const double seconds = words.seconds(words.word(fmt::format("a flight time to each of {}", clusters)));
        configuration.flight[from][to] = Time::from_ps(seconds * 1e12, "a flight time");
    }
}

bool title(std::string& line, std::string_view words) {
    if (!line.starts_with(words)) return false;
    line.erase(0, words.size());
    return true;
}

std::istringstream opened(const std::string& path, std::string_view what) {
    try {
        return std::istringstream(read_whole_file(path));
    } catch (const InputError& error) {
        throw InputError(Error{path, 0, 0, fmt::format("{}; expected {}", error.error().reason, what)});
    }
}

} // namespace

double ps_per_byte_of(double megabytes) { return megabytes > 0 ? 1e12 / 1048576.0 / megabytes : 0; }

void read_communications_file(const std::string& path, Configuration& configuration) {
    std::istringstream stream = opened(path, "the communications file that the .cfg names");
    std::string line;
    for (std::uint64_t number = 1; std::getline(stream, line); ++number) {
        if (title(line, "Machine globalop:")) {
            Words words(line, path, number);
            const std::uint32_t cluster = words.whole("a machine", configuration.clusters.size());
            const std::uint32_t id = words.whole("an operation", collective_ids);
            const CollectiveModel model = model_and_size(words);
            if (id == reduce_id) {
                configuration.notes.emplace_back("models of MPI_Reduce are ignored, as Dimemas does");
            } else {
                configuration.clusters[cluster].collectives[id] = model;
            }
        } else if (title(line, "External globalop:")) {
            Words words(line, path, number);
            const std::uint32_t id = words.whole("an operation", collective_ids);
            const CollectiveModel model = model_and_size(words);
            if (id != reduce_id) configuration.wan_collectives[id] = model;
        } else if (title(line, "Flight time:")) {
            Words words(line, path, number);
            read_flight(words, configuration);
        } else if (title(line, "Machine policy:")) {
            Words words(line, path, number);
            (void)words.whole("a machine", configuration.clusters.size());
            if (words.word("a policy") != "FIFO") words.fail("only the policy FIFO is simulated");
        } else if (line.find_first_not_of(" \t\r") != std::string::npos && line[0] != '#' && line[0] != '/') {
            throw InputError(Error{path, number, 0,
                                   fmt::format("\"{}\"; expected Machine globalop:, External globalop:, Flight "
                                               "time: or Machine policy:",
                                               line.substr(0, 40))});
        }
    }
}

void read_scheduler_file(const std::string& path, Configuration& configuration) {
    std::istringstream stream = opened(path, "the scheduler file that the .cfg names");
    std::string line;
    for (std::uint64_t number = 1; std::getline(stream, line); ++number) {
        if (title(line, "Policy:")) {
            Words words(line, path, number);
            const std::string policy = words.word("a policy");
            if (policy != "FIFO") words.fail(fmt::format("policy {} is not simulated: only FIFO is", policy));
        } else if (title(line, "Context switch cost (seconds):")) {
            Words words(line, path, number);
            configuration.context_switch =
                Time::from_ps(words.seconds(words.word("the cost of a switch")) * 1e12, "a context switch");
        } else if (title(line, "Busy wait (seconds):")) {
            Words words(line, path, number);
            if (words.seconds(words.word("a time")) != 0)
                words.fail("busy waiting is not simulated: expected 0");
        }
    }
}

} // namespace orrery::dimemas
