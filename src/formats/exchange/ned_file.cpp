#include "formats/exchange/writers.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <optional>

namespace orrery {

namespace {

// What the network stands on; the types behind hostType and switchType are those of the simulation that uses
// it.
constexpr std::string_view interfaces = R"(moduleinterface AbstractHost
{
    parameters:
        int address;
        string label;
        int numPorts;
    gates:
        input in;
        output out;
        inout port[];
}

moduleinterface AbstractSwitchType
{
    parameters:
        string label;
        int numPorts;
    gates:
        inout port[];
}

module AbstractSwitch
{
    parameters:
        string switchType;
        string label;
        int numPorts;
    gates:
        inout port[];
    submodules:
        type: <switchType> like AbstractSwitchType {
            label = parent.label;
            numPorts = parent.numPorts;
            gates:
                port[sizeof(parent.port)];
        }
    connections allowunconnected:
        for i=0..sizeof(port)-1 {
            type.port[i] <--> port[i];
        }
}

)";

// A word that NED takes as a name.
std::string identifier(const std::string& name) {
    std::string out;
    for (const char c : name) {
        const bool fits = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        out += fits ? c : '_';
    }
    if (out.empty() || (out[0] >= '0' && out[0] <= '9')) out.insert(out.begin(), '_');
    return out;
}

std::string text(const std::string& name) {
    std::string out = "\"";
    for (const char c : name) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out + "\"";
}

// Hosts and switches are separate arrays in NED.
std::string place(const Fabric& fabric, NodeId node) {
    if (fabric.is_host(node)) return fmt::format("host[{}]", node.value);
    return fmt::format("switch[{}]", node.value - fabric.host_count());
}

std::uint32_t most_ports_of(const Fabric& fabric, std::uint32_t first, std::uint32_t last) {
    std::uint32_t most = 0;
    for (std::uint32_t i = first; i < last; ++i) most = std::max(most, fabric.port_count(NodeId{i}));
    return most;
}

class NedWriter {
  public:
    NedWriter(const Fabric& fabric, const std::string& name) : fabric_(fabric), name_(identifier(name)) {
        for (std::uint32_t i = 0; i < fabric.channel_count(); ++i) {
            if (!fabric.is_channel({i})) continue;
            auto& usual = delay_of(fabric.channel({i}));
            if (!usual) usual = fabric.channel({i}).latency;
        }
    }

    std::string ned() {
        out_ = fmt::format("// {}\n", fabric_.platform().topology().words());
        out_ += "import ned.DatarateChannel;\n\n";
        out_ += interfaces;
        add("module {}\n{{\n    parameters:\n", name_);
        add("        string hostType;\n        string switchType;\n");
        add("        double hostDelay @unit(s) = default({}ps);\n", host_delay_.value_or(Time::zero()).ps());
        add("        double switchDelay @unit(s) = default({}ps);\n",
            switch_delay_.value_or(Time::zero()).ps());
        add("    gates:\n        input in[{0}];\n        output out[{0}];\n    submodules:\n",
            fabric_.host_count());
        add("        host[{}]: <hostType> like AbstractHost {{\n            gates:\n                port[{}];\n"
            "        }}\n",
            fabric_.host_count(), most_ports_of(fabric_, 0, fabric_.host_count()));
        add("        switch[{}]: AbstractSwitch {{\n            switchType = parent.switchType;\n            "
            "gates:\n"
            "                port[{}];\n        }}\n",
            fabric_.switch_count(), most_ports_of(fabric_, fabric_.host_count(), fabric_.node_count()));
        add("    connections allowunconnected:\n");
        add("        for i=0..{} {{\n            in[i] --> host[i].in;\n            host[i].out --> out[i];\n  "
            "      }}\n",
            fabric_.host_count() - 1);
        for (std::uint32_t i = 0; i < fabric_.channel_count(); ++i) {
            const Channel& channel = fabric_.channel({i});
            if (fabric_.is_channel({i}) && channel.from < channel.to) connect(channel);
        }
        out_ += "}\n";
        return std::move(out_);
    }

    std::string ini() {
        out_ = fmt::format("# {}\n[General]\nnetwork = {}\n", fabric_.platform().topology().words(), name_);
        add("**.hostType = \"Adapter\"\n**.switchType = \"Switch\"\n");
        for (std::uint32_t i = 0; i < fabric_.node_count(); ++i) {
            const NodeId node{i};
            const std::string where = "*." + place(fabric_, node);
            if (fabric_.is_host(node)) add("{}.address = {}\n", where, i);
            add("{}.label = {}\n{}.numPorts = {}\n", where, text(fabric_.name(node)), where,
                fabric_.port_count(node));
        }
        return std::move(out_);
    }

  private:
    template <typename... Values> void add(fmt::format_string<Values...> pattern, Values&&... values) {
        fmt::format_to(std::back_inserter(out_), pattern, std::forward<Values>(values)...);
    }

    std::optional<Time>& delay_of(const Channel& channel) {
        const bool at_host = fabric_.is_host(channel.from) || fabric_.is_host(channel.to);
        return at_host ? host_delay_ : switch_delay_;
    }

    // The delays are the two parameters where they can be, and numbers where a cable differs from its like.
    void connect(const Channel& channel) {
        const bool at_host = fabric_.is_host(channel.from) || fabric_.is_host(channel.to);
        const std::string delay = channel.latency == delay_of(channel)
                                      ? (at_host ? "hostDelay" : "switchDelay")
                                      : fmt::format("{}ps", channel.latency.ps());
        constexpr double bits = 8;
        const std::string rate =
            channel.bandwidth > 0 ? fmt::format("datarate = {}bps; ", channel.bandwidth * bits) : std::string();
        add("        {}.port[{}] <--> DatarateChannel {{ {}delay = {}; }} <--> {}.port[{}];\n",
            place(fabric_, channel.from), channel.from_port, rate, delay, place(fabric_, channel.to),
            channel.to_port);
    }

    const Fabric& fabric_;
    std::string name_;
    std::optional<Time> host_delay_;
    std::optional<Time> switch_delay_;
    std::string out_;
};

} // namespace

NedFiles write_ned(const Fabric& fabric, const std::string& name) {
    NedWriter writer(fabric, name);
    std::string ned = writer.ned();
    return {std::move(ned), writer.ini()};
}

} // namespace orrery
