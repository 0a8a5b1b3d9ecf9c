// A study of validation must be read or refused; what is read has applications that can be told apart.
#include "engine/error.h"
#include "tools/validate/study.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>

using namespace orrery;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    try {
        const ValidationPlan plan = validation_from_text(text, "fuzz.toml");
        std::set<std::string> folders;
        for (const ValidationApplication& each : plan.applications) {
            if (each.command.empty() || each.ranks == 0) std::abort();
            if (!folders.insert(folder_of(each)).second) std::abort();
        }
        if (folders.empty() || plan.runs == 0 || plan.traces == 0) std::abort();
    } catch (const InputError&) { // refused
    }
    return 0;
}
