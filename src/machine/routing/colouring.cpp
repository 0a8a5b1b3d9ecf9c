#include "machine/routing/colouring.h"

#include "machine/routing/contention.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace orrery {

namespace {

constexpr std::uint32_t most_tried = 256; // choices of a pair that are compared at a time

class Colourer {
  public:
    Colourer(const ColourTask& task, const ColourChoices& choices, std::vector<std::uint32_t> choice)
        : task_(task), choices_(choices), contention_(std::size_t{task.channels} * task.phases),
          choice_(std::move(choice)) {
        for (std::uint32_t i = 0; i < task_.pairs.size(); ++i) place(i, choice_[i]);
    }

    [[nodiscard]] Colouring answer() const { return {choice_, contention_.most(), contention_.cost()}; }

    // Until no move of a pair or of the pairs of an end makes it better.
    void settle(const RandomStream& random) {
        constexpr int most_sweeps = 60;
        for (int sweep = 0; sweep < most_sweeps; ++sweep) {
            const std::uint64_t before = contention_.cost();
            move_pairs(random);
            move_groups(senders());
            move_groups(receivers());
            if (contention_.cost() == before) return;
        }
    }

    // Gives the pairs on the worst channels, and some others, choices at random.
    void upset(const RandomStream& random) {
        const std::uint32_t worst = contention_.most();
        std::vector<std::uint32_t> moved;
        for (std::uint32_t i = 0; i < task_.pairs.size(); ++i) {
            bool bad = random.below(std::uint64_t{2} * i, 16) == 0;
            for (const std::uint32_t slot : slots(i, choice_[i])) bad = bad || contention_.level(slot) == worst;
            if (bad) moved.push_back(i);
        }
        for (const std::uint32_t i : moved) {
            move(i, static_cast<std::uint32_t>(
                        random.below(std::uint64_t{2} * i + 1, choices_.count(task_.pairs[i]))));
        }
    }

  private:
    // The slots that a choice occupies.
    std::span<const std::uint32_t> slots(std::uint32_t pair, std::uint32_t choice) {
        links_.clear();
        slots_.clear();
        choices_.channels(task_.pairs[pair], choice, links_);
        for (const std::uint32_t phase : task_.pairs[pair].phases) {
            for (const LinkId link : links_) slots_.push_back(phase * task_.channels + link.value);
        }
        return slots_;
    }
    void place(std::uint32_t pair, std::uint32_t choice) {
        const ColourPair& ends = task_.pairs[pair];
        for (const std::uint32_t slot : slots(pair, choice)) contention_.add(slot, ends.from, ends.to);
        choice_[pair] = choice;
    }
    void take_away(std::uint32_t pair) {
        const ColourPair& ends = task_.pairs[pair];
        for (const std::uint32_t slot : slots(pair, choice_[pair]))
            contention_.remove(slot, ends.from, ends.to);
    }
    void move(std::uint32_t pair, std::uint32_t choice) {
        take_away(pair);
        place(pair, choice);
    }

    void move_pairs(const RandomStream& random) {
        for (std::uint32_t i = 0; i < task_.pairs.size(); ++i) {
            const ColourPair& pair = task_.pairs[i];
            const std::uint32_t count = choices_.count(pair);
            if (count < 2) continue;
            const std::uint32_t was = choice_[i];
            take_away(i);
            std::uint32_t best = was;
            std::uint64_t least = cost_of(i, was);
            const std::uint32_t tried = std::min(count, most_tried);
            const std::uint64_t start = random.below(draws_++, count); // ties go round
            for (std::uint32_t k = 0; k < tried; ++k) {
                const auto choice =
                    static_cast<std::uint32_t>((start + std::uint64_t{k} * count / tried) % count);
                const std::uint64_t cost = cost_of(i, choice);
                if (cost < least) {
                    least = cost;
                    best = choice;
                }
            }
            place(i, best);
        }
    }
    std::uint64_t cost_of(std::uint32_t pair, std::uint32_t choice) {
        std::uint64_t cost = 0;
        for (const std::uint32_t slot : slots(pair, choice))
            cost += contention_.cost_of_adding(slot, task_.pairs[pair].from, task_.pairs[pair].to);
        return cost;
    }

