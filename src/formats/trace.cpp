#include "formats/trace.h"

#include "engine/error.h"
#include "engine/plural.h"
#include "formats/dimemas_trace.h"
#include "formats/ort/recorded_trace.h"
#include "formats/text/text_input.h"
#include "formats/ti/byte_stream.h"
#include "formats/ti/layout.h"
#include "formats/ti/line_input.h"
#include "formats/ti/merged_index.h"
#include "formats/ti/oti_source.h"
#include "formats/ti/spill.h"
#include "formats/ti/temporary_file.h"
#include "formats/ti/text_source.h"

#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <vector>

namespace orrery {

struct TiTrace::State {
    enum class Kind { rank_files, packed_files, merged, shared, spilled, binary, recorded, dimemas };
    Kind kind = Kind::rank_files;
    std::uint32_t ranks = 0;
    bool packed = false;
    ti::Layout layout;
    ti::MergedIndex index;
    std::unique_ptr<ti::Spill> spill;
    std::unique_ptr<ti::Spill> for_copies;       // of what only repeated_source() needs in a binary form
    std::unique_ptr<ti::TemporaryFile> unpacked; // of a compressed file that all ranks follow
    std::unique_ptr<ti::OtiFile> binary;
    std::optional<RecordedTrace> recorded;
    std::optional<DimemasTrace> dimemas;
    ti::Tally tally;

