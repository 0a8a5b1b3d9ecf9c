// How a run of the program under attack has ended, and what may be said of it: an exit code that the manual
// knows, in bounded time and memory, with words for whatever is not a result.
#pragma once

#include "cli/program_test.h"
#include "reference/sanitized.h"

#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>

namespace orrery::attacks {

// How often: ORRERY_ATTACKS, or the usual number.
inline std::uint64_t attacks(std::uint64_t usual) {
    const char* const given = std::getenv("ORRERY_ATTACKS");
    return given != nullptr ? std::strtoull(given, nullptr, 10) : usual;
}

struct Tally {
    std::map<int, std::uint64_t> codes;

    // "1000 runs: 12 x 0, 3 x 1, 985 x 3"
    [[nodiscard]] std::string words() const {
        std::uint64_t runs = 0;
        std::string each;
        for (const auto& [code, times] : codes) {
            runs += times;
            each += (each.empty() ? "" : ", ") + std::to_string(times) + " x " + std::to_string(code);
        }
        return std::to_string(runs) + " runs: " + each;
    }
};

// `orrery ARGUMENTS` in the folder, in 4 GB and 20 s of CPU time. What is wrong with its end, in words; empty
// if all is well.
inline std::string what_is_wrong_with(const std::string& folder, const std::string& arguments, Tally& tally) {
    // The address sanitizer reserves more than any limit.
    const std::string limits =
        std::string(reference::sanitized ? "" : "ulimit -v 4000000 && ") + "ulimit -t 20 && ulimit -c 0";
    const test::Answer answer =
        test::run_command("cd " + folder + " && " + limits + " && exec timeout -s KILL 120 " +
                          orrery_program() + " " + arguments + " 2>&1 </dev/null");
    ++tally.codes[answer.code];
    if (answer.code == -1 || answer.code == 137) return "killed after 20 s of CPU time, or by a signal";
    if (answer.code < 0 || answer.code > 3)
        return "exit code " + std::to_string(answer.code) + ": " + answer.out;
    if (answer.code != 0 && answer.out.find("orrery: ") == std::string::npos) return "no word of the reason";
    if (answer.out.find("out of memory") != std::string::npos) return answer.out;
    if (answer.out.find("exception.") != std::string::npos) return "words of a library: " + answer.out;
    return {};
}

} // namespace orrery::attacks
