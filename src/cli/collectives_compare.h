// The algorithms of one collective on one machine, side by side.
#pragma once

#include "collectives/selection.h"
#include "engine/time.h"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace orrery::cli {

// "64 KiB" where that is exact, otherwise as format_bytes.
std::string size_words(Bytes bytes);

struct Comparison {
    Collective operation = Collective::allreduce;
    std::uint32_t ranks = 0;
    std::vector<Bytes> sizes; // CollectiveCall::bytes
    struct Row {
        const Algorithm* algorithm = nullptr;
        std::vector<std::optional<Time>> times; // one per size; nothing: the algorithm does not apply
    };
    std::vector<Row> rows;
    // What each of these would take, by size.
    struct Selected {
        Selector selector = Selector::openmpi;
        std::vector<const Algorithm*> algorithms;
    };
    std::vector<Selected> selected;
};

// `node_of` says which ranks share a node, one for each rank. `time` says how long the algorithm takes for a
// call of that many bytes. `all`: also those that only SimGrid has.
Comparison compare_collectives(Collective operation, std::span<const std::uint32_t> node_of,
                               std::vector<Bytes> sizes, bool all,
                               const std::function<Time(const Algorithm&, Bytes)>& time);

// A column per size; the quickest of each is marked.
std::string comparison_table(const Comparison& comparison);
std::string comparison_json(const Comparison& comparison);
// Time over size, a line per algorithm; an SVG document.
std::string comparison_plot(const Comparison& comparison, const std::string& machine);

} // namespace orrery::cli
