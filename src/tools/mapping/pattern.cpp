#include "tools/mapping/pattern.h"

#include "engine/error.h"
#include "engine/units.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace orrery {

namespace {

constexpr std::string_view stencil_word = "near-neighbour";
constexpr std::string_view alltoall_word = "alltoall:";

struct Offset {
    int x;
    int y;
    int z;
};
constexpr std::array<Offset, 14> neighbours{{
    {-1, 0, 0},
    {1, 0, 0},
    {0, -1, 0},
    {0, 1, 0},
    {0, 0, -1},
    {0, 0, 1}, // faces
    {-1, -1, -1},
    {1, -1, -1},
    {-1, 1, -1},
    {1, 1, -1},
    {-1, -1, 1},
    {1, -1, 1}, // corners
    {-1, 1, 1},
    {1, 1, 1},
}};

std::uint32_t moved(std::uint32_t at, int by, std::uint32_t size) {
    return by < 0 ? (at + size - 1) % size : by > 0 ? (at + 1) % size : at;
}

} // namespace

std::array<std::uint32_t, 3> balanced_grid(std::uint32_t ranks) {
    std::array<std::uint32_t, 3> best{ranks, 1, 1};
    for (std::uint32_t c = 1; std::uint64_t{c} * c * c <= ranks; ++c) {
        if (ranks % c != 0) continue;
        for (std::uint32_t b = c; std::uint64_t{b} * b <= ranks / c; ++b) {
            if (ranks / c % b != 0) continue;
            const std::uint32_t a = ranks / c / b;
            if (a + b + c < best[0] + best[1] + best[2]) best = {a, b, c};
        }
    }
    return best;
}

CommunicationPattern near_neighbour(std::uint32_t ranks, Bytes bytes) {
    CommunicationPattern pattern;
    pattern.ranks = ranks;
    pattern.grid = balanced_grid(ranks);
    const auto [nx, ny, nz] = pattern.grid;
    pattern.words = fmt::format("14-point stencil of {} ranks ({} x {} x {}), {} to each neighbour",
                                format_count(ranks), nx, ny, nz, format_bytes(bytes));
    pattern.messages.reserve(std::size_t{ranks} * neighbours.size());
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        const std::uint32_t x = rank % nx;
        const std::uint32_t y = rank / nx % ny;
        const std::uint32_t z = rank / nx / ny;
        for (const Offset& each : neighbours) {
            const std::uint32_t to =
                moved(x, each.x, nx) + nx * (moved(y, each.y, ny) + ny * moved(z, each.z, nz));
            if (to != rank) pattern.messages.push_back({rank, to, bytes});
        }
    }
    return pattern;
}

CommunicationPattern grouped_alltoall(std::uint32_t ranks, std::uint32_t group, Bytes bytes) {
    if (group < 2 || ranks % group != 0)
        throw UsageError(fmt::format("alltoall:{}: {} ranks are not a multiple of {}", group, ranks, group));
    CommunicationPattern pattern;
    pattern.ranks = ranks;
    pattern.grid = balanced_grid(ranks);
    pattern.words = fmt::format("all-to-all in {} groups of {} ranks, {} to each", format_count(ranks / group),
                                group, format_bytes(bytes));
    pattern.messages.reserve(std::size_t{ranks} * (group - 1));
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        const std::uint32_t first = rank / group * group;
        for (std::uint32_t step = 1; step < group; ++step)
            pattern.messages.push_back({rank, first + (rank - first + step) % group, bytes});
    }
    return pattern;
}

CommunicationPattern pattern_of(const CommunicationMatrix& matrix, std::string words) {
    CommunicationPattern pattern;
    pattern.words = std::move(words);
    pattern.ranks = matrix.ranks();
    pattern.grid = balanced_grid(matrix.ranks());
    for (const PairTraffic& pair : matrix.pairs()) {
        if (pair.from != pair.to) pattern.messages.push_back({pair.from, pair.to, pair.bytes});
    }
    return pattern;
}

bool is_benchmark(const std::string& text) {
    return text == stencil_word || text == "near-neighbor" || text.starts_with("alltoall");
}

CommunicationPattern parse_benchmark(const std::string& text, std::uint32_t ranks, Bytes bytes) {
    if (text.starts_with(alltoall_word)) {
        const std::uint64_t group = parse_count(text.substr(alltoall_word.size()));
        if (group > ranks) throw UsageError(fmt::format("{}: there are only {} ranks", text, ranks));
        return grouped_alltoall(ranks, static_cast<std::uint32_t>(group), bytes);
    }
    if (text != stencil_word && text != "near-neighbor")
        throw UsageError(
            fmt::format("'{}': expected near-neighbour or alltoall:GROUP, such as alltoall:64", text));
    return near_neighbour(ranks, bytes);
}

} // namespace orrery
