#include "collectives/halving.h"

#include "collectives/common.h"

namespace orrery::coll {

Piece Halving::window(std::uint8_t buffer, std::uint32_t number, std::uint32_t level) const {
    if (elements_) {
        Bytes from = 0;
        Bytes count = all_ / element_;
        for (std::uint32_t i = 0; i < level; ++i) {
            const Bytes lower = count / 2;
            if ((number & bit(i)) != 0) {
                from += lower;
                count -= lower;
            } else {
                count = lower;
            }
        }
        return {buffer, from * element_, count * element_};
    }
    std::uint32_t first = 0;
    std::uint32_t count = fold_.inner();
    for (std::uint32_t i = 0; i < level; ++i) {
        count /= 2;
        if ((number & bit(i)) != 0) first += count;
    }
    if (!pairs_) return blocks_.piece(buffer, first, count);
    const auto rank_of = [&](std::uint32_t part) { // the first rank whose block is in it
        const std::uint32_t stays = fold_.actual(part);
        return fold_.paired(stays) ? stays & ~1U : stays;
    };
    const std::uint32_t from = rank_of(first);
    const std::uint32_t last = fold_.actual(first + count - 1);
    const std::uint32_t to = (fold_.paired(last) ? last | 1U : last) + 1;
    return blocks_.piece(buffer, from, to - from);
}

Steps reduce_scatter_halving(Halving halving, std::uint8_t work, std::uint8_t room, ExchangeBy by) {
    const Folded& fold = halving.fold();
    const std::uint32_t number = fold.number();
    for (std::uint32_t level = 0; level < halving.levels(); ++level) {
        const std::uint32_t other = number ^ halving.bit(level);
        const std::uint32_t peer = fold.actual(other);
        const Piece given = halving.window(work, other, level + 1);
        const Piece taken = halving.window(room, number, level + 1);
        if (by == ExchangeBy::sendrecv) {
            co_yield sendrecv(peer, given, peer, taken);
        } else if (given.bytes > 0 && taken.bytes > 0) {
            co_yield irecv(peer, taken, 0);
            co_yield send(peer, given);
            co_yield wait(0);
        } else if (taken.bytes > 0) {
            co_yield recv(peer, taken);
        } else if (given.bytes > 0) {
            co_yield send(peer, given);
        }
        const Piece kept = halving.window(work, number, level + 1);
        if (taken.bytes > 0) co_yield other < number ? reduce(taken, kept) : reduce_after(taken, kept);
    }
}

Steps allgather_unhalving(Halving halving, std::uint8_t work) {
    const Folded& fold = halving.fold();
    const std::uint32_t number = fold.number();
    for (std::uint32_t level = halving.levels(); level-- > 0;) {
        const std::uint32_t other = number ^ halving.bit(level);
        const std::uint32_t peer = fold.actual(other);
        co_yield sendrecv(peer, halving.window(work, number, level + 1), peer,
                          halving.window(work, other, level + 1));
    }
}

Steps gather_unhalving(Halving halving, std::uint8_t work, std::uint32_t number, std::uint32_t root_number,
                       std::uint32_t zero_is) {
    for (std::uint32_t level = halving.levels(); level-- > 0;) {
        const std::uint32_t other = number ^ halving.bit(level);
        const std::uint32_t peer = other == 0 ? zero_is : halving.fold().actual(other);
        if ((number & halving.bit(level)) != (root_number & halving.bit(level))) {
            co_yield send(peer, halving.window(work, number, level + 1));
            co_return;
        }
        co_yield recv(peer, halving.window(work, other, level + 1));
    }
}

} // namespace orrery::coll
