// Broadcasts from the root to each rank, one message (or one per segment) for each.
#include "collectives/bcast/bcast.h"
#include "collectives/common.h"

namespace orrery::coll {

// Open MPI, coll_base_bcast.c, basic_linear.
Steps bcast_linear(CollectiveCall call, CollectiveTuning /*tuning*/) {
    const Piece all = whole(receive_buffer, call);
    if (call.rank != call.root) {
        co_yield recv(call.root, all);
        co_return;
    }
    for (std::uint32_t i = 0; i < call.size; ++i) {
        if (i != call.root) co_yield isend(i, all, i);
    }
    co_yield wait_all();
}

// SimGrid, bcast-flattree-pipeline.cpp: all segments to the first rank, then all to the next, one after the
// other. SimGrid forgets what remains behind the last whole segment; we send it.
Steps bcast_linear_segmented(CollectiveCall call, CollectiveTuning tuning) {
    const Bytes segment = segment_bytes(tuning.segment == 0 ? 8192 : tuning.segment, call.element, call.bytes);
    if (call.bytes <= segment) {
        for (Steps all = bcast_linear(call, tuning); const Step* step = all.next();) co_yield *step;
        co_return;
    }
    const std::uint64_t count = segments(call.bytes, segment);
    if (call.rank != call.root) {
        for (std::uint64_t i = 0; i < count; ++i) {
            co_yield irecv(call.root, segment_piece(receive_buffer, i, segment, call.bytes),
                           static_cast<std::uint32_t>(i));
        }
        co_yield wait_all();
        co_return;
    }
    for (std::uint32_t peer = 0; peer < call.size; ++peer) {
        if (peer == call.root) continue;
        for (std::uint64_t i = 0; i < count; ++i) {
            co_yield send(peer, segment_piece(receive_buffer, i, segment, call.bytes));
        }
    }
}

} // namespace orrery::coll