    void open_merged();
    void open_shared(std::uint32_t all);
    void open_files();
};

void TiTrace::State::open_merged() {
    const std::string& path = layout.paths.front();
    packed = ti::packing_of_file(path) != ti::Packing::plain;
    index = ti::index_merged_file(path);
    ranks = index.ranks;
    kind = Kind::merged;
    if (!index.scattered) return;
    spill = ti::Spill::of_merged(path, ranks);
    kind = Kind::spilled;
}

void TiTrace::State::open_shared(std::uint32_t all) {
    const std::string& path = layout.paths.front();
    kind = Kind::shared;
    ranks = all;
    packed = ti::packing_of_file(path) != ti::Packing::plain;
    if (!packed) return;
    unpacked = std::make_unique<ti::TemporaryFile>();
    const std::unique_ptr<ti::ByteStream> stream = ti::ByteStream::open(path);
    std::vector<char> piece(std::size_t{64} << 10);
    while (const std::size_t got = stream->read(piece.data(), piece.size()))
        unpacked->write({piece.data(), got});
    unpacked->flush();
}

void TiTrace::State::open_files() {
    const std::vector<std::string>& paths = layout.paths;
    ranks = static_cast<std::uint32_t>(paths.size());
    // Of very many files a sample must do: they are all of a kind.
    for (std::size_t i = 0; i < paths.size() && !packed; i += 1 + paths.size() / 1024)
        packed = ti::packing_of_file(paths[i]) != ti::Packing::plain;
    kind = packed ? Kind::packed_files : Kind::rank_files;
    if (!packed || paths.size() <= ti::most_packed_files) return;
    spill = ti::Spill::of_files(paths);
    kind = Kind::spilled;
}

TiTrace::TiTrace(std::unique_ptr<State> state) : state_(std::move(state)) {}
TiTrace::TiTrace(TiTrace&&) noexcept = default;
TiTrace& TiTrace::operator=(TiTrace&&) noexcept = default;
TiTrace::~TiTrace() = default;

namespace {

// Whether the lines of this file are those of a single rank, whatever its number.
bool holds_one_rank(const std::string& path) {
    try {
        return ti::index_merged_file(path).ranks == 1;
    } catch (const InputError&) {
        return true; // no rank 0, or no trace: the reader will say what is wrong
    }
}

} // namespace

TiTrace TiTrace::open(const std::string& path, const TiOptions& options) {
    auto state = std::make_unique<State>();
    std::error_code error;
    refuse_pipe(path);
    if (std::filesystem::is_regular_file(path, error) && ti::is_oti(path)) {
        state->kind = State::Kind::binary;
        state->binary = std::make_unique<ti::OtiFile>(path);
        state->ranks = state->binary->header().ranks;
    } else if (looks_recorded(path)) {
        state->kind = State::Kind::recorded;
        state->recorded = RecordedTrace::open(path, {options.allow_truncated});
        state->ranks = state->recorded->ranks();
    } else if (looks_like_dimemas(path)) {
        state->kind = State::Kind::dimemas;
        state->dimemas = DimemasTrace::open(path);
        state->ranks = state->dimemas->file().tasks();
    } else {
        state->layout = ti::find_files(path);
        if (!state->layout.merged) {
            state->open_files();
        } else if (options.same_for_all != 0 && holds_one_rank(state->layout.paths.front())) {
            if (options.same_for_all >= max_ranks)
                throw UsageError(fmt::format("{} ranks are too many", options.same_for_all));
            state->open_shared(options.same_for_all);
        } else {
            state->open_merged();
        }
    }
    if (options.same_for_all != 0 && state->ranks != options.same_for_all)
        throw UsageError(fmt::format("-n {}: {} has {}; without -n it is replayed as it is",
                                     options.same_for_all, path, plural(state->ranks, "rank")));
    return TiTrace(std::move(state));
}

std::uint32_t TiTrace::ranks() const { return state_->ranks; }

std::unique_ptr<ActionSource> TiTrace::source() const {
    State& state = *state_;
    const std::vector<std::string>& paths = state.layout.paths;
    const auto text = [&](std::unique_ptr<ti::LineInput> input) {
        state.tally = {};
        return std::make_unique<ti::TextSource>(std::move(input), paths, state.ranks,
                                                state.kind == State::Kind::shared, state.tally);
    };
    switch (state.kind) {
    case State::Kind::rank_files: return text(ti::read_rank_files(paths));
    case State::Kind::packed_files: return text(ti::read_packed_files(paths));
    case State::Kind::merged: return text(ti::read_merged_file(paths.front(), state.index));
    case State::Kind::shared:
        return text(ti::read_shared_file(state.unpacked ? state.unpacked->path() : paths.front(), state.ranks));
    case State::Kind::spilled: state.tally = state.spill->tally(); return state.spill->source();
    case State::Kind::recorded: return state.recorded->source();
    case State::Kind::dimemas: return state.dimemas->source();
    case State::Kind::binary: break;
    }
    state.tally = state.binary->tally();
    return std::make_unique<ti::OtiSource>(*state.binary);
}

std::unique_ptr<ActionSource> TiTrace::repeated_source(std::uint32_t copies) const {
    State& state = *state_;
    switch (state.kind) {
    case State::Kind::recorded: return state.recorded->repeated_source(copies);
    case State::Kind::binary:
        state.tally = state.binary->tally();
        return std::make_unique<ti::OtiSource>(*state.binary, copies);
    case State::Kind::spilled: state.tally = state.spill->tally(); return state.spill->source(copies);
    default: break;
    }
    if (state.for_copies == nullptr) state.for_copies = ti::Spill::of_source(*source());
    return state.for_copies->source(copies);
}

std::string TiTrace::format() const {
    const State& state = *state_;
    if (state.kind == State::Kind::binary) return "binary time-independent trace";
    if (state.recorded) return "recorded trace";
    if (state.dimemas) return state.dimemas->format();
    return fmt::format("time-independent trace in {}text, {}", state.packed ? "compressed " : "",
                       state.kind == State::Kind::shared ? "one file that all ranks follow"
                       : state.layout.merged             ? "one file with all ranks"
                                                         : "one file per rank");
}

const ti::Tally& TiTrace::tally() const { return state_->tally; }
std::vector<std::string> TiTrace::notes() const {
    if (state_->dimemas) return state_->dimemas->notes();
    return state_->recorded ? state_->recorded->notes() : ti::words(state_->tally);
}
const RecordedTrace* TiTrace::recorded() const { return state_->recorded ? &*state_->recorded : nullptr; }
const DimemasTrace* TiTrace::dimemas() const { return state_->dimemas ? &*state_->dimemas : nullptr; }
double TiTrace::cpu_time_rate() const {
    if (state_->dimemas) return dimemas::dim_volume_rate;
    return recorded() != nullptr ? recorded()->begin().reference : 0;
}

bool looks_like_ti(const std::string& path) {
    if (looks_recorded(path) || looks_like_dimemas(path)) return true;
    std::error_code error;
    if (!std::filesystem::is_directory(path, error))
        return std::filesystem::is_regular_file(path, error) &&
               (ti::is_oti(path) || ti::is_trace_text(path) || ti::is_list(path));
    try {
        (void)ti::find_files(path);
        return true;
    } catch (const InputError&) {
        return ti::holds_trace(path);
    }
}

} // namespace orrery
