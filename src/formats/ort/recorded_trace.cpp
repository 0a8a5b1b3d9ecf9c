#include "formats/ort/recorded_trace.h"

#include "engine/error.h"
#include "engine/units.h"
#include "formats/ort/common_end.h"
#include "formats/ort/layout.h"
#include "formats/ort/rank_list.h"
#include "formats/ort/source.h"
#include "formats/ort/trace_index.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <map>

namespace orrery {

using namespace recorded;

struct RecordedTrace::State {
    std::vector<std::string> files;
    TraceIndex index;
    CommonEnd common; // of a trace that was cut off
    bool cut = false;

    [[nodiscard]] std::unique_ptr<RecordedSource> source(bool with_times, std::uint32_t copies = 1) const {
        return std::make_unique<RecordedSource>(index, files, common.last, with_times, copies);
    }
    [[nodiscard]] bool ends_early() const;
    void note_ends(std::vector<std::string>& notes) const;
    void note_calls(std::vector<std::string>& notes) const;
};

// Whether some rank may lack what others wait for. Ranks that ended by exit() have recorded all they did.
bool RecordedTrace::State::ends_early() const {
    return std::any_of(index.ranks.begin(), index.ranks.end(), [](const RankBlocks& rank) {
        const RecordedEnd& end = rank.about.end;
        return !rank.about.complete || (!end.finalized && !end.how.starts_with("exit"));
    });
}

RecordedTrace::RecordedTrace(std::unique_ptr<State> state) : state_(std::move(state)) {}
RecordedTrace::RecordedTrace(RecordedTrace&&) noexcept = default;
RecordedTrace& RecordedTrace::operator=(RecordedTrace&&) noexcept = default;
RecordedTrace::~RecordedTrace() = default;

RecordedTrace RecordedTrace::open(const std::string& path, const RecordedOptions& options) {
    auto state = std::make_unique<State>();
    state->files = files_of(path);
    BlockFiles files(state->files);
    state->index = index_blocks(files, path, options);
    state->cut = options.allow_truncated && state->ends_early();
    if (state->cut) state->common = find_common_end(*state->source(false), *state->source(false));
    return RecordedTrace(std::move(state));
}

std::uint32_t RecordedTrace::ranks() const { return static_cast<std::uint32_t>(state_->index.ranks.size()); }
const RecordedRank& RecordedTrace::rank(RankId rank) const { return state_->index.ranks[rank.index()].about; }
const RecordedBegin& RecordedTrace::begin() const { return rank(RankId{0}).begin; }
std::unique_ptr<ActionSource> RecordedTrace::source() const { return state_->source(false); }
std::unique_ptr<ActionSource> RecordedTrace::repeated_source(std::uint32_t copies) const {
    return state_->source(false, copies);
}

std::unique_ptr<RecordedTrace::TimedSource> RecordedTrace::timed_source() const {
    for (const RankBlocks& rank : state_->index.ranks) {
        if (!rank.about.begin.timed)
            throw InputError(
                Error{rank.about.file, 0, 0, "the trace has no times: it was recorded without --timed"});
    }
    return state_->source(true);
}

void RecordedTrace::State::note_ends(std::vector<std::string>& notes) const {
    notes.insert(notes.end(), index.cuts.begin(), index.cuts.end());
    std::map<std::string, std::vector<RankRange>> by_end;
    for (std::uint32_t rank = 0; rank < index.ranks.size(); ++rank) {
        const RecordedRank& about = index.ranks[rank].about;
        if (about.complete && about.end.finalized) continue;
        add_rank(by_end[about.complete && !about.end.how.empty() ? about.end.how : "being killed"], rank);
    }
    for (const auto& [how, ranks] : by_end)
        notes.push_back(fmt::format("{} did not reach MPI_Finalize: ended by {}", words(ranks), how));
    if (!cut) return;
    if (common.collectives == 0) {
        notes.emplace_back(
            "the ranks have no collective operation of all in common at which they could be ended "
            "together: a replay may find them waiting for each other at the end");
        return;
    }
    std::uint64_t all = 0;
    std::uint64_t kept = 0;
    for (std::size_t rank = 0; rank < index.ranks.size(); ++rank) {
        all += index.ranks[rank].about.actions;
        kept += common.last[rank];
    }
    notes.push_back(
        fmt::format("all ranks end after {} collective operations of all, which every rank has reached: "
                    "{} of {} actions are used",
                    format_count(common.collectives), format_count(kept), format_count(all)));
}

void RecordedTrace::State::note_calls(std::vector<std::string>& notes) const {
    std::map<std::string, std::uint64_t> left_out;
    for (const RankBlocks& rank : index.ranks) {
        for (const RecordedCall& call : rank.about.end.calls) {
            if (!call.replayed) left_out[call.name] += call.calls;
        }
    }
    std::string list;
    for (const auto& [name, calls] : left_out)
        list += fmt::format("{}{} {}", list.empty() ? "" : ", ", format_count(calls), name);
    if (!list.empty()) notes.push_back("calls that are counted but not replayed: " + list);
}

std::vector<std::string> RecordedTrace::notes() const {
    std::vector<std::string> notes;
    state_->note_ends(notes);
    state_->note_calls(notes);
    const RecordedBegin& about = begin();
    if (about.counter == "cpu-time") {
        notes.push_back(fmt::format("computation is counted as CPU time, {:g} for a second{}", about.reference,
                                    about.cpu.empty() ? std::string() : " of " + about.cpu));
    }
    for (const RankBlocks& each : state_->index.ranks) {
        for (const std::string& note : each.about.end.notes) {
            if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
        }
    }
    return notes;
}

bool looks_recorded(const std::string& path) {
    namespace fs = std::filesystem;
    std::error_code error;
    if (fs::is_directory(path, error)) {
        for (fs::directory_iterator at(path, error), end; !error && at != end; at.increment(error)) {
            const std::string name = at->path().filename().string();
            if (name.ends_with(".ort") && name.front() != '.') return true;
        }
        return false;
    }
    if (!fs::is_regular_file(path, error)) return false;
    std::array<char, 4> first{};
    std::ifstream file(path, std::ios::binary);
    return (file.read(first.data(), first.size()) && first == block_magic) || path.ends_with(".ort");
}

} // namespace orrery
