#include "machine/topologies/fat_tree.h"
#include "machine/topologies/kind_parts.h"
#include "machine/topologies/kind_rows.h"
#include "machine/topologies/lists.h"

namespace orrery {

namespace {

constexpr auto fat_tree_keys =
    with_host_names(std::array{Parameter{"topology.levels", "lists", "",
                                         "levels; children; parents; parallel cables: '2; 20,320; 1,8; 1,2'"},
                               limiter_key});
constexpr auto k_ary_n_tree_keys =
    with_host_names(std::array{Parameter{"topology.k", "count", "", "children and parents of a switch"},
                               Parameter{"topology.n", "count", "", "levels of switches"}, limiter_key});

std::unique_ptr<Platform> tree_platform(const TopologyInput& input, FatTreeShape shape,
                                        const std::string& key) {
    shape.cables = cables_by_number(input.values, "level", shape.down.size());
    shape.limiter = limiter_of(input.values);
    shape.loopback = input.values.loopback();
    shape.simgrid = has_simgrid_quirks(input.values);
    return regular_platform(input, fat_tree_hosts(shape), key, [&](HostNames names, std::vector<Link>& links) {
        return make_fat_tree(shape, std::move(names), links);
    });
}

std::unique_ptr<Platform> fat_tree_platform(const TopologyInput& input) {
    input.values.require("topology.levels", "'2; 20,320; 1,8; 1,2'");
    FatTreeShape shape;
    input.values.parse("topology.levels", [&](std::string_view text) {
        parse_fat_tree(text, shape);
        return 0;
    });
    return tree_platform(input, std::move(shape), "topology.levels");
}

// XGFT(n; k,..,k; 1,k,..,k)
std::unique_ptr<Platform> k_ary_n_tree_platform(const TopologyInput& input) {
    const std::uint32_t k = input.values.count("topology.k", 0);
    const std::uint32_t n = input.values.count("topology.n", 0);
    if (n > most_levels) input.values.fail("topology.n", fmt::format("{} are the most", most_levels));
    FatTreeShape shape;
    shape.down.assign(n, k);
    shape.up.assign(n, k);
    shape.up[0] = 1;
    shape.parallel.assign(n, 1);
    return tree_platform(input, std::move(shape), "topology.k");
}

} // namespace

const TopologyKind fat_tree_kind{
    .name = "fat-tree",
    .meaning = "any generalised fat tree (XGFT) with parallel cables",
    .keys = fat_tree_keys,
    .cables =
        [](const Settings& hardware) {
            return numbered_cables("level", [&] {
                FatTreeShape shape;
                parse_fat_tree(hardware.word("topology.levels", ""), shape);
                return shape.down.size();
            });
        },
    .make = fat_tree_platform,
};

const TopologyKind k_ary_n_tree_kind{
    .name = "k-ary-n-tree",
    .meaning = "a fat tree of full bandwidth from equal switches",
    .keys = k_ary_n_tree_keys,
    .cables =
        [](const Settings& hardware) {
            return numbered_cables("level", [&] { return parse_counts(hardware.word("topology.n", ""))[0]; });
        },
    .make = k_ary_n_tree_platform,
};

} // namespace orrery
