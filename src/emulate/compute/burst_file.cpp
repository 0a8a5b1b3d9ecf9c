#include "emulate/compute/burst_file.h"

#include "engine/content_hash.h"
#include "engine/error.h"
#include "formats/ort/column_reader.h"
#include "formats/ort/column_writer.h"
#include "machine/machine_file.h"

#include <array>
#include <bit>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

namespace orrery::emulate {

namespace {

constexpr std::string_view burst_magic = "ORRBURST";
constexpr std::uint64_t burst_version = 1;
constexpr std::size_t burst_hash_bytes = 32;
constexpr std::uint64_t bursts_per_check = 16;
constexpr std::uint64_t longest_burst_ns = std::uint64_t{1} << 53U;
constexpr std::uint64_t largest_burst_file = std::uint64_t{1} << 40U;

std::uint32_t next_path(std::uint32_t path, std::uint32_t function) {
    return (path ^ function) * 0x01000193U + 0x9e3779b9U;
}

std::uint8_t path_byte(std::uint32_t path) { return static_cast<std::uint8_t>(path >> 24U); }

template <typename Bytes> void append_varint(Bytes& bytes, std::uint64_t value) {
    std::array<std::uint8_t, 10> room{};
    const std::uint8_t* const end = recorded::put_varint(room.data(), value);
    bytes.insert(bytes.end(), static_cast<const std::uint8_t*>(room.data()), end);
}

void append_words(std::string& bytes, std::string_view words) {
    append_varint(bytes, words.size());
    bytes += words;
}

const std::uint8_t* bytes_of(const std::string& text) {
    return reinterpret_cast<const std::uint8_t*>(text.data());
}

} // namespace

void BurstRecorder::add(std::uint32_t rank, std::int64_t ns, std::uint32_t function) {
    Rank& own = ranks_[rank];
    append_varint(own.bytes, static_cast<std::uint64_t>(ns));
    own.path = next_path(own.path, function);
    if (++own.count % bursts_per_check == 0) own.bytes.push_back(path_byte(own.path));
}

std::string BurstRecorder::file(const BurstOrigin& origin) const {
    std::string bytes(burst_magic);
    append_varint(bytes, burst_version);
    append_words(bytes, origin.program_hash);
    append_varint(bytes, origin.command.size());
    for (const std::string& word : origin.command) append_words(bytes, word);
    const BurstFigures& figures = origin.figures;
    for (const std::uint64_t each :
         {figures.replaced_seen, figures.replaced_unseen, figures.kept_long,
          static_cast<std::uint64_t>(figures.removed_ns), static_cast<std::uint64_t>(figures.kept_long_ns),
          std::bit_cast<std::uint64_t>(figures.spread)})
        append_varint(bytes, each);
    append_varint(bytes, ranks_.size());
    for (const Rank& rank : ranks_) {
        append_varint(bytes, rank.count);
        append_varint(bytes, rank.bytes.size());
    }
    for (const Rank& rank : ranks_) bytes.append(rank.bytes.begin(), rank.bytes.end());
    return bytes + content_hash(bytes);
}

RecordedBursts::RecordedBursts(std::string content, std::string name)
    : content_(std::move(content)), name_(std::move(name)) {
    if (!content_.starts_with(burst_magic))
        refuse("this is no recording of bursts, as 'orrery run --compute record=FILE' writes it");
    if (content_.size() < burst_magic.size() + burst_hash_bytes) refuse("the recording is cut off");
    const std::size_t hashed = content_.size() - burst_hash_bytes;
    if (content_hash(std::string_view(content_).substr(0, hashed)) != std::string_view(content_).substr(hashed))
        refuse("the recording is damaged or cut off: its hash is wrong");
    const std::uint8_t* at = bytes_of(content_) + burst_magic.size();
    const std::uint8_t* const end = bytes_of(content_) + hashed;
    read_header(at, end);
    auto from = static_cast<std::size_t>(at - bytes_of(content_));
    for (Rank& rank : ranks_) {
        if (rank.end > hashed - from) refuse("the recording is damaged: bursts of a rank are missing");
        rank.at = from;
        rank.end += from;
        from = rank.end;
        check_bursts(rank);
    }
    if (from != hashed) refuse("the recording is damaged: there is more than the bursts of its ranks");
}

void RecordedBursts::refuse(const std::string& reason) const { throw InputError(Error{name_, 0, 0, reason}); }

void RecordedBursts::read_header(const std::uint8_t*& at, const std::uint8_t* end) {
    const auto number = [&] {
        std::uint64_t value = 0;
        if (!recorded::read_varint(at, end, value))
            refuse("the recording is damaged: its header ends too early");
        return value;
    };
    const auto words = [&] {
        const std::uint64_t size = number();
        if (size > static_cast<std::uint64_t>(end - at)) refuse("the recording is damaged: a text is too long");
        std::string text(reinterpret_cast<const char*>(at), size);
        at += size;
        return text;
    };
    if (const std::uint64_t version = number(); version != burst_version)
        refuse(
            fmt::format("the recording has version {}; this orrery reads version {}", version, burst_version));
    origin_.program_hash = words();
    for (std::uint64_t left = number(); left > 0; --left) origin_.command.push_back(words());
    BurstFigures& figures = origin_.figures;
    figures.replaced_seen = number();
    figures.replaced_unseen = number();
    figures.kept_long = number();
    figures.removed_ns = static_cast<std::int64_t>(number());
    figures.kept_long_ns = static_cast<std::int64_t>(number());
    figures.spread = std::bit_cast<double>(number());
    const std::uint64_t ranks = number();
    if (ranks > static_cast<std::uint64_t>(end - at) / 2) refuse("the recording is damaged: too many ranks");
    ranks_.resize(ranks);
    for (Rank& rank : ranks_) {
        rank.count = number();
        rank.end = number(); // its size, as yet
    }
}

// So that next() need not.
void RecordedBursts::check_bursts(const Rank& rank) const {
    const std::uint8_t* at = bytes_of(content_) + rank.at;
    const std::uint8_t* const end = bytes_of(content_) + rank.end;
    if (rank.count > rank.end - rank.at) refuse("the recording is damaged: bursts of a rank are missing");
    for (std::uint64_t i = 1; i <= rank.count; ++i) {
        std::uint64_t ns = 0;
        if (!recorded::read_varint(at, end, ns) || ns > longest_burst_ns)
            refuse("the recording is damaged: a burst is not a duration");
        if (i % bursts_per_check == 0 && at++ == end) refuse("the recording is damaged: a check is missing");
    }
    if (at != end) refuse("the recording is damaged: a rank has more than its bursts");
}

void RecordedBursts::check(const BurstOrigin& origin, std::uint32_t ranks) const {
    if (origin.program_hash != origin_.program_hash)
        refuse(fmt::format("these bursts were recorded with another program, or with {} before it was built "
                           "anew",
                           origin_.command.empty() ? "it" : origin_.command.front()));
    if (ranks != this->ranks())
        refuse(fmt::format("these bursts were recorded with {} ranks, not with {}", this->ranks(), ranks));
    const auto arguments = [](const std::vector<std::string>& command) {
        return command.empty() ? command : std::vector<std::string>(command.begin() + 1, command.end());
    };
    if (arguments(origin.command) != arguments(origin_.command))
        refuse(fmt::format("these bursts were recorded with other arguments: {}",
                           fmt::join(origin_.command, " ")));
}

std::optional<std::int64_t> RecordedBursts::next(std::uint32_t rank, std::uint32_t function) {
    Rank& own = ranks_[rank];
    if (own.taken == own.count) return std::nullopt;
    const std::uint8_t* at = bytes_of(content_) + own.at;
    std::uint64_t ns = 0;
    (void)recorded::read_varint(at, bytes_of(content_) + own.end, ns);
    own.path = next_path(own.path, function);
    if (++own.taken % bursts_per_check == 0 && *at++ != path_byte(own.path)) {
        own.strayed = true;
        return std::nullopt;
    }
    own.at = static_cast<std::size_t>(at - bytes_of(content_));
    return static_cast<std::int64_t>(ns);
}

std::string RecordedBursts::why(std::uint32_t rank) const {
    const Rank& own = ranks_[rank];
    const char* const because = "the program does otherwise than when it was recorded, perhaps because it asks "
                                "for the time or tests for messages";
    if (!own.strayed)
        return Error{name_, 0, 0,
                     fmt::format("rank {} goes on after its {} recorded calls: {}", rank, own.count, because)}
            .words();
    return Error{name_, 0, 0,
                 fmt::format("the calls of rank {} from number {} to {} are not the recorded ones: {}", rank,
                             own.taken - bursts_per_check + 1, own.taken, because)}
        .words();
}

void RecordedBursts::check_all_taken() const {
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
        const Rank& own = ranks_[rank];
        if (own.taken < own.count)
            refuse(
                fmt::format("rank {} ended after {} of its {} recorded calls: the program does otherwise than "
                            "when it was recorded",
                            rank, own.taken, own.count));
    }
}

RecordedBursts read_bursts(const std::string& path) {
    return {read_whole_file(path, largest_burst_file), path};
}

} // namespace orrery::emulate
