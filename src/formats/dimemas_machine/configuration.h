// A machine as Dimemas describes it (.cfg): clusters of nodes with processors, links and buses, joined by a
// wide area network, and how the tasks of an application lie on them.
//
// It is not a Platform: Dimemas knows no topology. Latencies and times per byte are kept as the simulation uses
// them; "MB/s" is 2^20 bytes per second throughout, and a latency below a nanosecond counts as none.
#pragma once

#include "engine/ids.h"
#include "engine/time.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace orrery::dimemas {

// How the cost of one half of a collective (all to one, one to all) grows with the number of partners.
enum class FanModel : std::uint8_t { none, constant, linear, logarithmic };
// Which bytes it moves: those sent (gathering) or received (spreading), or a combination of both.
enum class FanSize : std::uint8_t { own, least, most, mean, twice_most, sum };
struct Fan {
    FanModel model = FanModel::none;
    FanSize size = FanSize::own;
};
struct CollectiveModel {
    Fan in;
    Fan out;
};
inline constexpr std::size_t collective_ids = 16; // MPI_Barrier is 0, MPI_Alltoallw 15
using CollectiveModels = std::array<CollectiveModel, collective_ids>;

// Links into and out of something. None of either kind: endless. None of one kind: half duplex.
struct Links {
    std::uint32_t in = 0;
    std::uint32_t out = 0;
    [[nodiscard]] bool endless() const { return in == 0 && out == 0; }
    [[nodiscard]] bool half_duplex() const { return (in == 0) != (out == 0); }
    [[nodiscard]] std::uint32_t most() const { return in > out ? in : out; }
};

struct Node {
    std::uint32_t machine = 0;
    std::uint32_t cpus = 1;
    double speed = 1; // bursts are divided by it; 0 or less: they take no time
    Time intra_latency;
    double intra_ps_per_byte = 0;
    std::uint32_t intra_buses = 0; // 0: endless
    Links intra;                   // of each task
    Time latency;                  // to other nodes
    Links links;                   // of the node
    Time wan_latency;
    double accelerator_speed = 0; // of GPU bursts: divided by it; 0: no time; less: that many seconds each
};

struct Cluster {
    std::string name;
    std::uint32_t nodes = 0;
    double ps_per_byte = 0;
    std::uint32_t buses = 0; // 0: endless
    CollectiveModels collectives{};
};

// Messages between two clusters that meet its conditions take it instead of the wide area network.
struct Connection {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    double ps_per_byte = 0;
    std::vector<std::int64_t> tags;
    struct Size {
        Bytes bytes = 0;
        char relation = '<'; // < = >
        [[nodiscard]] bool holds(Bytes message) const {
            return relation == '<' ? message < bytes : relation == '=' ? message == bytes : message > bytes;
        }
    };
    Size first;
    Size second;
    bool both = true; // conditions: and, or
    Time latency;
    Time flight;
    [[nodiscard]] bool takes(std::int64_t tag, Bytes bytes) const;
};

// Bursts between the event (type, value) and the next (type, 0) are divided by `ratio`; 0: they take no time;
// less: they take that many seconds each.
struct Module {
    std::uint64_t type = 0;
    std::uint64_t value = 0;
    double ratio = 1;
};

struct Placement {
    enum class Kind : std::uint8_t { per_node, fill, interleaved, listed };
    Kind kind = Kind::fill;
    std::uint32_t tasks_per_node = 1;
    std::vector<std::uint32_t> nodes; // listed: of each task
    [[nodiscard]] std::string words() const;
};

struct Configuration {
    std::string file;
    std::string name;
    std::vector<Cluster> clusters;
    std::vector<Node> nodes; // of all clusters, in the order of the file
    double wan_ps_per_byte = 0;
    CollectiveModels wan_collectives{};
    std::vector<std::vector<Time>> flight; // from cluster to cluster; empty: none
    std::vector<Connection> connections;
    std::vector<Module> modules;
    Placement placement;
    Time context_switch;
    std::vector<std::string> notes; // what was read but is not simulated
};

// Reads a .cfg and the files that it names (found beside it). Throws InputError.
Configuration read_configuration(const std::string& path);

// Whether the file begins as a .cfg does. Reads its first line.
bool looks_like_configuration(const std::string& path);

// The node of each task. Throws InputError if they do not fit.
std::vector<std::uint32_t> place_tasks(const Configuration& configuration, std::uint32_t tasks);

} // namespace orrery::dimemas
