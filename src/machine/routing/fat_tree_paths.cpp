#include "machine/routing/fat_tree_paths.h"

#include "engine/error.h"
#include "machine/platform.h"

#include <algorithm>

namespace orrery {

namespace {

[[noreturn]] void refuse_paths() {
    throw InputError("the machine is not wired as the fat tree that it says it is");
}

} // namespace

FatTreePaths::FatTreePaths(const Fabric& fabric) : shape_(fabric.platform().topology().regularity().tree) {
    if (shape_ == nullptr) throw InputError("this routing needs a fat tree");
    hosts_below_.push_back(1);
    for (const std::uint32_t children : shape_->down) hosts_below_.push_back(hosts_below_.back() * children);

    std::vector<std::vector<NodeId>> by_level(levels() + std::size_t{1});
    for (std::uint32_t node = 0; node < fabric.node_count(); ++node) {
        const std::uint32_t level = fabric.level({node});
        if (level > levels()) refuse_paths();
        by_level[level].push_back({node});
    }
    first_host_.assign(fabric.node_count(), ~0U);
    for (std::uint32_t host = 0; host < fabric.host_count(); ++host) first_host_[host] = host;
    first_up_.assign(fabric.node_count(), 0);
    first_down_.assign(fabric.node_count(), 0);
    for (std::uint32_t level = 0; level <= levels(); ++level) {
        for (const NodeId node : by_level[level]) {
            std::vector<LinkId> ups;
            std::vector<LinkId> downs;
            for (const LinkId channel : fabric.out(node)) {
                if (channel == no_link) continue;
                const NodeId to = fabric.channel(channel).to;
                (fabric.level(to) > level ? ups : downs).push_back(channel);
            }
            if (level < levels() && ups.size() != ports(level)) refuse_paths();
            if (level > 0 && downs.size() != std::size_t{shape_->down[level - 1]} * copies(level - 1))
                refuse_paths();
            std::sort(ups.begin(), ups.end());
            std::sort(downs.begin(), downs.end(), [&](LinkId a, LinkId b) {
                const auto child = [&](LinkId link) { return first_host_[fabric.channel(link).to.index()]; };
                return child(a) != child(b) ? child(a) < child(b) : a < b;
            });
            first_up_[node.index()] = static_cast<std::uint32_t>(up_.size());
            first_down_[node.index()] = static_cast<std::uint32_t>(down_.size());
            for (const LinkId channel : ups) up_.push_back({channel});
            for (const LinkId channel : downs) down_.push_back({channel});
            if (level > 0) first_host_[node.index()] = first_host_[fabric.channel(downs[0]).to.index()];
        }
    }
    for (std::vector<Branch>* const branches : {&up_, &down_}) {
        for (Branch& branch : *branches) {
            const std::size_t to = fabric.channel(branch.channel).to.index();
            branch.up = first_up_[to];
            branch.down = first_down_[to];
        }
    }
    for (std::uint32_t host = 0; host < fabric.host_count(); ++host) {
        for (std::uint32_t level = 0; level < levels(); ++level)
            digits_.push_back(host / hosts_below(level) % shape_->down[level]);
    }
}

std::uint32_t FatTreePaths::height(HostId from, HostId to) const {
    const std::uint32_t* const a = digits(from);
    const std::uint32_t* const b = digits(to);
    std::uint32_t level = levels();
    while (level > 0 && a[level - 1] == b[level - 1]) --level;
    return level;
}

void FatTreePaths::append(HostId from, HostId to, std::span<const std::uint32_t> ports,
                          std::span<const std::uint32_t> copies, std::vector<Hop>& hops) const {
    const std::uint32_t top = height(from, to);
    Branch branch{no_link, first_up_[from.index()], 0};
    for (std::uint32_t level = 0; level < top; ++level) {
        branch = up_[branch.up + ports[level]];
        hops.push_back({branch.channel, 0});
    }
    const std::uint32_t* const child = digits(to);
    for (std::uint32_t level = top; level-- > 0;) {
        branch = down_[branch.down + child[level] * this->copies(level) + copies[level]];
        hops.push_back({branch.channel, 0});
    }
}

} // namespace orrery
