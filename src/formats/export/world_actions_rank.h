// One rank on its way through WorldActions.
#pragma once

#include "formats/export/world_actions.h"

namespace orrery {

class WorldActions::Rank {
  public:
    Rank(WorldActions& all, RankId rank);

    std::span<const Action> next();
    [[nodiscard]] std::span<const Bytes> counts(const Action& action) const {
        return std::span<const Bytes>(counts_).subspan(action.first_count, action.counts);
    }

  private:
    void add(const Action& action, std::span<const Bytes> counts);
    void message(const Action& action);
    void exchange(const Action& action);
    void collective(const Action& action, std::span<const Bytes> counts);
    // `steps` are its algorithm; none: one is chosen.
    void expand(const Action& action, const CollectiveCall& call, const Membership& member, Steps steps);
    void choose(const Action& action, std::span<const Bytes> counts);
    void wait(std::uint32_t number, std::uint64_t line);
    void wait_for(std::vector<std::uint32_t> own, std::uint64_t line);
    [[nodiscard]] bool has_word(const Action& action) const;
    [[nodiscard]] bool is_world(const Membership& member) const;

    Action& put(ActionKind kind, std::uint64_t line);
    Action& put_message(ActionKind kind, std::uint32_t peer, std::uint32_t tag, Bytes bytes,
                        std::uint64_t line);
    std::uint32_t post(const Action& message); // a nonblocking one: its own number
    std::uint32_t tag(const Action& action);
    std::vector<std::uint32_t>& slot(std::uint32_t number);

    WorldActions& all_;
    RankId rank_;
    RankCommunicators communicators_;
    std::vector<Action> actions_; // the present window
    std::vector<Bytes> counts_;
    bool older_;
    bool ended_ = false;
    ti::Requests pending_;                             // as the reader of the text will have them
    std::vector<std::vector<std::uint32_t>> requests_; // by number in the source: ours
    std::vector<std::uint32_t> forgotten_;             // sends: waited for at the end
};

} // namespace orrery
