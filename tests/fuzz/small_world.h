// What the targets that simulate share: a small machine with any numbers, and a network over it.
//
// Small so that one run takes milliseconds: few hosts, few messages, and no message of thousands of segments or
// pieces. How large a number is does not matter.
#pragma once

#include "engine/error.h"
#include "formats/load_machine.h"
#include "machine/machine.h"
#include "network/flow/flow_network.h"
#include "network/kpacket/kpacket_network.h"
#include "network/loggops/loggops_transport.h"
#include "network/packet/packet_network.h"
#include "results/prediction.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <span>
#include <string>
#include <sys/prctl.h>
#include <vector>

namespace orrery::fuzzing {

// Each run maps memory for millions of events on huge pages, and a page is cleared when it is touched first: a
// small one will do here.
inline void without_huge_pages() {
    [[maybe_unused]] static const int done = prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
}

// Numbers out of the bytes of an input; zeros behind its end.
class Drawn {
  public:
    Drawn(const std::uint8_t* data, std::size_t size) : bytes_(data, size) {}
    [[nodiscard]] bool empty() const { return bytes_.empty(); }
    std::uint8_t byte() {
        if (bytes_.empty()) return 0;
        const std::uint8_t first = bytes_.front();
        bytes_ = bytes_.subspan(1);
        return first;
    }
    std::uint32_t below(std::uint32_t bound) { return byte() % bound; }
    std::uint64_t word() {
        std::uint64_t value = 0;
        for (int i = 0; i < 8; ++i) value = value << 8U | byte();
        return value;
    }
    // A positive number: mostly a power of ten, or a few digits of one, of these magnitudes; sometimes
    // anything.
    double number(int low, int high) {
        const std::uint8_t kind = byte();
        if (kind < 220)
            return std::pow(10, low + byte() % (high - low + 1)) * (kind < 128 ? 1 : 1 + byte() / 16.0);
        if (kind < 240) return std::pow(10, byte() % 64 - 32);
        const std::uint64_t bits = word();
        double value = 0;
        std::memcpy(&value, &bits, sizeof value);
        return std::isfinite(value) && value != 0 ? std::abs(value) : 1;
    }
    // Up to the largest that there may be.
    std::uint64_t size(std::uint64_t most) {
        const std::uint8_t kind = byte();
        if (kind < 64) return byte();
        if (kind < 192) return std::min<std::uint64_t>(std::uint64_t{1U + byte()} << byte() % 62U, most);
        return word() % (most + 1);
    }

  private:
    std::span<const std::uint8_t> bytes_;
};

class SmallWorld {
  public:
    // Throws InputError or UsageError if the numbers are refused.
    explicit SmallWorld(Drawn& draw) : machine_(machine_from_text(text_of(draw), "fuzz.toml")) {
        const Platform& platform = *machine_.platform;
        switch (draw.below(4)) {
        case 0: make_packet(draw); break;
        case 1:
            flow_ = read_flow_parameters(machine_.settings);
            network = std::make_unique<FlowNetwork>(platform, flow_);
            break;
        case 2: make_kpacket(draw); break;
        default: network = std::make_unique<LogGOPSTransport>(platform.host_count(), loggops(draw)); break;
        }
    }

    [[nodiscard]] const Platform& platform() const { return *machine_.platform; }
    [[nodiscard]] std::vector<HostId> hosts(std::uint32_t ranks) const {
        std::vector<HostId> all;
        for (std::uint32_t rank = 0; rank < ranks; ++rank) all.push_back({rank % platform().host_count()});
        return all;
    }
    // Whether it would be cut into too many parts to wait for.
    [[nodiscard]] bool too_many_parts(Bytes bytes) const { return bytes / part_ >= 200 / work_; }

    static LogGOPS loggops(Drawn& draw) {
        LogGOPS drawn;
        const auto time = [&] {
            return Time::ps(
                static_cast<std::int64_t>(draw.size(static_cast<std::uint64_t>(Time::longest().ps()) - 1)));
        };
        drawn.L = time();
        drawn.o = time();
        drawn.g = time();
        drawn.G = draw.number(-3, 21);
        drawn.O = draw.below(2) == 0 ? 0 : draw.number(-3, 21);
        drawn.S = draw.size(unlimited - 1);
        drawn.rendezvous = draw.below(2) == 0 ? Rendezvous::sender_waits : Rendezvous::handshake;
        return drawn;
    }

    std::unique_ptr<Network> network;

