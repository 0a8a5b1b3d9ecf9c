#include "observe/replay_csv.h"

#include "engine/error.h"
#include "engine/output_file.h"
#include "observe/exact_seconds.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace orrery {

namespace {

// As RFC 4180 wants it: in quotes where it needs them, quotes doubled.
std::string quoted(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string out = "\"";
    for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
    return out + "\"";
}

void write_ranks(const ReplayPrediction& prediction, OutputFile& out) {
    std::string row = "rank,job,finish_s";
    for (const char* kind : call_kind_names) row += fmt::format(",{}_s", kind);
    out.write(row + "\n");
    std::size_t job = 0;
    for (std::size_t rank = 0; rank < prediction.calls.size(); ++rank) {
        while (job + 1 < prediction.jobs.size() && rank >= prediction.jobs[job + 1].first_rank) ++job;
        row.clear();
        fmt::format_to(std::back_inserter(row), "{},{},", rank, job);
        append_seconds(row, prediction.base.ranks[rank].finish);
        for (const Time time : prediction.calls[rank].by_kind) {
            row += ',';
            append_seconds(row, time);
        }
        row += '\n';
        out.write(row);
    }
}

void write_links(const ReplayPrediction& prediction, OutputFile& out) {
    out.write("link,bytes,use,blocked_s\n");
    for (const LinkLoad& link : prediction.busiest) {
        std::string row = fmt::format("{},{},{},", quoted(link.name), link.bytes, link.use);
        append_seconds(row, link.blocked);
        out.write(row + "\n");
    }
}

void write_sizes(const ReplayPrediction& prediction, OutputFile& out) {
    out.write("from_bytes,to_bytes,messages\n");
    for (std::size_t k = 0; k < prediction.by_size.size(); ++k) {
        if (prediction.by_size[k] == 0) continue;
        const std::uint64_t least = k == 0 ? 0 : std::uint64_t{1} << (k - 1);
        out.write(fmt::format("{},{},{}\n", least, k == 0 ? 0 : least + (least - 1), prediction.by_size[k]));
    }
}

// Times of all ranks together may be longer than a Time.
void write_calls(const ReplayPrediction& prediction, OutputFile& out) {
    out.write("call,total_s,mean_s,longest_s,calls,bytes\n");
    for (std::size_t kind = 0; kind < call_kinds; ++kind) {
        double total = 0;
        Time longest;
        for (const CallTimes& rank : prediction.calls) {
            total += rank.by_kind[kind].seconds();
            longest = later(longest, rank.by_kind[kind]);
        }
        const double ranks = std::max(1.0, static_cast<double>(prediction.calls.size()));
        std::string row = fmt::format("{},{},{},", call_kind_names[kind], total, total / ranks);
        append_seconds(row, longest);
        std::uint64_t calls = 0;
        Bytes bytes = 0;
        for (const CallProfile& each : prediction.profile) {
            if (static_cast<std::size_t>(each.kind) != kind) continue;
            calls += each.calls;
            bytes += each.bytes;
        }
        out.write(row + fmt::format(",{},{}\n", calls, bytes));
    }
}

void write_collectives(const ReplayPrediction& prediction, OutputFile& out) {
    out.write("call,algorithm,reason,calls,from_bytes,to_bytes,messages,bytes,total_s\n");
    for (const CollectiveProfile& each : prediction.collectives)
        out.write(fmt::format("{},{},{},{},{},{},{},{},{}\n", each.call, quoted(each.algorithm),
                              quoted(each.reason), each.calls, each.least, each.most, each.messages, each.bytes,
                              each.seconds));
}

} // namespace

void check_replay_csv_name(const std::string& path) {
    if (!path.ends_with(".csv"))
        throw UsageError(
            fmt::format("{}: expected a name that ends in .csv, .links.csv, .sizes.csv, .calls.csv, "
                        ".collectives.csv or .events.csv",
                        path));
}

void write_table(const ReplayPrediction& prediction, ResultTable table, const std::string& path) {
    OutputFile out(path);
    switch (table) {
    case ResultTable::ranks: write_ranks(prediction, out); break;
    case ResultTable::links: write_links(prediction, out); break;
    case ResultTable::sizes: write_sizes(prediction, out); break;
    case ResultTable::calls: write_calls(prediction, out); break;
    case ResultTable::collectives: write_collectives(prediction, out); break;
    }
    out.commit();
}

void write_replay_csv(const ReplayPrediction& prediction, const std::string& path) {
    check_replay_csv_name(path);
    ResultTable table = ResultTable::ranks;
    if (path.ends_with(".links.csv")) table = ResultTable::links;
    if (path.ends_with(".sizes.csv")) table = ResultTable::sizes;
    if (path.ends_with(".calls.csv")) table = ResultTable::calls;
    if (path.ends_with(".collectives.csv")) table = ResultTable::collectives;
    write_table(prediction, table, path);
}

} // namespace orrery
