// ReplayTwin, part 5 of 6: communicators and collectives.
#include "reference/replay_twin.h"

#include "collectives/comm_split.h"
#include "workload/listed_steps.h"

#include <algorithm>
#include <stdexcept>
#include <tuple>

namespace orrery::reference {

Membership& ReplayTwin::member(std::uint32_t rank, std::uint32_t communicator) {
    return ranks_[rank].communicators.at(communicator);
}

std::uint32_t ReplayTwin::add_communicator(std::vector<std::uint32_t> members) {
    std::vector<std::uint32_t> nodes;
    for (const std::uint32_t rank : members) nodes.push_back(hosts_[rank].value);
    communicators_.push_back({std::move(members), std::move(nodes)});
    return static_cast<std::uint32_t>(communicators_.size() - 1);
}

void ReplayTwin::join(std::uint32_t rank, std::uint32_t name, std::uint32_t index) {
    const std::vector<std::uint32_t>& members = communicators_[index].members;
    const auto place = std::find(members.begin(), members.end(), rank) - members.begin();
    ranks_[rank].communicators[name] = {name, index, static_cast<std::uint32_t>(place), 0, nullptr};
}

ReplayTwin::CollectiveToRun ReplayTwin::collective(Membership& member, CollectiveCall call, bool nonblocking,
                                                   Steps steps) {
    call.node_of = communicators_[member.index].nodes;
    if (!steps) {
        const CollectivePolicy& policy = options_.collectives;
        steps = (nonblocking ? policy.choose_nonblocking(call) : policy.choose(call)).run(call);
    }
    return {std::move(steps), member.index, member.calls++};
}

// Each step is what the rank itself could do; its messages are those of this call only.
Routine ReplayTwin::run_steps(Fiber& fiber, CollectiveToRun& run) {
    const auto rank_of = [&](std::uint32_t place) {
        return communicators_[run.communicator].members.at(place);
    };
    const auto message = [&](std::uint32_t from, std::uint32_t to, Bytes bytes) {
        PostedRequest made;
        made.from = from;
        made.to = to;
        made.context = Communicators::collectives_context(run.communicator);
        made.tag = run.number;
        made.bytes = bytes;
        return made;
    };
    std::multimap<std::uint32_t, PostedRequest*> requests; // by their numbers in the steps
    while (const Step* const step = run.steps.next()) {
        const auto out = [&] { return message(fiber.rank, rank_of(step->peer), step->from.bytes); };
        const auto in = [&](std::uint32_t from) { return message(rank_of(from), fiber.rank, step->to.bytes); };
        switch (step->kind) {
        case Step::Kind::send: co_await send(fiber, out(), true, false, nullptr); break;
        case Step::Kind::recv: co_await receive(fiber, in(step->peer)); break;
        case Step::Kind::isend: {
            PostedRequest* request = nullptr;
            co_await send(fiber, out(), false, false, &request);
            requests.emplace(step->request, request);
            break;
        }
        case Step::Kind::irecv:
            co_await begin(fiber, false);
            requests.emplace(step->request, &post_receive(fiber, in(step->peer)));
            break;
        case Step::Kind::sendrecv: co_await exchange(fiber, out(), in(step->source)); break;
        case Step::Kind::wait:
        case Step::Kind::wait_all: {
            std::vector<PostedRequest*> awaited;
            for (const auto& [number, request] : requests) {
                if (step->kind == Step::Kind::wait_all || number == step->request) awaited.push_back(request);
            }
            if (step->kind == Step::Kind::wait_all) {
                requests.clear();
            } else {
                requests.erase(step->request);
            }
            co_await wait_for(fiber, awaited);
            break;
        }
        case Step::Kind::copy:
            co_await work_on(fiber, step->from.bytes, options_.endpoint.copy_per_byte);
            break;
        case Step::Kind::reduce:
        case Step::Kind::reduce_after:
            co_await work_on(fiber, step->from.bytes, options_.endpoint.reduction_per_byte);
            break;
        }
    }
}

Routine ReplayTwin::work_on(Fiber& fiber, Bytes bytes, double per_byte) {
    if (per_byte == 0) co_return;
    const Time busy = Time::from_ps(static_cast<double>(bytes) * per_byte);
    co_await begin(fiber, busy > Time::zero());
    co_await work(fiber, busy);
    fiber.ready_since = now_;
}

// A nonblocking one: its end takes no time, but needs the CPU.
Routine ReplayTwin::run_beside(Fiber& fiber, std::shared_ptr<CollectiveToRun> run,
                               std::shared_ptr<KeptCall> /*lives as long*/, Time computed_after,
                               PostedRequest& done) {
    co_await run_steps(fiber, *run);
    if (computed_after > Time::zero()) co_await compute(fiber, computed_after);
    co_await begin(fiber, false);
    fiber.state = Fiber::State::over;
    complete(done);
}

PostedRequest& ReplayTwin::spawn(std::uint32_t rank, std::shared_ptr<CollectiveToRun> run,
                                 std::shared_ptr<KeptCall> kept, Time computed_after) {
    PostedRequest& done = make(*fibers_[rank], PostedRequest::Kind::activity);
    Fiber& fiber = add_fiber(rank, 1);
    fiber.program = run_beside(fiber, std::move(run), std::move(kept), computed_after, done);
    fiber.goes_on = fiber.program.begin();
    ready_.push_back(&fiber);
    return done;
}

void ReplayTwin::run_aside(Fiber& fiber, const Action& action) {
    Membership& own = member(fiber.rank, action.comm);
    const std::span<const Bytes> steps = actions_.counts(RankId{fiber.rank}, action);
    auto run = std::make_shared<CollectiveToRun>(
        collective(own, {}, true, listed_steps({steps.begin(), steps.end()})));
    ranks_[fiber.rank].requests[action.request] = &spawn(fiber.rank, std::move(run), nullptr, Time::zero());
}

Routine ReplayTwin::perform_collective(Fiber& fiber, const Action& action) {
    Membership& own = member(fiber.rank, action.comm);
    const auto size = static_cast<std::uint32_t>(communicators_[own.index].members.size());
    CollectiveCall call;
    if (const auto fault = make_call(action, actions_.counts(RankId{fiber.rank}, action), own, size, call))
        throw std::runtime_error(*fault);
    const Time computed_after = action.volume > 0 ? busy_time(fiber.rank, action.volume) : Time::zero();
    if (action.nonblocking) {
        auto kept = std::make_shared<KeptCall>();
        keep(call, own, *kept);
        auto run = std::make_shared<CollectiveToRun>(collective(own, call, true));
        ranks_[fiber.rank].requests[action.request] =
            &spawn(fiber.rank, std::move(run), std::move(kept), computed_after);
        co_return;
    }
    CollectiveToRun run = collective(own, call, false);
    co_await run_steps(fiber, run);
    if (computed_after == Time::zero()) co_return;
    account(fiber.rank, CallKind::collective);
    co_await compute(fiber, computed_after);
    account(fiber.rank, CallKind::compute);
}

// The members tell each other their colours; a duplicate is a split into one.
Routine ReplayTwin::split(Fiber& fiber, const Action& action) {
    Membership& parent = member(fiber.rank, action.comm);
    const std::uint32_t of = parent.index;
    const std::uint32_t number = parent.calls;
    const bool dup = action.kind == ActionKind::comm_dup;
    const std::uint32_t colour = dup ? 0 : action.peer;
    const std::uint32_t key = dup ? parent.rank : action.other;
    std::vector<SplitOffer>& offers = offers_[{of, number}];
    offers.push_back({colour, static_cast<std::int32_t>(key), parent.rank, fiber.rank});
    CollectiveCall call;
    (void)make_call(action, {}, parent, static_cast<std::uint32_t>(communicators_[of].members.size()), call);
    CollectiveToRun run =
        collective(parent, call, false, dup ? Steps() : split_steps(options_.collectives.selector(), call));
    co_await run_steps(fiber, run);
    if (colour == any_source) co_return;
    std::vector<SplitOffer> group;
    for (const SplitOffer& each : offers) {
        if (each.colour == colour) group.push_back(each);
    }
    std::sort(group.begin(), group.end(), [](const SplitOffer& a, const SplitOffer& b) {
        return std::tie(a.key, a.place) < std::tie(b.key, b.place);
    });
    const auto [place, is_new] = made_.try_emplace({of, number, colour}, 0);
    if (is_new) {
        std::vector<std::uint32_t> members;
        for (const SplitOffer& each : group) members.push_back(each.rank);
        place->second = add_communicator(members);
    }
    const std::shared_ptr<const Neighbours> inherited =
        dup ? member(fiber.rank, action.comm).neighbours : nullptr;
    join(fiber.rank, action.request, place->second);
    member(fiber.rank, action.request).neighbours = inherited;
}

// The n-th communicator that a rank makes of the same members is the n-th of theirs.
void ReplayTwin::create(const Fiber& fiber, const Action& action) {
    std::vector<std::uint32_t> members;
    for (const Bytes each : actions_.counts(RankId{fiber.rank}, action))
        members.push_back(static_cast<std::uint32_t>(each));
    if (std::find(members.begin(), members.end(), fiber.rank) == members.end()) return;
    std::vector<std::uint32_t> mine = members;
    mine.insert(mine.begin(), fiber.rank);
    std::vector<std::uint32_t> made = members;
    made.insert(made.begin(), times_[mine]++);
    const auto [place, is_new] = created_.try_emplace(made, 0);
    if (is_new) place->second = add_communicator(members);
    join(fiber.rank, action.request, place->second);
}

} // namespace orrery::reference
