#include "formats/ort/shape.h"

namespace orrery::recorded {

namespace {

constexpr std::uint32_t peer_tag = bit_of(Field::peer) | bit_of(Field::tag);

std::uint32_t usual_of_collective(Collective collective, bool nonblocking) {
    std::uint32_t usual = nonblocking ? bit_of(Field::request) : 0;
    switch (collective) {
    case Collective::barrier: return usual;
    case Collective::bcast:
    case Collective::gather:
    case Collective::scatter: usual |= bit_of(Field::peer); break;
    case Collective::reduce: usual |= bit_of(Field::peer) | bit_of(Field::element); break;
    case Collective::gatherv:
    case Collective::scatterv: usual |= bit_of(Field::peer); break;
    case Collective::allreduce:
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_block:
    case Collective::scan:
    case Collective::exscan: usual |= bit_of(Field::element); break;
    default: break;
    }
    return usual | bit_of(Field::bytes);
}

} // namespace

std::uint32_t usual_fields(ActionKind kind, Collective collective, bool nonblocking) {
    switch (kind) {
    case ActionKind::compute:
    case ActionKind::sleep: return bit_of(Field::volume);
    case ActionKind::send:
    case ActionKind::ssend:
    case ActionKind::recv: return peer_tag | bit_of(Field::bytes);
    case ActionKind::isend:
    case ActionKind::issend:
    case ActionKind::irecv: return peer_tag | bit_of(Field::bytes) | bit_of(Field::request);
    case ActionKind::sendrecv:
        return peer_tag | bit_of(Field::other) | bit_of(Field::bytes) | bit_of(Field::more_bytes);
    case ActionKind::probe: return peer_tag;
    case ActionKind::wait:
    case ActionKind::test:
    case ActionKind::forget:
    case ActionKind::cancel:
    case ActionKind::aside: return bit_of(Field::request);
    case ActionKind::collective: return usual_of_collective(collective, nonblocking);
    case ActionKind::comm_split: return bit_of(Field::peer) | bit_of(Field::other) | bit_of(Field::request);
    case ActionKind::comm_dup:
    case ActionKind::comm_create: return bit_of(Field::request);
    case ActionKind::one_sided:
        return bit_of(Field::peer) | bit_of(Field::bytes) | (nonblocking ? bit_of(Field::request) : 0);
    case ActionKind::window: return bit_of(Field::peer) | bit_of(Field::other);
    case ActionKind::wait_all:
    case ActionKind::wait_any:
    case ActionKind::wait_some:
    case ActionKind::await:
    case ActionKind::comm_free:
    case ActionKind::neighbours: break;
    }
    return 0;
}

} // namespace orrery::recorded
