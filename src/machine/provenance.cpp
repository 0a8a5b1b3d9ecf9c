#include "machine/provenance.h"

#include "engine/error.h"
#include "machine/topologies/lists.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace orrery {

namespace {

// "6.1 %" as 0.061.
double read_percent(const Settings& settings, std::string_view key) {
    const std::string text = settings.word(key, "");
    double value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    std::string_view rest(read.ptr, static_cast<std::size_t>(text.data() + text.size() - read.ptr));
    while (rest.starts_with(' ')) rest.remove_prefix(1);
    if (read.ec != std::errc() || rest != "%" || !(value >= 0 && value <= 1000))
        settings.complain(key, "a percentage, such as 6.1 %");
    return value / 100;
}

// What holds for a key of [provenance] assumed.
std::string assumed_value(const Machine& machine, std::string_view key) {
    for (const Settings* const settings : {&machine.hardware, &machine.settings}) {
        if (const Setting* const setting = settings->find(key)) return setting->value;
    }
    for (const Parameter& row : machine_parameters()) {
        if (row.key == key) return std::string(row.initial);
    }
    return {};
}

bool set_by_option(const Machine& machine, std::string_view key) {
    for (const Settings* const settings : {&machine.hardware, &machine.settings}) {
        const Setting* const setting = settings->find(key);
        if (setting != nullptr && setting->file == "--set") return true;
    }
    return false;
}

} // namespace

Provenance provenance_of(const Machine& machine) {
    Provenance out;
    const Settings& hardware = machine.hardware;
    for (const auto& [key, setting] : hardware.all()) out.stated = out.stated || key.ends_with(".source");
    out.source = hardware.word("provenance.source", "");
    out.date = hardware.word("provenance.date", "");
    if (hardware.find("provenance.message_error") != nullptr)
        out.message_error = read_percent(hardware, "provenance.message_error");
    const std::string assumed = hardware.word("provenance.assumed", "");
    if (assumed.empty()) return out;
    for (std::string_view key : split_at(assumed, ',')) {
        while (key.starts_with(' ')) key.remove_prefix(1);
        while (key.ends_with(' ')) key.remove_suffix(1);
        if (!key.empty() && !set_by_option(machine, key))
            out.assumed.push_back({std::string(key), assumed_value(machine, key)});
    }
    return out;
}

std::optional<MachineValidation> validation_of(const Machine& machine) {
    const Settings& hardware = machine.hardware;
    if (hardware.find("validation.error") == nullptr) return std::nullopt;
    MachineValidation out;
    out.error = read_percent(hardware, "validation.error");
    if (hardware.find("validation.mean_error") != nullptr)
        out.mean_error = read_percent(hardware, "validation.mean_error");
    const double programs = hardware.number("validation.programs", 1);
    if (!(programs >= 1 && programs <= 1e9)) hardware.complain("validation.programs", "a number of programs");
    out.programs = static_cast<std::uint64_t>(programs);
    out.network = hardware.word("validation.network", "");
    out.date = hardware.word("validation.date", "");
    return out;
}

std::string with_validation(std::string_view machine_file, const MachineValidation& validation) {
    std::string out;
    bool inside = false;
    for (std::size_t at = 0; at < machine_file.size();) {
        const std::size_t end = std::min(machine_file.find('\n', at), machine_file.size());
        const std::string_view line = machine_file.substr(at, end - at);
        const std::size_t first = std::min(line.find_first_not_of(" \t"), line.size());
        if (line.substr(first).starts_with('[')) inside = line.substr(first).starts_with("[validation]");
        if (!inside) out.append(line).append("\n");
        at = end + 1;
    }
    while (out.ends_with("\n\n")) out.pop_back();
    return out + fmt::format("\n[validation]\nerror = \"{:.1f} %\"\nmean_error = \"{:.1f} %\"\nprograms = {}\n"
                             "network = \"{}\"\ndate = \"{}\"\n",
                             100 * validation.error, 100 * validation.mean_error, validation.programs,
                             validation.network, validation.date);
}

} // namespace orrery
