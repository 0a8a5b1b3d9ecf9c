#include "formats/ti/oti_source.h"

#include "engine/error.h"
#include "formats/ti/byte_stream.h"
#include "formats/ti/oti_checksum.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

namespace orrery::ti {

namespace {

std::size_t window_actions(std::size_t ranks) {
    constexpr std::size_t all_ranks = (std::size_t{32} << 20) / sizeof(Action);
    return std::clamp<std::size_t>(all_ranks / std::max<std::size_t>(ranks, 1), 16, 256);
}

} // namespace

bool is_oti(const std::string& path) {
    try {
        const std::string first = first_bytes(path, oti_magic.size());
        return first == std::string_view(oti_magic.data(), oti_magic.size());
    } catch (const InputError&) {
        return false;
    }
}

OtiFile::OtiFile(const std::string& path) : path_(path), file_(path) {
    const auto fail = [&](const std::string& what) { throw InputError(Error{path, 0, 0, what}); };
    const std::span<const std::byte> bytes = file_.bytes();
    if (bytes.size() < sizeof header_) fail("too short for a binary trace (.oti)");
    std::memcpy(&header_, bytes.data(), sizeof header_);
    if (header_.magic != oti_magic)
        fail("a binary trace (.oti) is mapped into memory, so it cannot be compressed: unpack it");
    if (header_.version != oti_version)
        fail(fmt::format("a binary trace of version {}; expected version {}", header_.version, oti_version));
    if (header_.file_bytes != bytes.size()) {
        fail(fmt::format("the file has {} bytes, but was written with {}: it has been cut off or damaged",
                         bytes.size(), header_.file_bytes));
    }
    const std::uint64_t index_bytes = std::uint64_t{header_.ranks} * sizeof(RankEntry);
    if (header_.ranks == 0 || header_.ranks >= max_ranks || header_.index_offset < sizeof header_ ||
        header_.index_offset > bytes.size() || bytes.size() - header_.index_offset != index_bytes)
        fail("the file is damaged: its index is not where it should be");
    if (header_.checksum != checksum_of(header_, bytes.subspan(header_.index_offset)))
        fail("the file is damaged: the checksum of its index is wrong");
    std::uint64_t place = sizeof header_;
    for (std::uint32_t rank = 0; rank < header_.ranks; ++rank) {
        const RankEntry at = entry(rank);
        if (at.offset != place || at.bytes > header_.index_offset - place || at.actions > at.bytes ||
            at.requests > std::min(at.actions, most_requests))
            fail(fmt::format("the file is damaged: what it says of rank {} cannot be", rank));
        place += at.bytes;
    }
    if (place != header_.index_offset) fail("the file is damaged: there are bytes that belong to no rank");
}

Tally OtiFile::tally() const {
    Tally tally;
    static_assert(sizeof tally.counts == sizeof header_.tally);
    tally.counts = header_.tally;
    return tally;
}

RankEntry OtiFile::entry(std::uint32_t rank) const {
    RankEntry found;
    std::memcpy(&found, file_.bytes().data() + header_.index_offset + rank * sizeof found, sizeof found);
    return found;
}

OtiSource::OtiSource(const OtiFile& file, std::uint32_t copies)
    : bytes_(file.bytes()), paths_{file.path()}, lines_((file.header().flags & oti_has_lines) != 0),
      stored_(file.header().ranks), ranks_(std::size_t{stored_} * copies),
      most_(window_actions(ranks_.size())) {
    for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
        const RankEntry entry = file.entry(rank % stored_);
        ranks_[rank].places = {entry.offset, entry.offset + entry.bytes, {}};
        ranks_[rank].requests = entry.requests;
    }
}

OtiSource::OtiSource(std::span<const std::byte> bytes, std::span<const std::vector<std::uint64_t>> segments,
                     std::span<const std::string> paths, std::uint32_t copies)
    : bytes_(bytes), paths_(paths.begin(), paths.end()), lines_(true),
      stored_(static_cast<std::uint32_t>(segments.size())), ranks_(std::size_t{stored_} * copies),
      most_(window_actions(ranks_.size())) {
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
        ranks_[rank].places.listed = segments[rank % stored_];
        ranks_[rank].requests = most_requests;
    }
}

// What has been read is not needed again: the mapping takes no more memory than a segment per rank.
void OtiSource::leave_segment(const Rank& rank) const {
    const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    const std::uint64_t from = (rank.segment + page - 1) / page * page;
    const std::uint64_t to = rank.places.offset / page * page;
    if (rank.segment != 0 && from + page < to)
        (void)::madvise(const_cast<std::byte*>(bytes_.data()) + from, to - from, MADV_DONTNEED);
}

bool OtiSource::enter_segment(Rank& rank, const std::string& file) {
    SegmentPlaces& places = rank.places;
    leave_segment(rank);
    const bool listed = !places.listed.empty();
    if (listed) {
        places.offset = places.listed.front();
        places.end = bytes_.size();
        places.listed = places.listed.subspan(1);
    }
    if (places.offset == places.end) return false;
    rank.segment = places.offset;
    places.offset += rank.decoder.begin(bytes_.subspan(places.offset, places.end - places.offset), file);
    if (listed) places.end = places.offset;
    return true;
}

std::span<const Action> OtiSource::next(RankId id) {
    Rank& rank = ranks_[id.index()];
    if (rank.window.counts.capacity() > 16'384) rank.window.counts = {};
    rank.window.clear();
    const std::string& path = path_of(id);
    if (rank.decoder.left() == 0 && !enter_segment(rank, path)) return {};
    rank.decoder.decode(most_, {{stored_, rank.requests}, lines_}, path, rank.window);
    return rank.window.actions;
}

} // namespace orrery::ti
