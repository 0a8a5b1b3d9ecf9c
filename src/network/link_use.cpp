#include "network/link_use.h"

#include "network/heaviest_links.h"

namespace orrery {

NetworkReport link_report(std::span<const LinkUse> use, const Platform& platform, Time end) {
    NetworkReport report;
    std::vector<bool>& crossed = report.crossed.emplace_back(use.size());
    for (std::size_t link = 0; link < use.size(); ++link) crossed[link] = use[link].bytes > 0;
    const auto load = [&](LinkId link) { return use[link.index()].mean_use(platform.link(link), end); };
    for (const LinkId link : heaviest_links(use.size(), load)) {
        report.busiest.push_back(
            {platform.topology().link_name(link), use[link.index()].bytes, load(link), Time::zero()});
    }
    return report;
}

} // namespace orrery
