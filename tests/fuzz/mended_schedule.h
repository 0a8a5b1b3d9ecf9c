// A compact schedule out of any bytes: the checksum is made right, or nothing behind it would ever be reached.
#pragma once

#include "workload/schedule.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace orrery::fuzzing {

inline void mend_checksum(std::span<std::byte> bytes) {
    if (bytes.size() < sizeof(ScheduleHeader)) return;
    ScheduleHeader header;
    std::memcpy(&header, bytes.data(), sizeof header);
    header.bytes = bytes.size();
    const auto lies_within = [&bytes](std::uint64_t at, std::uint64_t count, std::uint64_t size) {
        return at % 8 == 0 && at <= bytes.size() && count <= (bytes.size() - at) / size;
    };
    if (lies_within(header.layouts_at, header.layouts, sizeof(BlockLayout)) &&
        lies_within(header.ranks_at, header.ranks, sizeof(std::uint32_t))) {
        std::vector<BlockLayout> layouts(header.layouts);
        std::vector<std::uint32_t> ranks(header.ranks);
        if (!layouts.empty())
            std::memcpy(layouts.data(), bytes.data() + header.layouts_at, layouts.size() * sizeof(BlockLayout));
        if (!ranks.empty())
            std::memcpy(ranks.data(), bytes.data() + header.ranks_at, ranks.size() * sizeof ranks[0]);
        std::vector<WideTag> tags;
        if (header.version >= ScheduleHeader::with_wide_tags &&
            lies_within(header.tags_at, header.tags, sizeof(WideTag))) {
            tags.resize(header.tags);
            if (!tags.empty())
                std::memcpy(tags.data(), bytes.data() + header.tags_at, tags.size() * sizeof(WideTag));
        }
        header.tables_hash = hash_tables(header, layouts, ranks, tags);
    }
    std::memcpy(bytes.data(), &header, sizeof header);
}

// The bytes, mended, aligned as a mapping would be.
class MendedBytes {
  public:
    MendedBytes(const std::uint8_t* data, std::size_t size) : words_((size + 7) / 8), size_(size) {
        if (size > 0) std::memcpy(words_.data(), data, size);
        mend_checksum(std::as_writable_bytes(std::span(words_)).first(size));
    }
    [[nodiscard]] std::span<const std::byte> bytes() const {
        return std::as_bytes(std::span(words_)).first(size_);
    }

  private:
    std::vector<std::uint64_t> words_;
    std::size_t size_;
};

} // namespace orrery::fuzzing
