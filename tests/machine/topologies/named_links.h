// Follows a route by the names of its links, which say where each begins and ends: "n3 to n4".
#pragma once

#include "formats/load_machine.h"
#include "machine/machine.h"
#include "machine/platform.h"

#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

namespace orrery {

inline std::vector<std::string> names_of_route(const Platform& platform, std::uint32_t from, std::uint32_t to) {
    std::vector<LinkId> links;
    platform.route({from}, {to}, links);
    std::vector<std::string> names;
    for (const LinkId link : links) names.push_back(platform.topology().link_name(link));
    return names;
}

// Whether the links join, from the one host to the other.
inline bool joins(const Platform& platform, std::uint32_t from, std::uint32_t to) {
    std::string at = platform.topology().host_name({from});
    for (const std::string& name : names_of_route(platform, from, to)) {
        const auto middle = name.find(" to ");
        if (middle == std::string::npos || name.substr(0, middle) != at) return false;
        at = name.substr(middle + 4);
    }
    return at == platform.topology().host_name({to});
}

// A machine of given keys; the links are 1 GB/s and 1 us unless a key says otherwise.
inline std::shared_ptr<const Platform> platform_of(const std::string& toml) {
    return machine_from_text("[link]\nbandwidth = '1 GB/s'\nlatency = '1 us'\n" + toml, "test.toml").platform;
}

} // namespace orrery
