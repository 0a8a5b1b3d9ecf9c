#include "tools/mapping/candidates.h"

#include "engine/error.h"
#include "machine/mapping.h"
#include "machine/topologies/fat_tree.h"
#include "machine/topologies/lists.h"
#include "tools/mapping/metis_mapping.h"
#include "workload/patterns/pattern.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <numeric>
#include <set>
#include <utility>

namespace orrery {

namespace {

constexpr char core_letter = 'T';
constexpr std::size_t most_letters = core_letter - 'A';
constexpr std::size_t most_groups = 4; // in all orders: 4! = 24

std::string join_blocks(const BlockShape& block) {
    return fmt::format("{}x{}x{}", block[0], block[1], block[2]);
}

// "ABC", "D", "E" for 4x4x4x8x2: the letters of dimensions of equal size together, those of size 1 left out.
std::vector<std::string> letter_groups(const HostGrid& grid) {
    std::vector<std::string> groups;
    std::vector<std::uint32_t> sizes;
    for (std::size_t i = 0; i < grid.dimensions.size(); ++i) {
        const auto letter = static_cast<char>('A' + i);
        const auto found = std::find(sizes.begin(), sizes.end(), grid.dimensions[i]);
        if (grid.dimensions[i] == 1) continue;
        if (found == sizes.end()) {
            sizes.push_back(grid.dimensions[i]);
            groups.emplace_back(1, letter);
        } else {
            groups[static_cast<std::size_t>(found - sizes.begin())] += letter;
        }
    }
    return groups;
}

// All orders of the groups, each as one word; with many groups only the first few are permuted.
std::vector<std::string> host_words(const HostGrid& grid) {
    std::vector<std::string> groups = letter_groups(grid);
    while (groups.size() > most_groups) {
        groups[groups.size() - 2] += groups.back();
        groups.pop_back();
    }
    std::sort(groups.begin(), groups.end());
    std::vector<std::string> words;
    do {
        std::string word;
        for (const std::string& group : groups) word += group;
        words.push_back(word);
    } while (std::next_permutation(groups.begin(), groups.end()));
    return words;
}

std::vector<BlockShape> block_shapes(const std::array<std::uint32_t, 3>& grid, std::uint32_t cores) {
    const auto [a, b, c] = balanced_grid(cores); // as much volume as a host has cores
    std::uint32_t flat = 1;                      // ... and in a plane
    for (std::uint32_t i = 1; i * i <= cores; ++i) flat = cores % i == 0 ? i : flat;
    const std::array<BlockShape, 7> all{
        {{1, 1, 1}, {a, b, c}, {b, a, c}, {c, b, a}, {1, flat, cores / flat}, {4, 4, 4}, {8, 8, 8}}};
    std::vector<BlockShape> shapes;
    for (const BlockShape& each : all) {
        const bool fits = each[0] <= grid[0] && each[1] <= grid[1] && each[2] <= grid[2];
        if (fits && std::find(shapes.begin(), shapes.end(), each) == shapes.end()) shapes.push_back(each);
    }
    return shapes;
}

// Rank ranks[i] goes to cores[i].
std::vector<HostId> side_by_side(const std::vector<std::uint32_t>& ranks, const std::vector<HostId>& cores) {
    std::vector<HostId> out(ranks.size());
    for (std::size_t i = 0; i < ranks.size(); ++i) out[ranks[i]] = cores[i];
    return out;
}

void check_size(const HostGrid& grid, const CommunicationPattern& pattern) {
    const std::uint64_t cores = std::uint64_t{grid.hosts()} * grid.cores;
    if (pattern.ranks > cores)
        throw UsageError(
            fmt::format("{} ranks are more than the {} cores of the machine", pattern.ranks, cores));
}

CandidateMapping by_word(const HostGrid& grid, const CommunicationPattern& pattern, const std::string& word,
                         const BlockShape& block) {
    const bool rows = block == BlockShape{1, 1, 1};
    return {rows ? word : fmt::format("{} {}", word, join_blocks(block)),
            fmt::format("{}, cores in the order {}",
                        rows ? std::string("ranks in rows") : "ranks in blocks of " + join_blocks(block), word),
            [grid, ranks = pattern.grid, word, block] {
                return side_by_side(ranks_by_block(ranks, block), cores_by_word(grid, word));
            }};
}

} // namespace

std::uint32_t HostGrid::hosts() const {
    return std::accumulate(dimensions.begin(), dimensions.end(), 1U, std::multiplies<>());
}

HostGrid host_grid(const Platform& platform) {
    HostGrid grid;
    grid.cores = ~std::uint32_t{0};
    for (std::uint32_t i = 0; i < platform.host_count(); ++i)
        grid.cores = std::min(grid.cores, platform.host({i}).cores);
    const Regularity shape = platform.topology().regularity();
    if (shape.grid && shape.grid->rings_or_lines()) {
        const RouterGrid& routers = *shape.grid;
        if (routers.nodes > 1) grid.dimensions.push_back(routers.nodes);
        grid.dimensions.insert(grid.dimensions.end(), routers.dimensions.begin(), routers.dimensions.end());
    } else if (shape.tree != nullptr) {
        grid.dimensions = shape.tree->down;
    }
    if (grid.dimensions.empty() || grid.dimensions.size() > most_letters ||
        grid.hosts() != platform.host_count())
        grid.dimensions = {platform.host_count()};
    return grid;
}

std::vector<std::uint32_t> ranks_by_block(const std::array<std::uint32_t, 3>& grid, const BlockShape& block) {
    std::vector<std::uint32_t> order;
    order.reserve(std::size_t{grid[0]} * grid[1] * grid[2]);
    for (std::uint32_t z0 = 0; z0 < grid[2]; z0 += block[2]) {
        for (std::uint32_t y0 = 0; y0 < grid[1]; y0 += block[1]) {
            for (std::uint32_t x0 = 0; x0 < grid[0]; x0 += block[0]) {
                for (std::uint32_t z = z0; z < std::min(z0 + block[2], grid[2]); ++z) {
                    for (std::uint32_t y = y0; y < std::min(y0 + block[1], grid[1]); ++y) {
                        for (std::uint32_t x = x0; x < std::min(x0 + block[0], grid[0]); ++x)
                            order.push_back(x + grid[0] * (y + grid[1] * z));
                    }
                }
            }
        }
    }
    return order;
}

std::vector<HostId> cores_by_word(const HostGrid& grid, const std::string& word) {
    struct Digit {
        std::uint32_t size;
        std::uint32_t stride; // in hosts; 0 for the core
    };
    std::vector<Digit> digits; // slowest first
    for (const char letter : word) {
        const auto axis = static_cast<std::size_t>(letter - 'A');
        if (letter == core_letter) {
            digits.push_back({grid.cores, 0});
        } else if (letter >= 'A' && axis < grid.dimensions.size()) {
            const std::uint32_t stride = std::accumulate(
                grid.dimensions.begin(), grid.dimensions.begin() + static_cast<std::ptrdiff_t>(axis), 1U,
                std::multiplies<>());
            digits.push_back({grid.dimensions[axis], stride});
        } else {
            throw UsageError(fmt::format("'{}': the machine has no dimension {}", word, letter));
        }
    }
    const std::set<char> different(word.begin(), word.end());
    const std::size_t hosts = grid.hosts();
    std::size_t product = 1;
    for (const Digit& digit : digits) product *= digit.size;
    if (different.size() != word.size() || product != hosts * grid.cores)
        throw UsageError(fmt::format("'{}': expected each dimension once, and T", word));
    std::vector<HostId> cores;
    cores.reserve(product);
    std::vector<std::uint32_t> at(digits.size(), 0);
    std::uint32_t host = 0;
    for (std::size_t i = 0; i < product; ++i) {
        cores.push_back({host});
        for (std::size_t k = digits.size(); k-- > 0;) {
            host += digits[k].stride;
            if (++at[k] < digits[k].size) break;
            host -= digits[k].stride * digits[k].size;
            at[k] = 0;
        }
    }
    return cores;
}

std::vector<HostId> cores_by_box(const HostGrid& grid, std::uint32_t side) {
    // By the coordinates of the box, the first dimension fastest, then by those within it.
    struct Place {
        std::uint64_t box = 0;
        std::uint64_t within = 0;
        std::uint32_t host = 0;
    };
    std::vector<Place> places(grid.hosts());
    for (std::uint32_t host = 0; host < places.size(); ++host) {
        Place& place = places[host];
        place.host = host;
        std::uint32_t rest = host;
        std::uint64_t boxes = 1;
        std::uint64_t inner = 1;
        for (const std::uint32_t size : grid.dimensions) {
            const std::uint32_t at = rest % size;
            rest /= size;
            place.box += boxes * (at / side);
            place.within += inner * (at % side);
            boxes *= (size + side - 1) / side;
            inner *= side;
        }
    }
    std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
        return a.box != b.box ? a.box < b.box : a.within < b.within;
    });
    std::vector<HostId> cores;
    for (const Place& place : places) cores.insert(cores.end(), grid.cores, HostId{place.host});
    return cores;
}

