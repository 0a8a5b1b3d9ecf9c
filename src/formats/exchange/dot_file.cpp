#include "formats/exchange/writers.h"

#include "engine/units.h"

#include <fmt/format.h>
#include <iterator>
#include <map>
#include <vector>

namespace orrery {

namespace {

std::string label(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out + "\"";
}

} // namespace

std::string write_dot(const Fabric& fabric, const std::string& name) {
    std::string out =
        fmt::format("graph {} {{\n  layout = dot;\n  rankdir = BT;\n  node [shape = box];\n", label(name));
    const auto add = [&out](fmt::string_view pattern, const auto&... values) {
        fmt::format_to(std::back_inserter(out), fmt::runtime(pattern), values...);
    };
    std::map<std::uint32_t, std::vector<NodeId>> levels;
    for (std::uint32_t i = 0; i < fabric.node_count(); ++i) {
        const NodeId node{i};
        add("  v{} [label = {}{}];\n", i, label(fabric.name(node)),
            fabric.is_host(node) ? "" : ", shape = ellipse");
        if (!fabric.is_host(node) && fabric.level(node) > 0) levels[fabric.level(node)].push_back(node);
    }
    for (const auto& [level, nodes] : levels) {
        out += "  {rank = same;";
        for (const NodeId node : nodes) add(" v{};", node.value);
        out += "}\n";
    }
    for (std::uint32_t i = 0; i < fabric.channel_count(); ++i) {
        const Channel& channel = fabric.channel({i});
        if (!fabric.is_channel({i}) || channel.to < channel.from) continue;
        add("  v{} -- v{} [taillabel = {}, headlabel = {}{}];\n", channel.from.value, channel.to.value,
            channel.from_port, channel.to_port,
            channel.bandwidth > 0 ? fmt::format(", tooltip = \"{}\"", format_bandwidth(channel.bandwidth))
                                  : "");
    }
    return out + "}\n";
}

} // namespace orrery
