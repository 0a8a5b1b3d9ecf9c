#include "observe/replay_report.h"

#include "engine/memory.h"
#include "engine/plural.h"
#include "engine/units.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <vector>

namespace orrery {

namespace {

constexpr std::size_t links_in_line = 3;
constexpr std::size_t classes_in_line = 4;

double percent(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

// The CPU time of all ranks until the end of the last, in percent.
std::string split_words(const ReplayPrediction& prediction) {
    std::array<double, call_kinds> sum{};
    double noise = 0; // of a schedule in the LogGOPS model, where nothing else is of that kind
    double finished = 0;
    double not_started = 0;
    for (std::size_t rank = 0; rank < prediction.calls.size(); ++rank) {
        for (std::size_t kind = 0; kind < call_kinds; ++kind)
            sum[kind] += prediction.calls[rank].by_kind[kind].seconds();
        noise += prediction.base.ranks[rank].noise.seconds();
        finished += (prediction.base.time - prediction.base.ranks[rank].finish).seconds();
    }
    for (const JobTimes& job : prediction.jobs) not_started += job.start.seconds() * job.ranks;
    const double cpus = prediction.base.cpus;
    const double all = cpus * prediction.base.time.seconds() * static_cast<double>(prediction.calls.size());
    double idle = all - cpus * (finished + not_started);
    std::string words;
    for (std::size_t kind = 0; kind < call_kinds; ++kind) {
        idle -= sum[kind];
        const bool only_noise = kind == static_cast<std::size_t>(CallKind::other) && noise > 0;
        words += share_words(only_noise ? "OS noise" : call_kind_names[kind], percent(sum[kind], all));
    }
    if (cpus > 1) words += share_words("idle CPUs", percent(std::max(0.0, idle), all));
    words += share_words("not started", percent(cpus * not_started, all));
    return without_comma(words + share_words("already finished", percent(cpus * finished, all)));
}

std::string efficiency_words(const Efficiencies& e) {
    if (e.communication <= 0) return "not defined: no rank computes";
    std::string words = fmt::format("parallel {:.2f} = load balance {:.2f} x communication {:.2f}", e.parallel,
                                    e.load_balance, e.communication);
    if (e.with_ideal)
        words += fmt::format(" (serialisation {:.2f} x transfer {:.2f})", e.serialisation, e.transfer);
    return words;
}

std::string link_words(const std::vector<LinkLoad>& links) {
    std::string words;
    for (std::size_t i = 0; i < std::min(links.size(), links_in_line); ++i) {
        words += fmt::format("{}{} {:.1f} %", i == 0 ? "" : ", ", links[i].name, 100 * links[i].use);
    }
    return words;
}

// 2^bit bytes: "512 B", "64 KiB".
std::string power_words(std::size_t bit) {
    constexpr std::string_view units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    return fmt::format("{} {}", 1U << (bit % 10), units[bit / 10]);
}

std::string size_words(const ReplayPrediction& prediction) {
    std::vector<std::size_t> classes;
    for (std::size_t k = 0; k < prediction.by_size.size(); ++k) {
        if (prediction.by_size[k] > 0) classes.push_back(k);
    }
    if (classes.empty()) return {};
    std::stable_sort(classes.begin(), classes.end(), [&](std::size_t a, std::size_t b) {
        return prediction.by_size[a] > prediction.by_size[b];
    });
    std::string words;
    const auto all = static_cast<double>(prediction.base.messages);
    double shown = 0;
    for (std::size_t i = 0; i < std::min(classes.size(), classes_in_line); ++i) {
        const std::size_t k = classes[i];
        const double share = percent(static_cast<double>(prediction.by_size[k]), all);
        shown += share;
        const std::string range = k == 0   ? "empty"
                                  : k == 1 ? "1 B"
                                           : fmt::format("{} to {}", power_words(k - 1), power_words(k));
        words += fmt::format("{}{} {:.1f} %", i == 0 ? "" : ", ", range, share);
    }
    if (classes.size() > classes_in_line)
        words += fmt::format(", other sizes {:.1f} %", std::max(0.0, 100 - shown));
    return words;
}

// What took longest: "1,200 allreduce by recursive_doubling, 8 B, 9.6 kB sent, 3.1 % of the time (why)".
std::string collective_words(const ReplayPrediction& prediction) {
    constexpr std::size_t most = 3;
    const double all = prediction.base.time.seconds() * static_cast<double>(prediction.base.ranks.size());
    std::string words;
    for (std::size_t i = 0; i < std::min(prediction.collectives.size(), most); ++i) {
        const CollectiveProfile& each = prediction.collectives[i];
        const std::string size = each.least == each.most ? format_bytes(each.most)
                                                         : fmt::format("{} to {}", format_bytes(each.least),
                                                                       format_bytes(each.most));
        words += fmt::format("{}{} calls of {}, {}: {}, {} sent, {:.1f} % of the time ({})", i == 0 ? "" : "; ",
                             format_count(each.calls), each.call, size, each.algorithm,
                             format_bytes(each.bytes), percent(each.seconds, all), each.reason);
    }
    if (prediction.collectives.size() > most)
        words += fmt::format("; {} more rows in --json", prediction.collectives.size() - most);
    return words;
}

// The longest latency of this share of the messages, from a histogram of powers of two: "4.1 us".
std::string latency_of_share(const std::vector<std::uint64_t>& histogram, double share) {
    std::uint64_t all = 0;
    for (const std::uint64_t count : histogram) all += count;
    std::uint64_t sum = 0;
    std::size_t k = 0;
    for (; k < histogram.size(); ++k) {
        sum += histogram[k];
        if (static_cast<double>(sum) >= share * static_cast<double>(all)) break;
    }
    return format_time(Time::ns(std::int64_t{1} << std::min<std::size_t>(k, 50)));
}

std::string packet_words(const PacketFigures& packets) {
    std::string words;
    if (!packets.latency_histogram.empty()) {
        words = fmt::format("half of the messages take less than {}, 99 % less than {}, all less than {}",
                            latency_of_share(packets.latency_histogram, 0.5),
                            latency_of_share(packets.latency_histogram, 0.99),
                            latency_of_share(packets.latency_histogram, 1));
    }
    std::string blocked;
    for (std::size_t i = 0; i < std::min(packets.blocked.size(), links_in_line); ++i) {
        const LinkLoad& link = packets.blocked[i];
        if (link.blocked > Time::zero())
            blocked +=
                fmt::format("{}{} {}", blocked.empty() ? "" : ", ", link.name, format_time(link.blocked));
    }
    blocked = blocked.empty() ? "no head-of-line blocking" : "head-of-line blocking behind " + blocked;
    return words.empty() ? blocked : words + "; " + blocked;
}

std::string job_words(const std::vector<JobTimes>& jobs) {
    constexpr std::size_t most = 4;
    if (jobs.size() < 2) return {};
    std::string words;
    for (std::size_t i = 0; i < std::min(jobs.size(), most); ++i) {
        words +=
            fmt::format("{}{} ({} ranks) from {} to {}", i == 0 ? "" : "; ", i, format_count(jobs[i].ranks),
                        format_time(jobs[i].start), format_time(jobs[i].finish));
    }
    if (jobs.size() > most) words += fmt::format("; {} more", jobs.size() - most);
    return words;
}

std::string joined(std::initializer_list<std::string> parts) {
    std::string words;
    for (const std::string& part : parts) {
        if (part.empty()) continue;
        words += words.empty() ? part : "; " + part;
    }
    return words;
}

std::string notes_words(const std::vector<std::string>& notes) {
    std::string words;
    for (const std::string& note : notes) words += words.empty() ? note : "; " + note;
    return words;
}

// "actions" of a trace or program, "operations" of a schedule.
const char* operations_name(const ReplayContext& context) {
    return context.schedule.empty() ? "actions" : "operations";
}

std::string simulation_words(const Prediction& base, const ReplayContext& context) {
    const double seconds = base.simulation_seconds;
    const auto rate = [&](std::uint64_t count) {
        return seconds > 0 ? static_cast<double>(count) / seconds / 1e6 : 0;
    };
    return fmt::format("{} events in {:.3g} s: {:.3g} M events/s, {:.3g} M {}/s; {}", format_count(base.events),
                       seconds, rate(base.events), rate(base.operations), operations_name(context),
                       base.memory_bytes > 0 ? "memory at the end " + format_bytes(base.memory_bytes)
                                             : "peak memory " + format_bytes(peak_rss_bytes()));
}

std::string rank_memory_words(const RankMemory& memory) {
    return fmt::format("{} per rank on average: heap {}, stack {} (at most {}), variables {}",
                       format_bytes(memory.heap_mean + memory.stack_mean + memory.variables),
                       format_bytes(memory.heap_mean), format_bytes(memory.stack_mean),
                       format_bytes(memory.stack_most), format_bytes(memory.variables));
}

} // namespace

std::string summary(const ReplayPrediction& prediction, const ReplayContext& context) {
    const Prediction& base = prediction.base;
    std::string text;
    const auto line = [&](std::string_view name, std::string_view words) {
        summary_line(text, context.style, name, words);
    };
    summary_title(text, context.style,
                  fmt::format("{}: {}, {} {}, {}, {}", context.what, plural(base.ranks.size(), "rank"),
                              format_count(base.operations), operations_name(context),
                              plural(base.messages, "message"), format_bytes(base.bytes)));
    summary_time(text, context.style, base);
    line("where it went", split_words(prediction));
    line("efficiency", efficiency_words(prediction.efficiencies));
    line("what limits it", advice(prediction, context));
    line("jobs", job_words(prediction.jobs));
    line("busiest links", link_words(prediction.busiest));
    if (prediction.packets) line("packets", packet_words(*prediction.packets));
    line("collectives", collective_words(prediction));
    line("message sizes", size_words(prediction));
    line("machine", joined({context.machine, context.mapping}));
    line("model", joined({context.network, context.endpoint,
                          context.collectives.empty() ? "" : "collectives as " + context.collectives}));
    line("validity", context.validity);
    line("noise", context.noise);
    line("note", notes_words(prediction.notes));
    line("simulation", simulation_words(base, context));
    line("schedule", context.schedule);
    if (prediction.rank_memory) line("memory", rank_memory_words(*prediction.rank_memory));
    if (!context.all_links) return text;
    std::size_t widest = 0;
    for (const LinkLoad& link : prediction.busiest) widest = std::max(widest, link.name.size());
    for (const LinkLoad& link : prediction.busiest) {
        text += fmt::format("  link            {:<{}}  {:>10}  {:>5.1f} % busy", link.name, widest,
                            format_bytes(static_cast<Bytes>(link.bytes)), 100 * link.use);
        if (prediction.packets) text += fmt::format("  blocked {:>10}", format_time(link.blocked));
        text += '\n';
    }
    return text;
}

} // namespace orrery
