// A trace that cannot be read rank by rank, or not several times at once, parsed once into a temporary file.
//
// That is a merged file whose ranks alternate line by line or which is compressed, and compressed files of more
// ranks than can be open side by side. Each rank collects its actions in the binary form and writes them out a
// segment at a time: memory is some kilobytes per rank, whatever the order of the lines.
#pragma once

#include "formats/ti/tally.h"
#include "formats/ti/temporary_file.h"
#include "workload/action.h"
#include "workload/mapped_file.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace orrery::ti {

class Spill {
  public:
    // One file with the lines of `ranks` ranks.
    static std::unique_ptr<Spill> of_merged(const std::string& path, std::uint32_t ranks);
    // A file per rank.
    static std::unique_ptr<Spill> of_files(const std::vector<std::string>& paths);

    // Whatever else there is: all actions of `source`, rank after rank.
    static std::unique_ptr<Spill> of_source(ActionSource& source);

    // `copies`: see OtiSource.
    [[nodiscard]] std::unique_ptr<ActionSource> source(std::uint32_t copies = 1) const;
    [[nodiscard]] const Tally& tally() const { return tally_; }

  private:
    Spill(std::vector<std::string> paths, std::uint32_t ranks) : paths_(std::move(paths)), segments_(ranks) {}
    void close();

    std::vector<std::string> paths_;
    TemporaryFile file_;
    std::vector<std::vector<std::uint64_t>> segments_; // where those of each rank begin
    std::unique_ptr<MappedFile> mapped_;
    Tally tally_;
};

} // namespace orrery::ti
