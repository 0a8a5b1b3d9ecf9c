#include "network/kpacket/parameters.h"

#include "engine/units.h"

#include <array>
#include <fmt/format.h>

namespace orrery {

namespace {

constexpr std::array table{
    Parameter{"kpacket.sharing", "word", "capacity",
              "what a link carries at a time: messages whose rates fit into its bandwidth (capacity), or one "
              "(exclusive)"},
    Parameter{"kpacket.injection", "bandwidth", "unlimited", "what a host can send in all, over all its links"},
    Parameter{"kpacket.ejection", "bandwidth", "unlimited", "what a host can receive in all"},
    Parameter{"kpacket.local", "yes/no", "no",
              "messages between cores of a host take from its injection and ejection, too"},
    Parameter{"kpacket.piece", "bytes", "unlimited",
              "the most that a message sends before those that started later come first"},
    Parameter{
        "kpacket.tolerance", "factor", "0.001",
        "an iteration may last longer by this fraction, to end with several messages; 0: exactly with the "
        "first"},
};

// 0: none.
double read_limit(const Settings& settings, std::string_view key) {
    if (settings.word(key, "unlimited") == "unlimited") return 0;
    const double limit = settings.bandwidth(key, 0);
    if (!(limit > 0)) settings.complain(key, "a bandwidth, or unlimited");
    return limit;
}

} // namespace

std::span<const Parameter> kpacket_parameters() { return table; }

KPacketParameters read_kpacket_parameters(const Settings& settings) {
    KPacketParameters read;
    const std::string sharing = settings.word("kpacket.sharing", "capacity");
    if (sharing != "capacity" && sharing != "exclusive")
        settings.complain("kpacket.sharing", "capacity or exclusive");
    read.sharing = sharing == "capacity" ? LinkSharing::capacity : LinkSharing::exclusive;
    read.injection = read_limit(settings, "kpacket.injection");
    read.ejection = read_limit(settings, "kpacket.ejection");
    read.local = settings.flag("kpacket.local", read.local);
    read.piece = settings.bytes("kpacket.piece", read.piece);
    if (read.piece == 0) settings.complain("kpacket.piece", "at least one byte");
    read.tolerance = settings.number("kpacket.tolerance", read.tolerance);
    if (!(read.tolerance >= 0 && read.tolerance <= 1))
        settings.complain("kpacket.tolerance", "a fraction from 0 to 1");
    return read;
}

std::string describe(const KPacketParameters& parameters) {
    std::string words = parameters.sharing == LinkSharing::capacity ? "links shared up to their capacity"
                                                                    : "links carry one message at a time";
    if (parameters.injection > 0)
        words += fmt::format(", hosts send {} at most", format_bandwidth(parameters.injection));
    if (parameters.ejection > 0)
        words += fmt::format(", receive {} at most", format_bandwidth(parameters.ejection));
    if (parameters.local) words += ", also to themselves";
    if (parameters.piece != ~Bytes{0}) words += fmt::format(", pieces of {}", format_bytes(parameters.piece));
    return words;
}

} // namespace orrery
