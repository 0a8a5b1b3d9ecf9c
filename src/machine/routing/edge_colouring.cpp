#include "machine/routing/edge_colouring.h"

#include <algorithm>

namespace orrery {

namespace {

constexpr std::uint32_t no_colour = ~0U;

// Each vertex is split into parts of at most `colours` edges; at a part every colour occurs at most once. A
// graph whose parts have no more edges than there are colours can be coloured so: an edge whose ends lack
// different colours a and b gets a after the colours a and b are exchanged along the path of edges of these
// colours that begins at its right end. The path cannot come back to the left end, as it would arrive there
// with colour a, which is free.
class EdgeColouring {
  public:
    EdgeColouring(std::span<const std::pair<std::uint32_t, std::uint32_t>> edges, std::uint32_t colours)
        : colours_(colours) {
        std::vector<std::uint32_t> left_degree;
        std::vector<std::uint32_t> right_degree;
        const auto bump = [](std::vector<std::uint32_t>& degree, std::uint32_t vertex) {
            if (vertex >= degree.size()) degree.resize(vertex + std::size_t{1}, 0);
            return degree[vertex]++;
        };
        for (const auto& [left, right] : edges) {
            bump(left_degree, left);
            bump(right_degree, right);
        }
        std::uint32_t parts = 0;
        const auto first_parts = [&](const std::vector<std::uint32_t>& degree) {
            std::vector<std::uint32_t> first;
            for (const std::uint32_t each : degree) {
                first.push_back(parts);
                parts += (each + colours - 1) / colours;
            }
            return first;
        };
        const std::vector<std::uint32_t> left_first = first_parts(left_degree);
        const std::vector<std::uint32_t> right_first = first_parts(right_degree);
        std::fill(left_degree.begin(), left_degree.end(), 0);
        std::fill(right_degree.begin(), right_degree.end(), 0);
        for (const auto& [left, right] : edges) {
            left_.push_back(left_first[left] + bump(left_degree, left) / colours);
            right_.push_back(right_first[right] + bump(right_degree, right) / colours);
        }
        edge_at_.assign(std::size_t{parts} * colours, no_colour);
        colour_.assign(edges.size(), no_colour);
    }

    std::vector<std::uint32_t> run() {
        for (std::uint32_t edge = 0; edge < colour_.size(); ++edge) add(edge);
        return std::move(colour_);
    }

  private:
    [[nodiscard]] std::uint32_t& at(std::uint32_t part, std::uint32_t colour) {
        return edge_at_[std::size_t{part} * colours_ + colour];
    }
    // The first that is free at or after `start`.
    [[nodiscard]] std::uint32_t free_at(std::uint32_t part, std::uint32_t start) {
        std::uint32_t colour = start % colours_;
        while (at(part, colour) != no_colour) colour = (colour + 1) % colours_;
        return colour;
    }
    void set(std::uint32_t edge, std::uint32_t colour) {
        at(left_[edge], colour) = edge;
        at(right_[edge], colour) = edge;
        colour_[edge] = colour;
    }

    void add(std::uint32_t edge) {
        const std::uint32_t left = left_[edge];
        const std::uint32_t right = right_[edge];
        for (std::uint32_t i = 0; i < colours_; ++i) { // one that is free at both ends, the start going round
            const std::uint32_t colour = (edge + i) % colours_;
            if (at(left, colour) == no_colour && at(right, colour) == no_colour) return set(edge, colour);
        }
        const std::uint32_t a = free_at(left, edge);
        const std::uint32_t b = free_at(right, edge);
        exchange(right, a, b);
        set(edge, a);
    }

    void exchange(std::uint32_t start, std::uint32_t a, std::uint32_t b) {
        std::vector<std::uint32_t> path;
        std::uint32_t part = start;
        for (std::uint32_t colour = a; at(part, colour) != no_colour; colour = colour == a ? b : a) {
            const std::uint32_t edge = at(part, colour);
            path.push_back(edge);
            part = left_[edge] == part ? right_[edge] : left_[edge];
        }
        for (const std::uint32_t edge : path) {
            at(left_[edge], colour_[edge]) = no_colour;
            at(right_[edge], colour_[edge]) = no_colour;
        }
        for (const std::uint32_t edge : path) set(edge, colour_[edge] == a ? b : a);
    }

    std::uint32_t colours_;
    std::vector<std::uint32_t> left_; // part of each edge
    std::vector<std::uint32_t> right_;
    std::vector<std::uint32_t> edge_at_; // by part and colour
    std::vector<std::uint32_t> colour_;
};

} // namespace

std::vector<std::uint32_t> colour_edges(std::span<const std::pair<std::uint32_t, std::uint32_t>> edges,
                                        std::uint32_t colours) {
    return EdgeColouring(edges, colours).run();
}

} // namespace orrery
