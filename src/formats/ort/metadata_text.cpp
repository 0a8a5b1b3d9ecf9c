// The other direction of metadata.cpp, apart from it: this part runs inside the traced program too.
#include "formats/ort/metadata.h"

#include <array>
#include <charconv>
#include <nlohmann/json.hpp>

namespace orrery::recorded {

namespace {

using Json = nlohmann::ordered_json;

// Arguments of programs may hold any byte: what is no UTF-8 is replaced, so that the JSON is valid.
std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string hexadecimal(std::uint64_t value) {
    std::array<char, 16> digits{};
    const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), value, 16);
    const auto count = static_cast<std::size_t>(result.ptr - digits.data());
    return std::string(digits.size() - count, '0').append(digits.data(), count);
}

Json json_of(const RecordedCall& call) {
    return {{"name", call.name}, {"calls", call.calls}, {"replayed", call.replayed}};
}

} // namespace

std::string json_of(const RecordedBegin& begin) {
    return text_of({{"run", hexadecimal(begin.run)},
                    {"ranks", begin.ranks},
                    {"program", begin.program},
                    {"host", begin.host},
                    {"cpu", begin.cpu},
                    {"mpi", begin.mpi},
                    {"started", begin.started},
                    {"counter", begin.counter},
                    {"clock", begin.clock},
                    {"reference", begin.reference},
                    {"version", begin.version},
                    {"timed", begin.timed}});
}

std::string json_of(const RecordedEnd& end) {
    Json calls = Json::array();
    for (const RecordedCall& call : end.calls) calls.push_back(json_of(call));
    Json out = {{"finalized", end.finalized},     {"how", end.how},       {"seconds", end.seconds},
                {"mpi_seconds", end.mpi_seconds}, {"volume", end.volume}, {"cost_seconds", end.cost_seconds},
                {"peak_bytes", end.peak_bytes},   {"calls", calls}};
    if (!end.notes.empty()) out["notes"] = end.notes;
    return text_of(out);
}

} // namespace orrery::recorded
