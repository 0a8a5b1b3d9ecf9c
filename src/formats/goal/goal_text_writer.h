// A schedule as GOAL text, in the narrow dialect that LogGOPSim's txt2bin accepts too: no indentation, labels
// l1, l2, ... in program order, and every dependency after both of its labels.
//
// Reading it back gives the same operations and the same dependencies, in the same order. GOAL counts
// computations in nanoseconds: one that is no whole number of them is refused (InputError), not rounded.
#pragma once

#include "engine/output_file.h"
#include "workload/sink.h"

#include <string>

namespace orrery {

class GoalTextWriter : public ScheduleSink {
  public:
    explicit GoalTextWriter(const std::string& path);
    void begin(std::uint32_t ranks) override;
    void wide_tag(const WideTag& tag) override { written_tags_.add(tag); }
    void rank(RankId rank, const RankGraph& graph) override;
    void finish() override;

  private:
    void operation(RankId rank, const RankGraph& graph, std::uint32_t index);
    void dependency(const Dependency& dependency);
    void end_line();

    std::string path_;
    WrittenTags written_tags_;
    OutputFile file_;
    std::string text_; // not written yet
};

} // namespace orrery
