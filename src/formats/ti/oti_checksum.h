// The checksum of a binary trace's header and index.
#pragma once

#include "formats/ti/oti_layout.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <xxhash.h>

namespace orrery::ti {

inline std::uint64_t checksum_of(const OtiHeader& header, std::span<const std::byte> index) {
    const std::uint64_t before = XXH3_64bits(&header, offsetof(OtiHeader, checksum));
    return XXH3_64bits_withSeed(index.data(), index.size(), before);
}

} // namespace orrery::ti
