#include "formats/infiniband/ibnet_file.h"

#include "engine/error.h"
#include "machine/word_lines.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <set>
#include <utility>

namespace orrery {

namespace {

// Data rates of one lane in Gbit/s, the encoding taken off.
constexpr std::array<std::pair<std::string_view, double>, 9> lane_speeds{{{"SDR", 2.0},
                                                                          {"DDR", 4.0},
                                                                          {"QDR", 8.0},
                                                                          {"FDR10", 10.0},
                                                                          {"FDR", 14.0625 * 64 / 66},
                                                                          {"EDR", 25.0},
                                                                          {"HDR", 50.0},
                                                                          {"NDR", 100.0},
                                                                          {"XDR", 200.0}}};

// What follows the word `key` in a text: "lid 5" has 5.
std::optional<std::uint32_t> number_after(std::string_view text, std::string_view key) {
    for (std::size_t at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1)) {
        if (at > 0 && text[at - 1] != ' ' && text[at - 1] != '\t') continue;
        const std::string_view rest = trimmed(text.substr(at + key.size()));
        std::uint32_t value = 0;
        if (std::from_chars(rest.data(), rest.data() + rest.size(), value).ec == std::errc()) return value;
    }
    return std::nullopt;
}

// The text of the first pair of double quotes from `at` on, which is moved behind it.
std::optional<std::string_view> quoted_at(std::string_view line, std::size_t& at) {
    const std::size_t open = line.find('"', at);
    if (open == std::string_view::npos) return std::nullopt;
    const std::size_t close = line.find('"', open + 1);
    if (close == std::string_view::npos) return std::nullopt;
    at = close + 1;
    return line.substr(open + 1, close - open - 1);
}

std::optional<std::uint32_t> bracketed(std::string_view text) {
    if (!text.starts_with('[')) return std::nullopt;
    std::uint32_t value = 0;
    const auto result = std::from_chars(text.data() + 1, text.data() + text.size(), value);
    if (result.ec != std::errc() || result.ptr == text.data() + text.size() || *result.ptr != ']')
        return std::nullopt;
    return value;
}

// "node1 HCA-1" and "node1 mlx5_0" are adapters of node1.
std::string_view host_of(std::string_view description) {
    const std::size_t space = description.find(' ');
    if (space == std::string_view::npos || space == 0) return description;
    const std::string_view adapter = description.substr(space + 1);
    constexpr std::array<std::string_view, 7> kinds{"HCA-", "mlx", "hfi", "ibp", "qib", "mthca", "bnxt"};
    const bool known =
        adapter.find(' ') == std::string_view::npos &&
        std::any_of(kinds.begin(), kinds.end(), [&](auto kind) { return adapter.starts_with(kind); });
    return known ? description.substr(0, space) : description;
}

class IbReader {
  public:
    IbReader(std::string_view text, const std::string& file) : rest_(text), file_(file), reader_(file) {}

    IbNet read() {
        std::string_view line;
        while (take_line(rest_, line)) {
            ++line_;
            read_line(trimmed(line));
        }
        std::vector<std::string> left_out = give_names();
        add_cables();
        out_.net = reader_.finish();
        out_.net.left_out = std::move(left_out);
        set_levels(out_.net);
        out_.net.bandwidth = "100 Gbit/s";
        out_.net.latency = "100 ns";
        out_.net.origin = "default for InfiniBand";
        out_.net.origin_words = "ibnetdiscover";
        return std::move(out_);
    }

  private:
    struct Part {       // an adapter or a switch
        std::string id; // "S-0002c9..."
        std::string description;
        bool host = false;
        bool left_out = false; // an aggregation node
        std::uint64_t guid = 0;
        std::uint64_t line = 0;
        std::string name;
        std::uint32_t highest_port = 1;
        std::uint32_t first_port = 0; // what its port 1 is called in our net
    };
    struct Wire {
        std::size_t part = 0;
        std::uint32_t port = 0;
        std::string peer;
        std::uint32_t peer_port = 0;
        std::optional<double> bandwidth;
        std::uint32_t lid = 0; // of the port, on adapters
        std::uint32_t lmc = 0;
        std::uint64_t line = 0;
    };

