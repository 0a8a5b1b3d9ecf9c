#include "formats/ort/block_writer.h"

#include <cstring>
#include <zstd.h>

#ifndef XXH_INLINE_ALL
#define XXH_INLINE_ALL
#endif
#include "formats/ort/block_checksum.h"

namespace orrery::recorded {

namespace {

constexpr std::size_t least_packed = 64;
constexpr int level = 3;

} // namespace

void BlockWriter::append(BlockKind kind, std::string_view payload, std::string& out) noexcept {
    BlockHeader header;
    header.kind = kind;
    header.rank = rank_;
    header.number = number_++;
    header.unpacked = static_cast<std::uint32_t>(payload.size());
    header.run = run_;
    if (kind == BlockKind::segment && payload.size() >= sizeof(SegmentHead)) {
        SegmentHead head;
        std::memcpy(&head, payload.data(), sizeof head);
        header.actions = head.actions;
        header.requests = head.requests;
    }
    const std::size_t start = out.size();
    const std::size_t data = start + sizeof header;
    std::size_t bytes = 0;
    if (payload.size() >= least_packed) {
        // Room for what is smaller than the payload: if that is not enough, it is stored as it is.
        out.resize(data + payload.size() - 1);
        bytes = ::ZSTD_compress(out.data() + data, payload.size() - 1, payload.data(), payload.size(), level);
        if (::ZSTD_isError(bytes) != 0) bytes = 0;
    }
    out.resize(data + bytes);
    if (bytes == 0) {
        out.append(payload);
        bytes = payload.size();
    } else {
        header.packing = BlockPacking::zstd;
    }
    header.bytes = static_cast<std::uint32_t>(bytes);
    header.checksum = checksum_of(header, out.data() + data);
    std::memcpy(out.data() + start, &header, sizeof header);
}

} // namespace orrery::recorded
