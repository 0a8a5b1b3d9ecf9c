#include "machine/graph_builder.h"

#include "engine/error.h"
#include "engine/units.h"
#include "machine/machine_keys.h"
#include "machine/machine_limits.h"
#include "machine/topologies/graph.h"
#include "machine/topologies/lists.h"

#include <cmath>
#include <fmt/format.h>
#include <map>
#include <utility>

namespace orrery {

namespace {

[[noreturn]] void fail_in_line(const MachinePart& part, const std::string& reason) {
    throw InputError(Error{part.file, part.line, 0, fmt::format("[[{}]]: {}", part.kind, reason)});
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

// The commas that are not within brackets separate names; "n[0-3,7]" stands for n0 n1 n2 n3 n7.
std::vector<std::string> expand_names(const MachinePart& part) {
    const std::string text = part.values.word(part.kind + ".names", "");
    std::vector<std::string> out;
    for (std::size_t at = 0; at <= text.size();) {
        std::size_t end = at;
        bool inside = false;
        for (; end < text.size() && (inside || text[end] != ','); ++end) {
            inside = text[end] == '[' || (inside && text[end] != ']');
        }
        const std::string_view word = trimmed(std::string_view(text).substr(at, end - at));
        const auto open = word.find('[');
        const auto close = word.find(']');
        if (word.empty() || (open == std::string_view::npos) != (close == std::string_view::npos)) {
            fail_in_line(part, fmt::format("names: '{}' is not a name such as n0, or n[0-15] for many", word));
        }
        if (open == std::string_view::npos) {
            out.emplace_back(word);
        } else if (close < open) {
            fail_in_line(part, fmt::format("names: '{}' has its brackets the wrong way round", word));
        } else {
            try {
                const HostNames names(std::string(word.substr(0, open)),
                                      word.substr(open + 1, close - open - 1),
                                      std::string(word.substr(close + 1)));
                if (out.size() + names.count() > machine_limits().hosts) fail_in_line(part, "too many names");
                for (std::uint32_t i = 0; i < names.count(); ++i) out.push_back(names.name(i));
            } catch (const UsageError& error) {
                fail_in_line(part, error.what());
            }
        }
        at = end + 1;
    }
    return out;
}

class GraphBuilder {
  public:
    GraphBuilder(const MachineValues& values, const Host& host) : values_(values), host_(host) {
        shape_.file = values.file();
        const std::string cost = values.settings().word("topology.cost", "hops");
        if (cost != "hops" && cost != "latency") values.settings().complain("topology.cost", "hops or latency");
        shape_.by_latency = cost == "latency";
        shape_.through_hosts = values.settings().flag("topology.through_hosts", true);
        shape_.loopback = values.loopback();
        if (values.has("link.bandwidth") || values.has("link.latency")) usual_ = values.cable("link");
    }

    std::unique_ptr<Platform> build(const std::vector<MachinePart>& parts) {
        for (const MachinePart& part : parts) check_part_keys(part.values);
        each(parts, "hosts", &GraphBuilder::add_hosts);
        if (hosts_.empty()) throw InputError(Error{shape_.file, 0, 0, "the graph has no [[hosts]]"});
        shape_.hosts = static_cast<std::uint32_t>(hosts_.size());
        each(parts, "switches", &GraphBuilder::add_switches);
        each(parts, "hosts", &GraphBuilder::join_to_switch);
        each(parts, "cables", &GraphBuilder::add_cable);
        each(parts, "routes", &GraphBuilder::add_route);
        std::vector<Link> links;
        std::unique_ptr<Topology> topology;
        try {
            topology = make_graph(std::move(shape_), links);
        } catch (const UsageError& error) {
            throw InputError(Error{values_.file(), first_route_, 0, error.what()});
        }
        return std::make_unique<Platform>(std::move(hosts_), std::move(links), std::move(topology));
    }

  private:
    void each(const std::vector<MachinePart>& parts, std::string_view kind,
              void (GraphBuilder::*add)(const MachinePart&)) {
        for (const MachinePart& part : parts) {
            if (part.kind == kind) (this->*add)(part);
        }
    }

    void add_node(const std::string& name, const MachinePart& part) {
        const auto [at, is_new] = nodes_.emplace(name, static_cast<std::uint32_t>(shape_.nodes.size()));
        if (!is_new) {
            fail_in_line(part,
                         fmt::format("there is another '{}', in line {}", name, shape_.nodes[at->second].line));
        }
        shape_.nodes.push_back({name, part.line, 0});
    }

    void add_hosts(const MachinePart& part) {
        const MachineValues own(part.values, part.file);
        Host host = host_;
        host.speed = own.rate("hosts.speed", host.speed);
        host.cores = own.count("hosts.cores", host.cores);
        if (own.has("hosts.speed")) host.bursts = 0;
        for (const std::string& name : expand_names(part)) {
            add_node(name, part);
            hosts_.push_back(host);
        }
    }

    void add_switches(const MachinePart& part) {
        const std::uint32_t level = whole(part, "switches.level", 0);
        for (const std::string& name : expand_names(part)) {
            add_node(name, part);
            shape_.nodes.back().level = level;
        }
    }

    void join_to_switch(const MachinePart& part) {
        const std::string to = part.values.word("hosts.switch", "");
        if (to.empty()) return;
        const std::uint32_t end = node(to, part, "switch");
        if (!usual_) fail_in_line(part, "a switch is given, but [link] does not say what its cables are like");
        for (const std::string& name : expand_names(part)) {
            add_edge({fmt::format("{}-{}", name, to), nodes_.at(name), end, *usual_}, part);
        }
    }

    void add_cable(const MachinePart& part) {
        const MachineValues own(part.values, part.file);
        const std::string from = part.values.word("cables.from", "");
        const std::string to = part.values.word("cables.to", "");
        add_edge({part.values.word("cables.name", fmt::format("{}-{}", from, to)), node(from, part, "from"),
                  node(to, part, "to"), own.cable_over("cables", usual_),
                  whole(part, "cables.from_port", any_port), whole(part, "cables.to_port", any_port)},
                 part);
    }

    // Ports and levels.
    static std::uint32_t whole(const MachinePart& part, const std::string& key, std::uint32_t otherwise) {
        if (part.values.find(key) == nullptr) return otherwise;
        const double number = part.values.number(key, 0);
        if (!(number >= 0 && number <= most_ports && number == std::floor(number))) {
            part.values.complain(key, fmt::format("a whole number from 0 to {}", most_ports));
        }
        return static_cast<std::uint32_t>(number);
    }

    void add_edge(GraphShape::Edge edge, const MachinePart& part) {
        if (edge.a == edge.b)
            fail_in_line(part, fmt::format("a cable from {} to itself", shape_.nodes[edge.a].name));
        if (!edges_.emplace(edge.name, static_cast<std::uint32_t>(shape_.edges.size())).second) {
            fail_in_line(part,
                         fmt::format("there are two cables named '{}'; give one a name of its own", edge.name));
        }
        shape_.edges.push_back(std::move(edge));
    }

    void add_route(const MachinePart& part) {
        if (first_route_ == 0) first_route_ = part.line;
        GraphShape::Path path{node(part.values.word("routes.from", ""), part, "from"),
                              node(part.values.word("routes.to", ""), part, "to"),
                              {}};
        if (path.from >= shape_.hosts || path.to >= shape_.hosts)
            fail_in_line(part, "routes lead from host to host");
        const std::string list = part.values.word("routes.cables", "");
        for (const std::string_view word : split_at(list, ',')) {
            const std::string name(trimmed(word));
            const auto found = edges_.find(name);
            if (found == edges_.end()) {
                const std::string near = nearest(name, edges_);
                fail_in_line(part, fmt::format("there is no cable '{}'{}", name, near));
            }
            path.edges.push_back(found->second);
        }
        if (part.values.flag("routes.symmetrical", true)) {
            shape_.paths.push_back({path.to, path.from, {path.edges.rbegin(), path.edges.rend()}});
        }
        shape_.paths.push_back(std::move(path));
    }

    using Index = std::map<std::string, std::uint32_t, std::less<>>;

    static std::string nearest(const std::string& name, const Index& index) {
        std::vector<std::string_view> words;
        for (const auto& [word, number] : index) words.push_back(word);
        const std::string near = nearest_word(name, words);
        return near.empty() ? "" : fmt::format("; did you mean '{}'?", near);
    }

    std::uint32_t node(const std::string& name, const MachinePart& part, std::string_view key) const {
        if (name.empty()) fail_in_line(part, fmt::format("{} is missing", key));
        const auto found = nodes_.find(name);
        if (found == nodes_.end()) {
            fail_in_line(
                part, fmt::format("{}: there is no host or switch '{}'{}", key, name, nearest(name, nodes_)));
        }
        return found->second;
    }

    const MachineValues& values_;
    Host host_;
    GraphShape shape_;
    std::vector<Host> hosts_;
    Index nodes_;
    Index edges_;
    std::optional<Cable> usual_;
    std::uint64_t first_route_ = 0;
};

} // namespace

std::unique_ptr<Platform> build_graph(const MachineValues& values, const std::vector<MachinePart>& parts,
                                      const Host& host) {
    return GraphBuilder(values, host).build(parts);
}

} // namespace orrery
