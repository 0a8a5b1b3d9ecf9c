#include "machine/survey.h"

#include "engine/error.h"
#include "engine/too_long.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace orrery {

namespace {

class Surveyor {
  public:
    explicit Surveyor(const Platform& platform) : platform_(platform) {}

    void look(HostId from, HostId to) {
        links_.clear();
        platform_.route(from, to, links_);
        if (links_.empty()) {
            throw InputError(fmt::format("there is no route from {} to {}",
                                         platform_.topology().host_name(from),
                                         platform_.topology().host_name(to)));
        }
        Time latency;
        for (const LinkId link : links_) add_latency(latency, platform_.link(link).latency);
        const auto length = static_cast<std::uint32_t>(links_.size());
        const bool first = survey.pairs == 0;
        survey.fewest_links = first ? length : std::min(survey.fewest_links, length);
        survey.most_links = std::max(survey.most_links, length);
        survey.least_latency = first ? latency : std::min(survey.least_latency, latency);
        survey.most_latency = std::max(survey.most_latency, latency);
        total_ += length;
        ++survey.pairs;
        survey.mean_links = static_cast<double>(total_) / static_cast<double>(survey.pairs);
    }

    RouteSurvey survey;

  private:
    const Platform& platform_;
    std::vector<LinkId> links_;
    std::uint64_t total_ = 0;
};

} // namespace

RouteSurvey survey_routes(const Platform& platform, std::uint64_t most_pairs) {
    Surveyor surveyor(platform);
    const std::uint64_t hosts = platform.host_count();
    if (hosts * (hosts - 1) <= most_pairs) {
        for (std::uint32_t a = 0; a < hosts; ++a) {
            for (std::uint32_t b = 0; b < hosts; ++b) {
                if (a != b) surveyor.look({a}, {b});
            }
        }
        surveyor.survey.all = true;
        return surveyor.survey;
    }
    // Round after round, each host to the one a stride further on; strides of all sizes, the same in every run.
    for (std::uint64_t round = 0; surveyor.survey.pairs < most_pairs; ++round) {
        constexpr std::uint64_t golden = 0x9e3779b97f4a7c15U;
        const std::uint64_t stride = round == 0 ? 1 : 1 + (round * golden >> 16U) % (hosts - 1);
        for (std::uint64_t a = 0; a < hosts && surveyor.survey.pairs < most_pairs; ++a) {
            surveyor.look({static_cast<std::uint32_t>(a)}, {static_cast<std::uint32_t>((a + stride) % hosts)});
        }
    }
    return surveyor.survey;
}

} // namespace orrery
