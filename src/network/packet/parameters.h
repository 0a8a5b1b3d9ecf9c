// What can be set of a packet network (`packet.*`): docs/packet.md says what each means.
#pragma once

#include "engine/settings.h"
#include "machine/fabric/fabric.h"

#include <cstdint>
#include <span>
#include <string>

namespace orrery {

enum class Switching : std::uint8_t { cut_through, wormhole }; // virtual cut-through
enum class FlowControl : std::uint8_t { credits, stop_go };
enum class Queueing : std::uint8_t { input, output, combined }; // where a switch keeps what has to wait
enum class Injection : std::uint8_t { interleaved, in_order };  // segments of several messages in an adapter
enum class FirstTurn : std::uint8_t { random, equal };          // where round-robin pointers start

struct PacketParameters {
    Bytes segment = 4096; // payload of a packet at most
    Bytes header = 0;     // added to each segment on the wire
    Bytes flit = 8;
    Switching switching = Switching::cut_through;
    FlowControl flow_control = FlowControl::credits;
    Queueing queueing = Queueing::input;
    double speed_up = 2;         // of the crossbar of combined queueing
    Bytes buffer = 32768;        // at the end of a channel, for each lane
    Bytes output_buffer = 32768; // combined queueing: at each output, for each lane
    Bytes stop_mark = 0;         // 0: as high as is safe (buffer less one segment and the round trip)
    Bytes go_mark = 0;           // 0: half of the stop mark
    Time switch_delay =
        Time::zero(); // on top of the latencies of links, which in most machine files include it
    Injection injection = Injection::interleaved;
    FirstTurn first_turn = FirstTurn::random;
    std::uint64_t seed = 1;
    bool control_priority = false;  // protocol messages have a private lane with priority
    double injection_bandwidth = 0; // between a host and the router that it sits on; 0: without limit

    bool operator==(const PacketParameters&) const = default;
};

std::span<const Parameter> packet_parameters();
// Throws InputError for values that make no sense together.
PacketParameters read_packet_parameters(const Settings& settings);
// The same for a fabric. Buffers whose size nobody has set hold four segments more than what a channel carries
// during a round trip, so that no channel must pause for credits while nothing blocks it; 32 KiB at least.
PacketParameters read_packet_parameters(const Settings& settings, const Fabric& fabric);
// "segments of 4 KiB, cut-through, credits, input queues of 32 KiB".
std::string describe(const PacketParameters& parameters);

} // namespace orrery
