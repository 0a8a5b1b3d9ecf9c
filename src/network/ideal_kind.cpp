#include "network/ideal_network.h"
#include "network/kind_rows.h"

namespace orrery {

namespace {

class IdealModel final : public NetworkModel {
  public:
    [[nodiscard]] std::unique_ptr<Network> make(PacketObserver* /*packets*/) const override {
        return std::make_unique<IdealNetwork>();
    }
    [[nodiscard]] std::string summary() const override { return "ideal"; }
    [[nodiscard]] bool same_parameters(const NetworkModel& /*other*/) const override { return true; }
};

} // namespace

const NetworkKindRow ideal_kind{
    .kind = NetworkKind::ideal,
    .name = "ideal",
    .meaning = "no cost",
    .rails = ManyRails::no_difference,
    .parameters = [] { return std::vector<std::span<const Parameter>>(); },
    .read = [](const NetworkInput& /*input*/) -> std::unique_ptr<NetworkModel> {
        return std::make_unique<IdealModel>();
    },
};

} // namespace orrery
