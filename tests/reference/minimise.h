// Makes a random case that fails small, so that it can be shown.
#pragma once

#include <cstddef>
#include <functional>
#include <utility>

namespace orrery::reference {

// Leaves out steps as long as it still fails.
template <typename Case> Case minimise(Case failing, const std::function<bool(const Case&)>& fails) {
    for (std::size_t at = 0; at < failing.steps.size();) {
        Case smaller = failing;
        smaller.steps.erase(smaller.steps.begin() + static_cast<std::ptrdiff_t>(at));
        if (fails(smaller)) {
            failing = std::move(smaller);
            at = 0;
        } else {
            ++at;
        }
    }
    return failing;
}

} // namespace orrery::reference
