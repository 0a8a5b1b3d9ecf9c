#include "observe/machine/picture.h"

#include "observe/machine/layout.h"
#include "observe/svg_plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace orrery {

namespace {

constexpr double name_size = 9;
constexpr double line_height = 17;

// Levels of switches, dark at the top; of those of graphs and tori the first.
constexpr std::array<std::string_view, 5> switch_colours{"#3b6ea5", "#3b6ea5", "#2a4d78", "#1b3352", "#101f33"};

struct Colour {
    double red;
    double green;
    double blue;
};

// From pale yellow over orange to dark red, lightness falling evenly (after ColorBrewer's YlOrRd).
constexpr std::array<Colour, 5> load_colours{
    Colour{254, 217, 118}, {253, 160, 63}, {240, 80, 38}, {200, 10, 36}, {110, 0, 38}};

std::string load_colour(double share) {
    const double place = std::clamp(share, 0.0, 1.0) * (load_colours.size() - 1);
    const auto below = std::min(static_cast<std::size_t>(place), load_colours.size() - 2);
    const double part = place - static_cast<double>(below);
    const auto mix = [&](double Colour::*channel) {
        return static_cast<int>(
            std::lround(load_colours[below].*channel * (1 - part) + load_colours[below + 1].*channel * part));
    };
    return fmt::format("#{:02x}{:02x}{:02x}", mix(&Colour::red), mix(&Colour::green), mix(&Colour::blue));
}

// The colour of a switch further back.
std::string paler(double depth) {
    const auto mix = [&](double front, double back) {
        return static_cast<int>(std::lround(front + (back - front) * depth));
    };
    return fmt::format("#{:02x}{:02x}{:02x}", mix(0x3b, 0xb4), mix(0x6e, 0xcb), mix(0xa5, 0xe2));
}

class Picture {
  public:
    Picture(const Fabric& fabric, const PictureText& text, const PatternLoad* load)
        : fabric_(fabric), text_(text), load_(load), layout_(lay_out(fabric)) {
        if (load_ != nullptr) most_flows_ = most_flows();
    }

    std::string draw() {
        const double head =
            26 + 20 + line_height * static_cast<double>(text_.lines.size()) + (load_ != nullptr ? 34 : 6);
        double width = std::max(layout_.width, 420.0);
        for (const std::string& line : text_.lines) width = std::max(width, text_width(line, 11) + 40);
        const double notes = line_height * static_cast<double>(layout_.notes.size());
        const double height = head + layout_.height + notes + 10;
        page_.shape("rect",
                    {{"width", svg_number(width)}, {"height", svg_number(height)}, {"fill", "#ffffff"}});
        draw_head(width);
        page_.open("g", {{"transform", fmt::format("translate({} {})", svg_number((width - layout_.width) / 2),
                                                   svg_number(head))}});
        draw_cables();
        draw_nodes();
        draw_names();
        page_.close("g");
        double y = head + layout_.height + 4;
        for (const std::string& note : layout_.notes) {
            page_.text(20, y, note, {{"font-size", "11"}, {"fill", "#666666"}});
            y += line_height;
        }
        return page_.take(width, height, text_.title, fmt::format("{}", fmt::join(text_.lines, "; ")));
    }

  private:
    void draw_head(double width) {
        page_.text(20, 30, text_.title, {{"font-size", "15"}, {"font-weight", "bold"}, {"fill", "#1a1a1a"}});
        double y = 30 + line_height + 2;
        for (const std::string& line : text_.lines) {
            page_.text(20, y, line, {{"font-size", "11"}, {"fill", "#555555"}});
            y += line_height;
        }
        if (load_ != nullptr) draw_scale(y, width);
    }

    // What the colours mean: a bar from one flow to the most.
    void draw_scale(double y, double width) {
        const double left = 20;
        const double span = std::min(220.0, width - 200);
        const std::uint32_t most = std::max(1U, most_flows_);
        const std::uint32_t boxes = std::min(most, 20U);
        for (std::uint32_t i = 0; i < boxes; ++i) {
            page_.shape("rect", {{"x", svg_number(left + span * i / boxes)},
                                 {"y", svg_number(y)},
                                 {"width", svg_number(span / boxes + 0.3)},
                                 {"height", "9"},
                                 {"fill", colour_of(1 + (boxes == 1 ? 0 : i * (most - 1) / (boxes - 1)))}});
        }
        page_.text(left, y + 20, "1", {{"font-size", "10"}, {"fill", "#555555"}});
        if (most > 1) {
            page_.text(left + span, y + 20, fmt::format("{}", most),
                       {{"font-size", "10"}, {"fill", "#555555"}, {"text-anchor", "end"}});
        }
        page_.text(left + span + 12, y + 8.5,
                   most == 1 ? "flow on a cable, in its busier direction"
                             : "flows on a cable, in its busier direction",
                   {{"font-size", "11"}, {"fill", "#555555"}});
    }

    [[nodiscard]] std::uint32_t flows_on(LinkId link) const {
        const std::uint32_t there = load_->channels[link.index()].flows;
        const LinkId back = fabric_.channel(link).reverse;
        return std::max(there, back == no_link ? 0 : load_->channels[back.index()].flows);
    }
    [[nodiscard]] std::uint32_t most_flows() const {
        std::uint32_t most = 0;
        for (const CableLine& each : layout_.cables) most = std::max(most, flows_on(each.channel));
        return most;
    }
    [[nodiscard]] std::string colour_of(std::uint32_t flows) const {
        const std::uint32_t most = std::max(1U, most_flows_);
        return load_colour(most == 1 ? 0.45 : static_cast<double>(flows - 1) / (most - 1));
    }

