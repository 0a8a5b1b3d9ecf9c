#include "drivers/dimemas/record_calls.h"

namespace orrery::dimemas {

ActionKind kind_of_call(const DimRecord& record) {
    switch (record.kind) {
    case RecordKind::send:
        if (record.immediate) return record.rendezvous ? ActionKind::issend : ActionKind::isend;
        return record.rendezvous ? ActionKind::ssend : ActionKind::send;
    case RecordKind::receive: return ActionKind::recv;
    case RecordKind::receive_no_wait: return ActionKind::irecv;
    case RecordKind::wait: return ActionKind::wait;
    case RecordKind::collective:
        return record.synchrony == Synchrony::waiting ? ActionKind::wait : ActionKind::collective;
    default: return ActionKind::compute;
    }
}

bool is_call(const DimRecord& record) {
    switch (record.kind) {
    case RecordKind::nothing:
    case RecordKind::event:
    case RecordKind::burst:
    case RecordKind::gpu_burst: return false;
    case RecordKind::collective: return record.communicator > 0;
    default: return true;
    }
}

} // namespace orrery::dimemas
