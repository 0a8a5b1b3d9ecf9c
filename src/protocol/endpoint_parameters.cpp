#include "protocol/endpoint_parameters.h"

#include "engine/units.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>

namespace orrery {

namespace {

constexpr std::array<Parameter, 24> table{{
    {"endpoint.set", "word", "orrery",
     "where the other values start from: orrery (as real MPIs do) or smpi (as SimGrid does)"},
    {"endpoint.send_overhead", "table", "0",
     "CPU time of a blocking send: pieces above:base:per_byte;..., such as 0:1us:0.1ns/B;1024:2us:0.2ns/B"},
    {"endpoint.isend_overhead", "table", "0", "the same of a nonblocking send"},
    {"endpoint.recv_overhead", "table", "0", "the same of a receive, when it completes"},
    {"endpoint.eager_limit", "bytes", "64 KiB", "largest message that does not wait for its receive"},
    {"endpoint.match", "word", "arrival",
     "a message meets its receive when its envelope has arrived: arrival; as it is sent, as SimGrid does: "
     "send"},
    {"endpoint.handshake", "yes/no", "yes",
     "a larger one costs a request and a clear-to-send, one latency each"},
    {"endpoint.control_bytes", "bytes", "0",
     "size of a request and of a clear-to-send as messages over the network; 0: a latency without load"},
    {"endpoint.fetch", "yes/no", "no",
     "within a host, a larger one is fetched by the receiver's CPU while it is in an MPI call; no handshake"},
    {"endpoint.send_completion", "table", "0", "CPU time of the sender when a message was fetched"},
    {"endpoint.fetch_tail", "time", "0", "how long before the end of a fetch the sender is told"},
    {"endpoint.test", "time", "0", "what an unsuccessful test or probe costs"},
    {"endpoint.clock", "time", "10 ns",
     "what reading a clock costs an emulated program (MPI_Wtime, clock_gettime)"},
    {"endpoint.reduction", "time/B", "0", "CPU time per byte of combining two operands inside a collective"},
    {"endpoint.copy", "time/B", "0",
     "CPU time per byte of a copy inside a collective, such as of a rank's own block in an all-to-all"},
    {"smpi.os", "table", "0", "SimGrid's name and units (seconds, seconds per byte) of endpoint.send_overhead"},
    {"smpi.ois", "table", "0", "the same of endpoint.isend_overhead"},
    {"smpi.or", "table", "0", "the same of endpoint.recv_overhead"},
    {"smpi.send-is-detached-thresh", "bytes", "65536", "SimGrid: a message of fewer bytes is eager"},
    {"smpi.async-small-thresh", "bytes", "0",
     "SimGrid: a message of fewer bytes flows before its receive is posted"},
    {"smpi.test", "seconds", "1e-4", "SimGrid's name of endpoint.test"},
    {"smpi.grow-injected-times", "yes/no", "yes", "SimGrid: unsuccessful tests in a row cost more and more"},
    {"smpi.host-speed", "rate", "", "accepted: it scales measured computation, of which a trace has none"},
    {"smpi.simulate-computation", "yes/no", "", "accepted, without effect on a trace"},
}};

// In ps per byte.
double read_per_byte(const Settings& settings, std::string_view key) {
    if (settings.find(key) == nullptr) return 0;
    try {
        return parse_time_per_byte(settings.word(key, "0"));
    } catch (const std::exception&) {
        settings.complain(key, "expected a time per byte, such as 0.1ns/B");
    }
}

// "above:base:per_byte;..." with units, or bare numbers in seconds if `si`.
Piecewise read_table(const Settings& settings, std::string_view key, bool si) {
    const char* const expected =
        si ? "expected above:seconds:seconds_per_byte;..., such as 0:1e-6:1e-10;1024:2e-6:2e-10"
           : "expected above:time:time_per_byte;..., such as 0:1us:0.1ns/B;1KiB:2us:0.2ns/B";
    const std::string text = settings.word(key, "");
    std::vector<Piecewise::Piece> pieces;
    const auto seconds = [&](std::string_view word) {
        double value = 0;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
        if (error != std::errc() || end != word.data() + word.size() || !(value >= 0 && value < 1e6))
            settings.complain(key, expected);
        return value * 1e12;
    };
    std::string_view rest = text;
    while (!rest.empty()) {
        const std::size_t semicolon = std::min(rest.find(';'), rest.size());
        std::string_view item = rest.substr(0, semicolon);
        rest.remove_prefix(std::min(semicolon + 1, rest.size()));
        std::array<std::string_view, 3> words{"0", "0", "0"};
        std::size_t count = 0;
        for (; count < 3 && !item.empty(); ++count) {
            const std::size_t colon = std::min(item.find(':'), item.size());
            words[count] = item.substr(0, colon);
            item.remove_prefix(std::min(colon + 1, item.size()));
        }
        if (count == 1) std::swap(words[0], words[1]); // one cost for all sizes
        if (count == 0 || !item.empty()) settings.complain(key, expected);
        try {
            pieces.push_back({parse_bytes(words[0]),
                              si ? seconds(words[1]) : parse_time(words[1]).picoseconds(),
                              si ? seconds(words[2]) : (words[2] == "0" ? 0 : parse_time_per_byte(words[2]))});
        } catch (const std::exception&) {
            settings.complain(key, expected);
        }
    }
    std::sort(pieces.begin(), pieces.end(), [](const auto& a, const auto& b) { return a.above < b.above; });
    return Piecewise(std::move(pieces));
}

void read_tables(const Settings& settings, std::string_view ours, std::string_view smpi, Piecewise& into) {
    if (settings.find(ours) != nullptr) into = read_table(settings, ours, false);
    if (settings.find(smpi) != nullptr) into = read_table(settings, smpi, true);
}

EndpointParameters smpi_set() {
    EndpointParameters smpi;
    smpi.matching = Matching::at_send;
    smpi.eager_below = 65536;
    smpi.flows_below = 0;
    smpi.envelope = 16;
    smpi.handshake = false;
    smpi.overhead_if_eager_only = true;
    smpi.test = Time::us(100);
    smpi.test_grows = true;
    return smpi;
}

} // namespace

std::span<const Parameter> endpoint_parameters() { return table; }

EndpointParameters read_endpoint_parameters(const Settings& settings) {
    const std::string set = settings.word("endpoint.set", "orrery");
    if (set != "orrery" && set != "smpi") settings.complain("endpoint.set", "expected orrery or smpi");
    EndpointParameters parameters = set == "smpi" ? smpi_set() : EndpointParameters{};
    read_tables(settings, "endpoint.send_overhead", "smpi.os", parameters.send_overhead);
    read_tables(settings, "endpoint.isend_overhead", "smpi.ois", parameters.isend_overhead);
    read_tables(settings, "endpoint.recv_overhead", "smpi.or", parameters.recv_overhead);
    if (settings.find("endpoint.eager_limit") != nullptr) {
        const Bytes limit = settings.bytes("endpoint.eager_limit", 0);
        parameters.eager_below = limit == unlimited ? unlimited : limit + 1;
        if (set != "smpi") parameters.flows_below = parameters.eager_below;
    }
    parameters.eager_below = settings.bytes("smpi.send-is-detached-thresh", parameters.eager_below);
    parameters.flows_below = settings.bytes("smpi.async-small-thresh", parameters.flows_below);
    const std::string match = settings.word("endpoint.match", set == "smpi" ? "send" : "arrival");
    if (match != "arrival" && match != "send") settings.complain("endpoint.match", "expected arrival or send");
    parameters.matching = match == "send" ? Matching::at_send : Matching::at_arrival;
    parameters.handshake = settings.flag("endpoint.handshake", parameters.handshake);
    parameters.control_bytes = settings.bytes("endpoint.control_bytes", 0);
    if (parameters.control_bytes == unlimited)
        settings.complain("endpoint.control_bytes", "expected a size, such as 64 B");
    if (parameters.control_bytes > 0 && !parameters.handshake)
        settings.complain("endpoint.control_bytes", "expected 0, as endpoint.handshake is off");
    parameters.fetched = settings.flag("endpoint.fetch", parameters.fetched);
    if (settings.find("endpoint.send_completion") != nullptr)
        parameters.completion_overhead = read_table(settings, "endpoint.send_completion", false);
    parameters.fetch_tail = settings.time("endpoint.fetch_tail", parameters.fetch_tail);
    parameters.test = settings.time("endpoint.test", parameters.test);
    parameters.clock = settings.time("endpoint.clock", parameters.clock);
    if (settings.find("smpi.test") != nullptr) {
        const double picoseconds = settings.number("smpi.test", 0) * 1e12;
        if (!(picoseconds >= 0 && picoseconds < Time::longest().picoseconds()))
            settings.complain("smpi.test", "expected seconds, at most 26 days");
        parameters.test = Time::from_ps(picoseconds, "smpi.test");
    }
    parameters.test_grows = settings.flag("smpi.grow-injected-times", parameters.test_grows);
    parameters.reduction_per_byte = read_per_byte(settings, "endpoint.reduction");
    parameters.copy_per_byte = read_per_byte(settings, "endpoint.copy");
    return parameters;
}

EndpointParameters endpoint_of(const LogGOPS& parameters) {
    EndpointParameters endpoint;
    const Piecewise overhead({{0, parameters.o.picoseconds(), parameters.O}});
    endpoint.send_overhead = endpoint.isend_overhead = endpoint.recv_overhead = overhead;
    endpoint.first_byte_free = true;
    endpoint.interfaces = true;
    endpoint.gap = parameters.g;
    endpoint.gap_per_byte = parameters.G;
    endpoint.eager_below = parameters.S == unlimited ? unlimited : parameters.S + 1;
    endpoint.flows_below = endpoint.eager_below;
    endpoint.handshake = parameters.rendezvous == Rendezvous::handshake;
    return endpoint;
}

std::string describe(const EndpointParameters& parameters) {
    std::string text = parameters.eager_below == unlimited ? std::string("every message is eager")
                       : parameters.eager_below == 0
                           ? std::string("every message is a rendezvous")
                           : fmt::format("eager up to {}", format_bytes(parameters.eager_below - 1));
    if (parameters.eager_below != unlimited && parameters.handshake) text += ", then rendezvous with handshake";
    if (parameters.eager_below != unlimited && parameters.control_bytes > 0)
        text += fmt::format(" (2 messages of {})", format_bytes(parameters.control_bytes));
    if (parameters.eager_below != unlimited && parameters.fetched)
        text += "; within a host the receiver fetches larger ones";
    if (parameters.matching == Matching::at_send) text += "; messages match as they are sent";
    if (parameters.flows_below < parameters.eager_below) text += "; a message flows when its receive is posted";
    if (parameters.send_overhead.empty() && parameters.recv_overhead.empty()) text += "; no CPU overhead";
    return text;
}

} // namespace orrery
