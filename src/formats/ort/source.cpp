#include "formats/ort/source.h"

#include <algorithm>

namespace orrery::recorded {

namespace {

std::size_t window_actions(std::size_t ranks) {
    constexpr std::size_t all_ranks = (std::size_t{32} << 20) / sizeof(Action);
    return std::clamp<std::size_t>(all_ranks / std::max<std::size_t>(ranks, 1), 16, 256);
}

} // namespace

RecordedSource::RecordedSource(const TraceIndex& index, std::vector<std::string> files,
                               std::span<const std::uint64_t> last, bool with_times, std::uint32_t copies)
    : index_(index), last_(last), with_times_(with_times), files_(std::move(files)),
      ranks_(index.ranks.size() * copies), most_(window_actions(ranks_.size())) {}

bool RecordedSource::enter_segment(Rank& rank, std::size_t number) {
    const RankBlocks& blocks = index_.ranks[number];
    if (rank.segment == blocks.segments.size()) {
        rank.payload = {};
        rank.decoder = {};
        return false;
    }
    const std::uint64_t offset = blocks.segments[rank.segment];
    files_.unpack(blocks.file, offset, rank.payload);
    // After its begin block, number 0.
    const auto block = static_cast<std::uint32_t>(rank.segment + 1);
    rank.decoder.begin(rank.payload,
                       {&files_.path(blocks.file), offset, static_cast<std::uint32_t>(number), block});
    ++rank.segment;
    return true;
}

std::span<const Action> RecordedSource::next(RankId id) {
    Rank& rank = ranks_[id.index()];
    const std::size_t number = stored(id);
    if (rank.window.counts.capacity() > 16'384) rank.window.counts = {};
    rank.window.clear();
    std::size_t most = most_;
    if (!last_.empty()) most = std::min<std::size_t>(most, last_[number] - rank.line);
    if (most == 0) return {};
    if (rank.decoder.left() == 0 && !enter_segment(rank, number)) return {};
    rank.decoder.decode(most, {static_cast<std::uint32_t>(index_.ranks.size()), index_.ranks[number].requests},
                        rank.line, with_times_, rank.window);
    return rank.window.actions;
}

} // namespace orrery::recorded
