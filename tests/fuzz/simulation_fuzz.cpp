// A small machine with any numbers, a small schedule, every network: a time comes out, or it is refused; and
// the same again.
#include "drivers/graph/schedule_driver.h"
#include "drivers/graph/simulate.h"
#include "small_world.h"
#include "workload/schedule_encoder.h"

#include <optional>

using namespace orrery;

namespace {

// Messages that fit together, and computations; each waits for what its rank did last, or not.
std::optional<Schedule> schedule_of(fuzzing::Drawn& draw, const fuzzing::SmallWorld* world) {
    constexpr std::uint32_t ranks = 4;
    std::vector<RankGraph> graphs(ranks);
    const auto add = [&](std::uint32_t rank, Op op) {
        op.cpu = static_cast<std::uint16_t>(draw.below(8) == 0 ? 1 + draw.below(5) : 0);
        RankGraph& graph = graphs[rank];
        const std::uint32_t last = graph.add(op);
        const std::uint32_t link = draw.below(4);
        if (last > 0 && link < 2) graph.require(last, last - 1);
        if (last > 0 && link == 2) graph.irequire(last, last - 1);
    };
    for (int i = 0; i < 24 && !draw.empty(); ++i) {
        const std::uint32_t from = draw.below(ranks);
        if (draw.below(3) == 0) {
            add(from, calc_op(draw.size(max_op_size)));
            continue;
        }
        const std::uint32_t to = draw.below(ranks);
        const Bytes bytes = draw.size(max_op_size);
        if (world != nullptr && world->too_many_parts(bytes)) return std::nullopt;
        add(from, send_op(to, bytes));
        add(to, recv_op(from, bytes));
    }
    ScheduleBuilder builder;
    builder.begin(ranks);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) builder.rank(RankId{rank}, graphs[rank]);
    builder.finish();
    return builder.take();
}

Time run(const std::uint8_t* data, std::size_t size) {
    fuzzing::Drawn draw(data, size);
    Prediction prediction;
    if (draw.below(3) == 0) {
        SimulationOptions options;
        options.loggops = fuzzing::SmallWorld::loggops(draw);
        prediction = simulate(*schedule_of(draw, nullptr), options);
    } else {
        fuzzing::SmallWorld world(draw);
        ReplayOptions options;
        options.endpoint = endpoint_of(fuzzing::SmallWorld::loggops(draw));
        if (draw.below(2) == 0) options.endpoint.control_bytes = draw.size(200);
        const auto schedule = schedule_of(draw, &world);
        if (!schedule) return {};
        prediction = replay(*schedule, world.platform(), world.hosts(4), *world.network, options).base;
    }
    fuzzing::check_prediction(prediction);
    return prediction.time;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzzing::without_huge_pages();
    try {
        if (run(data, size) != run(data, size)) __builtin_trap();
    } catch (const InputError&) {
    } catch (const UsageError&) {
    } catch (const SimulationError&) {
    }
    return 0;
}
