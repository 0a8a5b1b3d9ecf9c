#include "formats/ort/trace_index.h"

#include "engine/error.h"
#include "engine/plural.h"
#include "formats/ort/decoder.h"
#include "formats/ort/metadata.h"
#include "formats/ort/rank_list.h"
#include "formats/ti/oti_layout.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <map>

namespace orrery::recorded {

namespace {

namespace fs = std::filesystem;

constexpr const char* allow = "--allow-truncated takes the trace as far as it goes";

// A rank while its blocks are found.
struct FoundRank {
    RankBlocks blocks;
    std::uint32_t next = 0; // number of its next block
};
using FoundRanks = std::map<std::uint32_t, FoundRank>;

// Of one run: "./app -n 5, started 2026-11-15T19:26:15Z (run 00..., rank 3, rank-3.ort)".
std::string words_of_run(std::uint64_t run, const FoundRanks& ranks) {
    std::vector<RankRange> list;
    for (const auto& [rank, found] : ranks) add_rank(list, rank);
    const RecordedRank& about = ranks.begin()->second.blocks.about;
    const std::string& program = about.begin.program;
    const std::string& started = about.begin.started;
    return fmt::format("{}{} (run {:016x}: {}; {})", program.empty() ? "a program without a name" : program,
                       started.empty() ? "" : ", started " + started, run, words(list),
                       fs::path(about.file).filename().string());
}

class Indexer {
  public:
    Indexer(BlockFiles& files, std::string path, const RecordedOptions& options)
        : files_(files), path_(std::move(path)), options_(options) {}
    TraceIndex run();

  private:
    [[noreturn]] void fail(const std::string& reason) const { throw InputError(Error{path_, 0, 0, reason}); }
    void scan(std::size_t file);
    void take(std::size_t file, const BlockHeader& header, std::uint64_t offset);
    void check_number(const FoundRank& found, std::size_t file, const BlockHeader& header,
                      std::uint64_t offset) const;
    void check_one_run() const;
    void check_ranks(const FoundRanks& ranks) const;
    void check_ends(const FoundRanks& ranks) const;

