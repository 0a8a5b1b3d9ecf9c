// A file with a communication pattern must be read or refused; what is read names hosts that there are.
#include "engine/error.h"
#include "machine/routing/pattern.h"
#include "machine/topologies/cluster.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

using namespace orrery;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const Platform platform = [] {
        std::vector<Link> links;
        ClusterShape shape;
        shape.cable = {1e9, Time::us(1), Duplex::split};
        auto topology = make_cluster(shape, HostNames("n", 20, ""), links);
        return Platform(std::vector<Host>(20), links, std::move(topology));
    }();
    try {
        const HostPattern pattern =
            parse_pattern(platform, {reinterpret_cast<const char*>(data), size}, "pattern.txt");
        for (const Flow& flow : pattern.flows) {
            if (flow.from.value >= 20 || flow.to.value >= 20 || flow.from == flow.to) std::abort();
        }
    } catch (const InputError&) { // refused
    }
    return 0;
}
