#include "emulate/compute/symbols.h"

#include <algorithm>
#include <fnmatch.h>
#include <string_view>

namespace orrery::emulate {

namespace {

// The first comes back in the register of integers and pointers, the second in that of floating-point numbers:
// a caller finds 0 whatever the type of the function is.
struct Nothing {
    long integer;
    double number;
};
Nothing nothing() { return {0, 0}; }

} // namespace

std::vector<Symbol> skip_symbols(std::span<const std::string> patterns, std::span<const char* const> names,
                                 std::vector<std::string>& unused) {
    std::vector<Symbol> found;
    for (const std::string& pattern : patterns) {
        bool used = false;
        for (const char* const name : names) {
            if (fnmatch(pattern.c_str(), name, 0) != 0) continue;
            used = true;
            found.push_back({name, reinterpret_cast<void*>(&nothing)});
        }
        if (!used) unused.push_back(pattern);
    }
    const auto before = [](const Symbol& a, const Symbol& b) { return std::string_view(a.name) < b.name; };
    const auto same = [](const Symbol& a, const Symbol& b) { return std::string_view(a.name) == b.name; };
    std::sort(found.begin(), found.end(), before);
    found.erase(std::unique(found.begin(), found.end(), same), found.end());
    return found;
}

} // namespace orrery::emulate
