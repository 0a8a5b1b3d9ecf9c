#include "observe/machine/layout.h"

#include "engine/error.h"
#include "engine/units.h"
#include "machine/platform.h"
#include "observe/svg_page.h"

#include <fmt/format.h>

namespace orrery {

namespace {

constexpr std::uint32_t most_switches = 3000;
constexpr std::uint32_t most_cables = 60'000;

std::string at(double x, double y) { return svg_number(x) + " " + svg_number(y); }

} // namespace

std::string straight(const Spot& a, const Spot& b) { return fmt::format("M{}L{}", at(a.x, a.y), at(b.x, b.y)); }

std::string bent(const Spot& a, const Spot& b, double bend) {
    const double x = (a.x + b.x) / 2 + (b.y - a.y) * bend;
    const double y = (a.y + b.y) / 2 - (b.x - a.x) * bend;
    return fmt::format("M{}Q{} {}", at(a.x, a.y), at(x, y), at(b.x, b.y));
}

std::string pulled(const Spot& a, const Spot& b, double x, double y, double pull) {
    const double mx = (a.x + b.x) / 2;
    const double my = (a.y + b.y) / 2;
    return fmt::format("M{}Q{} {}", at(a.x, a.y), at(mx + (x - mx) * pull, my + (y - my) * pull), at(b.x, b.y));
}

bool has_levels(const Fabric& fabric) {
    for (std::uint32_t i = fabric.host_count(); i < fabric.node_count(); ++i) {
        if (fabric.level({i}) == 0) return false;
    }
    return fabric.switch_count() > 0;
}

Layout lay_out(const Fabric& fabric) {
    std::uint32_t between_switches = 0;
    for (std::uint32_t i = 0; i < fabric.channel_count(); ++i) {
        const Channel& channel = fabric.channel({i});
        if (fabric.is_channel({i}) && !fabric.is_host(channel.from) && !fabric.is_host(channel.to))
            ++between_switches;
    }
    if (fabric.switch_count() > most_switches || between_switches / 2 > most_cables) {
        throw UsageError(fmt::format("the machine has {} switches and {} cables between them; a picture holds "
                                     "{} and {} at most. A smaller "
                                     "machine of the same kind shows the same (--set topology...)",
                                     format_count(fabric.switch_count()), format_count(between_switches / 2),
                                     format_count(most_switches), format_count(most_cables)));
    }
    const Regularity shape = fabric.platform().topology().regularity();
    if (shape.grid) return lay_out_grid(fabric);
    if (shape.groups != nullptr) return lay_out_dragonfly(fabric);
    if (has_levels(fabric)) return lay_out_tree(fabric);
    return lay_out_ring(fabric);
}

} // namespace orrery
