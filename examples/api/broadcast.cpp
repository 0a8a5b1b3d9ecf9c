// When is it worth cutting a broadcast along a chain of ranks into pieces? Compares a binomial tree with a
// chain that is built here by hand, for a message of 1 MiB on a network of 10 Gbit/s.
#include <orrery/orrery.h>

#include <cstdint>
#include <cstdio>
#include <exception>

namespace {

constexpr std::uint64_t message = 1 << 20;
constexpr const char* network = "L=5us o=1us g=1us G=0.8ns/B O=0ns/B S=1GiB";

// Each rank hands every piece on to the next rank as soon as it has it.
orrery::api::Workload chain(std::uint32_t ranks, std::uint32_t pieces) {
    orrery::api::Builder builder(ranks);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        for (std::uint32_t piece = 0; piece < pieces; ++piece) {
            const std::uint64_t bytes = message / pieces;
            const std::uint32_t got = rank > 0 ? builder.recv(rank, rank - 1, bytes, piece) : 0;
            if (rank + 1 == ranks) continue;
            const std::uint32_t sent = builder.send(rank, rank + 1, bytes, piece);
            if (rank > 0) builder.require(rank, sent, got);
        }
    }
    return builder.build();
}

double milliseconds(const orrery::api::Workload& workload) {
    return orrery::api::simulate(workload, network).seconds() * 1e3;
}

} // namespace

int main() {
    try {
        std::printf("ranks  binomial tree  chain, 1 piece  chain, 64 pieces\n");
        for (const std::uint32_t ranks : {2U, 8U, 32U, 128U}) {
            const auto tree = orrery::api::Workload::pattern("binomial-bcast", ranks, message);
            std::printf("%5u  %10.3f ms  %11.3f ms  %13.3f ms\n", ranks, milliseconds(tree),
                        milliseconds(chain(ranks, 1)), milliseconds(chain(ranks, 64)));
        }
    } catch (const std::exception&
                 error) { // orrery::api::Error says more: what kind of fault, which file, which line
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
