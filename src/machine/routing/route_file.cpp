#include "machine/routing/route_file.h"

#include "engine/error.h"
#include "machine/word_lines.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <utility>

namespace orrery {

namespace {

constexpr std::int64_t highest_port = 65'535;

class RouteReader {
  public:
    RouteReader(std::string_view text, const Fabric& fabric, const std::string& file)
        : lines_(text, file), fabric_(fabric) {
        for (std::uint32_t i = 0; i < fabric.node_count(); ++i) nodes_.emplace(fabric.name(NodeId{i}), i);
    }

    RouteText read() {
        bool first = true;
        while (lines_.next()) {
            if (!std::exchange(first, false) || !read_header()) read_line();
        }
        const std::size_t columns = out_.tables.targets.size();
        out_.tables.next.assign(columns * fabric_.switch_count(), no_link);
        for (const auto& [at, link] : entries_) out_.tables.next[at.first * columns + at.second] = link;
        return std::move(out_);
    }

  private:
    bool read_header() {
        const auto& words = lines_.words();
        if (words[0].quoted) return false;
        tables_ = words[0].text == "tables";
        if (words[0].text != "routes" && !tables_) return false;
        for (std::size_t i = 1; i < words.size(); ++i) {
            if (words[i].text != "absolute" && words[i].text != "signed") {
                lines_.fail(fmt::format("'{}' is not signed or absolute", words[i].text));
            }
            absolute_ = words[i].text == "absolute";
        }
        return true;
    }

