// Trees: a row for each level.
#include "observe/machine/layout.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <numeric>

namespace orrery {

namespace {

constexpr std::uint32_t most_hosts_drawn = 512;
constexpr double tree_margin = 28;

class TreeLayout {
  public:
    explicit TreeLayout(const Fabric& fabric)
        : fabric_(fabric), with_hosts_(fabric.host_count() <= most_hosts_drawn) {
        layout_.spots.resize(fabric.node_count());
        for (std::uint32_t i = with_hosts_ ? 0 : fabric.host_count(); i < fabric.node_count(); ++i)
            rows_[fabric.level({i})].push_back({i});
    }

    Layout make() {
        for (const auto& [level, nodes] : rows_) {
            const double apart = level == 0 ? host_step() : 26;
            width_ = std::max(width_, apart * static_cast<double>(nodes.size()));
        }
        gap_ = std::clamp(width_ / 6, 95.0, 230.0);
        const double host_gap = with_hosts_ ? std::min(gap_, 110.0) : 0;
        const double switch_rows = static_cast<double>(rows_.size() - 1) - (with_hosts_ ? 1 : 0);
        const double tall = host_gap + gap_ * switch_rows;
        double y = tree_margin + tall;
        for (auto& [level, nodes] : rows_) {
            place(level, nodes, y);
            y -= level == 0 ? host_gap : gap_;
        }
        const double below = with_hosts_ ? host_names_below() : 26;
        layout_.width = width_ + 2 * tree_margin;
        layout_.height = 2 * tree_margin + tall + below;
        draw_cables();
        if (!with_hosts_) caption_hosts();
        return std::move(layout_);
    }

  private:
    [[nodiscard]] double host_step() const {
        return std::clamp(1200.0 / static_cast<double>(fabric_.host_count()), 4.7, 46.0);
    }
    [[nodiscard]] double host_names_below() const {
        std::size_t longest = 0;
        for (std::uint32_t i = 0; i < fabric_.host_count(); ++i)
            longest = std::max(longest, fabric_.name(NodeId{i}).size());
        return host_step() >= 11 ? 14 + 5.6 * static_cast<double>(longest) : 10;
    }

    // Each node above the middle of those it is joined to below; evenly where these would touch.
    void place(std::uint32_t level, std::vector<NodeId>& nodes, double y) {
        const bool lowest = level == rows_.begin()->first;
        const double even = width_ / static_cast<double>(nodes.size());
        std::vector<double> middle(nodes.size());
        std::vector<std::size_t> order(nodes.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        for (std::size_t i = 0; i < nodes.size(); ++i)
            middle[i] =
                lowest ? tree_margin + even * (static_cast<double>(i) + 0.5) : middle_of_children(nodes[i]);
        std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return middle[a] < middle[b]; });
        bool touch = false;
        for (std::size_t i = 1; i < order.size(); ++i)
            touch = touch || middle[order[i]] - middle[order[i - 1]] < std::min(even, 24.0) * 0.95;
        for (std::size_t i = 0; i < order.size(); ++i) {
            Spot& spot = layout_.spots[nodes[order[i]].index()];
            spot.x = touch ? tree_margin + even * (static_cast<double>(i) + 0.5) : middle[order[i]];
            spot.y = y;
            if (level == 0) {
                spot.size = std::clamp(even * 0.3, 1.7, 6.0);
                spot.name_y = spot.size + 6;
                spot.anchor = 1;
                spot.upright = true;
                spot.room = even >= 11 ? 1000 : 0;
            } else {
                spot.size = std::clamp(even * 0.36, 4.0, 12.0);
                spot.name_y = -spot.size - 5;
                spot.room = even - 3;
            }
        }
    }

    [[nodiscard]] double middle_of_children(NodeId node) const {
        double sum = 0;
        int count = 0;
        for (const LinkId link : fabric_.out(node)) {
            if (link == no_link) continue;
            const NodeId to = fabric_.channel(link).to;
            if (fabric_.level(to) >= fabric_.level(node) || layout_.spots[to.index()].size == 0) continue;
            sum += layout_.spots[to.index()].x;
            ++count;
        }
        return count == 0 ? tree_margin + width_ / 2 : sum / count;
    }

    void draw_cables() {
        std::map<std::pair<NodeId, NodeId>, int> drawn; // parallel ones lie side by side
        add_cables(fabric_, layout_, [&](LinkId link, Spot a, Spot b) {
            const Channel& channel = fabric_.channel(link);
            const int copy = drawn[std::minmax(channel.from, channel.to)]++;
            const int place = (copy + 1) / 2 * (copy % 2 == 0 ? 1 : -1); // 0, -1, 1, -2, ...
            const double shift = 2.2 * place;
            a.x += shift;
            b.x += shift;
            layout_.cables.push_back({link, straight(a, b), false});
        });
    }

    // "16 hosts" below each of the lowest switches.
    void caption_hosts() {
        const auto& lowest = rows_.begin()->second;
        const double even = width_ / static_cast<double>(lowest.size());
        for (const NodeId node : lowest) {
            std::uint32_t hosts = 0;
            for (const LinkId link : fabric_.out(node)) {
                if (link != no_link && fabric_.is_host(fabric_.channel(link).to)) ++hosts;
            }
            const Spot& spot = layout_.spots[node.index()];
            if (hosts > 0 && even > 18)
                layout_.captions.push_back({spot.x, spot.y + spot.size + 13, fmt::format("{}", hosts)});
        }
        layout_.notes.push_back(fmt::format("{} hosts are not drawn; below each switch stands how many it has",
                                            fabric_.host_count()));
    }

    const Fabric& fabric_;
    bool with_hosts_;
    std::map<std::uint32_t, std::vector<NodeId>> rows_; // by level
    double width_ = 420;
    double gap_ = 100;
    Layout layout_;
};

} // namespace

Layout lay_out_tree(const Fabric& fabric) { return TreeLayout(fabric).make(); }

} // namespace orrery
