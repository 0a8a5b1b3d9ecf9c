#include "machine/rails.h"
#include "formats/load_machine.h"

#include "engine/error.h"
#include "engine/units.h"
#include "machine/topologies/lists.h"

#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <string_view>
#include <utility>

namespace orrery {

namespace {

constexpr std::array<std::pair<std::string_view, RailChoice>, 4> choices{
    {{"round-robin", RailChoice::round_robin},
     {"source", RailChoice::source},
     {"size", RailChoice::size},
     {"hash", RailChoice::hash}}};
constexpr std::uint32_t most_rails = 64;

RailChoice read_choice(const Settings& hardware) {
    const std::string word = hardware.word("rails.choose", "round-robin");
    for (const auto& [name, choice] : choices) {
        if (word == name) return choice;
    }
    hardware.complain("rails.choose", "round-robin, source, size or hash");
}

// A file beside the machine's own, or a built-in machine.
Machine load_beside(const std::string& name, const Machine& machine) {
    const std::filesystem::path near = std::filesystem::path(machine.file).parent_path() / name;
    std::error_code none;
    Machine loaded = load_machine(std::filesystem::is_regular_file(near, none) ? near.string() : name);
    const std::uint32_t hosts = machine.platform->host_count();
    if (!loaded.platform || loaded.platform->host_count() < hosts) {
        const Setting* const said = machine.hardware.find("rails.beside");
        throw InputError(
            Error{said->file, said->line, 0,
                  fmt::format("rails.beside: '{}' has {} hosts, but {} has {}", name,
                              loaded.platform ? loaded.platform->host_count() : 0, machine.name, hosts)});
    }
    return loaded;
}

} // namespace

Rails Rails::of(const Machine& machine) {
    Rails rails;
    const Settings& hardware = machine.hardware;
    if (!machine.platform) return rails;
    const double count = hardware.number("rails.count", 1);
    if (!(count >= 1 && count <= most_rails) || count != static_cast<std::uint32_t>(count))
        hardware.complain("rails.count", fmt::format("a number from 1 to {}", most_rails));
    rails.equal = static_cast<std::uint32_t>(count);
    rails.choice = read_choice(hardware);
    const std::string beside = hardware.word("rails.beside", "");
    if (!beside.empty()) {
        for (const std::string_view name : split_at(beside, ','))
            rails.beside.push_back(load_beside(std::string(name), machine));
    }
    const std::string below = hardware.word("rails.below", "");
    if (!below.empty()) {
        for (const std::string_view size : split_at(below, ',')) {
            try {
                rails.below.push_back(parse_bytes(size));
            } catch (const UsageError& error) {
                hardware.complain("rails.below", error.what());
            }
            if (rails.below.size() > 1 && rails.below.back() <= rails.below[rails.below.size() - 2])
                hardware.complain("rails.below", "sizes that ascend");
        }
    }
    const bool by_size = rails.choice == RailChoice::size;
    if (by_size && rails.below.size() + 1 != rails.count())
        hardware.complain(rails.below.empty() ? "rails.choose" : "rails.below",
                          fmt::format("{} size{} in rails.below, to choose among {} rails", rails.count() - 1,
                                      rails.count() == 2 ? "" : "s", rails.count()));
    if (!by_size && !rails.below.empty()) hardware.complain("rails.below", "rails.choose = \"size\" with it");
    return rails;
}

std::string Rails::words() const {
    std::string how;
    switch (choice) {
    case RailChoice::round_robin: how = "in turns"; break;
    case RailChoice::source: how = "by source"; break;
    case RailChoice::size: how = "by size"; break;
    case RailChoice::hash: how = "by pair"; break;
    }
    return fmt::format("{} rail{} {}", count(), count() == 1 ? "" : "s", how);
}

} // namespace orrery
