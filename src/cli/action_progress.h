// Shows on a terminal how far the actions of a trace have been read, by whoever goes through it rank after
// rank; passes everything on.
#pragma once

#include "cli/progress_line.h"
#include "workload/action.h"

#include <memory>
#include <utility>

namespace orrery::cli {

class ActionProgress : public ActionSource {
  public:
    explicit ActionProgress(std::unique_ptr<ActionSource> source) : source_(std::move(source)) {}

    [[nodiscard]] std::uint32_t ranks() const override { return source_->ranks(); }
    std::span<const Action> next(RankId rank) override {
        const std::span<const Action> window = source_->next(rank);
        actions_ += window.size();
        line_.update(actions_, rank.value, ranks());
        return window;
    }
    [[nodiscard]] std::span<const Bytes> counts(RankId rank, const Action& action) const override {
        return source_->counts(rank, action);
    }
    [[nodiscard]] std::string file(RankId rank) const override { return source_->file(rank); }

  private:
    std::unique_ptr<ActionSource> source_;
    std::uint64_t actions_ = 0;
    ProgressLine line_{"actions"};
};

} // namespace orrery::cli