std::vector<CandidateMapping> systematic_mappings(const Platform& platform,
                                                  const CommunicationPattern& pattern) {
    const HostGrid grid = host_grid(platform);
    check_size(grid, pattern);
    std::vector<CandidateMapping> out;
    for (const std::string& hosts : host_words(grid)) {
        std::vector<std::string> words{hosts + core_letter, core_letter + hosts};
        if (grid.cores == 1) words.pop_back();
        for (const std::string& word : words) {
            for (const BlockShape& block : block_shapes(pattern.grid, grid.cores))
                out.push_back(by_word(grid, pattern, word, block));
        }
    }
    return out;
}

std::vector<CandidateMapping> common_mappings(const Platform& platform, const CommunicationPattern& pattern) {
    check_size(host_grid(platform), pattern);
    const auto hosts = std::make_shared<const std::vector<HostSlots>>(natural_hosts(platform));
    const std::uint32_t ranks = pattern.ranks;
    return {{std::string(block_mapping_name), "hosts in their order, each filled before the next",
             [hosts, ranks] { return map_block(*hosts, ranks); }, true},
            {"roundrobin", "one rank on each host in turn",
             [hosts, ranks] { return map_round_robin(*hosts, ranks); }, true}};
}

std::vector<CandidateMapping> further_mappings(const Platform& platform, const CommunicationPattern& pattern,
                                               std::uint32_t random) {
    const HostGrid grid = host_grid(platform);
    check_size(grid, pattern);
    const auto hosts = std::make_shared<const std::vector<HostSlots>>(natural_hosts(platform));
    const std::uint32_t ranks = pattern.ranks;
    std::vector<CandidateMapping> out;
    out.push_back({"reversed", "as block, the last rank first", [hosts, ranks] {
                       std::vector<HostId> map = map_block(*hosts, ranks);
                       std::reverse(map.begin(), map.end());
                       return map;
                   }});
    const std::vector<BlockShape> shapes = block_shapes(pattern.grid, grid.cores);
    if (grid.cores > 1) {
        for (const std::string& word : host_words(grid)) {
            for (std::size_t at = word.size(); at-- > 1;)
                out.push_back(by_word(grid, pattern, std::string(word).insert(at, 1, core_letter), shapes[0]));
        }
    }
    const std::uint32_t largest = *std::max_element(grid.dimensions.begin(), grid.dimensions.end());
    for (std::uint32_t side = 2; side < largest && grid.dimensions.size() > 1; side *= 2) {
        for (std::size_t i = 0; i < std::min<std::size_t>(shapes.size(), 2); ++i) {
            const BlockShape block = shapes[i];
            out.push_back({fmt::format("boxes {} {}", side, join_blocks(block)),
                           fmt::format("ranks in blocks of {}, hosts in boxes with {} in each dimension",
                                       join_blocks(block), side),
                           [grid, side, block, shape = pattern.grid] {
                               return side_by_side(ranks_by_block(shape, block), cores_by_box(grid, side));
                           }});
        }
    }
    for (std::uint32_t seed = 1; seed <= random; ++seed) {
        out.push_back({fmt::format("random:{}", seed), "any core for any rank",
                       [hosts, ranks, seed] { return map_random(*hosts, ranks, seed); }});
    }
    out.push_back({"metis", "ranks that talk much on near hosts, by partition of the graph of messages",
                   [&platform, hosts, &pattern] { return map_metis(platform, *hosts, pattern); }});
    return out;
}

} // namespace orrery
