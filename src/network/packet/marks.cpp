#include "network/packet/marks.h"

#include "engine/error.h"
#include "engine/units.h"

#include <fmt/format.h>

namespace orrery::packet {

Marks marks_of(const Fabric& fabric, LinkId channel, const PacketParameters& parameters, Time flit_time,
               std::uint32_t unit) {
    const Time round_trip = 2 * fabric.channel(channel).latency;
    if (flit_time == Time::zero() && round_trip > Time::zero()) {
        throw InputError(fmt::format("channel {} has a latency but no limit of bandwidth: stop and go cannot "
                                     "keep its buffer from overflowing",
                                     fabric.name(channel)));
    }
    const auto in_flight = static_cast<std::uint64_t>(
        flit_time == Time::zero() ? 0 : (round_trip.ticks() + flit_time.ticks() - 1) / flit_time.ticks());
    const std::uint64_t slack = in_flight + unit;
    const std::uint64_t capacity = parameters.buffer / parameters.flit;
    const std::uint64_t stop = parameters.stop_mark != 0 ? parameters.stop_mark / parameters.flit
                               : capacity > slack        ? capacity - slack
                                                         : 0;
    if (stop == 0 || stop + slack > capacity) {
        throw InputError(fmt::format(
            "packet.buffer and packet.stop_mark: at the end of channel {} there must be room above the stop "
            "mark for the {} that may come within a round trip; of a buffer of {} that leaves {}",
            fabric.name(channel), format_bytes(slack * parameters.flit), format_bytes(parameters.buffer),
            capacity > slack
                ? fmt::format("a stop mark of at most {}", format_bytes((capacity - slack) * parameters.flit))
                : "nothing"));
    }
    const std::uint64_t go = parameters.go_mark != 0 ? parameters.go_mark / parameters.flit : stop / 2;
    if (go >= stop) throw InputError("packet.go_mark: expected less than the stop mark");
    return {static_cast<std::uint32_t>(stop), static_cast<std::uint32_t>(go)};
}

} // namespace orrery::packet