    void read_line() {
        const auto& words = lines_.words();
        if (!tables_) return read_route();
        if (words.size() == 2 && words[0].text == "switch") {
            const NodeId node = node_named(words[1].text);
            if (fabric_.is_host(node)) lines_.fail(fmt::format("{} is a host, not a switch", words[1].text));
            switch_ = node.value - fabric_.host_count();
        } else if (words[0].text == "lid" && (words.size() == 3 || words.size() == 4)) {
            const std::uint64_t lid = number(words[1], 0xFFFF'FFFF);
            const std::uint32_t port = words.size() == 4 ? port_number(words[3]) : 0;
            if (!targets_.emplace(lid, out_.tables.targets.size()).second) {
                lines_.fail(fmt::format("there is another lid {}", lid));
            }
            const HostId host = host_named(words[2].text);
            static_cast<void>(channel(NodeId{host.value}, port)); // must be joined
            out_.tables.targets.push_back({lid, host, port, lines_.line()});
        } else if (words.size() == 2) {
            read_entry(number(words[0], 0xFFFF'FFFF), port_number(words[1]));
        } else {
            lines_.fail("expected lid NUMBER \"host\" PORT, switch \"name\", or NUMBER PORT in a table");
        }
    }

    void read_entry(std::uint64_t lid, std::uint32_t port) {
        if (!switch_) lines_.fail("an entry before the first switch");
        const auto target = targets_.find(lid);
        if (target == targets_.end()) lines_.fail(fmt::format("no line says which host has lid {}", lid));
        const LinkId link = channel(NodeId{fabric_.host_count() + *switch_}, port);
        if (!entries_.emplace(std::pair(*switch_, target->second), link).second) {
            lines_.fail(fmt::format("the switch has another entry for lid {}", lid));
        }
    }

    // [route] "from" [port] "to" turn turn ...
    void read_route() {
        const auto& words = lines_.words();
        std::size_t at = !words[0].quoted && words[0].text == "route" ? 1 : 0;
        const auto next = [&]() -> const Word& {
            if (at >= words.size()) lines_.fail("expected route \"from\" \"to\" and a turn for each switch");
            return words[at++];
        };
        FileRoute route;
        route.line = lines_.line();
        route.from = host_named(next().text);
        std::uint32_t port = 0;
        if (at < words.size() && !words[at].quoted && whole_number(words[at].text)) port = port_number(next());
        route.to = host_named(next().text);
        if (route.from == route.to) lines_.fail("a route from a host to itself");
        route.channels.push_back(channel(NodeId{route.from.value}, port));
        for (; at < words.size(); ++at) follow(words[at], route);
        const NodeId end = fabric_.channel(route.channels.back()).to;
        if (end != NodeId{route.to.value}) {
            lines_.fail(fmt::format("the route ends at {}, not at {}", fabric_.name(end),
                                    fabric_.name(NodeId{route.to.value})));
        }
        out_.routes.push_back(std::move(route));
    }

    void follow(const Word& word, FileRoute& route) const {
        const Channel& came = fabric_.channel(route.channels.back());
        if (fabric_.is_host(came.to)) {
            lines_.fail(fmt::format("the route has reached {}, but has a turn left", fabric_.name(came.to)));
        }
        const auto turn = word.quoted ? std::nullopt : whole_number(word.text);
        if (!turn || *turn < -highest_port || *turn > highest_port) {
            lines_.fail(fmt::format("'{}' is not a {}", word.text, absolute_ ? "port" : "turn"));
        }
        const std::int64_t port = absolute_ ? *turn : std::int64_t{came.to_port} + *turn;
        if (port < 0)
            lines_.fail(fmt::format("turn {} leads to port {} of {}", *turn, port, fabric_.name(came.to)));
        route.channels.push_back(channel(came.to, static_cast<std::uint32_t>(port)));
    }

    [[nodiscard]] LinkId channel(NodeId node, std::uint32_t port) const {
        const auto ports = fabric_.out(node);
        if (port >= ports.size() || ports[port] == no_link) {
            lines_.fail(fmt::format("port {} of {} is not joined to anything", port, fabric_.name(node)));
        }
        return ports[port];
    }

    [[nodiscard]] std::uint64_t number(const Word& word, std::int64_t most) const {
        const auto value = word.quoted ? std::nullopt : whole_number(word.text);
        if (!value || *value < 0 || *value > most) {
            lines_.fail(fmt::format("'{}' is not a number from 0 to {}", word.text, most));
        }
        return static_cast<std::uint64_t>(*value);
    }
    [[nodiscard]] std::uint32_t port_number(const Word& word) const {
        return static_cast<std::uint32_t>(number(word, highest_port));
    }
    [[nodiscard]] NodeId node_named(std::string_view name) const {
        const auto found = nodes_.find(name);
        if (found == nodes_.end()) lines_.fail(fmt::format("the machine has no '{}'", name));
        return NodeId{found->second};
    }
    [[nodiscard]] HostId host_named(std::string_view name) const {
        const NodeId node = node_named(name);
        if (!fabric_.is_host(node)) lines_.fail(fmt::format("{} is a switch, not a host", name));
        return HostId{node.value};
    }

    WordLines lines_;
    const Fabric& fabric_;
    std::map<std::string, std::uint32_t, std::less<>> nodes_;
    RouteText out_;
    bool absolute_ = false;
    bool tables_ = false;
    std::optional<std::uint32_t> switch_;
    std::map<std::uint64_t, std::size_t> targets_; // by lid
    std::map<std::pair<std::uint32_t, std::size_t>, LinkId> entries_;
};

// Writes each path that it receives.
class PathWriter final : public PathSink {
  public:
    PathWriter(const Fabric& fabric, PortStyle style, std::string& out)
        : fabric_(fabric), style_(style), out_(out) {}

    void between(HostId a, HostId b) {
        from_ = a;
        to_ = b;
    }
    void path(std::span<const Hop> hops) override {
        auto end = std::back_inserter(out_);
        fmt::format_to(end, "route {}", quoted_name(fabric_.name(NodeId{from_.value})));
        const std::uint32_t first = fabric_.channel(hops.front().channel).from_port;
        if (first != 0) fmt::format_to(end, " {}", first);
        fmt::format_to(end, " {}", quoted_name(fabric_.name(NodeId{to_.value})));
        for (std::size_t i = 1; i < hops.size(); ++i) {
            const std::int64_t came = fabric_.channel(hops[i - 1].channel).to_port;
            const std::int64_t leaves = fabric_.channel(hops[i].channel).from_port;
            fmt::format_to(end, " {}", style_ == PortStyle::absolute ? leaves : leaves - came);
        }
        out_ += '\n';
    }

  private:
    const Fabric& fabric_;
    PortStyle style_;
    std::string& out_;
    HostId from_;
    HostId to_;
};

} // namespace

RouteText read_routes(std::string_view text, const Fabric& fabric, const std::string& file) {
    return RouteReader(text, fabric, file).read();
}

std::string write_routes(const Fabric& fabric, const Routing& routing, PortStyle style,
                         std::uint32_t most_paths) {
    std::string out =
        fmt::format("# {}\nroutes {}\n", routing.words(), style == PortStyle::absolute ? "absolute" : "signed");
    PathWriter writer(fabric, style, out);
    for (std::uint32_t a = 0; a < fabric.host_count(); ++a) {
        for (std::uint32_t b = 0; b < fabric.host_count(); ++b) {
            if (a == b) continue;
            writer.between({a}, {b});
            routing.paths({a}, {b}, most_paths, writer);
        }
    }
    return out;
}

} // namespace orrery
