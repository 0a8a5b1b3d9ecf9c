// The checksum of a block: of its header up to the checksum, and of its payload as it is stored.
#pragma once

#include "formats/ort/layout.h"

#include <cstddef>
#include <cstdint>
#include <xxhash.h>

namespace orrery::recorded {

inline std::uint64_t checksum_of(const BlockHeader& header, const char* payload) {
    const std::uint64_t before = XXH3_64bits(&header, offsetof(BlockHeader, checksum));
    return XXH3_64bits_withSeed(payload, header.bytes, before);
}

} // namespace orrery::recorded