    using Groups = std::vector<std::vector<std::uint32_t>>;
    template <typename End> Groups group_by(End end) const {
        std::vector<std::uint32_t> order(task_.pairs.size());
        std::iota(order.begin(), order.end(), 0U);
        std::stable_sort(order.begin(), order.end(),
                         [&](std::uint32_t a, std::uint32_t b) { return end(a) < end(b); });
        Groups groups;
        for (std::size_t i = 0; i < order.size(); ++i) {
            if (i == 0 || end(order[i]) != end(order[i - 1])) groups.emplace_back();
            groups.back().push_back(order[i]);
        }
        std::erase_if(groups, [](const auto& group) { return group.size() < 2 || group.size() > 64; });
        return groups;
    }
    const Groups& senders() {
        if (!grouped_) group();
        return senders_;
    }
    const Groups& receivers() const { return receivers_; }
    void group() {
        senders_ = group_by([&](std::uint32_t i) { return task_.pairs[i].from; });
        receivers_ = group_by([&](std::uint32_t i) { return task_.pairs[i].to; });
        grouped_ = true;
    }

    // All pairs of an end to the same choice (in numbers), if that is better.
    void move_groups(const Groups& groups) {
        std::vector<std::uint32_t> was;
        for (const std::vector<std::uint32_t>& group : groups) {
            std::uint32_t count = 0;
            was.clear();
            for (const std::uint32_t i : group) {
                count = std::max(count, choices_.count(task_.pairs[i]));
                was.push_back(choice_[i]);
            }
            std::uint64_t least = contention_.cost();
            std::uint32_t best = ~0U;
            for (std::uint32_t k = 0; k < std::min(count, most_tried); ++k) {
                for (const std::uint32_t i : group) move(i, k % choices_.count(task_.pairs[i]));
                if (contention_.cost() >= least) continue;
                least = contention_.cost();
                best = k;
            }
            for (std::size_t j = 0; j < group.size(); ++j) {
                move(group[j], best == ~0U ? was[j] : best % choices_.count(task_.pairs[group[j]]));
            }
        }
    }

    const ColourTask& task_;
    const ColourChoices& choices_;
    Contention contention_;
    std::vector<std::uint32_t> choice_;
    std::vector<LinkId> links_;
    std::vector<std::uint32_t> slots_;
    Groups senders_;
    Groups receivers_;
    bool grouped_ = false;
    std::uint64_t draws_ = 0;
};

} // namespace

Colouring judge(const ColourTask& task, const ColourChoices& choices, std::vector<std::uint32_t> choice) {
    return Colourer(task, choices, std::move(choice)).answer();
}

Colouring colour(const ColourTask& task, const ColourChoices& choices,
                 std::span<const std::vector<std::uint32_t>> starts) {
    Colouring best;
    for (const std::vector<std::uint32_t>& start : starts) {
        Colouring each = judge(task, choices, start);
        if (best.choice.empty() || each.better_than(best)) best = std::move(each);
    }
    const auto keep = [&](const Colourer& colourer) {
        Colouring now = colourer.answer();
        if (now.better_than(best)) best = std::move(now);
    };
    for (const std::vector<std::uint32_t>& start : starts) {
        if (best.contention <= task.bound) return best;
        Colourer colourer(task, choices, start);
        colourer.settle(RandomStream(task.seed, 0));
        keep(colourer);
    }
    for (std::uint32_t round = 1; round <= task.rounds && best.contention > task.bound; ++round) {
        Colourer colourer(task, choices, best.choice);
        colourer.upset(RandomStream(task.seed, 2 * std::uint64_t{round}));
        colourer.settle(RandomStream(task.seed, 2 * std::uint64_t{round} + 1));
        keep(colourer);
    }
    return best;
}

} // namespace orrery