  private:
    static std::string text_of(Drawn& draw) {
        constexpr const char* topologies[] = {
            "type = 'crossbar'\nhosts = 4\n", "type = 'fat-tree'\nlevels = '2; 2,2; 1,2'\n",
            "type = 'torus'\ndimensions = '2,2'\n",
            "type = 'dragonfly'\ngroups = 2\nrouters = 2\nhosts_per_router = 1\n"};
        std::string text = "[topology]\n";
        text += topologies[draw.below(4)];
        text += fmt::format("[host]\nspeed = '{:.17g} flop/s'\ncores = {}\n", draw.number(-6, 18),
                            1 + draw.below(3));
        text += fmt::format("[link]\nbandwidth = '{:.17g} B/s'\nlatency = '{:.17g} s'\n", draw.number(-9, 15),
                            draw.number(-13, 6));
        if (draw.below(3) == 0)
            text += fmt::format("[flow]\nset = '{}'\n", draw.below(2) == 0 ? "smpi" : "cm02");
        return text;
    }
    void make_kpacket(Drawn& draw) {
        KPacketParameters parameters;
        parameters.sharing = draw.below(2) == 0 ? LinkSharing::capacity : LinkSharing::exclusive;
        if (draw.below(2) == 0) parameters.injection = draw.number(-9, 15);
        if (draw.below(2) == 0) parameters.ejection = draw.number(-9, 15);
        parameters.local = draw.below(2) == 0;
        if (draw.below(2) == 0) parameters.piece = part_ = 1 + draw.size(~Bytes{0} - 1);
        network = std::make_unique<KPacketNetwork>(*machine_.platform, parameters);
    }
    void make_packet(Drawn& draw) {
        Settings settings;
        const auto set = [&](const char* key, const std::string& value) { settings.set(key, value, "fuzz"); };
        set("packet.segment", fmt::format("{}B", 1 + draw.size((Bytes{1} << 30U) - 1)));
        set("packet.flit", fmt::format("{}B", 1 + draw.size((Bytes{1} << 30U) - 1)));
        set("packet.header", fmt::format("{}B", draw.size(Bytes{1} << 30U)));
        if (draw.below(8) == 0) set("packet.buffer", fmt::format("{}B", 1 + draw.size((Bytes{1} << 30U) - 1)));
        if (draw.below(2) == 0)
            set("packet.output_buffer", fmt::format("{}B", 1 + draw.size((Bytes{1} << 30U) - 1)));
        set("packet.switch_delay", fmt::format("{:.17g} s", draw.number(-13, 6)));
        set("packet.speed_up", fmt::format("{:.17g}", draw.number(0, 3)));
        constexpr const char* queueings[] = {"input", "output", "combined"};
        if (draw.below(3) == 0) {
            set("packet.switching", "wormhole");
        } else {
            set("packet.queueing", queueings[draw.below(3)]);
        }
        set("packet.flow_control", draw.below(2) == 0 ? "credits" : "stop-go");
        set("packet.injection", draw.below(2) == 0 ? "interleaved" : "in-order");
        fabric_ = std::make_unique<Fabric>(*machine_.platform);
        routing_ = make_routing(*fabric_, machine_.settings);
        const PacketParameters parameters = read_packet_parameters(settings, *fabric_);
        part_ = parameters.segment;
        if (parameters.switching == Switching::wormhole) { // its flits may have to go one by one
            const Bytes flits = (parameters.segment + parameters.header) / parameters.flit + 1;
            work_ = std::clamp<Bytes>(flits / 100, 1, 1000);
        }
        network = std::make_unique<PacketNetwork>(*fabric_, *routing_, parameters);
    }

    Machine machine_;
    FlowParameters flow_;
    std::unique_ptr<Fabric> fabric_;
    std::unique_ptr<Routing> routing_;
    Bytes part_ = ~Bytes{0}; // of a message, by itself
    Bytes work_ = 1;         // of each
};

// What comes out is a time of a run.
inline void check_prediction(const Prediction& prediction) {
    const auto sound = [](Time time) { return time >= Time::zero() && time < Time::longest(); };
    if (!sound(prediction.time)) __builtin_trap();
    for (const auto& rank : prediction.ranks) {
        if (!sound(rank.finish) || rank.finish > prediction.time) __builtin_trap();
        if (rank.compute < Time::zero() || rank.overhead < Time::zero()) __builtin_trap();
    }
}

} // namespace orrery::fuzzing
