// What the parts of an error suggest, in words.
#include "tools/validate/report.h"

#include <cmath>
#include <fmt/format.h>

namespace orrery {

namespace {

constexpr double worth_saying = 0.01; // of the measured time
constexpr double off = 0.05;          // of the bursts of a class

// "136 %", "8.3 %".
std::string rough_percent(double share) {
    return fmt::format("{:.{}f} %", 100 * std::abs(share), std::abs(share) < 0.0995 ? 1 : 0);
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * std::abs(share)); }

std::string bound_words(double seconds) {
    return seconds < 0.9e-3 ? fmt::format("{:.0f} us", 1e6 * seconds) : fmt::format("{:.0f} ms", 1e3 * seconds);
}

// The class of bursts to which most of the error of computation belongs, if one has a rate of its own.
std::string burst_words(const TracedTimes& traced, double computation) {
    const BurstClass* most = nullptr;
    double lower = 0;
    double lower_of_most = 0;
    for (const BurstClass& each : traced.bursts) {
        const double excess = each.predicted - each.seconds;
        const bool same_side = excess * computation > 0;
        const bool more = most == nullptr || std::abs(excess) > std::abs(most->predicted - most->seconds);
        if (same_side && more && std::abs(excess) > off * each.seconds) {
            most = &each;
            lower_of_most = lower;
        }
        lower = each.below;
    }
    if (most == nullptr) return {};
    const std::string which =
        std::isinf(most->below) ? fmt::format("longer than {}", bound_words(lower_of_most))
        : lower_of_most == 0    ? fmt::format("shorter than {}", bound_words(most->below))
                             : fmt::format("of {} to {}", bound_words(lower_of_most), bound_words(most->below));
    return fmt::format(": bursts {} ran at {:.2f} times the machine's rate", which,
                       most->predicted / most->seconds);
}

} // namespace

std::string measurement_problem(const ValidationResult& result) {
    if (can_show(result.clean, result.error)) return {};
    return fmt::format("runs differ by {}, more than the error of {}; run on a quiet computer or with more "
                       "repetitions",
                       rough_percent(result.clean.spread()), rough_percent(result.error));
}

std::optional<UsableErrors> usable_errors(const std::vector<ValidationResult>& results) {
    std::vector<double> errors;
    std::vector<const ValidationResult*> usable;
    for (const ValidationResult& each : results) {
        if (!can_show(each.clean, each.error)) continue;
        errors.push_back(each.error);
        usable.push_back(&each);
    }
    if (errors.empty()) return std::nullopt;
    const ErrorSummary summary = summarise(errors);
    return UsableErrors{errors.size(), summary, errors[summary.worst],
                        title_of(usable[summary.worst]->application)};
}

std::vector<std::string> diagnose(const ValidationResult& result) {
    std::vector<std::string> out;
    if (const std::string problem = measurement_problem(result); !problem.empty())
        return {"measurement unusable: " + problem};
    if (!result.exact) return {"the trace has no times, so the error cannot be split"};
    const ErrorSplit& split = result.exact->split;
    if (std::abs(split.communication) >= worth_saying) {
        out.push_back(fmt::format("communication is {}-estimated by {} of the run",
                                  split.communication > 0 ? "over" : "under", percent(split.communication)));
    }
    if (std::abs(split.computation) >= worth_saying) {
        out.push_back(fmt::format("computation is too {} by {} of the run{}",
                                  split.computation > 0 ? "long" : "short", percent(split.computation),
                                  burst_words(result.exact->traced, split.computation)));
    }
    if (split.communication * split.computation < 0 && out.size() == 2)
        out.emplace_back("the two partly cancel");
    if (std::abs(split.traced_run) >= worth_saying) {
        out.push_back(fmt::format("the traced run was {} {} than the clean runs{}", percent(split.traced_run),
                                  split.traced_run > 0 ? "slower" : "faster",
                                  split.traced_run > 0 ? ": tracing, or a busy machine" : ""));
    }
    const double spread = result.clean.spread();
    if (std::abs(split.total) >= worth_saying && std::abs(split.total) < 2 * spread)
        out.emplace_back("the error is within two standard deviations of the runs");
    return out;
}

} // namespace orrery
