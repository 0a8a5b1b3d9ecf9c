// Actions from the binary form: of a file, or of a text trace that was spilled.
#pragma once

#include "formats/ti/oti_decoder.h"
#include "formats/ti/oti_layout.h"
#include "formats/ti/tally.h"
#include "workload/action.h"
#include "workload/mapped_file.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace orrery::ti {

// A mapped .oti whose header and index have been checked.
class OtiFile {
  public:
    explicit OtiFile(const std::string& path); // throws InputError
    [[nodiscard]] const OtiHeader& header() const { return header_; }
    [[nodiscard]] Tally tally() const;
    [[nodiscard]] RankEntry entry(std::uint32_t rank) const;
    [[nodiscard]] std::span<const std::byte> bytes() const { return file_.bytes(); }
    [[nodiscard]] const std::string& path() const { return path_; }

  private:
    std::string path_;
    MappedFile file_;
    OtiHeader header_;
};

bool is_oti(const std::string& path); // by its first bytes

// Where the segments of a rank are: one after the other, or each where a list says.
struct SegmentPlaces {
    std::uint64_t offset = 0; // of the next one
    std::uint64_t end = 0;
    std::span<const std::uint64_t> listed; // instead
};

class OtiSource : public ActionSource {
  public:
    // `copies` times the ranks of the file: rank r does what rank r modulo their number does there.
    explicit OtiSource(const OtiFile& file, std::uint32_t copies = 1);
    // A spilled trace: `paths` as messages name the files that it came from, one for all or one per rank.
    OtiSource(std::span<const std::byte> bytes, std::span<const std::vector<std::uint64_t>> segments,
              std::span<const std::string> paths, std::uint32_t copies = 1);

    [[nodiscard]] std::uint32_t ranks() const override { return static_cast<std::uint32_t>(ranks_.size()); }
    std::span<const Action> next(RankId rank) override;
    [[nodiscard]] std::span<const Bytes> counts(RankId rank, const Action& action) const override {
        return {ranks_[rank.index()].window.counts.data() + action.first_count, action.counts};
    }
    [[nodiscard]] std::string file(RankId rank) const override { return path_of(rank); }

  private:
    struct Rank {
        SegmentPlaces places;
        std::uint64_t segment = 0; // where the current one begins
        std::uint64_t requests = 0;
        SegmentDecoder decoder;
        Window window;
    };
    [[nodiscard]] const std::string& path_of(RankId rank) const {
        return paths_.size() == 1 ? paths_.front() : paths_[rank.value % stored_];
    }
    bool enter_segment(Rank& rank, const std::string& file);
    void leave_segment(const Rank& rank) const;

    std::span<const std::byte> bytes_;
    std::vector<std::string> paths_;
    bool lines_;
    std::uint32_t stored_; // ranks of the file
    std::vector<Rank> ranks_;
    std::size_t most_; // actions of a window
};

} // namespace orrery::ti
