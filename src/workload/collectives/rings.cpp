// Algorithms in which each member talks to its two neighbours only: P - 1 rounds or more.
#include "workload/collectives/building.h"

namespace orrery::collectives {

namespace {

// P - 1 rounds round the ring of (rank + 1) mod P: in the first a member sends block `own`, which is there when
// `ready` has ended, and then always what it got in the round before. An empty block is sent only if
// `send_empty`. Returns the last receive.
template <typename BlockSize>
std::uint32_t pass_around(Fragment& f, std::uint32_t own, std::uint32_t ready, bool send_empty,
                          BlockSize&& block_size) {
    const std::uint32_t next = after(f.rank(), 1, f.size());
    const std::uint32_t previous = before(f.rank(), 1, f.size());
    for (std::uint32_t step = 0; step + 1 < f.size(); ++step) {
        const Bytes out = block_size(before(own, step, f.size()));
        const Bytes in = block_size(before(own, step + 1, f.size()));
        if (out != 0 || send_empty) f.require(f.send(next, out), ready);
        ready = in != 0 || send_empty ? f.recv(previous, in) : no_operation;
    }
    return ready;
}

} // namespace

// Reduce-scatter round the ring, then allgather round the ring.
void ring_allreduce(Fragment& f, const FragmentCall& c) {
    const auto block = [&](std::uint32_t i) { return part(c.bytes, f.size(), i); };
    const std::uint32_t reduced = pass_around(f, f.rank(), no_operation, true, block);
    pass_around(f, after(f.rank(), 1, f.size()), reduced, true, block);
}

void ring_allgather(Fragment& f, const FragmentCall& c) {
    pass_around(f, f.rank(), no_operation, c.blocks.empty(), [&](std::uint32_t i) { return c.block(i); });
}

// Van de Geijn: the message is cut into P parts, scattered along a binomial tree (member v, counted from the
// root, gets the parts from v up to its lowest set bit further) and gathered round the ring.
void scatter_allgather_bcast(Fragment& f, const FragmentCall& c) {
    const std::uint32_t size = f.size();
    const std::uint32_t v = before(f.rank(), c.root, size);
    const auto member = [&](std::uint32_t from_root) { return after(c.root, from_root, size); };
    const auto parts = [&](Distance low, Distance high) {
        const auto end = static_cast<std::uint32_t>(high < size ? high : size);
        return cut(c.bytes, size, end) - cut(c.bytes, size, static_cast<std::uint32_t>(low));
    };
    Distance span = v == 0 ? std::bit_ceil(size) : v & (~v + 1);
    std::uint32_t ready = no_operation;
    if (v != 0) ready = f.recv(member(static_cast<std::uint32_t>(v - span)), parts(v, v + span));
    for (span /= 2; span > 0; span /= 2) {
        if (v + span >= size) continue;
        const std::uint32_t child = member(static_cast<std::uint32_t>(v + span));
        f.require(f.send(child, parts(v + span, v + 2 * span)), ready);
    }
    pass_around(f, v, ready, true, [&](std::uint32_t i) { return part(c.bytes, size, i); });
}

void linear_scan(Fragment& f, const FragmentCall& c) {
    std::uint32_t received = no_operation;
    if (f.rank() > 0) received = f.recv(f.rank() - 1, c.bytes);
    if (f.rank() + 1 < f.size()) f.require(f.send(f.rank() + 1, c.bytes), received);
}

} // namespace orrery::collectives
