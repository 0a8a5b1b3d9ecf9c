// What a reader met that the user should know of: nothing is dropped without a word.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace orrery::ti {

enum class Oddity : std::uint8_t {
    null_datatype,    // a message of it carries no bytes
    null_peer,        // a message to nobody, dropped
    buffered_send,    // replayed as a standard send
    undefined_source, // taken as any source
    blind_test,       // testany and its kin: no request is named
    polled,           // iprobe, dropped
    mute_communicator // comm_split and its kin without arguments
};
inline constexpr std::size_t oddities = 7;

struct Tally {
    std::array<std::uint64_t, oddities> counts{};
    void note(Oddity what) { ++counts[static_cast<std::size_t>(what)]; }
    bool operator==(const Tally&) const = default;
};

// One line for each that was met.
std::vector<std::string> words(const Tally& tally);

} // namespace orrery::ti
