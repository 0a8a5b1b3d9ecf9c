// The public API over the simulator: translates values and errors, and does nothing else.
#include "orrery/orrery.h"

#include "drivers/graph/simulate.h"
#include "engine/error.h"
#include "formats/formats.h"
#include "workload/patterns/pattern.h"
#include "workload/schedule.h"

#include <fmt/format.h>

#include <utility>

namespace orrery::api {
namespace {

// Runs `work`; what the library throws becomes an Error of the public API.
template <typename Work> auto translated(const Work& work) {
    try {
        return work();
    } catch (const orrery::InputError& error) {
        throw Error(Fault::input, error.what(), error.error().file, error.error().line, error.error().column);
    } catch (const orrery::UsageError& error) {
        throw Error(Fault::usage, error.what());
    } catch (const orrery::SimulationError& error) {
        throw Error(Fault::simulation, error.what());
    }
}

} // namespace

Error::Error(Fault fault, const std::string& words, std::string file, std::uint64_t line, std::uint64_t column)
    : std::runtime_error(words), fault_(fault), line_(line), column_(column), file_(std::move(file)) {}
Error::Error(const Error&) = default;
Error::~Error() = default;
Fault Error::fault() const { return fault_; }
const std::string& Error::file() const { return file_; }
std::uint64_t Error::line() const { return line_; }
std::uint64_t Error::column() const { return column_; }

struct Workload::Parts {
    Schedule schedule;
};

Workload::Workload(std::shared_ptr<const Parts> parts) : parts_(std::move(parts)) {}

Workload Workload::load(const std::string& path) {
    return translated([&] { return Workload(std::make_shared<const Parts>(Parts{load_schedule(path)})); });
}

Workload Workload::pattern(const std::string& name, std::uint32_t ranks, std::uint64_t bytes) {
    return translated([&] {
        const PatternChoice choice = choose_pattern(name, pattern_user::generate);
        PatternOptions options = choice.options;
        options.ranks = ranks;
        if ((choice.given & option::bytes) == 0) options.bytes = bytes;
        const auto made = make_pattern(choice.info->name, options);
        ScheduleBuilder builder(name);
        generate(*made, ranks, builder);
        return Workload(std::make_shared<const Parts>(Parts{builder.take()}));
    });
}

std::uint32_t Workload::ranks() const { return parts_->schedule.ranks(); }
std::uint64_t Workload::operations() const { return parts_->schedule.operations(); }

struct Builder::Parts {
    std::vector<RankGraph> programs;

    RankGraph& of(std::uint32_t rank) {
        if (rank < programs.size()) return programs[rank];
        throw Error(Fault::usage,
                    fmt::format("rank {} does not exist: there are {} ranks", rank, programs.size()));
    }
};

Builder::Builder(std::uint32_t ranks) : parts_(std::make_unique<Parts>()) { parts_->programs.resize(ranks); }
Builder::Builder(Builder&&) noexcept = default;
Builder& Builder::operator=(Builder&&) noexcept = default;
Builder::~Builder() = default;

std::uint32_t Builder::send(std::uint32_t rank, std::uint32_t to, std::uint64_t bytes, std::uint32_t tag) {
    return parts_->of(rank).add(send_op(to, bytes, tag));
}
std::uint32_t Builder::recv(std::uint32_t rank, std::uint32_t from, std::uint64_t bytes, std::uint32_t tag) {
    return parts_->of(rank).add(recv_op(from, bytes, tag));
}
std::uint32_t Builder::compute(std::uint32_t rank, std::uint64_t picoseconds) {
    return parts_->of(rank).add(calc_op(picoseconds));
}
void Builder::require(std::uint32_t rank, std::uint32_t after, std::uint32_t before) {
    parts_->of(rank).require(after, before);
}

Workload Builder::build() const {
    return translated([&] {
        const auto ranks = static_cast<std::uint32_t>(parts_->programs.size());
        ScheduleBuilder builder("workload");
        builder.begin(ranks);
        for (std::uint32_t rank = 0; rank < ranks; ++rank) {
            check_rank(parts_->programs[rank], RankId{rank}, ranks, "workload");
            builder.rank(RankId{rank}, parts_->programs[rank]);
        }
        builder.finish();
        return Workload(std::make_shared<const Workload::Parts>(Workload::Parts{builder.take()}));
    });
}

Prediction simulate(const Workload& workload, const std::string& loggops) {
    return translated([&] {
        SimulationOptions options;
        options.loggops = parse_loggops(loggops);
        const orrery::Prediction found = orrery::simulate(workload.parts_->schedule, options);

        Prediction out;
        out.time_ps = found.time.ps();
        out.critical_rank = found.critical_rank;
        out.operations = found.operations;
        out.messages = found.messages;
        out.bytes = found.bytes;
        out.simulation_seconds = found.simulation_seconds;
        out.ranks.reserve(found.ranks.size());
        for (const orrery::RankTimes& rank : found.ranks)
            out.ranks.push_back({rank.finish.ps(), rank.compute.ps(), rank.overhead.ps(), rank.noise.ps(),
                                 found.waiting(rank).ps()});
        return out;
    });
}

std::vector<std::string> patterns() {
    std::vector<std::string> names;
    for (const PatternInfo& pattern : orrery::patterns()) names.emplace_back(pattern.name);
    return names;
}

std::string version() { return ORRERY_VERSION; }

} // namespace orrery::api