    void read_line(std::string_view line) {
        if (line.empty() || line.front() == '#') return;
        if (line.starts_with("switchguid=") || line.starts_with("caguid=") || line.starts_with("rtguid=")) {
            guid_ = parse_guid(line.substr(line.find('=') + 1));
            return;
        }
        if (line.front() == '[') return read_wire(line);
        const std::string_view kind = line.substr(0, line.find_first_of(" \t"));
        if (kind == "Switch") return begin_part(line, false);
        if (kind == "Ca" || kind == "Rt") return begin_part(line, true);
        if (line.find('=') != std::string_view::npos) return; // vendid=, devid=, sysimgguid=
        reader_.fail(line_, "expected Switch, Ca, [port] or key=value, as ibnetdiscover prints them");
    }

    static std::uint64_t parse_guid(std::string_view text) {
        if (text.starts_with("0x")) text.remove_prefix(2);
        std::uint64_t value = 0;
        std::from_chars(text.data(), text.data() + text.size(), value, 16);
        return value;
    }

    // Switch 8 "S-0000000000200003"  # "leaf3" base port 0 lid 6 lmc 0
    void begin_part(std::string_view line, bool host) {
        std::size_t at = 0;
        const auto id = quoted_at(line, at);
        if (!id) reader_.fail(line_, "expected an identifier in quotes");
        Part part;
        part.id = *id;
        part.host = host;
        part.line = line_;
        part.guid = std::exchange(guid_, 0);
        const std::string_view comment = line.substr(at);
        std::size_t within = 0;
        part.description = trimmed(quoted_at(comment, within).value_or(*id));
        if (part.description.empty()) part.description = part.id;
        part.left_out = host && part.description.find("Aggregation Node") != std::string::npos;
        if (!parts_by_id_.emplace(part.id, parts_.size()).second) {
            reader_.fail(line_, fmt::format("there is another {}", part.id));
        }
        parts_.push_back(std::move(part));
    }

    // [1](100019)  "S-0000000000200003"[4]  # lid 22 lmc 0 "leaf3" lid 6 4xSDR
    void read_wire(std::string_view line) {
        if (parts_.empty()) reader_.fail(line_, "a port before the first Switch or Ca");
        Wire wire;
        wire.part = parts_.size() - 1;
        wire.line = line_;
        std::size_t at = 0;
        const auto port = bracketed(line);
        const auto peer = quoted_at(line, at);
        const auto far = peer ? bracketed(line.substr(at)) : std::nullopt;
        if (!port || !far) reader_.fail(line_, "expected a cable such as [1] \"S-0002c90300000001\"[4]");
        wire.port = *port;
        parts_.back().highest_port = std::max(parts_.back().highest_port, *port);
        wire.peer = *peer;
        wire.peer_port = *far;
        const std::size_t mark = line.find('#', at);
        const std::string_view comment = mark == std::string_view::npos ? "" : line.substr(mark + 1);
        const std::string_view own = comment.substr(0, comment.find('"'));
        if (parts_.back().host) {
            wire.lid = number_after(own, "lid").value_or(0);
            wire.lmc = number_after(own, "lmc").value_or(0);
            constexpr std::uint32_t highest_lmc = 7;
            if (wire.lmc > highest_lmc) reader_.fail(line_, "lmc is at most 7");
        }
        const std::size_t last = comment.find_last_of(" \t");
        if (last != std::string_view::npos) wire.bandwidth = ib_bandwidth(comment.substr(last + 1));
        wires_.push_back(std::move(wire));
    }

