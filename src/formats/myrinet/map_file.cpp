#include "formats/myrinet/map_file.h"

#include "engine/error.h"
#include "engine/units.h"
#include "machine/platform.h"
#include "machine/word_lines.h"

#include <fmt/format.h>
#include <iterator>
#include <utility>

namespace orrery {

namespace {

// 'h' and 's' begin a stanza, or name the kind of a peer.
std::optional<bool> kind_of(const Word& word) {
    if (word.quoted) return std::nullopt;
    if (word.text == "h" || word.text == "H") return true;
    if (word.text == "s" || word.text == "S") return false;
    return std::nullopt;
}

class MapReader {
  public:
    MapReader(std::string_view text, const std::string& file) : lines_(text, file), reader_(file) {}

    Net read() {
        while (lines_.next()) read_line();
        for (NetReader::Port& port : reader_.ports()) {
            const auto found = links_.find({port.node, port.port});
            if (found == links_.end()) continue;
            port.bandwidth = found->second.first;
            port.latency = found->second.second;
        }
        Net net = reader_.finish();
        set_levels_unless_given(net);
        net.bandwidth = "2 Gbit/s";
        net.latency = "500 ns";
        net.origin = "default for Myrinet maps";
        net.origin_words = "a Myrinet map";
        return net;
    }

  private:
    void read_line() {
        const auto& words = lines_.words();
        if (const auto is_host = kind_of(words[0]); is_host && words.size() > 1) {
            begin_stanza(*is_host);
        } else if (const auto number = words[0].quoted ? std::nullopt : whole_number(words[0].text)) {
            if (!inside_) lines_.fail("a port before the first stanza, which begins with h or s and a name");
            if (words.size() > 1) read_port(*number); // alone it is the number of ports
        } else {
            if (inside_) read_keyword();
        }
    }

    // h - "name" [ports]
    void begin_stanza(bool is_host) {
        const auto& words = lines_.words();
        const std::size_t at = words[1].text == "-" && !words[1].quoted ? 2 : 1;
        if (at >= words.size() || words[at].text.empty()) lines_.fail("expected a name after h or s");
        node_ = reader_.add_node(std::string(words[at].text), is_host, lines_.line());
        inside_ = true;
    }

    // 3 s - "peer" 5
    void read_port(std::int64_t number) {
        const auto& words = lines_.words();
        NetReader::Port port{node_, port_number(number), {}, 0, {}, lines_.line(), {}, {}};
        std::size_t at = 1;
        if (const auto is_host = kind_of(words[at]); is_host && words.size() > 2) {
            port.peer_is_host = is_host;
            ++at;
        }
        if (at < words.size() && words[at].text == "-" && !words[at].quoted) ++at;
        if (at >= words.size()) lines_.fail("expected what the port is joined to, such as 0 s - \"switch\" 3");
        port.peer = words[at].text;
        if (++at < words.size()) {
            const auto far = whole_number(words[at].text);
            if (!far) lines_.fail(fmt::format("'{}' is not the port of {}", words[at].text, port.peer));
            port.peer_port = port_number(*far);
        }
        reader_.add_port(std::move(port));
    }

    // Those that we write; others have no meaning here.
    void read_keyword() {
        const auto& words = lines_.words();
        const std::string_view key = words[0].text;
        try {
            if (key == "level" && words.size() == 2) {
                reader_.node(node_).level = port_number(whole_number(words[1].text).value_or(-1));
                level_given_ = true;
            } else if (key == "cores" && words.size() == 2) {
                const std::uint32_t cores = port_number(whole_number(words[1].text).value_or(-1));
                if (cores == 0) lines_.fail("a host has at least one core");
                reader_.node(node_).cores = cores;
            } else if (key == "speed" && words.size() == 2) {
                reader_.node(node_).speed = positive(parse_rate(words[1].text));
            } else if (key == "link" && words.size() == 4) {
                const std::uint32_t port = port_number(whole_number(words[1].text).value_or(-1));
                links_[{node_, port}] = {positive(parse_bandwidth(words[2].text)), parse_time(words[3].text)};
            }
        } catch (const UsageError& error) {
            lines_.fail(fmt::format("{}: {}", key, error.what()));
        }
    }

