// Actions that every reader would let pass, but with requests, communicators, windows and sizes as they come: a
// replay must end or name what is wrong.
#include "drivers/trace/replay.h"
#include "formats/ti/check_action.h"
#include "listed_actions.h"
#include "small_world.h"

#include <optional>

using namespace orrery;

namespace {

constexpr std::uint32_t ranks = 3;

class DrawnActions final : public ActionSource {
  public:
    explicit DrawnActions(std::vector<std::vector<fuzzing::ListedActions::Entry>> all) : all_(std::move(all)) {}
    [[nodiscard]] std::uint32_t ranks() const override { return static_cast<std::uint32_t>(all_.size()); }
    std::span<const Action> next(RankId rank) override {
        std::size_t& at = at_[rank.index()];
        return at < all_[rank.index()].size() ? std::span(&all_[rank.index()][at++].action, 1)
                                              : std::span<const Action>();
    }
    [[nodiscard]] std::span<const Bytes> counts(RankId rank, const Action& /*action*/) const override {
        return all_[rank.index()][at_[rank.index()] - 1].counts;
    }
    [[nodiscard]] std::string file(RankId /*rank*/) const override { return "fuzz"; }

  private:
    std::vector<std::vector<fuzzing::ListedActions::Entry>> all_;
    std::array<std::size_t, ::ranks> at_{};
};

// Mostly small, so that things meet; sometimes anything.
std::uint32_t few(fuzzing::Drawn& draw) {
    const std::uint8_t byte = draw.byte();
    return byte < 250 ? byte % 4U : static_cast<std::uint32_t>(draw.word());
}

fuzzing::ListedActions::Entry entry_of(fuzzing::Drawn& draw) {
    fuzzing::ListedActions::Entry entry;
    Action& action = entry.action;
    action.kind = static_cast<ActionKind>(draw.below(action_kinds));
    action.comm = draw.below(32) == 0 ? few(draw) : world;
    action.peer = few(draw);
    action.tag = draw.below(3);
    action.request = few(draw);
    action.bytes = draw.size(max_op_size);
    switch (action.kind) {
    case ActionKind::compute: action.volume = draw.number(-3, 24); break;
    case ActionKind::sleep:
        action.other = draw.below(pauses);
        action.volume = draw.number(-13, 6);
        if (static_cast<Pause>(action.other) != Pause::timed_wait) action.bytes = 0;
        break;
    case ActionKind::collective:
        action.collective = static_cast<Collective>(draw.below(collective_count));
        action.nonblocking = draw.below(2) == 0;
        action.element = 1 + few(draw) % 16;
        break;
    case ActionKind::one_sided:
        action.nonblocking = draw.below(2) == 0;
        action.more_bytes = draw.size(max_op_size);
        break;
    default:
        action.other = action.kind == ActionKind::sendrecv || draw.below(8) == 0 ? few(draw) : 0;
        action.more_bytes = draw.size(max_op_size);
        break;
    }
    if (action.kind >= ActionKind::wait_all) {
        for (std::uint32_t left = draw.below(8); left > 0; --left)
            entry.counts.push_back(action.kind == ActionKind::collective ? draw.size(max_op_size) : few(draw));
    }
    action.counts = static_cast<std::uint32_t>(entry.counts.size());
    return entry;
}

void run(fuzzing::Drawn& draw) {
    fuzzing::SmallWorld world(draw);
    ReplayOptions options;
    if (draw.below(2) == 0) options.endpoint = endpoint_of(fuzzing::SmallWorld::loggops(draw));
    options.endpoint.test = Time::ps(static_cast<std::int64_t>(draw.size(1000)));
    options.endpoint.test_grows = draw.below(2) == 0;
    options.endpoint.fetched = draw.below(2) == 0;
    std::vector<std::vector<fuzzing::ListedActions::Entry>> all(ranks);
    for (int i = 0; i < 60 && !draw.empty(); ++i) {
        const std::uint32_t rank = draw.below(ranks + 1);
        const fuzzing::ListedActions::Entry entry = entry_of(draw);
        if (ti::fault_of(entry.action, entry.counts, {ranks, 64}) != nullptr) continue;
        const auto many = [&](Bytes bytes) { return bytes != any_bytes && world.too_many_parts(bytes); };
        if (many(entry.action.bytes) || many(entry.action.more_bytes)) continue;
        if (std::any_of(entry.counts.begin(), entry.counts.end(), many)) continue;
        for (std::uint32_t each = 0; each < ranks; ++each)
            if (rank == ranks || rank == each) all[each].push_back(entry);
    }
    DrawnActions actions(std::move(all));
    fuzzing::check_prediction(
        replay({{&actions, Time::zero(), world.hosts(ranks), 0}}, world.platform(), *world.network, options)
            .base);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzzing::without_huge_pages();
    fuzzing::Drawn draw(data, size);
    try {
        run(draw);
    } catch (const InputError&) {
    } catch (const UsageError&) {
    } catch (const SimulationError&) {
    }
    return 0;
}
