#include "formats/ort/block_file.h"

#include "engine/error.h"
#include "formats/ort/block_checksum.h"
#include "formats/ort/decoder.h"
#include "workload/op.h"

#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <zstd.h>

namespace orrery::recorded {

namespace {

// What is wrong with a header by itself, or null.
const char* fault_of(const BlockHeader& header) {
    if (header.magic != block_magic) return "no block of a recorded trace begins there (expected ORT1)";
    if (header.kind < BlockKind::begin || header.kind > BlockKind::end) return "a block of an unknown kind";
    if (header.packing > BlockPacking::zstd || header.zero != 0)
        return "a block that is packed in an unknown way";
    if (header.bytes > most_block_bytes || header.unpacked > most_block_bytes)
        return "a block that is too large";
    if (header.packing == BlockPacking::plain && header.bytes != header.unpacked)
        return "a block whose two sizes disagree";
    if (header.actions > most_segment_actions) return "a block with too many actions";
    if (header.rank >= max_ranks) return "a block of a rank that cannot be";
    return nullptr;
}

} // namespace

BlockFiles::Ended BlockFiles::scan(std::size_t file,
                                   const std::function<void(const BlockHeader&, std::uint64_t)>& visit) {
    std::error_code error;
    const std::uint64_t size = std::filesystem::file_size(path(file), error);
    if (error) throw InputError(Error{path(file), 0, 0, "cannot be read: " + error.message()});
    std::uint64_t at = 0;
    while (at < size) {
        const std::uint64_t left = size - at;
        BlockHeader found;
        const std::size_t got = descriptors_.read(file, at, reinterpret_cast<char*>(&found), sizeof found);
        if (got < sizeof found) return {at, "the file ends within a block: it has been cut off"};
        if (const char* fault = fault_of(found)) return {at, fmt::format("damaged: {}", fault)};
        if (found.bytes > left - sizeof found) return {at, "the file ends within a block: it has been cut off"};
        visit(found, at);
        at += sizeof found + found.bytes;
    }
    return {at, {}};
}

BlockHeader BlockFiles::header(std::size_t file, std::uint64_t offset) {
    BlockHeader found;
    if (descriptors_.read(file, offset, reinterpret_cast<char*>(&found), sizeof found) < sizeof found)
        throw InputError(Error{path(file), 0, 0, "the file has changed while it was read"});
    return found;
}

void BlockFiles::unpack(std::size_t file, std::uint64_t offset, std::vector<std::uint8_t>& payload) {
    const BlockHeader found = header(file, offset);
    const BlockPlace place{&path(file), offset, found.rank, found.number};
    if (fault_of(found) != nullptr) fail_in(place, "the file has changed while it was read");
    stored_.resize(found.bytes);
    if (descriptors_.read(file, offset + sizeof found, stored_.data(), stored_.size()) < stored_.size())
        fail_in(place, "the file has changed while it was read");
    if (checksum_of(found, stored_.data()) != found.checksum) fail_in(place, "its checksum is wrong");
    if (found.packing == BlockPacking::plain) {
        payload.assign(stored_.begin(), stored_.end());
    } else {
        payload.resize(found.unpacked);
        const std::size_t got =
            ::ZSTD_decompress(payload.data(), payload.size(), stored_.data(), stored_.size());
        if (::ZSTD_isError(got) != 0)
            fail_in(place, fmt::format("it cannot be unpacked: {}", ::ZSTD_getErrorName(got)));
        if (got != payload.size()) fail_in(place, "it is shorter than it says");
    }
    if (found.kind != BlockKind::segment) return;
    SegmentHead head;
    if (payload.size() < sizeof head) fail_in(place, "its head is cut off");
    std::memcpy(&head, payload.data(), sizeof head);
    if (head.actions != found.actions || head.requests != found.requests)
        fail_in(place, "its head and its header disagree");
}

} // namespace orrery::recorded
