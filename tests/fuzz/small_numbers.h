// What the targets that read machines share.
#pragma once

#include "engine/error.h"
#include "platform/platform.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace orrery::fuzzing {

// A machine may have millions of hosts, which takes memory but finds no fault: only texts without numbers of
// three digits or more are tried.
inline bool small_numbers(std::string_view text) {
    int digits = 0;
    for (const char c : text) {
        digits = c >= '0' && c <= '9' ? digits + 1 : 0;
        if (digits > 2) return false;
    }
    return text.find_first_of("kKMG") == std::string_view::npos || text.size() < 4096;
}

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
