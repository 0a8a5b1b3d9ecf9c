// Several networks side by side (multi-rail): what the section [rails] of a machine file says.
//
// Each host has an interface to every rail. The rails are equal (`count`), or the networks of other machines
// beside that of this one (`beside`), whose host i is host i here. A message takes one rail, whole. Read by
// formats/rails.cpp.
#pragma once

#include "engine/ids.h"
#include "machine/machine.h"

#include <cstdint>
#include <string>
#include <vector>

namespace orrery {

enum class RailChoice : std::uint8_t {
    round_robin, // each host takes the next rail for its next message
    source,      // host mod rails
    size,        // by the bytes of the message, see Rails::below
    hash         // by the pair of hosts, at random but always the same
};

struct Rails {
    std::uint32_t equal = 1;     // rails like the machine itself, which come first
    std::vector<Machine> beside; // then one for each of these
    RailChoice choice = RailChoice::round_robin;
    // Of RailChoice::size: rail i takes the messages of fewer bytes than below[i], the last rail all others.
    std::vector<Bytes> below;

    [[nodiscard]] std::uint32_t count() const { return equal + static_cast<std::uint32_t>(beside.size()); }
    // Throws InputError if the machine's file is wrong about them, or a machine beside it has fewer hosts.
    static Rails of(const Machine& machine);
    // "2 rails in turns".
    [[nodiscard]] std::string words() const;
};

} // namespace orrery
