// A machine from a few lines, with all that a packet network on it needs.
#pragma once

#include "formats/load_machine.h"
#include "machine/fabric/fabric.h"
#include "machine/machine.h"
#include "machine/routing/routing.h"
#include "network/packet/packet_network.h"
#include "tools/traffic/run.h"

#include <memory>
#include <string>

namespace orrery::test {

// Every link has 8 GB/s (a flit of 8 bytes in a nanosecond) and 10 ns unless `text` says otherwise.
class PacketMachine {
  public:
    explicit PacketMachine(const std::string& text)
        : machine_(machine_from_text(
              "[host]\nspeed = \"1 Gf\"\n[link]\nbandwidth = \"8 GB/s\"\nlatency = \"10 ns\"\n" + text,
              "test.toml")),
          parameters(read_packet_parameters(machine_.settings)),
          fabric(*machine_.platform, {parameters.injection_bandwidth, {}}),
          routing(make_routing(fabric, machine_.settings)) {}

    [[nodiscard]] const Platform& platform() const { return *machine_.platform; }
    [[nodiscard]] std::unique_ptr<PacketNetwork> network(PacketObserver* observer = nullptr) const {
        return std::make_unique<PacketNetwork>(fabric, *routing, parameters, observer);
    }
    // Traffic of messages of one segment of 64 flits, on a network of its own. `slots`: how many of them are
    // counted, per host.
    [[nodiscard]] TrafficPoint traffic(const TrafficPattern& pattern, double load, std::uint64_t slots) const {
        TrafficOptions options;
        options.bytes = 512;
        options.bandwidth = 8e9;
        options.warm_up = Time::ns(static_cast<std::int64_t>(slots / 2 * 64));
        options.duration = Time::ns(static_cast<std::int64_t>(slots * 64));
        return run_traffic(*network(), pattern, platform().host_count(), load, options);
    }
    [[nodiscard]] TrafficPoint traffic(const std::string& pattern, double load, std::uint64_t slots) const {
        return traffic(TrafficPattern(platform(), pattern, 1), load, slots);
    }

  private:
    Machine machine_;

  public:
    PacketParameters parameters;
    Fabric fabric;
    std::unique_ptr<Routing> routing;
};

} // namespace orrery::test