    // Descriptions where they are unique, with the identifier behind them where they are not.
    std::vector<std::string> give_names() {
        std::vector<std::string> left_out;
        std::map<std::string, std::vector<std::size_t>, std::less<>> hosts;
        std::map<std::string, int, std::less<>> seen; // full descriptions
        for (const Part& part : parts_) ++seen[part.description];
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            Part& part = parts_[i];
            if (part.left_out) {
                left_out.push_back(
                    fmt::format("{}:{}: {} (a part of its switch)", file_, part.line, part.description));
                continue;
            }
            const bool unique = seen[part.description] == 1;
            part.name = unique ? part.description : fmt::format("{}@{}", part.description, part.id);
            if (part.host && unique) part.name = host_of(part.description);
            if (part.host)
                hosts[part.name].push_back(i);
            else
                add_switch(part);
        }
        // In the order of the file, which is that of the fabric's discovery.
        for (const Part& part : parts_) {
            if (!part.host || part.left_out || reader_.find(part.name)) continue;
            reader_.add_node(part.name, true, part.line);
            number_ports(hosts[part.name]);
        }
        return left_out;
    }

    void add_switch(const Part& part) {
        reader_.add_node(part.name, false, part.line);
        out_.guids[part.guid] = part.name;
    }

    // The adapters of a host by their names, their ports one after another from 0.
    void number_ports(std::vector<std::size_t>& adapters) {
        std::sort(adapters.begin(), adapters.end(), [&](std::size_t a, std::size_t b) {
            return std::pair(parts_[a].description, a) < std::pair(parts_[b].description, b);
        });
        std::uint32_t next = 0;
        for (const std::size_t adapter : adapters) {
            parts_[adapter].first_port = next;
            next += parts_[adapter].highest_port;
        }
    }

    [[nodiscard]] std::uint32_t our_port(const Part& part, std::uint32_t port, std::uint64_t line) const {
        if (!part.host) return port;
        if (port == 0) reader_.fail(line, "adapters have no port 0");
        return part.first_port + port - 1;
    }

    void add_cables() {
        for (const Wire& wire : wires_) {
            const Part& part = parts_[wire.part];
            const auto found = parts_by_id_.find(wire.peer);
            if (found == parts_by_id_.end()) {
                reader_.fail(wire.line, fmt::format("there is no {}", wire.peer));
            }
            const Part& peer = parts_[found->second];
            if (part.left_out || peer.left_out) continue;
            const std::uint32_t port = our_port(part, wire.port, wire.line);
            if (part.host && wire.lid != 0) out_.ports.push_back({wire.lid, wire.lmc, part.name, port});
            reader_.add_port({*reader_.find(part.name),
                              port,
                              peer.name,
                              our_port(peer, wire.peer_port, wire.line),
                              {},
                              wire.line,
                              wire.bandwidth,
                              {}});
        }
    }

    std::string_view rest_;
    std::string file_;
    NetReader reader_;
    IbNet out_;
    std::uint64_t line_ = 0;
    std::uint64_t guid_ = 0;
    std::vector<Part> parts_;
    std::map<std::string, std::size_t, std::less<>> parts_by_id_;
    std::vector<Wire> wires_;
};

} // namespace

std::optional<double> ib_bandwidth(std::string_view width_and_speed) {
    const std::size_t x = width_and_speed.find('x');
    if (x == std::string_view::npos) return std::nullopt;
    const auto width = whole_number(width_and_speed.substr(0, x));
    constexpr std::int64_t most = 12;
    if (!width || *width < 1 || *width > most) return std::nullopt;
    for (const auto& [name, speed] : lane_speeds) {
        constexpr double bytes = 1e9 / 8;
        if (width_and_speed.substr(x + 1) == name) return static_cast<double>(*width) * speed * bytes;
    }
    return std::nullopt;
}

bool is_ibnet_line(std::string_view line) {
    return line.starts_with("vendid=") || line.starts_with("devid=") || line.starts_with("sysimgguid=") ||
           line.starts_with("switchguid=") || line.starts_with("caguid=") || line.starts_with("Switch\t") ||
           line.starts_with("Ca\t");
}

IbNet read_ibnet(std::string_view text, const std::string& file) { return IbReader(text, file).read(); }

} // namespace orrery
