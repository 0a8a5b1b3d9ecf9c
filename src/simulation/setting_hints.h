// Why a setting is not read, and which one does the same job.
#pragma once

#include "simulation/run_facts.h"

#include <string>
#include <string_view>

namespace orrery {

// "not used by --network loggops; use --loggops G=...". `name` is a key or an option.
std::string unread_reason(std::string_view name, NetworkKind kind, RunFacts::Workload workload);

// Of keys that are accepted for the sake of other programs' files; empty of all others.
std::string accepted_reason(std::string_view key);

} // namespace orrery
