#include "network/network_kinds.h"

#include "engine/error.h"
#include "engine/units.h"
#include "network/kind_rows.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace orrery {

namespace {

constexpr std::array network_table{&loggops_kind, &flow_kind, &packet_kind, &kpacket_kind, &ideal_kind};

} // namespace

std::span<const NetworkKindRow* const> network_kinds() { return network_table; }

const NetworkKindRow& network_kind_row(NetworkKind kind) {
    return *network_table.at(static_cast<std::size_t>(kind));
}

std::span<const std::string_view> network_names() {
    static const std::array<std::string_view, network_table.size()> names = [] {
        std::array<std::string_view, network_table.size()> all;
        std::transform(network_table.begin(), network_table.end(), all.begin(),
                       [](const NetworkKindRow* row) { return row->name; });
        return all;
    }();
    return names;
}

NetworkKind parse_network(const std::string& word) {
    for (const NetworkKindRow* const row : network_table) {
        if (row->name == word) return row->kind;
    }
    const std::string near = nearest_word(word, network_names());
    throw UsageError(fmt::format("--network {}: expected one of {}{}", word, fmt::join(network_names(), ", "),
                                 near.empty() ? "" : fmt::format("; did you mean {}?", near)));
}

std::string networks_with_links() {
    std::vector<std::string> names;
    for (const NetworkKindRow* const row : network_table) {
        if (row->links) names.emplace_back(row->name);
    }
    return one_of_words(names);
}

std::string one_of_words(std::span<const std::string> words) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i)
        text += fmt::format("{}{}", i == 0 ? "" : i + 1 == words.size() ? " or " : ", ", words[i]);
    return text;
}

} // namespace orrery
