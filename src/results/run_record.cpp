#include "results/run_record.h"

#include <nlohmann/json.hpp>

namespace orrery {

using nlohmann::json;

json inputs_json(std::span<const InputFile> inputs) {
    json out = json::array();
    for (const InputFile& each : inputs) {
        out.push_back({{"role", each.role},
                       {"name", each.name},
                       {"hash", each.hash.empty() ? json() : json(each.hash)},
                       {"bytes", each.bytes},
                       {"files", each.files}});
    }
    return out;
}

json manifest_json(const RunRecord& record, std::span<const std::string> files) {
    json machine = json::object();
    for (const EffectiveValue& each : record.machine)
        machine[each.key] = {{"value", each.value}, {"from", each.origin}};
    return {{"schema", 1},
            {"version", record.version},
            {"command", record.command},
            {"inputs", inputs_json(record.inputs)},
            {"machine", std::move(machine)},
            {"seeds", {{"noise", record.noise_seed}, {"start_skew", record.skew_seed}}},
            {"host", record.host},
            {"started", record.started},
            {"seconds", record.seconds},
            {"files", files}};
}

} // namespace orrery
