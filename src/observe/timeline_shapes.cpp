#include "observe/timeline_shapes.h"

#include "engine/units.h"
#include "workload/op.h"

#include <fmt/format.h>

#include <algorithm>

namespace orrery {

namespace {

constexpr std::array<MarkStyle, mark_count> styles = {{
    {"#c9e4d6", "compute"},
    {"#1f4e8c", "send overhead (o, O)"},
    {"#e69f00", "receive overhead (o, O or G)"},
    {"url(#noise)", "OS noise"},
    {"url(#out)", "NIC sends (g, G)"},
    {"url(#in)", "NIC receives (g, G)"},
    {"#5a5a5a", "message (first byte)"},
    {"#5a5a5a", "message (until last byte)"},
    {"#5a5a5a", "message waits for CPU or NIC"},
    {"#c2003f", "critical path"},
}};

constexpr double hairline = 0.3;    // half the white between two bars that touch
constexpr double least_width = 0.8; // of a bar, to be seen

std::string or_any(std::uint32_t value, std::uint32_t any) {
    return value == any ? "any" : std::to_string(value);
}

std::string tooltip(const Activity& a, Mark mark, Time begin, Time end) {
    std::string text = fmt::format("rank {}, operation {}: ", a.rank, a.op);
    const std::string_view control = a.control ? "control message, " : "";
    switch (mark) {
    case Mark::calc: text += "compute"; break;
    case Mark::noise: text += "OS noise"; break;
    case Mark::nic_out: text += fmt::format("NIC {} occupied by {}sending", a.nic, control); break;
    case Mark::nic_in: text += fmt::format("NIC {} occupied by {}receiving", a.nic, control); break;
    case Mark::send: text += fmt::format("{}send", control); break;
    default: text += fmt::format("{}receive", control);
    }
    if (a.kind != ActivityKind::calc && mark != Mark::noise) {
        text += fmt::format(" {} B {} rank {}, tag {}", a.size, a.kind == ActivityKind::send ? "to" : "from",
                            or_any(a.peer, any_source), or_any(a.tag, any_tag));
    }
    return text + fmt::format("\n{} to {} ({})", time_words(begin), time_words(end), time_words(end - begin));
}

// One bar in one lane; `begin` to `end` is cut at the edges of the plot.
void bar(SvgPage& page, const TimelineLayout& layout, const Lane& lane, const Activity& activity, Mark mark,
         Time begin, Time end) {
    double x = layout.x_inside(begin);
    double width = layout.x_inside(end) - x;
    if (width > 6 * hairline) {
        x += hairline;
        width -= 2 * hairline;
    }
    page.shape("rect",
               {{"x", svg_number(x)},
                {"y", svg_number(lane.top)},
                {"width", svg_number(std::max(width, least_width))},
                {"height", svg_number(lane.height)}},
               tooltip(activity, mark, begin, end));
}

// All bars of one mark, as a group with its paint. `select` gives an activity's lane and stretch of time.
template <typename Select>
void bars(SvgPage& page, const Recording& recording, const TimelineLayout& layout, Mark mark, MarksUsed& used,
          Select select) {
    bool open = false;
    for (const Activity& activity : recording.activities) {
        const Band* band = layout.band(activity.rank);
        if (band == nullptr) continue;
        const auto [lane, begin, end] = select(activity, *band);
        if (lane == nullptr || begin == end || !layout.inside(begin, end)) continue;
        if (!open) {
            // Pale bars get an edge, to stand out from the lane in greyscale.
            const bool pale = mark == Mark::calc;
            page.open("g",
                      {{"fill", paint(mark)}, {"stroke", pale ? "#86b39c" : "none"}, {"stroke-width", "0.5"}});
            use(used, mark);
            open = true;
        }
        bar(page, layout, *lane, activity, mark, begin, end);
    }
    if (open) page.close("g");
}

struct Stretch {
    const Lane* lane = nullptr;
    Time begin;
    Time end;
};

void message(SvgPage& page, const LogGOPS& parameters, const TimelineLayout& layout, const Activity& sent,
             const Activity& received, Mark mark, MarksUsed& used) {
    const Band* from = layout.band(sent.rank);
    const Band* to = layout.band(received.rank);
    if (from == nullptr || to == nullptr) return;
    const Time leaves = sent.start + parameters.o;
    const Time arrives = leaves + parameters.L;
    const Time bytes = sent.control ? Time::zero() : per_byte(sent.size, parameters.G);
    if (!layout.inside(leaves, later(arrives + bytes, received.start))) return;
    const Flight way = flight(*from, *to);
    const double x0 = layout.x(leaves);
    const double x1 = layout.x(arrives);
    switch (mark) {
    case Mark::bytes: {
        const double width = layout.x(arrives + bytes) - x1;
        if (width < 2) return;
        page.shape("path", {{"d", fmt::format("M{} {}L{} {}h{}L{} {}z", svg_number(x0), svg_number(way.leave_y),
                                              svg_number(x1), svg_number(way.enter_y), svg_number(width),
                                              svg_number(x0 + width), svg_number(way.leave_y))}});
        break;
    }
    case Mark::waiting: {
        if (received.start <= arrives || layout.x(received.start) - x1 < 2) return;
        const double outside = way.enter_y == to->top ? -2.5 : 2.5; // beside the band, not on it
        page.shape("path", {{"d", fmt::format("M{} {}H{}", svg_number(x1), svg_number(way.enter_y + outside),
                                              svg_number(layout.x(received.start)))}});
        break;
    }
    default:
        page.shape("path",
                   {{"d", fmt::format("M{} {}L{} {}", svg_number(x0), svg_number(way.leave_y), svg_number(x1),
                                      svg_number(way.enter_y))}},
                   fmt::format("message of {} B from rank {} to rank {}, tag {}\nleaves at {}, arrives at {}",
                               sent.size, sent.rank, received.rank, or_any(sent.tag, any_tag),
                               time_words(leaves), time_words(arrives)));
    }
    use(used, mark);
}

void messages(SvgPage& page, const Recording& recording, const LogGOPS& parameters,
              const TimelineLayout& layout, Mark mark, SvgPage::Attributes attributes, MarksUsed& used) {
    page.open("g", attributes);
    for (const Activity& activity : recording.activities) {
        if (activity.kind != ActivityKind::send || activity.partner == no_activity) continue;
        message(page, parameters, layout, activity, recording.activities[activity.partner], mark, used);
    }
    page.close("g");
}

} // namespace

Flight flight(const Band& from, const Band& to) {
    if (from.rank < to.rank) return {from.bottom, to.top};
    if (from.rank > to.rank) return {from.top, to.bottom};
    return {from.top - 2, from.top - 2}; // to itself
}

const MarkStyle& mark_style(Mark mark) { return styles[static_cast<std::size_t>(mark)]; }

std::string_view pattern_definitions() {
    return R"svg(<defs>
<pattern id="out" width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="4" height="4" fill="#dce6f2"/><rect width="1.5" height="4" fill="#1f4e8c"/></pattern>
<pattern id="in" width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(-45)"><rect width="4" height="4" fill="#fdf0cf"/><rect width="1.5" height="4" fill="#b97f00"/></pattern>
<pattern id="noise" width="3" height="3" patternUnits="userSpaceOnUse"><rect width="3" height="3" fill="#ffffff"/><rect width="1.6" height="1.6" fill="#7b2a6b"/></pattern>
<marker id="tip" viewBox="0 0 6 6" refX="5.6" refY="3" markerWidth="6" markerHeight="6" orient="auto"><path d="M0 0.8L6 3L0 5.2z" fill="#5a5a5a"/></marker>
</defs>
)svg";
}

