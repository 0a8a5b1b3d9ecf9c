// What the targets that read machines share. Numbers may be as large as they like; only machines of more than a
// few thousand hosts or links are refused, as those above the usual limits are: they take time and find no
// fault.
#pragma once

#include "engine/error.h"
#include "machine/machine_limits.h"
#include "machine/platform.h"

#include <algorithm>
#include <vector>

namespace orrery::fuzzing {

inline constexpr MachineLimits small_machine{4096, 65536};

inline void try_routes(const Platform& platform) {
    const std::uint32_t hosts = std::min(platform.host_count(), 16U);
    std::vector<LinkId> links;
    for (std::uint32_t a = 0; a < hosts; ++a) {
        for (std::uint32_t b = 0; b < hosts; ++b) {
            links.clear();
            const HostId to{platform.host_count() - 1 - b};
            try {
                platform.route({a}, to, links);
            } catch (const InputError&) { // no route
            }
            for (const LinkId link : links) (void)platform.topology().link_name(link);
        }
        if (platform.topology().find_host(platform.topology().host_name({a})) == std::nullopt) __builtin_trap();
    }
}

} // namespace orrery::fuzzing
