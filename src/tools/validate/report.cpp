#include "tools/validate/report.h"

#include "engine/units.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace orrery {

namespace {

std::string seconds_words(double seconds) { return format_picoseconds(seconds * 1e12); }
std::string signed_percent(double share) { return fmt::format("{:+.1f} %", 100 * share); }

std::string result_table(const std::vector<ValidationResult>& results) {
    std::size_t width = 11;
    for (const ValidationResult& each : results) width = std::max(width, title_of(each.application).size());
    std::string out =
        fmt::format("  {:<{}}  {:>12}  {:>7}  {:>12}  {:>8}   {:>11}  {:>13}  {:>10}\n", "application", width,
                    "measured", "spread", "predicted", "error", "computation", "communication", "traced run");
    for (const ValidationResult& each : results) {
        out += fmt::format("  {:<{}}  {:>12}  {:>7}  {:>12}  {:>8}   ", title_of(each.application), width,
                           seconds_words(each.clean.mean), fmt::format("{:.1f} %", 100 * each.clean.spread()),
                           format_time(each.predicted), signed_percent(each.error));
        if (each.exact) {
            const ErrorSplit& split = each.exact->split;
            out += fmt::format("{:>11}  {:>13}  {:>10}\n", signed_percent(split.computation),
                               signed_percent(split.communication), signed_percent(split.traced_run));
        } else {
            out += fmt::format("{:>11}  {:>13}  {:>10}\n", "-", "-", "-");
        }
    }
    return out;
}

std::string outlier_words(const ValidationResult& result) {
    std::string out;
    for (const std::size_t run : result.clean.outliers)
        out += fmt::format("{}run {} {}", out.empty() ? "" : ", ", run + 1, seconds_words(result.runs[run]));
    return out;
}

// A note that holds for all applications is said once.
std::string note_words(const std::vector<ValidationResult>& results) {
    std::vector<std::pair<std::string, std::vector<std::string>>> said; // and by which
    for (const ValidationResult& each : results) {
        for (const std::string& note : each.notes) {
            auto found =
                std::find_if(said.begin(), said.end(), [&](const auto& one) { return one.first == note; });
            if (found == said.end()) found = said.insert(said.end(), {note, {}});
            found->second.push_back(title_of(each.application));
        }
    }
    std::string out;
    for (const auto& [note, titles] : said) {
        out += titles.size() == results.size() ? fmt::format("  note: {}\n", note)
                                               : fmt::format("  note: {}: {}\n", fmt::join(titles, "; "), note);
    }
    return out;
}

// What makes the rest of the answer worthless stands before it.
std::string unusable_words(const std::vector<ValidationResult>& results) {
    std::string out;
    for (const ValidationResult& each : results) {
        const std::string problem = measurement_problem(each);
        if (problem.empty()) continue;
        out += results.size() == 1
                   ? fmt::format("measurement unusable: {}\n", problem)
                   : fmt::format("measurement unusable: {}: {}\n", title_of(each.application), problem);
    }
    return out;
}

std::string summary_words(const std::vector<ValidationResult>& results) {
    const std::optional<UsableErrors> usable = usable_errors(results);
    if (!usable) return "  no mean error: no measurement is usable\n";
    const std::string of =
        usable->applications == results.size()
            ? std::string()
            : fmt::format(" ({} of {} measurements are usable)", usable->applications, results.size());
    return fmt::format("  bias {}, mean absolute error {:.1f} %, worst {} ({}){}\n",
                       signed_percent(usable->summary.bias), 100 * usable->summary.mean_absolute,
                       signed_percent(usable->worst_error), usable->worst, of);
}

std::string detail_words(const ValidationResult& result) {
    std::string out =
        fmt::format("  {}: mean time of a rank\n    {:<12}  {:>14}  {:>14}  {:>18}\n",
                    title_of(result.application), "", "traced run", "predicted", "exact computation");
    const auto line = [&](std::string_view what, double traced, double predicted, double exact) {
        if (traced == 0 && predicted == 0) return;
        out += fmt::format("    {:<12}  {:>14}  {:>14}  {:>18}\n", what, seconds_words(traced),
                           seconds_words(predicted), seconds_words(exact));
    };
    const ExactPrediction& exact = *result.exact;
    line("outside MPI", exact.traced.outside(), outside_mpi(result.predicted_by_kind),
         outside_mpi(exact.by_kind));
    line("inside MPI", exact.traced.inside(), inside_mpi(result.predicted_by_kind), inside_mpi(exact.by_kind));
    for (std::size_t kind = 1; kind < call_kinds; ++kind) {
        line(fmt::format("  {}", call_kind_names[kind]), exact.traced.by_kind[kind],
             result.predicted_by_kind[kind], exact.by_kind[kind]);
    }
    for (const BurstClass& each : exact.traced.bursts) {
        if (each.bursts == 0) continue;
        const std::string which =
            std::isinf(each.below) ? std::string("longer") : fmt::format("below {}", seconds_words(each.below));
        out += fmt::format("    {} bursts {}: {} in all, {} predicted\n", format_count(each.bursts), which,
                           seconds_words(each.seconds), seconds_words(each.predicted));
    }
    out +=
        fmt::format("    {} calls of MPI; {} counts {}\n", format_count(exact.traced.calls),
                    result.trace.empty() ? std::string("the trace") : "trace " + result.trace, result.counter);
    return out;
}

} // namespace

ValidationContext context_of(const ValidationPlan& plan) {
    const Simulation simulation(plan.simulation, true);
    std::uint32_t most = 0;
    for (const ValidationApplication& each : plan.applications) most = std::max(most, each.ranks);
    return {plan.simulation.machine, simulation.network_words(), simulation.mapping_words(most)};
}

std::string validation_words(const ValidationPlan& plan, const ValidationContext& context,
                             const std::vector<ValidationResult>& results, bool details) {
    std::string out = unusable_words(results);
    out += fmt::format("{} on {}: {} run{} each, {}\n", plan.name, context.machine, plan.runs,
                       plan.runs == 1 ? "" : "s", context.network);
    out += result_table(results);
    out += summary_words(results);
    for (const ValidationResult& each : results) {
        const std::string outliers = outlier_words(each);
        if (!outliers.empty()) out += fmt::format("  outliers: {}: {}\n", title_of(each.application), outliers);
    }
    for (const ValidationResult& each : results) {
        const std::vector<std::string> found = diagnose(each);
        if (!found.empty() && measurement_problem(each).empty())
            out += fmt::format("  {}: {}\n", title_of(each.application), fmt::join(found, "; "));
    }
    out += note_words(results);
    if (details) {
        for (const ValidationResult& each : results) {
            if (each.exact) out += detail_words(each);
        }
    }
    return out;
}

} // namespace orrery
