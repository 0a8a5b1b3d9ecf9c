#include "cli/info_trace.h"

#include "cli/size_words.h"
#include "cli/trace_facts.h"
#include "engine/error.h"
#include "engine/units.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>
#include <string_view>
#include <utility>

namespace orrery::cli {

namespace {

void line(std::string_view what, const std::string& words) { fmt::print("  {:<14} {}\n", what, words); }

std::string whole_bytes(double bytes) {
    return bytes < 9e18 ? format_bytes(static_cast<Bytes>(bytes)) : fmt::format("{:.3g} B", bytes);
}

void append_count(std::string& words, std::uint64_t count, std::string_view name) {
    if (count > 0) words += fmt::format("{}{} {}", words.empty() ? "" : ", ", format_count(count), name);
}

std::string kinds_words(const TiStatistics& counts) {
    std::string words;
    for (std::size_t i = 0; i < TiStatistics::kinds; ++i) {
        const auto kind = static_cast<ActionKind>(i);
        if (kind != ActionKind::collective) append_count(words, counts.of(kind), name_of(kind));
    }
    return words;
}

std::string collectives_words(const TiStatistics& counts) {
    std::string words;
    for (std::size_t i = 0; i < collective_count; ++i) {
        const auto operation = static_cast<Collective>(i);
        append_count(words, counts.of(operation), name_of(operation));
    }
    return words;
}

// The most frequent ones first.
std::string calls_words(const std::map<std::string, std::uint64_t>& calls) {
    constexpr std::size_t shown = 12;
    std::vector<std::pair<std::string, std::uint64_t>> sorted(calls.begin(), calls.end());
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    std::string words;
    for (std::size_t i = 0; i < std::min(shown, sorted.size()); ++i)
        append_count(words, sorted[i].second, sorted[i].first);
    return sorted.size() > shown ? words + fmt::format(", {} more names", sorted.size() - shown) : words;
}

void print_run(const RecordedRun& run) {
    const RecordedBegin& begin = run.begin;
    line("program", begin.program);
    line("recorded",
         fmt::format("{} by Orrery {}, {}, {} rank{} on {}{}", begin.started, begin.version, begin.mpi,
                     format_count(begin.ranks), begin.ranks == 1 ? "" : "s",
                     run.hosts.size() == 1 ? run.hosts.front() : fmt::format("{} hosts", run.hosts.size()),
                     begin.cpu.empty() ? "" : fmt::format(" ({})", begin.cpu)));
    line("counted",
         begin.counter == "cpu-time"
             ? fmt::format("CPU time, in units of which there are {:.6g} per second", begin.reference)
             : begin.counter);
    if (run.seconds > 0) {
        const double all = run.seconds * begin.ranks;
        line("run",
             fmt::format("{:.6g} s; {:.3g} % of the ranks' time in MPI, {:.3g} % for tracing (not counted); at "
                         "most {} of memory per rank",
                         run.seconds, 100 * run.mpi_seconds / all, 100 * run.cost_seconds / all,
                         format_bytes(run.peak_bytes)));
    }
    line("calls", calls_words(run.calls));
    if (!run.not_replayed.empty()) line("not replayed", calls_words(run.not_replayed));
}

void print_messages(const TiStatistics& counts, const CommunicationMatrix& matrix) {
    if (counts.messages() > 0) {
        line("messages", fmt::format("{}, {} in all, {} to {}", format_count(counts.messages()),
                                     whole_bytes(counts.bytes_sent()), format_bytes(counts.smallest_message()),
                                     format_bytes(counts.largest_message())));
        line("", histogram_words(counts.message_sizes()));
    }
    if (counts.of(ActionKind::one_sided) > 0) {
        line("one-sided",
             fmt::format("{} operations, {} there and back", format_count(counts.of(ActionKind::one_sided)),
                         whole_bytes(counts.one_sided_bytes())));
    }
    if (matrix.with_collectives()) {
        const std::uint64_t others = counts.messages() + counts.one_sided_messages();
        const double bytes = counts.bytes_sent() + counts.one_sided_bytes();
        line("in collectives", fmt::format("{} messages, {} in all", format_count(matrix.messages() - others),
                                           whole_bytes(static_cast<double>(matrix.bytes()) - bytes)));
    }
    if (!matrix.pairs().empty()) {
        const std::vector<std::uint32_t> partners = matrix.partners();
        const auto [fewest, most] = std::minmax_element(partners.begin(), partners.end());
        const double all = std::accumulate(partners.begin(), partners.end(), 0.0);
        line("neighbours", fmt::format("{} pairs; a rank talks to {} to {} others, {:.3g} on average",
                                       format_count(matrix.pairs().size()), *fewest, *most,
                                       all / static_cast<double>(partners.size())));
        std::string words;
        for (const PairTraffic& pair : matrix.heaviest(4)) {
            words += fmt::format("{}{} to {}: {} in {}", words.empty() ? "" : "; ", pair.from, pair.to,
                                 format_bytes(pair.bytes), format_count(pair.messages));
        }
        line("heaviest pairs", words);
    }
    if (counts.any_source() + counts.any_tag() > 0) {
        line("wildcards", fmt::format("{} receives from any source, {} of any tag",
                                      format_count(counts.any_source()), format_count(counts.any_tag())));
    }
}

// Instructions per second, or how much of a core there was if CPU time is counted. Of a range, both ends.
std::string rate_words(double from, double to, const TraceFacts& facts) {
    const auto words = [&](double unit, std::string_view name) {
        return from == to ? fmt::format("{:.3g} {}", to / unit, name)
                          : fmt::format("{:.3g} to {:.3g} {}", from / unit, to / unit, name);
    };
    if (facts.run && facts.run->begin.reference > 0)
        return words(facts.run->begin.reference / 100, "% of a core");
    for (const auto& [unit, name] : {std::pair{1e9, "G/s"}, std::pair{1e6, "M/s"}, std::pair{1e3, "k/s"}}) {
        if (to >= unit) return words(unit, name);
    }
    return words(1, "/s");
}

void print_rates(const ComputeRates& rates, const TraceFacts& facts) {
    line("compute rate",
         fmt::format("{} on average over {} bursts{}", rate_words(rates.average(), rates.average(), facts),
                     format_count(rates.bursts()),
                     rates.unmeasured() == 0 ? ""
                                             : fmt::format(", {} of them too short for the clock",
                                                           format_count(rates.unmeasured()))));
    for (const ComputeRates::Decade& decade : rates.decades()) {
        const double rate = decade.volume / decade.seconds;
        line("", fmt::format("of {:.0e} to {:.0e}: {}; 80 % of {} bursts {} ({:.3g} % of the volume)",
                             std::pow(10, decade.decade), std::pow(10, decade.decade + 1),
                             rate_words(rate, rate, facts), format_count(decade.bursts),
                             rate_words(decade.tenth, decade.ninetieth, facts),
                             100 * decade.volume / rates.volume()));
    }
}

void print_trace_text(const TraceInfo& info, const TraceFacts& facts) {
    const TiStatistics& counts = facts.counts;
    fmt::print("{}: {}{}\n", info.path, facts.format, facts.bytes ? ", " + format_bytes(*facts.bytes) : "");
    if (facts.run) print_run(*facts.run);
    line("ranks", format_count(counts.ranks()));
    line("actions", fmt::format("{}, at most {} in a rank", format_count(counts.actions()),
                                format_count(counts.largest_rank())));
    line("", kinds_words(counts));
    if (counts.of(ActionKind::collective) > 0) {
        line("collectives", fmt::format("{}; {} given to them", collectives_words(counts),
                                        whole_bytes(counts.collective_bytes())));
    }
    print_messages(counts, *facts.matrix);
    line("computation",
         fmt::format("{:.6g} {}, {:.6g} to {:.6g} in a rank{}", counts.volume(), facts.unit(),
                     counts.smallest_rank_volume(), counts.largest_rank_volume(),
                     counts.sleep_seconds() > 0 ? fmt::format("; {:.6g} s of sleep", counts.sleep_seconds())
                                                : ""));
    if (facts.rates) print_rates(*facts.rates, facts);
    if (facts.bytes && counts.actions() > 0) {
        line("file", fmt::format("{:.3g} bytes per action",
                                 static_cast<double>(*facts.bytes) / static_cast<double>(counts.actions())));
    }
    for (const std::string& note : facts.notes) fmt::print("  note: {}\n", note);
}

} // namespace

void check_trace_info(const TraceInfo& info) {
    if (!info.matrix.empty()) check_matrix_name(info.matrix);
    if (!info.rates.empty()) check_rates_name(info.rates);
    if (!info.collectives.empty() && !info.matrix_collectives)
        throw UsageError("--collective says how collectives are done: it goes with --matrix-collectives");
}

void print_trace_info(const TraceInfo& info) {
    const TraceFacts facts = read_trace(info);
    info.json ? print_json(info, facts) : print_trace_text(info, facts);
}

} // namespace orrery::cli
