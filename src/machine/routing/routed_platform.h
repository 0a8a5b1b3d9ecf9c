// A platform whose routes are those of a file, for networks that ask the platform (flow, surveys).
#pragma once

#include "machine/platform.h"

#include <memory>
#include <string>
#include <string_view>

namespace orrery {

// All but the routes is as in `platform`; of several paths between two hosts the first is taken. Throws
// InputError if the file does not fit the wiring of the platform.
std::shared_ptr<const Platform> with_routes(std::shared_ptr<const Platform> platform, std::string_view routes,
                                            const std::string& file);

} // namespace orrery
