// Tori, meshes, hypercubes, HyperX: grids. The first dimension leads to the right, the second down, the third
// to the back; further ones make tiles, in turn to the right and down.
#include "machine/platform.h"
#include "observe/machine/layout.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace orrery {

namespace {

constexpr double grid_margin = 46;
constexpr double back_x = 0.80; // of a step to the right, for the whole depth: a cell holds what lies behind it
constexpr double back_y = -0.60;

struct GridStep {
    double x = 0;
    double y = 0;
};

class GridLayout {
  public:
    explicit GridLayout(const Fabric& fabric) : fabric_(fabric), hosts_(fabric.host_count()) {
        const RouterGrid grid = fabric.platform().topology().regularity().grid.value();
        sizes_ = grid.dimensions;
        all_to_all_ = grid.joined == Joined::all_to_all;
        layout_.spots.resize(fabric.node_count());
        choose_steps();
    }

    Layout make() {
        double left = 0;
        double top = 0;
        double right = 0;
        double bottom = 0;
        for (std::uint32_t router = 0; router < fabric_.switch_count(); ++router) {
            Spot& spot = layout_.spots[hosts_ + router];
            for (std::size_t axis = 0; axis < sizes_.size(); ++axis) {
                spot.x += steps_[axis].x * coordinate(router, axis);
                spot.y += steps_[axis].y * coordinate(router, axis);
            }
            spot.size = radius_;
            left = std::min(left, spot.x);
            top = std::min(top, spot.y);
            right = std::max(right, spot.x);
            bottom = std::max(bottom, spot.y);
        }
        for (std::uint32_t router = 0; router < fabric_.switch_count(); ++router) {
            Spot& spot = layout_.spots[hosts_ + router];
            spot.x += grid_margin - left;
            spot.y += grid_margin - top;
            spot.name_x = radius_ + 2;
            spot.name_y = radius_ + 8;
            spot.anchor = -1;
            spot.room = names_fit(router) ? 0.7 * unit_ : 0;
            spot.depth = sizes_.size() > 2 && sizes_[2] > 1 ? coordinate(router, 2) / (sizes_[2] - 1.0) : 0;
        }
        layout_.width = std::max(right - left + 2 * grid_margin, 300.0);
        layout_.height = bottom - top + 2 * grid_margin;
        place_hosts();
        draw_cables();
        return std::move(layout_);
    }

  private:
    [[nodiscard]] std::uint32_t stride(std::size_t axis) const {
        std::uint32_t stride = 1;
        for (std::size_t i = 0; i < axis; ++i) stride *= sizes_[i];
        return stride;
    }
    [[nodiscard]] std::uint32_t coordinate(std::uint32_t router, std::size_t axis) const {
        return router / stride(axis) % sizes_[axis];
    }
    // Of those in front.
    [[nodiscard]] bool names_fit(std::uint32_t router) const {
        return unit_ >= 30 && (sizes_.size() < 3 || coordinate(router, 2) == 0);
    }

    void choose_steps() {
        std::uint32_t longest = 1;
        for (std::size_t axis = 0; axis < std::min<std::size_t>(2, sizes_.size()); ++axis)
            longest = std::max(longest, sizes_[axis]);
        const bool deep = sizes_.size() > 2 && sizes_[2] > 1;
        unit_ = std::clamp(900.0 / longest, 26.0, 84.0);
        if (deep) unit_ = std::clamp(17.0 * sizes_[2] + 14, 66.0, 190.0);
        const double nearest = deep ? std::hypot(back_x, back_y) * unit_ / sizes_[2] : unit_;
        radius_ = std::clamp(nearest * (deep ? 0.24 : 0.15), 2.4, 10.0);
        double width = 0;
        double height = 0;
        for (std::size_t axis = 0; axis < sizes_.size(); ++axis) {
            GridStep step;
            const double depth = sizes_.size() > 2 ? 1 - 1.0 / sizes_[2] : 0;
            if (axis == 0) {
                step = {unit_, 0};
                width = unit_ * (sizes_[0] - 1) + unit_ * back_x * depth;
            } else if (axis == 1) {
                step = {0, unit_};
                height = unit_ * (sizes_[1] - 1) - unit_ * back_y * depth;
            } else if (axis == 2) {
                step = {unit_ * back_x / sizes_[2], unit_ * back_y / sizes_[2]};
            } else if (axis % 2 == 1) {
                width += 1.4 * unit_;
                step = {width, 0};
                width = width * sizes_[axis] - 1.4 * unit_;
            } else {
                height += 1.4 * unit_;
                step = {0, height};
                height = height * sizes_[axis] - 1.4 * unit_;
            }
            steps_.push_back(step);
        }
    }

