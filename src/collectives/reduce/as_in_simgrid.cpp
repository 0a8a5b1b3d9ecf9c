// Reductions with the segment sizes that SimGrid gives them (reduce-ompi.cpp).
#include "collectives/reduce/as_in_simgrid.h"

#include "collectives/reduce/reduce.h"

#include <algorithm>

namespace orrery::coll {

Steps simgrid_reduce_chain(CollectiveCall call, CollectiveTuning /*tuning*/) {
    return reduce_chain(call, {Bytes{64} * 1024, std::clamp<std::uint32_t>(call.size / 2, 1, 32)});
}

Steps simgrid_reduce_pipeline(CollectiveCall call, CollectiveTuning /*tuning*/) {
    const auto bytes = static_cast<double>(call.bytes);
    Bytes segment = Bytes{64} * 1024;
    if (call.size > 0.0410 / 1024.0 * bytes + 9.7128) {
        segment = 1024;
    } else if (call.size > 0.0033 / 1024.0 * bytes + 1.6761) {
        segment = Bytes{32} * 1024;
    }
    return reduce_pipeline(call, {segment, 0});
}

Steps simgrid_reduce_binary(CollectiveCall call, CollectiveTuning /*tuning*/) {
    return reduce_binary(call, {Bytes{32} * 1024, 0});
}

Steps simgrid_reduce_binomial(CollectiveCall call, CollectiveTuning /*tuning*/) {
    const bool whole = (call.size < 8 && call.bytes < 20480) || call.bytes < 2048 || call.bytes <= call.element;
    const bool cut = !whole && call.size > 0.6016 / 1024.0 * static_cast<double>(call.bytes) + 1.3496;
    return reduce_binomial(call, {Bytes{cut ? 1024U : 0U}, 0});
}

} // namespace orrery::coll
