#include "formats/slurm/slurm_file.h"

#include "engine/error.h"
#include "machine/host_names.h"
#include "machine/machine_limits.h"
#include "machine/topologies/graph.h"
#include "machine/word_lines.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <utility>

namespace orrery {

namespace {

bool same_word(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
        return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
    });
}

// Splits at commas outside of brackets.
std::vector<std::string_view> split_list(std::string_view list) {
    std::vector<std::string_view> out;
    std::size_t begin = 0;
    bool inside = false;
    for (std::size_t i = 0; i <= list.size(); ++i) {
        if (i == list.size() || (list[i] == ',' && !inside)) {
            out.push_back(trimmed(list.substr(begin, i - begin)));
            begin = i + 1;
        } else if (list[i] == '[') {
            inside = true;
        } else if (list[i] == ']') {
            inside = false;
        }
    }
    return out;
}

// A list names what hangs at one switch. Told before all the names are made.
void check_list_length(std::uint64_t names) {
    if (names > most_ports)
        throw UsageError(
            fmt::format("names more than {} nodes, which is the highest port of a switch", most_ports));
}

// The numbers of "0-3,07" as they are written.
std::vector<std::string> expand_numbers(std::string_view text) {
    std::vector<std::string> out;
    for (const std::string_view piece : split_list(text)) {
        const std::size_t dash = piece.find('-');
        const std::string_view low = piece.substr(0, dash);
        const std::string_view high = dash == std::string_view::npos ? low : piece.substr(dash + 1);
        const auto first = whole_number(low);
        const auto last = whole_number(high);
        if (!first || !last || *first < 0 || *last < *first ||
            *last - *first >= static_cast<std::int64_t>(machine_limits().hosts)) {
            throw UsageError(fmt::format("'{}' is not a range of numbers such as 0-15", piece));
        }
        check_list_length(out.size() + static_cast<std::uint64_t>(*last - *first) + 1);
        for (std::int64_t i = *first; i <= *last; ++i) out.push_back(fmt::format("{:0{}}", i, low.size()));
    }
    return out;
}

class SlurmReader {
  public:
    SlurmReader(std::string_view text, const std::string& file) : rest_(text), reader_(file) {}

    Net read() {
        std::string line;
        std::string_view piece;
        std::uint64_t number = 0;
        std::uint64_t first = 0; // of a line that is continued by a backslash
        while (take_line(rest_, piece)) {
            ++number;
            if (line.empty()) first = number;
            piece = trimmed(piece);
            const bool goes_on = piece.ends_with('\\');
            if (goes_on) piece.remove_suffix(1);
            line += piece;
            if (goes_on) continue;
            read_line(line, first);
            line.clear();
        }
        if (!line.empty()) read_line(line, first);
        add_cables();
        Net net = reader_.finish();
        set_levels(net);
        net.bandwidth = "100 Gbit/s";
        net.latency = "1 us";
        net.origin = "default for Slurm";
        net.origin_words = "a Slurm topology";
        return net;
    }

  private:
    struct Below { // of a switch
        std::uint32_t node;
        std::vector<std::string> nodes;
        std::vector<std::string> switches;
        std::uint64_t line;
    };

    void read_line(std::string_view text, std::uint64_t line) {
        text = trimmed(text.substr(0, text.find('#')));
        if (text.empty()) return;
        std::string name;
        Below below{0, {}, {}, line};
        while (!text.empty()) {
            const std::string_view word = text.substr(0, text.find_first_of(" \t"));
            text = trimmed(text.substr(word.size()));
            const std::size_t equals = word.find('=');
            if (equals == std::string_view::npos) {
                reader_.fail(line, fmt::format("'{}' is not of the form Key=Value", word));
            }
            const std::string_view key = word.substr(0, equals);
            const std::string_view value = word.substr(equals + 1);
            try {
                if (same_word(key, "SwitchName"))
                    name = value;
                else if (same_word(key, "Nodes"))
                    below.nodes = expand_host_list(value);
                else if (same_word(key, "Switches"))
                    below.switches = expand_host_list(value);
                else if (!same_word(key, "LinkSpeed") && !same_word(key, "Comment")) {
                    reader_.fail(
                        line, fmt::format("unknown key '{}'; expected SwitchName, Nodes, Switches or LinkSpeed",
                                          key));
                }
            } catch (const UsageError& error) {
                reader_.fail(line, fmt::format("{}: {}", key, error.what()));
            }
        }
        if (name.empty()) reader_.fail(line, "expected SwitchName=");
        below.node = reader_.add_node(name, false, line);
        below_.push_back(std::move(below));
    }

    // A switch has its nodes and switches at the ports 0, 1, ... in the order of the file, what is above it
    // behind them.
    void add_cables() {
        for (const Below& each : below_) {
            for (const std::string& name : each.nodes) {
                const auto known = reader_.find(name);
                if (known && !reader_.node(*known).host) {
                    reader_.fail(each.line, fmt::format("{} is a switch, not a node", name));
                }
                if (!known) reader_.add_node(name, true, each.line);
            }
        }
        std::vector<std::uint32_t> next; // the next free port, by node
        const auto take = [&](std::uint32_t node) {
            if (next.size() <= node) next.resize(node + std::size_t{1});
            return next[node]++;
        };
        for (const bool nodes : {true, false}) {
            for (const Below& each : below_) {
                for (const std::string& name : nodes ? each.nodes : each.switches) {
                    const auto child = reader_.find(name);
                    if (!child) reader_.fail(each.line, fmt::format("there is no switch '{}'", name));
                    if (!nodes && reader_.node(*child).host) {
                        reader_.fail(each.line, fmt::format("{} is a node, not a switch", name));
                    }
                    const std::uint32_t here = take(each.node);
                    reader_.add_port({each.node, here, name, take(*child), {}, each.line, {}, {}});
                }
            }
        }
    }

    std::string_view rest_;
    NetReader reader_;
    std::vector<Below> below_;
};

} // namespace

std::vector<std::string> expand_host_list(std::string_view list) {
    std::vector<std::string> out;
    for (std::string_view piece : split_list(list)) {
        if (piece.empty()) throw UsageError("a name is missing in a list");
        std::vector<std::string> names{""};
        while (!piece.empty()) {
            const std::size_t open = piece.find('[');
            for (std::string& name : names) name += piece.substr(0, open);
            if (open == std::string_view::npos) break;
            const std::size_t close = piece.find(']', open);
            if (close == std::string_view::npos) throw UsageError(fmt::format("'{}' has no ]", piece));
            const auto numbers = expand_numbers(piece.substr(open + 1, close - open - 1));
            check_list_length(names.size() * numbers.size());
            std::vector<std::string> longer;
            longer.reserve(names.size() * numbers.size());
            for (const std::string& name : names) {
                for (const std::string& number : numbers) longer.push_back(name + number);
            }
            names = std::move(longer);
            piece.remove_prefix(close + 1);
        }
        out.insert(out.end(), std::make_move_iterator(names.begin()), std::make_move_iterator(names.end()));
        check_list_length(out.size());
    }
    return out;
}

bool is_slurm_line(std::string_view line) {
    constexpr std::string_view key = "SwitchName=";
    return line.size() >= key.size() && same_word(line.substr(0, key.size()), key);
}

Net read_slurm_tree(std::string_view text, const std::string& file) { return SlurmReader(text, file).read(); }

} // namespace orrery
