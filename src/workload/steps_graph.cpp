#include "workload/steps_graph.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace orrery {

namespace {

// The requests of an algorithm that have not been waited for, each with its operation. Most are waited for in
// the order in which they were posted, or right after that: both take O(1).
class OpenRequests {
  public:
    void post(std::uint32_t request, std::uint32_t op) { open_.emplace_back(request, op); }
    // Hands the operations of a wait to `take`.
    template <typename Take> void wait(std::uint32_t request, Take take) {
        const auto found = [&](const Open& each) { return each.first == request; };
        auto at = open_.end();
        if (first_ < open_.size() && found(open_.back())) {
            at = open_.end() - 1;
        } else {
            at = std::find_if(open_.begin() + static_cast<std::ptrdiff_t>(first_), open_.end(), found);
        }
        if (at == open_.end()) return;
        take(at->second);
        if (at == open_.begin() + static_cast<std::ptrdiff_t>(first_)) {
            ++first_;
        } else {
            open_.erase(at);
        }
    }
    template <typename Take> void wait_all(Take take) {
        for (std::size_t i = first_; i < open_.size(); ++i) take(open_[i].second);
        open_.clear();
        first_ = 0;
    }

  private:
    using Open = std::pair<std::uint32_t, std::uint32_t>; // request, operation
    std::vector<Open> open_;
    std::size_t first_ = 0; // those before it are done
};

} // namespace

void append_steps(Steps steps, RankChain& chain, std::uint32_t tag, std::uint32_t rank,
                  const std::function<std::uint32_t(std::uint32_t)>& member) {
    RankChain call = chain; // what stands before the call: all that an operation waits for that begins at once
    OpenRequests requests;
    std::vector<std::uint32_t> waited; // operations of the last wait
    const auto wait_for = [&](std::uint32_t op) {
        chain.wait_for(op);
        waited.push_back(op);
    };
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
            waited.clear();
            requests.wait(step->request, wait_for);
            break;
        case Step::Kind::wait_all:
            waited.clear();
            requests.wait_all(wait_for);
            break;
        case Step::Kind::copy:
        case Step::Kind::reduce:
        case Step::Kind::reduce_after: break;
        }
    }
}

} // namespace orrery
