#include "workload/steps_graph.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace orrery {

void OpenRequests::wait(std::uint32_t request, std::vector<std::uint32_t>& done) {
    const auto found = [&](const Open& each) { return each.request == request; };
    const auto first = open_.begin() + static_cast<std::ptrdiff_t>(first_);
    const auto at =
        first != open_.end() && found(open_.back()) ? open_.end() - 1 : std::find_if(first, open_.end(), found);
    if (at == open_.end()) return;
    done.push_back(at->op);
    if (at == first) {
        ++first_;
    } else {
        open_.erase(at);
    }
}

void OpenRequests::wait_all(std::vector<std::uint32_t>& done) {
    for (std::size_t i = first_; i < open_.size(); ++i) done.push_back(open_[i].op);
    open_.clear();
    first_ = 0;
}

void append_steps(Steps steps, RankChain& chain, std::uint32_t tag, std::uint32_t rank,
                  const std::function<std::uint32_t(std::uint32_t)>& member) {
    StepsScratch scratch;
    append_steps(std::move(steps), chain, tag, rank, member, scratch);
}

void append_steps(Steps steps, RankChain& chain, std::uint32_t tag, std::uint32_t rank,
                  const std::function<std::uint32_t(std::uint32_t)>& member, StepsScratch& scratch) {
    RankChain call = chain; // what stands before the call: all that an operation waits for that begins at once
    OpenRequests& requests = scratch.requests;
    std::vector<std::uint32_t>& waited = scratch.waited; // operations of the last wait
    waited.clear();
    const auto outgoing = [&](const Step& step) { return send_op(member(step.peer), step.from.bytes, tag); };
    const auto incoming = [&](const Step& step, std::uint32_t source) {
        return recv_op(member(source), step.to.bytes, tag);
    };
    const auto post = [&](const Step& step, const Op& op) {
        switch (step.begin) {
        case Step::Begin::in_order: {
            const std::uint32_t number = chain.add(op);
            chain.after_start(number);
            return number;
        }
        case Step::Begin::after_wait:
            if (!waited.empty()) return chain.add_behind(op, waited);
            break;
        case Step::Begin::at_once: break;
        }
        return call.add(op);
    };
    while (const Step* const step = steps.next()) {
        switch (step->kind) {
        case Step::Kind::send: chain.after(chain.add(outgoing(*step))); break;
        case Step::Kind::recv: chain.after(chain.add(incoming(*step, step->peer))); break;
        case Step::Kind::isend: requests.post(step->request, post(*step, outgoing(*step))); break;
        case Step::Kind::irecv: requests.post(step->request, post(*step, incoming(*step, step->peer))); break;
        case Step::Kind::sendrecv: {
            if (member(step->peer) == rank && member(step->source) == rank) break; // a copy
            const std::uint32_t received =
                chain.add(incoming(*step, step->source)); // posted before the send begins
            const std::uint32_t sent = chain.add(outgoing(*step));
            chain.after(sent);
            chain.wait_for(received);
            break;
        }
        case Step::Kind::wait:
        case Step::Kind::wait_all:
            waited.clear();
            if (step->kind == Step::Kind::wait) {
                requests.wait(step->request, waited);
            } else {
                requests.wait_all(waited);
            }
            for (const std::uint32_t op : waited) chain.wait_for(op);
            break;
        case Step::Kind::copy:
        case Step::Kind::reduce:
        case Step::Kind::reduce_after: break;
        }
    }
}

} // namespace orrery