    // A host that is its router is not drawn beside it; others hang below it.
    void place_hosts() {
        if (fabric_.injection_channel({0}) != no_link) return;
        std::vector<std::uint32_t> placed(fabric_.switch_count());
        for (std::uint32_t host = 0; host < hosts_; ++host) {
            const NodeId router = fabric_.channel(fabric_.out(NodeId{host})[0]).to;
            const std::uint32_t number = placed[router.index() - hosts_]++;
            const std::uint32_t all = hosts_ / fabric_.switch_count();
            const Spot& centre = layout_.spots[router.index()];
            Spot& spot = layout_.spots[host];
            const double angle = 2.2 + (all > 1 ? 1.1 * number / (all - 1.0) - 0.55 : 0); // below, to the left
            spot.x = centre.x + std::cos(angle) * unit_ * 0.3;
            spot.y = centre.y + std::sin(angle) * unit_ * 0.3;
            spot.size = std::clamp(unit_ * 0.05, 1.6, 3.2);
        }
    }

    void draw_cables() {
        add_cables(fabric_, layout_, [&](LinkId link, const Spot& a, const Spot& b) {
            const Channel& channel = fabric_.channel(link);
            if (fabric_.is_host(channel.from) || fabric_.is_host(channel.to)) {
                layout_.cables.push_back({link, straight(a, b), false});
                return;
            }
            const std::uint32_t from = channel.from.value - hosts_;
            const std::uint32_t to = channel.to.value - hosts_;
            std::size_t axis = 0;
            while (coordinate(from, axis) == coordinate(to, axis)) ++axis;
            const std::uint32_t apart = std::max(coordinate(from, axis), coordinate(to, axis)) -
                                        std::min(coordinate(from, axis), coordinate(to, axis));
            if (apart == 1) {
                layout_.cables.push_back({link, axis < 3 ? straight(a, b) : bent(a, b, 0.06), axis >= 3});
            } else if (all_to_all_) {
                layout_.cables.push_back({link, bent(a, b, 0.16), apart > 3});
            } else {
                layout_.cables.push_back(
                    {link, stubs(a, b, coordinate(from, axis) > coordinate(to, axis), axis), axis >= 3});
            }
        });
    }

    // A cable round the ring: a short end beyond the first and one beyond the last router.
    [[nodiscard]] std::string stubs(const Spot& a, const Spot& b, bool from_last, std::size_t axis) const {
        const double length = std::hypot(steps_[axis].x, steps_[axis].y);
        const double reach = std::min(axis == 2 ? 0.8 * length : 0.42 * length, 26.0) / length;
        const double dx = steps_[axis].x * reach * (from_last ? 1 : -1);
        const double dy = steps_[axis].y * reach * (from_last ? 1 : -1);
        Spot a_end = a;
        a_end.x += dx;
        a_end.y += dy;
        Spot b_end = b;
        b_end.x -= dx;
        b_end.y -= dy;
        return straight(a, a_end) + straight(b, b_end);
    }

    const Fabric& fabric_;
    std::uint32_t hosts_;
    std::vector<std::uint32_t> sizes_;
    bool all_to_all_ = false;
    std::vector<GridStep> steps_;
    double unit_ = 60;
    double radius_ = 8;
    Layout layout_;
};

} // namespace

Layout lay_out_grid(const Fabric& fabric) { return GridLayout(fabric).make(); }

} // namespace orrery
