#include "cli/inputs.h"

#include "engine/error.h"
#include "engine/units.h"
#include "formats/trace.h"
#include "machine/built_in.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <string_view>

namespace orrery::cli {

namespace {

template <typename Parse> bool reads(const std::string& word, Parse&& parse) {
    try {
        (void)parse(word);
        return true;
    } catch (const UsageError&) {
        return false;
    }
}

// "5us", or the "us" of a value that was written with a blank.
bool like_a_value(const std::string& word) {
    const bool digits = word.find_first_of("0123456789") != std::string::npos;
    const bool letters = word.find_first_not_of("0123456789.") != std::string::npos;
    if (!letters || (!digits && word.size() < 2)) return false;
    const std::string value = digits ? word : "1" + word;
    return reads(value, parse_time) || reads(value, parse_bandwidth) || reads(value, parse_bytes);
}

std::string meant(const std::string& word) {
    const auto machines = built_in_machines();
    const bool machine = std::any_of(machines.begin(), machines.end(),
                                     [&](const BuiltInMachine& each) { return each.name == word; });
    if (machine)
        return fmt::format(
            "; {0} is a built-in machine: a verb takes it as --on {0}, 'orrery machine show {0}' "
            "describes it",
            word);
    if (like_a_value(word))
        return "; a key and its value are one word, in quotes where it has a blank: --set 'link.latency=5 us'";
    if (word.ends_with(".json")) return fmt::format("; --json prints, and the shell writes: --json > {}", word);
    if (word.find_first_of("*?") != std::string::npos) return "; no file fits, so the shell left it as it was";
    return {};
}

} // namespace

void expect_inputs(std::span<const std::string> paths) {
    for (const std::string& path : paths) {
        std::error_code none;
        if (path == "-" || std::filesystem::status(path, none).type() != std::filesystem::file_type::not_found)
            continue;
        throw InputError(Error{path, 0, 0, "cannot be opened: No such file or directory" + meant(path)});
    }
}

void expect_study(const std::string& path, const std::string& of_program) {
    std::error_code none;
    if (!std::filesystem::is_regular_file(path, none)) return;
    std::ifstream file(path, std::ios::binary);
    std::array<char, 4> magic{};
    file.read(magic.data(), magic.size());
    if (std::string_view(magic.data(), magic.size()) == "\x7F"
                                                        "ELF")
        throw InputError(Error{path, 0, 0, "this is a program, not a study" + of_program});
    if (looks_like_ti(path))
        throw InputError(
            Error{path, 0, 0,
                  "this is a trace, not a study: 'orrery replay' simulates it, and a study names it as "
                  "its workload"});
}

} // namespace orrery::cli
