#include "formats/dimemas_machine/configuration.h"

#include "engine/error.h"
#include "engine/naming_file.h"
#include "engine/time_text.h"
#include "formats/dimemas_machine/record_fields.h"
#include "formats/dimemas_machine/side_files.h"
#include "machine/machine_file.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <string_view>

namespace orrery::dimemas {

namespace {

constexpr std::string_view magic = "#DIMEMAS_CONFIGURATION";
constexpr std::uint64_t most_nodes = 1U << 20;
constexpr std::uint64_t most_clusters = 4096;

// What a reader keeps beside what it reads.
struct Reading {
    Configuration configuration;
    std::uint32_t clusters = 0; // said by the first record
    std::uint32_t connections = 0;
    bool placed = false;
    std::string communications;
    std::string scheduler;

    void note(const std::string& words) {
        auto& notes = configuration.notes;
        if (std::find(notes.begin(), notes.end(), words) == notes.end()) notes.push_back(words);
    }
};

CollectiveModels all_as(const RecordFields& fields, std::size_t index) {
    const std::uint32_t model = fields.whole(index, "the model of collectives");
    if (model < 1 || model > 3)
        fields.fail(fmt::format(
            "the model of collectives is {}; expected 1 (constant), 2 (linear) or 3 (logarithmic)", model));
    const Fan fan{static_cast<FanModel>(model), FanSize::own};
    CollectiveModels models;
    models.fill({fan, fan});
    return models;
}

void wide_area(Reading& reading, const RecordFields& fields) {
    fields.expect(7, "wide area network information");
    reading.configuration.name = fields.text(0);
    reading.clusters = fields.whole(1, "the number of machines");
    reading.connections = fields.whole(2, "the number of dedicated connections");
    const std::uint32_t traffic = fields.whole(3, "the function of traffic");
    if (traffic < 1 || traffic > 4) fields.fail("the function of traffic; expected 1, 2, 3 or 4");
    if (traffic != 4 && fields.number(4, "the greatest traffic") > 0)
        reading.note("the wide area network does not slow down with traffic here: taken as constant");
    reading.configuration.wan_ps_per_byte = ps_per_byte_of(fields.number(5, "the bandwidth"));
    reading.configuration.wan_collectives = all_as(fields, 6);
    if (reading.clusters == 0) fields.fail("there are 0 machines; expected at least one");
    if (reading.clusters > most_clusters) fields.fail("too many machines");
}

void environment(Reading& reading, const RecordFields& fields) {
    fields.expect(7, "environment information");
    auto& clusters = reading.configuration.clusters;
    if (fields.whole(1, "the machine's id") != clusters.size())
        fields.fail(fmt::format("machine {}; expected {}, the next one", fields.text(1), clusters.size()));
    if (clusters.size() == reading.clusters)
        fields.fail(fmt::format("more than the {} machines that the first record says", reading.clusters));
    Cluster cluster;
    cluster.name = fields.text(0);
    cluster.nodes = fields.whole(3, "the number of nodes");
    cluster.ps_per_byte = ps_per_byte_of(fields.number(4, "the bandwidth"));
    cluster.buses = fields.whole(5, "the number of buses");
    cluster.collectives = all_as(fields, 6);
    clusters.push_back(cluster);
}

Time time_of(const RecordFields& fields, std::size_t at, const char* what, double ps_per_unit) {
    const double ps = fields.number(at, what) * ps_per_unit;
    if (!(ps < Time::longest().picoseconds()))
        fields.fail(fmt::format("{} of {:.6g} s is longer than {}, the longest time that can be simulated",
                                what, ps * 1e-12, longest_in_words()));
    return Time::from_ps(ps, what);
}

// In seconds as a rule; below a nanosecond it counts as none.
Time latency_of(const RecordFields& fields, std::size_t at, const char* what, double ps_per_unit = 1e12) {
    const Time time = time_of(fields, at, what, ps_per_unit);
    return time < Time::ns(1) ? Time::zero() : time;
}

// The eleven fields from the number of processors on.
Node node_of(const Reading& reading, const RecordFields& fields, std::size_t at, std::uint32_t machine) {
    if (machine >= reading.configuration.clusters.size())
        fields.fail(fmt::format("a node of machine {}, which is not described before it", machine));
    Node node;
    node.machine = machine;
    node.cpus = fields.whole(at, "the number of processors");
    if (node.cpus == 0) fields.fail("a node without processors");
    node.speed = fields.any_number(at + 1, "the speed ratio");
    node.intra_latency = latency_of(fields, at + 2, "the latency within the node");
    node.intra_ps_per_byte = ps_per_byte_of(fields.number(at + 3, "the bandwidth within the node"));
    node.intra_buses = fields.whole(at + 4, "the number of memory buses");
    node.intra.in = fields.whole(at + 5, "the number of input links within the node");
    node.intra.out = fields.whole(at + 6, "the number of output links within the node");
    node.latency = latency_of(fields, at + 7, "the latency between nodes");
    node.links.in = fields.whole(at + 8, "the number of input links");
    node.links.out = fields.whole(at + 9, "the number of output links");
    node.wan_latency = latency_of(fields, at + 10, "the latency of the wide area network");
    return node;
}

void add_nodes(Reading& reading, const RecordFields& fields, const Node& node, std::uint32_t count) {
    auto& nodes = reading.configuration.nodes;
    if (nodes.size() + count > most_nodes) fields.fail("too many nodes");
    nodes.insert(nodes.end(), count, node);
}

void one_node(Reading& reading, const RecordFields& fields) {
    const std::uint32_t machine = fields.whole(0, "the machine's id");
    if (fields.count() == 11)
        fields.fail(
            "a node in the form of Dimemas 3 (11 fields), whose latencies Dimemas 5 misreads; expected 13 "
            "or 14 fields");
    if (fields.count() != 13) fields.expect(14, "node information");
    Node node = node_of(reading, fields, fields.count() - 11, machine);
    // Dimemas 5 forgets to turn this one into nanoseconds, so it counts as none.
    if (node.wan_latency > Time::zero())
        reading.note(
            "the latency of the wide area network in \"node information\" counts as none, as in Dimemas "
            "(\"multi node information\" keeps it)");
    node.wan_latency = Time::zero();
    add_nodes(reading, fields, node, 1);
}

void many_nodes(Reading& reading, const RecordFields& fields) {
    fields.expect(14, "multi node information");
    const Node node = node_of(reading, fields, 3, fields.whole(0, "the machine's id"));
    add_nodes(reading, fields, node, fields.whole(1, "the number of nodes"));
}

void predefined_mapping(Reading& reading, const RecordFields& fields) {
    if (fields.count() != 1) fields.expect(2, "predefined mapping information");
    Placement& placement = reading.configuration.placement;
    const std::string word = fields.text(fields.count() - 1);
    reading.placed = true;
    if (word.find("FILL_NODES") != std::string::npos) {
        placement.kind = Placement::Kind::fill;
    } else if (word.find("INTERLEAVED") != std::string::npos) {
        placement.kind = Placement::Kind::interleaved;
    } else if (word.find("TASKS_PER_NODE") != std::string::npos) {
        placement.kind = Placement::Kind::per_node;
        const auto result = std::from_chars(word.data(), word.data() + word.size(), placement.tasks_per_node);
        if (result.ec != std::errc() || placement.tasks_per_node == 0)
            fields.fail(fmt::format("\"{}\"; expected a number of tasks before TASKS_PER_NODE", word));
    } else {
        fields.fail(fmt::format("\"{}\"; expected N TASKS_PER_NODE, FILL_NODES or INTERLEAVED", word));
    }
}

void listed_mapping(Reading& reading, const RecordFields& fields) {
    fields.expect(3, "mapping information");
    const std::vector<std::int64_t> nodes = fields.list(2, "the mapping");
    if (nodes.size() != fields.whole(1, "the number of tasks"))
        fields.fail(fmt::format("a mapping of {} tasks; expected {}", nodes.size(), fields.text(1)));
    Placement& placement = reading.configuration.placement;
    placement.kind = Placement::Kind::listed;
    reading.placed = true;
    for (const std::int64_t node : nodes) {
        if (node < 0 || static_cast<std::uint64_t>(node) >= reading.configuration.nodes.size())
            fields.fail(
                fmt::format("a task on node {}; there are {}", node, reading.configuration.nodes.size()));
        placement.nodes.push_back(static_cast<std::uint32_t>(node));
    }
}

void configuration_files(Reading& reading, const RecordFields& fields) {
    fields.expect(4, "configuration files");
    reading.scheduler = fields.text(0);
    if (!fields.text(1).empty())
        reading.note("the file system file is ignored: traces hold no file operations");
    reading.communications = fields.text(2);
    if (!fields.text(3).empty())
        fields.fail("random variations are not simulated: expected \"\" for the file of random values");
}

void module_information(Reading& reading, const RecordFields& fields) {
    fields.expect(3, "modules information");
    reading.configuration.modules.push_back({fields.large(0, "the event's type"),
                                             fields.large(1, "the event's value"),
                                             fields.any_number(2, "the ratio")});
}

void dedicated(Reading& reading, const RecordFields& fields) {
    fields.expect(13, "dedicated connection information");
    Connection connection;
    connection.from = fields.whole(1, "the source machine");
    connection.to = fields.whole(2, "the destination machine");
    if (std::max(connection.from, connection.to) >= reading.configuration.clusters.size())
        fields.fail("a connection of a machine that is not described before it");
    connection.ps_per_byte = ps_per_byte_of(fields.number(3, "the bandwidth"));
    connection.tags = fields.list(4, "the list of tags");
    connection.first = {fields.large(5, "the first size"), fields.sign(6, "<=>", "the first condition")};
    connection.both = fields.sign(7, "&|", "the operation") == '&';
    connection.second = {fields.large(8, "the second size"), fields.sign(9, "<=>", "the second condition")};
    (void)fields.list(10, "the list of communicators");
    // As with the wide area network's: Dimemas takes seconds for nanoseconds here.
    connection.latency = latency_of(fields, 11, "the latency", 1e3);
    connection.flight = time_of(fields, 12, "the flight time", 1e3);
    if (fields.number(11, "the latency") > 0 || connection.flight > Time::zero())
        reading.note(
            "latency and flight time of dedicated connections are taken as nanoseconds, as Dimemas does");
    reading.configuration.connections.push_back(std::move(connection));
}

void accelerator(Reading& reading, const RecordFields& fields) {
    fields.expect(7, "accelerator node information");
    const std::uint32_t node = fields.whole(0, "the node");
    if (node >= reading.configuration.nodes.size()) fields.fail(fmt::format("there is no node {}", node));
    reading.configuration.nodes[node].accelerator_speed = fields.any_number(6, "the ratio");
    reading.note("of accelerators only the speed of GPU bursts is simulated");
}

using Reader = void (*)(Reading&, const RecordFields&);
struct Record {
    std::string_view name;
    Reader read;
};
constexpr std::array<Record, 11> records{{
    {"wide area network information", wide_area},
    {"environment information", environment},
    {"node information", one_node},
    {"multi node information", many_nodes},
    {"predefined mapping information", predefined_mapping},
    {"mapping information", listed_mapping},
    {"configuration files", configuration_files},
    {"modules information", module_information},
    {"file system parameters",
     [](Reading& reading, const RecordFields& fields) {
         fields.expect(5, "file system parameters");
         reading.note("file system parameters are ignored: traces hold no file operations");
     }},
    {"dedicated connection information", dedicated},
    {"accelerator node information", accelerator},
}};

void read_record(Reading& reading, std::string_view text, const std::string& file, std::uint64_t line) {
    const auto fail = [&](const std::string& reason) { throw InputError(Error{file, line, 0, reason}); };
    const std::size_t close = text.find('"', 1);
    const std::size_t open = text.find('{');
    const std::size_t last = text.rfind("};;");
    if (text.front() != '"' || close == std::string_view::npos || open == std::string_view::npos ||
        last == std::string_view::npos || open > last || close > open)
        fail("expected a record in one line, of the form \"name\" {fields};;");
    const std::string_view name = text.substr(1, close - 1);
    const auto found =
        std::find_if(records.begin(), records.end(), [&](const Record& each) { return each.name == name; });
    if (found == records.end()) fail(fmt::format("unknown record \"{}\"", name));
    if (reading.clusters == 0 && found->read != wide_area)
        fail(fmt::format("\"{}\" before \"{}\"", name, records.front().name));
    found->read(reading, RecordFields(text.substr(open + 1, last - open - 1), file, line));
}

void check_whole(const Reading& reading) {
    const Configuration& configuration = reading.configuration;
    const auto fail = [&](const std::string& reason) {
        throw InputError(Error{configuration.file, 0, 0, reason});
    };
    if (reading.clusters == 0) fail("no \"wide area network information\"");
    if (configuration.clusters.size() != reading.clusters)
        fail(fmt::format("{} machines are described; expected {}", configuration.clusters.size(),
                         reading.clusters));
    std::vector<std::uint64_t> there(configuration.clusters.size());
    for (const Node& node : configuration.nodes) ++there[node.machine];
    for (std::size_t i = 0; i < there.size(); ++i) {
        if (there[i] != configuration.clusters[i].nodes)
            fail(fmt::format("machine {} has {} nodes; expected {}, as its record says", i, there[i],
                             configuration.clusters[i].nodes));
    }
    if (configuration.nodes.empty()) fail("no nodes");
    if (configuration.connections.size() != reading.connections)
        fail(fmt::format("{} dedicated connections are described; expected {}",
                         configuration.connections.size(), reading.connections));
    if (!reading.placed)
        fail("no mapping: expected \"predefined mapping information\" or \"mapping information\"");
}

} // namespace

bool Connection::takes(std::int64_t tag, Bytes bytes) const {
    if (std::find(tags.begin(), tags.end(), tag) == tags.end()) return false;
    return both ? first.holds(bytes) && second.holds(bytes) : first.holds(bytes) || second.holds(bytes);
}

bool looks_like_configuration(const std::string& path) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) return false;
    std::ifstream stream(path);
    std::string begin(64, '\0');
    stream.read(begin.data(), static_cast<std::streamsize>(begin.size()));
    begin.resize(static_cast<std::size_t>(stream.gcount()));
    return std::string_view(begin).substr(0, begin.find('\n')).find(magic) != std::string_view::npos;
}

