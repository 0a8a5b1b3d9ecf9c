// What the routings of fat trees share: a port for each level up, a cable for each level down.
#pragma once

#include "machine/routing/fat_tree_paths.h"
#include "machine/routing/routing.h"

#include <array>

namespace orrery {

class FatTreeRouting : public Routing {
  public:
    explicit FatTreeRouting(const Fabric& fabric) : tree_(fabric) {}

    void path(HostId from, HostId to, std::uint64_t draw, const LoadView& load,
              std::vector<Hop>& hops) const override;
    bool paths(HostId from, HostId to, std::uint64_t most, PathSink& sink) const override;

  protected:
    static constexpr std::size_t most_levels = 32; // a level has two children at least, or it is no choice
    using Numbers = std::array<std::uint32_t, most_levels>;
    // Fills ports[i] and copies[i] for the levels below `height`.
    virtual void choose(HostId from, HostId to, std::uint32_t height, std::uint64_t draw, Numbers& ports,
                        Numbers& copies) const = 0;
    [[nodiscard]] const FatTreePaths& tree() const { return tree_; }

  private:
    FatTreePaths tree_;
};

} // namespace orrery
