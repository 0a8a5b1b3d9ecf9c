#include "reference/loggp_collectives.h"

#include <algorithm>
#include <deque>
#include <map>
#include <stdexcept>

namespace orrery::test {

namespace {

struct Rank {
    Steps steps;
    double now = 0;
    double wire_free = 0;
    std::map<std::uint32_t, std::uint32_t> receives; // request: from whom
    std::vector<std::uint32_t> awaited;              // sources still to be received from, in order
    bool finished = false;
};

} // namespace

double loggp_time(const Algorithm& algorithm, CollectiveTuning tuning, const Shape& shape, const LogGp& model) {
    const Calls calls(shape);
    std::vector<Rank> ranks(shape.size);
    std::vector<std::map<std::uint32_t, std::deque<double>>> arrivals(shape.size); // [to][from]
    for (std::uint32_t r = 0; r < shape.size; ++r) ranks[r].steps = algorithm.run(calls[r], tuning);

    const auto post = [&](std::uint32_t from, const Step& step) {
        Rank& rank = ranks[from];
        const auto bytes = static_cast<double>(step.from.bytes);
        rank.now += model.o;
        const double start = std::max(rank.now, rank.wire_free);
        rank.wire_free = start + std::max(model.g, bytes * model.G);
        arrivals[step.peer][from].push_back(start + model.L + bytes * model.G);
    };
    const auto advance = [&](std::uint32_t r) { // false: it must wait
        Rank& rank = ranks[r];
        while (!rank.awaited.empty()) {
            std::deque<double>& waiting = arrivals[r][rank.awaited.front()];
            if (waiting.empty()) return false;
            rank.now = std::max(rank.now, waiting.front()) + model.o;
            waiting.pop_front();
            rank.awaited.erase(rank.awaited.begin());
        }
        const Step* const step = rank.steps.next();
        if (step == nullptr) {
            rank.finished = true;
            return true;
        }
        switch (step->kind) {
        case Step::Kind::send:
        case Step::Kind::isend: post(r, *step); break;
        case Step::Kind::recv: rank.awaited = {step->peer}; break;
        case Step::Kind::irecv: rank.receives[step->request] = step->peer; break;
        case Step::Kind::sendrecv:
            post(r, *step);
            rank.awaited = {step->source};
            break;
        case Step::Kind::wait: {
            const auto found = rank.receives.find(step->request);
            if (found != rank.receives.end()) {
                rank.awaited = {found->second};
                rank.receives.erase(found);
            }
            break;
        }
        case Step::Kind::wait_all:
            for (const auto& [request, source] : rank.receives) rank.awaited.push_back(source);
            rank.receives.clear();
            break;
        case Step::Kind::copy: break;
        case Step::Kind::reduce:
        case Step::Kind::reduce_after: rank.now += static_cast<double>(step->from.bytes) * model.gamma; break;
        }
        return true;
    };
    for (bool progress = true; progress;) {
        progress = false;
        for (std::uint32_t r = 0; r < shape.size; ++r) {
            while (!ranks[r].finished && advance(r)) progress = true;
        }
    }
    double last = 0;
    for (const Rank& rank : ranks) {
        if (!rank.finished) throw std::logic_error("a rank does not end");
        last = std::max(last, rank.now);
    }
    return last;
}

} // namespace orrery::test
