// The routes of the platform itself, all on lane 0.
#include "machine/routing/families.h"

#include <utility>

namespace orrery {

namespace {

class PlatformRouting final : public Routing {
  public:
    PlatformRouting(const Fabric& fabric, std::string words) : fabric_(fabric), words_(std::move(words)) {}

    void path(HostId from, HostId to, std::uint64_t /*draw*/, const LoadView& /*load*/,
              std::vector<Hop>& hops) const override {
        thread_local std::vector<LinkId> channels;
        channels.clear();
        fabric_.route(from, to, channels);
        for (const LinkId channel : channels) hops.push_back({channel, 0});
    }
    [[nodiscard]] std::string words() const override { return words_; }

  private:
    const Fabric& fabric_;
    std::string words_;
};

} // namespace

std::unique_ptr<Routing> make_platform_routing(const Fabric& fabric, std::string words) {
    return std::make_unique<PlatformRouting>(fabric, std::move(words));
}

} // namespace orrery