void draw_operations(SvgPage& page, const Recording& recording, const LogGOPS& parameters,
                     const TimelineLayout& layout, MarksUsed& used) {
    messages(page, recording, parameters, layout, Mark::bytes,
             {{"fill", paint(Mark::bytes)}, {"opacity", "0.16"}}, used);
    const auto on_cpu = [&](ActivityKind kind) {
        return [&layout, kind](const Activity& a, const Band& band) {
            if (a.kind != kind) return Stretch{};
            return Stretch{&layout.cpu_lane(band, a), a.start, a.end - a.noise};
        };
    };
    const auto on_nic = [&](ActivityKind kind) {
        return [&layout, kind](const Activity& a, const Band& band) {
            if (a.kind != kind) return Stretch{};
            return Stretch{&layout.nic_lane(band, a), a.start, later(a.start, a.port_end)};
        };
    };
    bars(page, recording, layout, Mark::calc, used, on_cpu(ActivityKind::calc));
    bars(page, recording, layout, Mark::send, used, on_cpu(ActivityKind::send));
    bars(page, recording, layout, Mark::recv, used, on_cpu(ActivityKind::recv));
    bars(page, recording, layout, Mark::noise, used, [&](const Activity& a, const Band& band) {
        return Stretch{&layout.cpu_lane(band, a), a.end - a.noise, a.end};
    });
    bars(page, recording, layout, Mark::nic_out, used, on_nic(ActivityKind::send));
    bars(page, recording, layout, Mark::nic_in, used, on_nic(ActivityKind::recv));
    const bool crowded = layout.crowded();
    messages(page, recording, parameters, layout, Mark::message,
             {{"stroke", paint(Mark::message)},
              {"stroke-width", crowded ? "0.45" : "0.9"},
              {"marker-end", crowded ? "none" : "url(#tip)"}},
             used);
    messages(page, recording, parameters, layout, Mark::waiting,
             {{"stroke", paint(Mark::waiting)}, {"stroke-width", "1"}, {"stroke-dasharray", "1.5 2"}}, used);
}

} // namespace orrery
