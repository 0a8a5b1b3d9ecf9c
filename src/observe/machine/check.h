// What can be said of a machine's network before anything is sent: is all connected, how narrow is it, can it
// deadlock, and where do the flows of a pattern meet.
#pragma once

#include "machine/bisection.h"
#include "machine/machine.h"
#include "machine/routing/deadlock.h"
#include "machine/routing/pattern_load.h"
#include "machine/survey.h"

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace orrery {

struct MachineCheckOptions {
    std::uint64_t pairs = 1'000'000; // of hosts, and routes, to examine
    std::string pattern;             // empty: none
};

struct MachineCheck {
    RouteSurvey routes;         // as the platform has them
    std::string without_fabric; // why all that follows is empty
    std::uint32_t hosts = 0;
    std::uint32_t switches = 0;
    std::uint64_t cables = 0; // without injection and ejection channels
    std::vector<std::string> left_out;
    std::optional<HostId> unreached; // through switches, from host 0
    std::optional<double> shape_bisection;
    std::optional<Bisection> bisection;
    std::string routing;
    std::uint32_t lanes = 1;
    DeadlockCheck deadlock;
    std::string cycle; // one that was found, in words
    std::string pattern;
    std::uint64_t flows = 0;
    std::optional<PatternLoad> load;
    std::string worst_channel;
};

// The routing is that of `routing.*` in the machine's settings. Throws InputError if hosts cannot reach each
// other, or settings or pattern are wrong.
MachineCheck check_machine(const Machine& machine, const MachineCheckOptions& options);

// Only the settings `routing.*` of a machine. Throws InputError for one that does not exist.
Settings routing_settings(const Machine& machine);

std::string check_words(const Machine& machine, const MachineCheck& check);
nlohmann::ordered_json check_json(const Machine& machine, const MachineCheck& check);

} // namespace orrery