    BlockFiles& files_;
    std::string path_;
    RecordedOptions options_;
    std::map<std::uint64_t, FoundRanks> runs_;
    std::vector<std::string> cuts_;
    std::vector<std::uint8_t> payload_;
};

void Indexer::scan(std::size_t file) {
    const BlockFiles::Ended ended =
        files_.scan(file, [&](const BlockHeader& header, std::uint64_t offset) { take(file, header, offset); });
    const std::string& path = files_.path(file);
    if (ended.fault.empty()) {
        if (ended.offset == 0)
            throw InputError(Error{path, 0, 0, "the file is empty; expected a recorded trace"});
        return;
    }
    if (ended.offset == 0 && !ended.fault.starts_with("the file ends"))
        throw InputError(Error{path, 0, 0, "not a recorded trace (.ort): it does not begin with ORT1"});
    if (!options_.allow_truncated)
        throw InputError(Error{path, 0, 0, fmt::format("byte {}: {} ({})", ended.offset, ended.fault, allow)});
    cuts_.push_back(fmt::format("{}: byte {}: {}; what is before has been read",
                                fs::path(path).filename().string(), ended.offset, ended.fault));
}

void Indexer::check_number(const FoundRank& found, std::size_t file, const BlockHeader& header,
                           std::uint64_t offset) const {
    const auto wrong = [&](const std::string& reason) {
        throw InputError(Error{files_.path(file), 0, 0, fmt::format("byte {}: {}", offset, reason)});
    };
    if (header.number == 0 && found.next != 0) {
        wrong(fmt::format("rank {} begins again: it is in {}, too", header.rank, found.blocks.about.file));
    }
    if (header.number < found.next)
        wrong(fmt::format("block {} of rank {} comes twice", header.number, header.rank));
    if (header.number > found.next) {
        wrong(header.number == found.next + 1
                  ? fmt::format("block {} of rank {} is missing before this one", found.next, header.rank)
                  : fmt::format("blocks {} to {} of rank {} are missing before this one", found.next,
                                header.number - 1, header.rank));
    }
    if ((header.kind == BlockKind::begin) != (header.number == 0))
        wrong(fmt::format("rank {} does not begin with its begin block", header.rank));
    if (found.blocks.about.complete) wrong(fmt::format("a block of rank {} after its end", header.rank));
    if (header.number != 0 && found.blocks.file != file)
        wrong(fmt::format("rank {} goes on here, but it began in {}", header.rank, found.blocks.about.file));
}

void Indexer::take(std::size_t file, const BlockHeader& header, std::uint64_t offset) {
    FoundRank& found = runs_[header.run][header.rank];
    check_number(found, file, header, offset);
    ++found.next;
    RecordedRank& about = found.blocks.about;
    about.stored_bytes += sizeof header + header.bytes;
    if (header.kind == BlockKind::segment) {
        about.actions += header.actions;
        about.unpacked_bytes += header.unpacked;
        found.blocks.requests = std::max(found.blocks.requests, header.requests);
        found.blocks.segments.push_back(offset);
        return;
    }
    files_.unpack(file, offset, payload_);
    try {
        if (header.kind == BlockKind::begin) {
            about.file = files_.path(file);
            found.blocks.file = static_cast<std::uint32_t>(file);
            about.begin = parse_begin(payload_);
            about.begin.run = header.run;
        } else {
            about.end = parse_end(payload_);
            about.complete = true;
        }
    } catch (const InputError& error) {
        fail_in({&files_.path(file), offset, header.rank, header.number}, error.error().reason);
    }
}

void Indexer::check_one_run() const {
    if (runs_.size() <= 1) return;
    std::string all;
    std::size_t shown = 0;
    for (const auto& [run, ranks] : runs_) {
        if (++shown > 4) break;
        all += fmt::format("\n  {}", words_of_run(run, ranks));
    }
    fail(fmt::format("{} runs are mixed here; expected one:{}{}", runs_.size(), all,
                     runs_.size() > 4 ? "\n  and others" : ""));
}

void Indexer::check_ranks(const FoundRanks& found) const {
    const RankBlocks& first = found.begin()->second.blocks;
    const RecordedBegin& agreed = first.about.begin;
    for (const auto& entry : found) {
        const std::uint32_t rank =
            entry.first; // no structured binding: clang 14 does not let lambdas have them
        const FoundRank& each = entry.second;
        const RecordedBegin& begin = each.blocks.about.begin;
        const auto disagree = [&](const std::string& reason) {
            throw InputError(Error{each.blocks.about.file, 0, 0, fmt::format("rank {} {}", rank, reason)});
        };
        if (begin.ranks != agreed.ranks) {
            disagree(fmt::format("says that there are {} ranks, rank {} says {}", begin.ranks,
                                 found.begin()->first, agreed.ranks));
        }
        if (rank >= begin.ranks) disagree(fmt::format("is one too many: there are {} ranks", begin.ranks));
        if (begin.counter != agreed.counter) {
            disagree(fmt::format("counts {}, rank {} counts {}", begin.counter, found.begin()->first,
                                 agreed.counter));
        }
        if (each.blocks.requests > std::min(each.blocks.about.actions, ti::most_requests))
            disagree("has more requests at once than actions, or than can be replayed");
    }
    if (found.size() == agreed.ranks) return;
    std::vector<RankRange> missing;
    std::uint32_t next = 0;
    for (const auto& [rank, each] : found) {
        if (rank > next) missing.push_back({next, rank - 1});
        next = rank + 1;
    }
    if (next < agreed.ranks) missing.push_back({next, agreed.ranks - 1});
    const bool file_of_one = found.size() == 1 && path_ == files_.path(0);
    const bool one = missing.size() == 1 && missing[0].first == missing[0].last;
    fail(fmt::format("{} {} missing: the run had {}{}", words(missing), one ? "is" : "are",
                     plural(agreed.ranks, "rank"),
                     file_of_one ? "; give the folder, which has a file for each" : ""));
}

void Indexer::check_ends(const FoundRanks& found) const {
    if (options_.allow_truncated) return;
    std::vector<RankRange> cut;
    for (const auto& [rank, each] : found) {
        if (!each.blocks.about.complete) add_rank(cut, rank);
    }
    for (const auto& [rank, each] : found) {
        const RecordedEnd& end = each.blocks.about.end;
        if (!each.blocks.about.complete || end.finalized) continue;
        std::string others;
        if (!cut.empty()) others = fmt::format("; {} stopped without a word", words(cut));
        fail(fmt::format("the program did not reach MPI_Finalize: rank {} ended by {}{} ({})", rank,
                         end.how.empty() ? "being killed" : end.how, others, allow));
    }
    if (cut.empty()) return;
    const bool one = cut.size() == 1 && cut[0].first == cut[0].last;
    const RecordedRank& first = found.at(cut[0].first).blocks.about;
    fail(fmt::format(
        "{} {} no end: the program was killed, its disk was full, or it is still running; rank {} stops "
        "after {} bytes in {} ({})",
        words(cut), one ? "has" : "have", cut[0].first, first.stored_bytes,
        fs::path(first.file).filename().string(), allow));
}

TraceIndex Indexer::run() {
    for (std::size_t file = 0; file < files_.size(); ++file) scan(file);
    check_one_run();
    if (runs_.empty()) fail("no whole block of a trace is there");
    FoundRanks& found = runs_.begin()->second;
    check_ranks(found);
    check_ends(found);
    TraceIndex index;
    index.cuts = std::move(cuts_);
    index.ranks.reserve(found.size());
    for (auto& [rank, each] : found) index.ranks.push_back(std::move(each.blocks));
    return index;
}

} // namespace

std::vector<std::string> files_of(const std::string& path) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
        if (!fs::exists(path, error)) throw InputError(Error{path, 0, 0, "no such file or directory"});
        return {path};
    }
    std::vector<std::string> found;
    for (fs::directory_iterator at(path, error), end; !error && at != end; at.increment(error)) {
        const std::string name = at->path().filename().string();
        std::error_code none;
        if (name.ends_with(".ort") && name.front() != '.' && at->is_regular_file(none)) found.push_back(name);
    }
    if (error) throw InputError(Error{path, 0, 0, "cannot be read: " + error.message()});
    if (found.empty()) throw InputError(Error{path, 0, 0, "no recorded trace (.ort) here"});
    // rank-2 before rank-10
    std::sort(found.begin(), found.end(), [](const std::string& a, const std::string& b) {
        return a.size() != b.size() ? a.size() < b.size() : a < b;
    });
    for (std::string& name : found) name = (fs::path(path) / name).string();
    return found;
}

TraceIndex index_blocks(BlockFiles& files, const std::string& path, const RecordedOptions& options) {
    return Indexer(files, path, options).run();
}

} // namespace orrery::recorded
