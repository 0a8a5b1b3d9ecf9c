#include "network/packet/parameters.h"

#include "engine/error.h"
#include "engine/units.h"

#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <string_view>
#include <utility>

namespace orrery {

namespace {

constexpr std::array packet_table{
    Parameter{"packet.segment", "bytes", "4 KiB", "payload of a segment (packet) at most"},
    Parameter{"packet.header", "bytes", "0", "what each segment carries on the wire besides"},
    Parameter{"packet.flit", "bytes", "8", "the unit in which channels and buffers work"},
    Parameter{"packet.switching", "word", "cut-through",
              "cut-through: a segment starts where there is room for all of it; wormhole: flit by flit"},
    Parameter{"packet.flow_control", "word", "credits", "credits, or stop-go with the marks below"},
    Parameter{"packet.queueing", "word", "input",
              "where a switch keeps what has to wait: input, output or combined"},
    Parameter{"packet.speed_up", "factor", "2", "combined queueing: of the crossbar over the channel"},
    Parameter{"packet.buffer", "bytes", "",
              "at the end of each channel, for each lane; unless set: a round trip's worth and four segments"},
    Parameter{"packet.output_buffer", "bytes", "",
              "combined queueing: at the start of each channel, for each lane"},
    Parameter{"packet.stop_mark", "bytes", "0",
              "stop-go: the buffer says stop from here; 0: as high as is safe"},
    Parameter{"packet.go_mark", "bytes", "0", "stop-go: and go from here down; 0: half of the stop mark"},
    Parameter{"packet.switch_delay", "time", "0",
              "from arrival at a switch to leaving it, at least; on top of the latencies of links"},
    Parameter{"packet.injection", "word", "interleaved",
              "segments of the messages of one adapter: interleaved or in-order"},
    Parameter{"packet.first_turn", "word", "random", "where arbiters begin: random or equal"},
    Parameter{"packet.seed", "number", "1", "of these random places"},
    Parameter{"packet.control_priority", "yes/no", "no",
              "messages of protocols have a lane of their own that goes first"},
    Parameter{"packet.injection_bandwidth", "bandwidth", "0",
              "of the injection and ejection channel of a host that is part of its router (torus, hypercube, "
              "...); 0: without limit"},
};

// A word of a small set; '_' is as good as '-'.
template <typename Value, std::size_t n>
Value choose(const Settings& settings, std::string_view key,
             const std::array<std::pair<std::string_view, Value>, n>& choices, Value otherwise) {
    if (settings.find(key) == nullptr) return otherwise;
    std::string word = settings.word(key, "");
    for (char& letter : word) letter = letter == '_' ? '-' : letter;
    std::string expected;
    for (const auto& [name, value] : choices) {
        if (name == word) return value;
        expected.append(expected.empty() ? "" : " or ").append(name);
    }
    settings.complain(key, expected);
}

template <typename Value> using Choices = std::array<std::pair<std::string_view, Value>, 2>;

constexpr Choices<Switching> switchings{
    {{"cut-through", Switching::cut_through}, {"wormhole", Switching::wormhole}}};
constexpr Choices<FlowControl> flow_controls{
    {{"credits", FlowControl::credits}, {"stop-go", FlowControl::stop_go}}};
constexpr std::array<std::pair<std::string_view, Queueing>, 3> queueings{
    {{"input", Queueing::input}, {"output", Queueing::output}, {"combined", Queueing::combined}}};
constexpr Choices<Injection> injections{
    {{"interleaved", Injection::interleaved}, {"in-order", Injection::in_order}}};
constexpr Choices<FirstTurn> first_turns{{{"random", FirstTurn::random}, {"equal", FirstTurn::equal}}};

template <typename Value, std::size_t n>
std::string_view name_of(const std::array<std::pair<std::string_view, Value>, n>& choices, Value value) {
    for (const auto& [name, each] : choices) {
        if (each == value) return name;
    }
    return {};
}

// Sizes are counted in 32 bits of flits.
constexpr Bytes most_bytes = Bytes{1} << 30;

Bytes read_size(const Settings& settings, std::string_view key, Bytes otherwise, bool may_be_zero) {
    const Bytes bytes = settings.bytes(key, otherwise);
    if (bytes > most_bytes || (bytes == 0 && !may_be_zero)) {
        settings.complain(key, may_be_zero ? "at most 1 GiB" : "more than 0 bytes and at most 1 GiB");
    }
    return bytes;
}

std::uint64_t read_seed(const Settings& settings, std::string_view key, std::uint64_t otherwise) {
    const double number = settings.number(key, static_cast<double>(otherwise));
    constexpr double exact = 9007199254740992; // 2^53
    if (!(number >= 0) || number > exact || number != std::floor(number)) {
        settings.complain(key, "a whole number from 0 to 2^53");
    }
    return static_cast<std::uint64_t>(number);
}

void check(const Settings& settings, const PacketParameters& read) {
    if (read.switching == Switching::wormhole && read.queueing != Queueing::input) {
        settings.complain("packet.queueing",
                          "input: with packet.switching = wormhole a segment may be longer than any "
                          "buffer, so that switches queue at their inputs only");
    }
    const Bytes wire = read.segment + read.header;
    const Bytes whole = (wire + read.flit - 1) / read.flit * read.flit;
    if (read.buffer < read.flit) settings.complain("packet.buffer", "at least one flit");
    if (read.switching == Switching::cut_through && read.buffer < whole) {
        settings.complain("packet.buffer", fmt::format("room for a whole segment with its header ({}); "
                                                       "packet.switching = wormhole can do with less",
                                                       format_bytes(whole)));
    }
    if (read.queueing == Queueing::combined && read.output_buffer < whole) {
        settings.complain("packet.output_buffer",
                          fmt::format("room for a whole segment with its header ({})", format_bytes(whole)));
    }
    if (read.stop_mark != 0 && (read.stop_mark < read.flit || read.stop_mark > read.buffer)) {
        settings.complain("packet.stop_mark", "at least one flit and at most packet.buffer");
    }
    if (read.go_mark != 0 && read.stop_mark != 0 && read.go_mark >= read.stop_mark) {
        settings.complain("packet.go_mark", "less than packet.stop_mark");
    }
}

// Sizes of buffers and segments are mostly whole KiB, which format_bytes does not know.
std::string size_words(Bytes bytes) {
    return bytes > 0 && bytes % 1024 == 0 ? fmt::format("{} KiB", bytes / 1024) : format_bytes(bytes);
}

} // namespace

std::span<const Parameter> packet_parameters() { return packet_table; }

PacketParameters read_packet_parameters(const Settings& settings) {
    PacketParameters read;
    read.segment = read_size(settings, "packet.segment", read.segment, false);
    read.header = read_size(settings, "packet.header", read.header, true);
    read.flit = read_size(settings, "packet.flit", read.flit, false);
    read.switching = choose(settings, "packet.switching", switchings, read.switching);
    read.flow_control = choose(settings, "packet.flow_control", flow_controls, read.flow_control);
    read.queueing = choose(settings, "packet.queueing", queueings, read.queueing);
    read.speed_up = settings.number("packet.speed_up", read.speed_up);
    if (!(read.speed_up >= 1) || !std::isfinite(read.speed_up)) {
        settings.complain("packet.speed_up", "a factor of at least 1");
    }
    const Bytes roomy = std::min(std::max(read.buffer, 4 * (read.segment + read.header)), most_bytes);
    read.buffer = read_size(settings, "packet.buffer", roomy, false);
    read.output_buffer = read_size(settings, "packet.output_buffer", roomy, false);
    read.stop_mark = read_size(settings, "packet.stop_mark", read.stop_mark, true);
    read.go_mark = read_size(settings, "packet.go_mark", read.go_mark, true);
    read.switch_delay = settings.time("packet.switch_delay", read.switch_delay);
    if (read.switch_delay < Time::zero()) settings.complain("packet.switch_delay", "no negative time");
    read.injection = choose(settings, "packet.injection", injections, read.injection);
    read.first_turn = choose(settings, "packet.first_turn", first_turns, read.first_turn);
    read.seed = read_seed(settings, "packet.seed", read.seed);
    read.control_priority = settings.flag("packet.control_priority", read.control_priority);
    if (settings.find("packet.injection_bandwidth") != nullptr &&
        settings.word("packet.injection_bandwidth", "") != "0")
        read.injection_bandwidth = settings.bandwidth("packet.injection_bandwidth", read.injection_bandwidth);
    check(settings, read);
    return read;
}

PacketParameters read_packet_parameters(const Settings& settings, const Fabric& fabric) {
    Settings complete = settings;
    Bytes most = 0; // that a channel carries during a round trip
    for (std::uint32_t i = 0; i < fabric.channel_count(); ++i) {
        const Channel& channel = fabric.channel(LinkId{i});
        if (channel.from == channel.to) continue;
        const double bytes = channel.bandwidth * 2 * channel.latency.seconds();
        most = std::max(most, static_cast<Bytes>(std::min(bytes, static_cast<double>(most_bytes))));
    }
    const PacketParameters usual;
    const Bytes segment = settings.bytes("packet.segment", usual.segment) + settings.bytes("packet.header", 0);
    constexpr Bytes kib = 1024;
    const Bytes needed = std::min((most + 4 * segment + kib - 1) / kib * kib, most_bytes);
    for (const char* const key : {"packet.buffer", "packet.output_buffer"}) {
        if (settings.find(key) == nullptr)
            complete.set(key, fmt::format("{}B", std::max(needed, usual.buffer)), "default");
    }
    return read_packet_parameters(complete);
}

std::string describe(const PacketParameters& parameters) {
    std::string words =
        fmt::format("segments of {}, {}, {}, ", size_words(parameters.segment),
                    name_of(switchings, parameters.switching), name_of(flow_controls, parameters.flow_control));
    switch (parameters.queueing) {
    case Queueing::input: words += fmt::format("input queues of {}", size_words(parameters.buffer)); break;
    case Queueing::output: words += fmt::format("output queues, {}", size_words(parameters.buffer)); break;
    case Queueing::combined:
        words +=
            fmt::format("queues of {} at inputs and {} at outputs, speed-up {}", size_words(parameters.buffer),
                        size_words(parameters.output_buffer), parameters.speed_up);
        break;
    }
    if (parameters.control_priority) words += ", protocol messages first";
    return words;
}

} // namespace orrery
