#include "cli/extrapolate_trace.h"

#include "cli/action_progress.h"
#include "cli/trace_files.h"
#include "engine/units.h"
#include "formats/trace.h"
#include "workload/extrapolation/extrapolated_actions.h"
#include "workload/extrapolation/multiples.h"

#include <fmt/format.h>
#include <memory>

namespace orrery::cli {

void extrapolate_trace(const TraceExtrapolation& wanted) {
    if (wanted.output.empty()) {
        check_simulate_arguments(wanted.simulate);
        (void)Simulation(wanted.simulate.simulation,
                         true); // what is wrong with it should be said before a long load
    }
    TiOptions options;
    options.allow_truncated = wanted.allow_truncated;
    const TiTrace trace = TiTrace::open(wanted.trace, options);
    const std::uint64_t asked = wanted.ranks.empty() ? trace.ranks() : parse_count(wanted.ranks);
    check_extrapolated_ranks(trace.ranks(), asked);
    const auto total = static_cast<std::uint32_t>(asked);
    const TraceCommunicators communicators(*std::make_unique<ActionProgress>(trace.source()));

    const auto source = [&]() -> std::unique_ptr<ActionSource> {
        return std::make_unique<ExtrapolatedActions>(trace.repeated_source(total / trace.ranks()),
                                                     communicators);
    };
    const auto notes = [&] {
        std::vector<std::string> all = extrapolation_assumptions(trace.ranks(), total);
        for (std::string& note : trace.notes()) all.push_back(std::move(note));
        return all;
    };
    const std::string what = total == trace.ranks()
                                 ? wanted.trace
                                 : fmt::format("{}, extrapolated from {} ranks to {}", wanted.trace,
                                               format_count(trace.ranks()), format_count(total));
    if (!wanted.output.empty()) {
        TraceConversion conversion;
        conversion.in = wanted.trace;
        conversion.out = wanted.output;
        conversion.to = wanted.to;
        conversion.speed = wanted.speed;
        conversion.collectives = wanted.collectives;
        write_trace({source, what, trace.format(), total, trace.cpu_time_rate(), notes, trace.tally()},
                    conversion);
        return;
    }
    const auto open = [&] {
        std::vector<Simulation::Job> jobs(1);
        jobs.front().actions = source();
        jobs.front().cpu_time_rate = trace.cpu_time_rate();
        return jobs;
    };
    SimulateArguments simulate = wanted.simulate;
    simulate.simulation.collectives = wanted.collectives;
    run_and_report(open, what, notes, simulate);
}

} // namespace orrery::cli
