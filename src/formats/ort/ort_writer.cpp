#include "formats/ort/ort_writer.h"

#include "engine/output_file.h"
#include "formats/ort/block_writer.h"
#include "formats/ort/metadata.h"
#include "formats/ti/oti_encoder.h"

#include <algorithm>
#include <xxhash.h>

namespace orrery {

using namespace recorded;

namespace {

constexpr std::uint32_t segment_actions = 65'536;
static_assert(segment_actions <= most_segment_actions);

class OrtWriter {
  public:
    OrtWriter(ActionSource& source, const std::string& path)
        : source_(source), file_(path), segment_(ti::segment_bytes(source.ranks())) {}

    // `timed`: the source itself, if its times are to be kept.
    void rank(std::uint32_t rank, const RecordedBegin& begin, RecordedTrace::TimedSource* timed);
    void end(const RecordedEnd& end) { put(BlockKind::end, json_of(end)); }
    TiWritten finish() {
        written_.bytes = file_.position();
        file_.commit();
        return written_;
    }

  private:
    void put(BlockKind kind, const std::string& payload) {
        bytes_.clear();
        writer_.append(kind, payload, bytes_);
        file_.write(bytes_);
    }

    ActionSource& source_;
    OutputFile file_;
    std::size_t segment_; // bytes
    BlockWriter writer_{0, 0};
    std::string bytes_;
    TiWritten written_;
};

void OrtWriter::rank(std::uint32_t rank, const RecordedBegin& begin, RecordedTrace::TimedSource* timed) {
    writer_ = BlockWriter(begin.run, rank);
    put(BlockKind::begin, json_of(begin));
    SegmentEncoder encoder(timed != nullptr);
    std::string payload;
    const auto flush = [&] {
        payload.clear();
        encoder.take(payload);
        put(BlockKind::segment, payload);
    };
    for (std::span<const Action> window; !(window = source_.next(RankId{rank})).empty();) {
        const std::span<const ActionTimes> times =
            timed == nullptr ? std::span<const ActionTimes>{} : timed->times(RankId{rank});
        for (std::size_t i = 0; i < window.size(); ++i) {
            encoder.add(window[i], source_.counts(RankId{rank}, window[i]),
                        timed == nullptr ? ActionTimes{} : times[i]);
            if (encoder.bytes() >= segment_ || encoder.actions() >= segment_actions) flush();
        }
        written_.actions += window.size();
    }
    if (encoder.actions() > 0) flush();
}

} // namespace

TiWritten write_ort(const RecordedTrace& trace, const std::string& path) {
    bool timed = true;
    for (std::uint32_t rank = 0; rank < trace.ranks(); ++rank)
        timed = timed && trace.rank(RankId{rank}).begin.timed;
    const std::unique_ptr<RecordedTrace::TimedSource> with_times = timed ? trace.timed_source() : nullptr;
    const std::unique_ptr<ActionSource> without = timed ? nullptr : trace.source();
    OrtWriter writer(timed ? *with_times : *without, path);
    for (std::uint32_t rank = 0; rank < trace.ranks(); ++rank) {
        RecordedBegin begin = trace.rank(RankId{rank}).begin;
        begin.timed = timed;
        writer.rank(rank, begin, with_times.get());
        writer.end(trace.rank(RankId{rank}).end);
    }
    return writer.finish();
}

TiWritten write_ort(ActionSource& source, const std::string& path, const std::string& program,
                    const std::function<std::vector<std::string>()>& notes, double cpu_time_rate) {
    RecordedBegin begin;
    begin.reference = cpu_time_rate;
    if (cpu_time_rate > 0) begin.counter = "cpu-time";
    begin.run = XXH3_64bits_withSeed(program.data(), program.size(), source.ranks());
    begin.ranks = source.ranks();
    begin.program = program;
    OrtWriter writer(source, path);
    for (std::uint32_t rank = 0; rank < source.ranks(); ++rank) {
        writer.rank(rank, begin, nullptr);
        RecordedEnd end;
        end.finalized = true;
        if (rank + 1 == source.ranks() && notes) end.notes = notes();
        writer.end(end);
    }
    return writer.finish();
}

} // namespace orrery
