#include "machine/topologies/regular.h"

#include "engine/error.h"
#include "machine/machine_limits.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace orrery {

RegularTopology::RegularTopology(HostNames names, const std::optional<Link>& loopback, std::vector<Link>& links)
    : names_(std::move(names)), has_loopback_(loopback.has_value()) {
    if (!loopback) return;
    links.assign(names_.count(), *loopback); // the first links: host i has link i
    sections_.push_back({names_.count(), "loopback"});
}

CableSet RegularTopology::add_cables(std::string section, const Cable& cable, std::uint64_t count,
                                     std::vector<Link>& links) {
    const CableSet added(cable, count, links);
    sections_.push_back({static_cast<std::uint32_t>(links.size()), std::move(section)});
    return added;
}

std::optional<HostId> RegularTopology::find_host(std::string_view name) const {
    const auto position = names_.find(name);
    if (!position) return std::nullopt;
    return HostId{*position};
}

std::string RegularTopology::link_name(LinkId link) const {
    if (has_loopback_ && link.value < names_.count()) return names_.name(link.value) + " loopback";
    return name_of(link);
}

std::string RegularTopology::link_class(LinkId link) const {
    return std::find_if(sections_.begin(), sections_.end(),
                        [&](const Section& s) { return link.value < s.end; })
        ->name;
}

bool RegularTopology::loopback(HostId host, std::vector<LinkId>& links) const {
    if (has_loopback_) links.push_back({host.value});
    return has_loopback_;
}

void check_link_count(double links) {
    const auto most = static_cast<double>(machine_limits().links);
    if (links > most)
        throw InputError(fmt::format("the topology would have {:.3g} links; {:g} are the most", links, most));
}

} // namespace orrery
