// A computation beside a pattern, on a CPU of its own or on the same one: how well does communication overlap?
#include "workload/patterns/building.h"
#include "workload/patterns/factories.h"

namespace orrery::patterns_detail {

namespace {

class Overlapped final : public Pattern {
  public:
    Overlapped(Made inner, const Options& o) : inner_(std::move(inner)) {
        const std::int64_t length = o.overlap.ps();
        const std::int64_t chunk = o.overlap_chunk == Time::zero() ? length : o.overlap_chunk.ps();
        expect_operations(static_cast<double>(length) / static_cast<double>(chunk));
        chunks_ = static_cast<std::uint32_t>((length + chunk - 1) / chunk);
        chunk_ = calc_op(static_cast<std::uint64_t>(chunk), o.overlap_cpu);
    }

    void program(RankId rank, RankGraph& out) const override {
        for (std::uint32_t i = 0; i < chunks_; ++i) {
            const std::uint32_t calc = out.add(chunk_);
            if (i > 0) out.require(calc, calc - 1);
        }
        inner_->program(rank, out);
    }
    [[nodiscard]] std::uint64_t messages() const override { return inner_->messages(); }

  private:
    Made inner_;
    std::uint32_t chunks_ = 0; // the last one is as long as the others, as in the original
    Op chunk_;
};

} // namespace

Made overlapped(Made inner, const Options& o) {
    expect(o.overlap_cpu <= max_cpu, fmt::format("--overlap-cpu is at most {}", max_cpu));
    return std::make_unique<Overlapped>(std::move(inner), o);
}

} // namespace orrery::patterns_detail
