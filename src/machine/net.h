// A network as files describe it: hosts, switches and cables with ports, before it becomes a machine.
//
// All readers (Myrinet maps, ibnetdiscover, Slurm) fill one of these; what a file does not say of its cables
// (bandwidth, latency) comes from the [link] of the machine, from --set or from a default that each format
// states.
#pragma once

#include "engine/settings.h"
#include "engine/time.h"
#include "machine/platform.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

class MachineValues;

struct Net {
    struct Node {
        std::string name;
        bool host = false;
        std::uint64_t line = 0;             // where it was declared
        std::uint32_t level = 0;            // of a switch: its distance from the hosts
        std::optional<std::uint32_t> cores; // of a host
        std::optional<double> speed;        // of a host
    };
    struct Cable {
        std::uint32_t a = 0;
        std::uint32_t b = 0;
        std::uint32_t port_a = 0;
        std::uint32_t port_b = 0;
        std::optional<double> bandwidth; // bytes per second
        std::optional<Time> latency;
    };
    std::string file;
    std::vector<Node> nodes; // hosts and switches in the order of the file
    std::vector<Cable> cables;
    // What cables are like if neither the file nor [link] says so, and who says that.
    std::string bandwidth;
    std::string latency;
    std::string origin;
    std::string origin_words;          // whose network it is, for people: "Myrinet"
    std::vector<std::string> left_out; // parts of the file that have no meaning here, with file and line
};

// Collects nodes and the ports that they name; both ends of a cable may be described, or one.
class NetReader {
  public:
    explicit NetReader(std::string file);

    // Throws InputError if there is another node of this name.
    std::uint32_t add_node(const std::string& name, bool host, std::uint64_t line);
    [[nodiscard]] Net::Node& node(std::uint32_t index) { return net_.nodes[index]; }
    [[nodiscard]] std::optional<std::uint32_t> find(std::string_view name) const;
    struct Port {
        std::uint32_t node = 0;
        std::uint32_t port = 0;
        std::string peer;
        std::uint32_t peer_port = 0;
        std::optional<bool> peer_is_host;
        std::uint64_t line = 0;
        std::optional<double> bandwidth;
        std::optional<Time> latency;
    };
    void add_port(Port port) { ports_.push_back(std::move(port)); }
    [[nodiscard]] std::vector<Port>& ports() { return ports_; }
    // Joins the ports. Throws InputError where they contradict each other or a node is missing.
    Net finish();

    [[noreturn]] void fail(std::uint64_t line, std::string reason) const;

  private:
    void check_end(const Port& port, std::uint32_t peer, const Port& other) const;

    Net net_;
    std::map<std::string, std::uint32_t, std::less<>> index_;
    std::vector<Port> ports_;
};

// Switches that have hosts get level 1, those next to them level 2, and so on.
void set_levels(Net& net);

// The hardware keys that hold for it: a graph, and the default of its cables.
void set_net_defaults(const Net& net, Settings& hardware);
// `host` is what [host] says of each.
std::unique_ptr<Platform> build_net(const Net& net, const MachineValues& values, const Host& host);

} // namespace orrery
