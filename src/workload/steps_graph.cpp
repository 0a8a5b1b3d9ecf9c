#include "workload/steps_graph.h"

#include <utility>
#include <vector>

namespace orrery {

void append_steps(Steps steps, RankChain& chain, std::uint32_t tag, std::uint32_t rank,
                  const std::function<std::uint32_t(std::uint32_t)>& member) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> requests; // of the algorithm, and its operation
    const auto outgoing = [&](const Step& step) {
        return chain.add(send_op(member(step.peer), step.from.bytes, tag));
    };
    const auto incoming = [&](const Step& step, std::uint32_t source) {
        return chain.add(recv_op(member(source), step.to.bytes, tag));
    };
    while (const Step* const step = steps.next()) {
        switch (step->kind) {
        case Step::Kind::send: chain.after(outgoing(*step)); break;
        case Step::Kind::recv: chain.after(incoming(*step, step->peer)); break;
        case Step::Kind::isend:
        case Step::Kind::irecv: {
            const std::uint32_t op =
                step->kind == Step::Kind::isend ? outgoing(*step) : incoming(*step, step->peer);
            requests.emplace_back(step->request, op);
            chain.after_start(op);
            break;
        }
        case Step::Kind::sendrecv: {
            if (member(step->peer) == rank && member(step->source) == rank) break; // a copy
            const std::uint32_t sent = outgoing(*step);
            const std::uint32_t received = incoming(*step, step->source);
            chain.after(sent);
            chain.wait_for(received);
            break;
        }
        case Step::Kind::wait:
        case Step::Kind::wait_all:
            std::erase_if(requests, [&](const auto& each) {
                if (step->kind == Step::Kind::wait && each.first != step->request) return false;
                chain.wait_for(each.second);
                return true;
            });
            break;
        case Step::Kind::copy:
        case Step::Kind::reduce:
        case Step::Kind::reduce_after: break;
        }
    }
}

} // namespace orrery
