// The actions of a trace in text, parsed as they are asked for.
#pragma once

#include "formats/ti/line_input.h"
#include "formats/ti/line_parser.h"
#include "workload/action.h"

#include <memory>
#include <string>
#include <vector>

namespace orrery::ti {

class TextSource : public ActionSource {
  public:
    // `paths`: of each rank, or one for all. With `same_for_all` it holds the lines of one rank, which all
    // ranks do.
    TextSource(std::unique_ptr<LineInput> input, std::vector<std::string> paths, std::uint32_t ranks,
               bool same_for_all, Tally& tally);

    [[nodiscard]] std::uint32_t ranks() const override { return static_cast<std::uint32_t>(contexts_.size()); }
    std::span<const Action> next(RankId rank) override;
    [[nodiscard]] std::span<const Bytes> counts(RankId rank, const Action& action) const override {
        return {windows_[rank.index()].counts.data() + action.first_count, action.counts};
    }
    [[nodiscard]] std::string file(RankId rank) const override { return path_of(rank.value); }

  private:
    [[nodiscard]] const std::string& path_of(std::uint32_t rank) const {
        return paths_.size() == 1 ? paths_.front() : paths_[rank];
    }
    bool read_some(std::uint32_t rank);
    void check_rank(RankContext& context, std::uint32_t found);
    void guess(std::uint32_t rank, const char* line);

    std::unique_ptr<LineInput> input_;
    std::vector<std::string> paths_;
    std::vector<Grammar> grammars_; // of each file
    std::vector<RankContext> contexts_;
    std::vector<Window> windows_;
    std::vector<bool> begun_; // whether a line of the rank was seen
    bool same_for_all_;
    std::size_t enough_actions_; // of a window: parts of a merged file may be short
    LineParser parser_;
};

} // namespace orrery::ti
