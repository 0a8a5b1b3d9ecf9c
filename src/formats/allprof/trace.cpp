#include "formats/allprof/trace.h"

#include "engine/error.h"
#include "formats/allprof/communicators.h"
#include "formats/allprof/line_reader.h"
#include "formats/allprof/linking.h"
#include "formats/allprof/rank_parser.h"
#include "formats/allprof/requests.h"
#include "formats/allprof/tags.h"
#include "formats/allprof/trace_files.h"
#include "formats/allprof/wildcards.h"
#include "formats/text/text_input.h"
#include "workload/extrapolation/multiples.h"
#include "workload/op.h"

#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace orrery {

using namespace allprof;

namespace {

void check_options(const AllprofOptions& options) {
    if (!std::isfinite(options.compute_scale) || options.compute_scale < 0) {
        throw UsageError("the scale of computing times must be a number of at least 0");
    }
    if (options.request_bytes != 0 && options.request_bytes != 4 && options.request_bytes != 8) {
        throw UsageError("the size of a request is 4 or 8 bytes");
    }
    if (options.compute_cpu > max_cpu) throw UsageError(fmt::format("CPUs are numbered 0 to {}", max_cpu));
    if (options.collectives_early < Time::zero()) {
        throw UsageError("the time by which collectives start earlier must not be negative");
    }
}

// Calls that cannot be represented, over all ranks; the first one's place for the message.
struct SkippedCalls {
    std::vector<Skipped> calls;
    std::uint64_t total = 0;
    Error first;

    void add(const RankRecords& rank, const Skipped& skipped) {
        if (total == 0) first = {rank.file, skipped.line, 0, {}};
        total += skipped.count;
        for (Skipped& known : calls) {
            if (known.call != skipped.call || known.why != skipped.why) continue;
            known.count += skipped.count;
            return;
        }
        calls.push_back(skipped);
    }
};

void add(Tally& sum, const Tally& part) {
    sum.calls += part.calls;
    sum.inferred_completions += part.inferred_completions;
    sum.unknown_requests += part.unknown_requests;
    sum.overlaps += part.overlaps;
    sum.pinned_wildcards += part.pinned_wildcards;
    sum.cancelled += part.cancelled;
    sum.renumbered += part.renumbered;
    sum.guessed_communicators += part.guessed_communicators;
}

void count_records(const RankRecords& rank, Tally& tally) {
    for (const Record& record : rank.records) {
        switch (record.kind) {
        case RecordKind::send: ++tally.sends; break;
        case RecordKind::recv: ++tally.recvs; break;
        case RecordKind::collective: ++tally.collectives; break;
        default: break;
        }
    }
}

} // namespace

AllprofTrace AllprofTrace::open(const std::string& path, const AllprofOptions& options) {
    check_options(options);
    refuse_pipe(path);
    TraceFiles files = find_trace_files(path);
    if (files.paths.size() > max_ranks) throw InputError(Error{files.pattern, 0, 0, "too many ranks"});
    AllprofTrace trace(options);
    for (const std::string& file : files.paths) {
        LineReader input(file);
        trace.ranks_.push_back(parse_rank(input, static_cast<std::uint32_t>(files.paths.size()), options));
    }
    trace.summary_.pattern = std::move(files.pattern);
    trace.summary_.ignored = std::move(files.ignored);
    trace.link();
    return trace;
}

AllprofTrace AllprofTrace::from_memory(std::span<const std::string> files, const AllprofOptions& options) {
    check_options(options);
    if (files.empty()) throw InputError("a trace of no ranks");
    AllprofTrace trace(options);
    for (const std::string& file : files) {
        LineReader input(file, fmt::format("rank-{}", trace.ranks_.size()));
        trace.ranks_.push_back(parse_rank(input, static_cast<std::uint32_t>(files.size()), options));
    }
    trace.summary_.pattern = "rank-*";
    trace.link();
    return trace;
}

void AllprofTrace::link() {
    Communicators communicators = resolve_communicators(ranks_);
    blocks_ = link_ranks(ranks_, communicators, options_.allow_truncated);

    SkippedCalls skipped;
    for (const RankRecords& rank : ranks_) {
        for (const Skipped& calls : rank.skipped) skipped.add(rank, calls);
    }
    if (skipped.total != 0 && !options_.skip_unsupported) {
        std::string list;
        for (const Skipped& calls : skipped.calls) {
            list += fmt::format("\n  {} {}: {}", calls.count, calls.call, calls.why);
        }
        skipped.first.reason = fmt::format("the first of {} calls that cannot be represented "
                                           "(--skip-unsupported leaves them out):{}",
                                           skipped.total, list);
        throw InputError(skipped.first);
    }

    settle_wildcards(ranks_, communicators);
    assign_tags(ranks_, static_cast<std::uint32_t>(communicators.members.size()));
    communicators_ = std::move(communicators.members);
    summary_.ranks = ranks();
    summary_.skipped = std::move(skipped.calls);
    for (RankRecords& rank : ranks_) {
        drop_records(rank);
        rank.events = {};
        rank.skipped = {};
        add(summary_.tally, rank.tally);
        count_records(rank, summary_.tally);
    }
}

void AllprofTrace::check_total(std::uint32_t total_ranks) const {
    check_extrapolated_ranks(ranks(), total_ranks);
}

void generate(const AllprofTrace& trace, std::uint32_t total_ranks, ScheduleSink& sink) {
    trace.check_total(total_ranks);
    sink.begin(total_ranks);
    RankGraph graph;
    for (std::uint32_t rank = 0; rank < total_ranks; ++rank) {
        trace.program(RankId{rank}, total_ranks, graph);
        sink.rank(RankId{rank}, graph);
    }
    sink.finish();
}

} // namespace orrery