    [[nodiscard]] double positive(double value) const {
        if (!(value > 0)) lines_.fail("must be more than zero");
        return value;
    }

    [[nodiscard]] std::uint32_t port_number(std::int64_t number) const {
        constexpr std::int64_t most = 65'535;
        if (number < 0 || number > most) lines_.fail(fmt::format("expected a number from 0 to {}", most));
        return static_cast<std::uint32_t>(number);
    }

    void set_levels_unless_given(Net& net) const {
        if (!level_given_) set_levels(net);
    }

    WordLines lines_;
    NetReader reader_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<double, Time>> links_;
    std::uint32_t node_ = 0;
    bool inside_ = false;
    bool level_given_ = false;
};

void write_ports(const Fabric& fabric, NodeId node, std::string& out) {
    auto end = std::back_inserter(out);
    fmt::format_to(end, "{} - {}\n{}\n", fabric.is_host(node) ? 'h' : 's', quoted_name(fabric.name(node)),
                   fabric.port_count(node));
    for (const LinkId link : fabric.out(node)) {
        if (link == no_link) continue;
        const Channel& channel = fabric.channel(link);
        fmt::format_to(end, "{} {} - {} {}\n", channel.from_port, fabric.is_host(channel.to) ? 'h' : 's',
                       quoted_name(fabric.name(channel.to)), channel.to_port);
    }
}

// At the end that was named first; both directions of a cable are alike in a map.
void write_links(const Fabric& fabric, NodeId node, std::string& out) {
    for (const LinkId link : fabric.out(node)) {
        if (link == no_link) continue;
        const Channel& channel = fabric.channel(link);
        if (channel.to < node) continue;
        const bool injects = fabric.is_host(node) && fabric.injection_channel(HostId{node.value}) == link;
        const double bandwidth = injects && channel.bandwidth == 0
                                     ? injection_bandwidth(fabric, HostId{node.value})
                                     : channel.bandwidth;
        fmt::format_to(std::back_inserter(out), "link {} \"{} B/s\" \"{} ps\"\n", channel.from_port, bandwidth,
                       channel.latency.ps());
    }
}

} // namespace

double injection_bandwidth(const Fabric& fabric, HostId host) {
    const NodeId router = fabric.channel(fabric.injection_channel(host)).to;
    double total = 0;
    for (const LinkId link : fabric.out(router)) {
        if (link != no_link && !fabric.is_host(fabric.channel(link).to))
            total += fabric.channel(link).bandwidth;
    }
    constexpr double alone = 1e12; // a router without cables
    return total > 0 ? total : alone;
}

bool is_map_line(std::string_view line) {
    WordLines lines(line, "");
    try {
        if (!lines.next() || lines.words().size() < 2 || !kind_of(lines.words()[0])) return false;
    } catch (const InputError&) {
        return false;
    }
    return lines.words()[1].quoted || lines.words()[1].text == "-";
}

Net read_map(std::string_view text, const std::string& file) { return MapReader(text, file).read(); }

std::string write_map(const Fabric& fabric) {
    const Platform& platform = fabric.platform();
    std::string out = fmt::format("# {}\n", platform.topology().words());
    for (std::uint32_t i = 0; i < fabric.node_count(); ++i) {
        const NodeId node{i};
        write_ports(fabric, node, out);
        if (fabric.is_host(node)) {
            const Host& host = platform.host(HostId{i});
            fmt::format_to(std::back_inserter(out), "number {}\ncores {}\nspeed \"{} flop/s\"\n", i, host.cores,
                           host.speed);
        } else {
            fmt::format_to(std::back_inserter(out), "level {}\n", fabric.level(node));
        }
        write_links(fabric, node, out);
        out += '\n';
    }
    return out;
}

} // namespace orrery
