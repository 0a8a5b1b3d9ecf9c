// The parameters of the LogGOPS model, each with its unit: what `--loggops` sets.
//
// The endpoint (o, O, S) belongs to protocol/, the network (L, g, G) to network/loggops/; a user thinks of them
// as one set, so they are read and printed together here.
#pragma once

#include "engine/ids.h"
#include "engine/settings.h"
#include "engine/time.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace orrery {

// How a message larger than S is sent.
enum class Rendezvous : std::uint8_t {
    sender_waits, // LogGOPSim: the data leaves at once; the sender is done when the receiver starts to receive
    handshake,    // request and clear-to-send messages, each paying o, L and g, before the data leaves
};

// Which goes first of what is due at one rank at one instant (docs/loggops.md, "The order of ties").
enum class Ties : std::uint8_t {
    by_rank,   // by what that rank and the sources of its messages know
    loggopsim, // in the order in which the original would have come to it
};

inline constexpr Bytes unlimited = ~Bytes{0};

struct LogGOPS {
    Time L = Time::ns(2500); // latency from network interface to network interface
    Time o = Time::ns(1500); // CPU overhead of each message, on either side
    Time g = Time::ns(1000); // gap: least time between two messages at one NIC
    double G = 6000;         // ps per byte: the inverse of a NIC's bandwidth
    double O = 0;            // ps per byte: CPU overhead per byte
    Bytes S = 65535;         // largest size that is sent eagerly
    Rendezvous rendezvous = Rendezvous::sender_waits;
    Ties ties = Ties::by_rank;

    bool operator==(const LogGOPS&) const = default;
};

// (s-1) x cost, the per-byte part of every LogGOPS duration; a message without bytes has none.
inline Time per_byte_in_ticks(Bytes size, double ticks_per_byte) {
    if (size <= 1) return Time::zero();
    return Time::from_ticks(static_cast<double>(size - 1) * ticks_per_byte,
                            "LogGOPS: the per-byte cost of a message");
}
inline Time per_byte(Bytes size, double picoseconds_per_byte) {
    return per_byte_in_ticks(size, picoseconds_per_byte * Time::ticks_per_ps());
}

// One row per parameter: help, validation and the manual come from this table.
struct LogGOPSParameter {
    std::string_view name;
    std::string_view unit;
    std::string_view meaning;
};
std::span<const LogGOPSParameter> loggops_parameters();

// Reads "L=2500ns o=1500ns g=4000ns G=6ns/B O=8ns/B S=65535B" (any subset, any order, blanks or commas
// between) over `base`. Throws UsageError with what was expected and, for a misspelt name, the nearest one.
LogGOPS parse_loggops(std::string_view text, LogGOPS base = {});
std::string to_string(const LogGOPS& parameters);

// The keys loggops.L, .o, .g, .G, .O and .S of a machine, over `base`. Throws InputError with where the value
// was said.
std::span<const Parameter> loggops_keys();
LogGOPS read_loggops(const Settings& settings, LogGOPS base = {});

// Published parameter sets ("odin", "odin-measured", "big-red", "paper-figures") with their source.
struct NamedLogGOPS {
    std::string_view name;
    LogGOPS parameters;
    std::string_view source;
};
std::span<const NamedLogGOPS> published_loggops();

// The older models are this one with some parameters switched off: "logp" (G = O = 0, S unlimited),
// "loggp" (O = 0, S unlimited), "loggps" (O = 0), "loggops". "loggopsim-compat" has the original's order of
// ties. Throws UsageError for any other name.
std::span<const std::string_view> loggops_models();
LogGOPS restrict_to_model(LogGOPS parameters, std::string_view model);

} // namespace orrery