    void draw_cables() {
        const double many = static_cast<double>(layout_.cables.size());
        const double stroke = many > 4000 ? 0.5 : many > 800 ? 0.7 : 1.1;
        std::vector<std::size_t> order(layout_.cables.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        if (load_ != nullptr) { // the loaded ones on top
            std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
                return flows_on(layout_.cables[a].channel) < flows_on(layout_.cables[b].channel);
            });
        }
        page_.open("g", {{"fill", "none"}, {"stroke", "#8a97a6"}, {"stroke-width", svg_number(stroke)}});
        for (const std::size_t i : order) {
            const CableLine& cable = layout_.cables[i];
            const std::uint32_t flows = load_ == nullptr ? 0 : flows_on(cable.channel);
            if (flows > 0) {
                page_.shape(
                    "path",
                    {{"d", cable.path},
                     {"stroke", colour_of(flows)},
                     {"stroke-width", svg_number(stroke * 1.7)}},
                    fmt::format("{}: {} flow{}", fabric_.name(cable.channel), flows, flows == 1 ? "" : "s"));
            } else {
                const bool pale = cable.faint || load_ != nullptr;
                page_.shape("path", {{"d", cable.path}, {"opacity", pale ? "0.4" : "0.85"}},
                            layout_.cables.size() > 3000 ? std::string() : fabric_.name(cable.channel));
            }
        }
        page_.close("g");
    }

    void draw_nodes() {
        std::vector<std::uint32_t> order(fabric_.node_count());
        std::iota(order.begin(), order.end(), 0U);
        std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
            return layout_.spots[a].depth > layout_.spots[b].depth;
        });
        for (const std::uint32_t i : order) {
            const Spot& spot = layout_.spots[i];
            if (spot.size == 0) continue;
            if (fabric_.is_host({i})) {
                page_.shape("circle",
                            {{"cx", svg_number(spot.x)},
                             {"cy", svg_number(spot.y)},
                             {"r", svg_number(spot.size)},
                             {"fill", "#f3c969"},
                             {"stroke", "#8a6d1f"},
                             {"stroke-width", spot.size < 3 ? "0.5" : "0.9"}},
                            fabric_.name(NodeId{i}));
                continue;
            }
            const std::size_t level = std::min<std::size_t>(fabric_.level({i}), switch_colours.size() - 1);
            page_.shape("rect",
                        {{"x", svg_number(spot.x - spot.size)},
                         {"y", svg_number(spot.y - spot.size)},
                         {"width", svg_number(2 * spot.size)},
                         {"height", svg_number(2 * spot.size)},
                         {"rx", svg_number(spot.size * 0.35)},
                         {"fill", spot.depth > 0 ? paler(spot.depth) : std::string(switch_colours[level])},
                         {"stroke", "#ffffff"},
                         {"stroke-width", "1"}},
                        name_of(i));
        }
    }

    // A router that is its host bears the host's name.
    [[nodiscard]] std::string name_of(std::uint32_t node) const {
        for (const LinkId link : fabric_.out({node})) {
            if (link == no_link || !fabric_.is_host(fabric_.channel(link).to)) continue;
            const HostId host{fabric_.channel(link).to.value};
            if (fabric_.ejection_channel(host) == link) return fabric_.name(NodeId{host.value});
        }
        return fabric_.name(NodeId{node});
    }

    // The picture says what is a switch.
    static std::string short_name(const std::string& name) {
        for (const std::string_view word : {"switch ", "router "}) {
            if (name.starts_with(word)) return name.substr(word.size());
        }
        return name;
    }

    void draw_names() {
        // A white rim keeps names readable where cables pass behind them.
        page_.open("g", {{"font-size", svg_number(name_size)},
                         {"fill", "#333333"},
                         {"text-anchor", "middle"},
                         {"stroke", "#ffffff"},
                         {"stroke-width", "2.5"},
                         {"stroke-linejoin", "round"},
                         {"paint-order", "stroke"}});
        for (std::uint32_t i = 0; i < fabric_.node_count(); ++i) {
            const Spot& spot = layout_.spots[i];
            if (spot.size == 0 || spot.room == 0) continue;
            const std::string name = short_name(name_of(i));
            if (text_width(name, name_size) > spot.room) continue;
            const double x = spot.x + spot.name_x;
            const double y = spot.y + spot.name_y;
            if (spot.upright) {
                page_.text(x, y, name,
                           {{"text-anchor", "end"},
                            {"transform",
                             fmt::format("rotate(-90 {} {}) translate(0 3)", svg_number(x), svg_number(y))}});
            } else if (spot.anchor < 0) {
                page_.text(x, y, name, {{"text-anchor", "start"}});
            } else {
                page_.text(x, y, name);
            }
        }
        for (const Caption& each : layout_.captions) page_.text(each.x, each.y, each.words);
        page_.close("g");
    }

    const Fabric& fabric_;
    const PictureText& text_;
    const PatternLoad* load_;
    Layout layout_;
    SvgPage page_;
    std::uint32_t most_flows_ = 0;
};

} // namespace

std::string draw_machine(const Fabric& fabric, const PictureText& text, const PatternLoad* load) {
    return Picture(fabric, text, load).draw();
}

} // namespace orrery
