#include "workload/listed_steps.h"

#include "workload/op.h"

namespace orrery {

namespace {

constexpr Bytes last_kind = static_cast<Bytes>(Step::Kind::reduce_after);
constexpr Bytes most_requests = Bytes{1} << 26;

Step step_at(const std::vector<Bytes>& list, std::size_t first) {
    Step step;
    step.kind = static_cast<Step::Kind>(list[first]);
    step.peer = static_cast<std::uint32_t>(list[first + 1]);
    step.source = static_cast<std::uint32_t>(list[first + 2]);
    step.request = static_cast<std::uint32_t>(list[first + 3]);
    step.from.bytes = list[first + 4];
    step.to.bytes = list[first + 5];
    return step;
}

} // namespace

void append_step(const Step& step, std::vector<Bytes>& list) {
    list.insert(list.end(), {static_cast<Bytes>(step.kind), step.peer, step.source, step.request,
                             step.from.bytes, step.to.bytes});
}

const char* fault_of_steps(std::span<const Bytes> list, std::uint32_t ranks) {
    if (list.size() % numbers_of_step != 0) return "the steps of an algorithm are not whole";
    for (; !list.empty(); list = list.subspan(numbers_of_step)) {
        if (list[0] > last_kind) return "a step of an algorithm is of no kind";
        if (list[1] >= ranks || list[2] >= ranks) return "a peer is out of range";
        if (list[3] >= most_requests) return "the number of a request is too large";
        if (list[4] > max_op_size || list[5] > max_op_size) return "a message is too large";
    }
    return nullptr;
}

Steps listed_steps(std::vector<Bytes> list) {
    for (std::size_t first = 0; first + numbers_of_step <= list.size(); first += numbers_of_step)
        co_yield step_at(list, first);
}

} // namespace orrery
