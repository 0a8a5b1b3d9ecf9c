// How much links and buses have carried, for the summary.
#include "drivers/dimemas/simulation.h"

#include <algorithm>
#include <fmt/format.h>

namespace orrery::dimemas {

namespace {

class LinkList {
  public:
    explicit LinkList(Time end) : end_(end) {}
    void add(const Carried& carried, std::uint32_t count, std::string name) {
        if (count == 0 || carried.ticks <= 0) return; // endless, or unused
        all_.push_back(
            {std::move(name), carried.bytes, carried.ticks / (count * static_cast<double>(end_.ticks())), {}});
    }
    // `count`: of each direction, or, if they are half duplex, of both.
    void add(const LinkSet& set, Links count, const std::string& of) {
        if (set.endless) return;
        if (set.half_duplex)
            return add({set.in.bytes + set.out.bytes, set.in.ticks + set.out.ticks}, count.most(),
                       of + " links");
        add(set.out, count.out, of + " output");
        add(set.in, count.in, of + " input");
    }
    std::vector<LinkLoad> take() {
        std::stable_sort(all_.begin(), all_.end(),
                         [](const LinkLoad& a, const LinkLoad& b) { return a.use > b.use; });
        if (all_.size() > NetworkReport::most_links) all_.resize(NetworkReport::most_links);
        return std::move(all_);
    }

  private:
    Time end_;
    std::vector<LinkLoad> all_;
};

} // namespace

std::vector<LinkLoad> Simulation::busiest_links(Time end) const {
    LinkList list(end);
    for (std::size_t i = 0; i < buses_.size(); ++i)
        list.add(buses_[i].carried, buses_[i].buses,
                 buses_.size() == 1 ? std::string("buses") : fmt::format("buses of cluster {}", i));
    for (std::size_t i = 0; i < machine_.nodes.size(); ++i) {
        list.add(node_links_[i], machine_.nodes[i].links, fmt::format("node {}", i));
        list.add(memory_buses_[i].carried, memory_buses_[i].buses, fmt::format("memory buses of node {}", i));
    }
    for (std::uint32_t task = 0; task < trace_.tasks(); ++task)
        list.add(task_links_[task], machine_.nodes[node_of_[task]].intra,
                 fmt::format("task {} in its node:", task));
    constexpr Links one{1, 1};
    for (std::size_t i = 0; i < wan_links_.size(); ++i)
        list.add(wan_links_[i], one, fmt::format("cluster {}", i));
    for (std::size_t i = 0; i < connection_links_.size(); ++i)
        list.add(connection_links_[i], one, fmt::format("connection {}", i));
    return list.take();
}

} // namespace orrery::dimemas
