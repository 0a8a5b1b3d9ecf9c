#include "formats/ort/metadata.h"

#include "engine/error.h"

#include <charconv>
#include <concepts>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace orrery::recorded {

namespace {

using Json = nlohmann::ordered_json;

Json parse(std::span<const std::uint8_t> text) {
    Json found = Json::parse(text.begin(), text.end(), nullptr, false);
    if (!found.is_object()) throw InputError("it should hold a JSON object");
    return found;
}

[[noreturn]] void wrong(const char* name, const char* expected) {
    throw InputError(fmt::format("its \"{}\" should be {}", name, expected));
}

template <typename Value> void take(const Json& from, const char* name, Value& to) {
    const auto at = from.find(name);
    if (at == from.end()) return;
    if constexpr (std::same_as<Value, std::string>) {
        if (!at->is_string()) wrong(name, "a string");
    } else if constexpr (std::same_as<Value, bool>) {
        if (!at->is_boolean()) wrong(name, "true or false");
    } else if constexpr (std::integral<Value>) {
        if (!at->is_number_unsigned()) wrong(name, "a whole number");
    } else {
        if (!at->is_number()) wrong(name, "a number");
    }
    to = at->template get<Value>();
}

} // namespace

RecordedBegin parse_begin(std::span<const std::uint8_t> json) {
    const Json from = parse(json);
    RecordedBegin begin;
    std::string run;
    take(from, "run", run);
    if (!run.empty()) {
        const auto [at, error] = std::from_chars(run.data(), run.data() + run.size(), begin.run, 16);
        if (error != std::errc{} || at != run.data() + run.size()) wrong("run", "a hexadecimal number");
    }
    std::uint64_t ranks = 0;
    take(from, "ranks", ranks);
    if (ranks == 0 || ranks >= max_ranks) wrong("ranks", "the number of ranks");
    begin.ranks = static_cast<std::uint32_t>(ranks);
    take(from, "program", begin.program);
    take(from, "host", begin.host);
    take(from, "cpu", begin.cpu);
    take(from, "mpi", begin.mpi);
    take(from, "started", begin.started);
    take(from, "counter", begin.counter);
    take(from, "clock", begin.clock);
    take(from, "reference", begin.reference);
    take(from, "version", begin.version);
    take(from, "timed", begin.timed);
    return begin;
}

RecordedEnd parse_end(std::span<const std::uint8_t> json) {
    const Json from = parse(json);
    RecordedEnd end;
    take(from, "finalized", end.finalized);
    take(from, "how", end.how);
    take(from, "seconds", end.seconds);
    take(from, "mpi_seconds", end.mpi_seconds);
    take(from, "volume", end.volume);
    take(from, "cost_seconds", end.cost_seconds);
    take(from, "peak_bytes", end.peak_bytes);
    if (const auto calls = from.find("calls"); calls != from.end()) {
        if (!calls->is_array()) wrong("calls", "a list");
        for (const Json& each : *calls) {
            if (!each.is_object()) wrong("calls", "a list of objects");
            RecordedCall& call = end.calls.emplace_back();
            take(each, "name", call.name);
            take(each, "calls", call.calls);
            take(each, "replayed", call.replayed);
        }
    }
    if (const auto notes = from.find("notes"); notes != from.end()) {
        if (!notes->is_array()) wrong("notes", "a list");
        for (const Json& each : *notes) {
            if (!each.is_string()) wrong("notes", "a list of strings");
            end.notes.push_back(each.get<std::string>());
        }
    }
    return end;
}

} // namespace orrery::recorded
