// The machines that come with the program: the texts of machines/*.toml, made part of it when it is built.
#pragma once

#include <span>
#include <string_view>

namespace orrery {

struct BuiltInMachine {
    std::string_view name;
    std::string_view text; // TOML
};

// In the order of their names.
std::span<const BuiltInMachine> built_in_machines();

} // namespace orrery