Configuration read_configuration(const std::string& path) {
    std::istringstream stream(read_whole_file(path));
    std::string line;
    std::getline(stream, line);
    if (line.find(magic) == std::string::npos)
        throw InputError(Error{path, 1, 0,
                               line.starts_with("SDDFA")
                                   ? std::string("a configuration of Dimemas before version 4 (SDDF); "
                                                 "expected #DIMEMAS_CONFIGURATION")
                                   : fmt::format("expected {}", magic)});
    Reading reading;
    reading.configuration.file = path;
    bool comment = false;
    for (std::uint64_t number = 2; std::getline(stream, line); ++number) {
        std::string_view text = line;
        if (comment) {
            const std::size_t end = text.find("*/");
            if (end == std::string_view::npos) continue;
            text.remove_prefix(end + 2);
            comment = false;
        }
        while (!text.empty() && (text.front() == ' ' || text.front() == '\t' || text.front() == '\r'))
            text.remove_prefix(1);
        if (text.empty() || text.starts_with("//") || text.starts_with("#")) continue;
        if (text.starts_with("/*")) {
            comment = text.find("*/") == std::string_view::npos;
            continue;
        }
        naming_file(path, number, [&] { read_record(reading, text, path, number); });
    }
    check_whole(reading);
    const auto beside = [&](const std::string& name) {
        const std::filesystem::path file(name);
        return (file.is_absolute() ? file : std::filesystem::path(path).parent_path() / file).string();
    };
    if (!reading.communications.empty())
        read_communications_file(beside(reading.communications), reading.configuration);
    if (!reading.scheduler.empty()) read_scheduler_file(beside(reading.scheduler), reading.configuration);
    return std::move(reading.configuration);
}

} // namespace orrery::dimemas
