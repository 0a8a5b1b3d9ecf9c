#include "network/flow/flow_network.h"
#include "network/kind_rows.h"

#include <fmt/format.h>

namespace orrery {

namespace {

class FlowModel final : public NetworkModel {
  public:
    explicit FlowModel(const NetworkInput& input)
        : platform_(input.machine.platform), parameters_(read_flow_parameters(input.machine.settings)),
          set_(input.machine.settings.word("flow.set", "fabric")) {
        if (!input.contention) parameters_.contention = false;
    }

    [[nodiscard]] std::unique_ptr<Network> make(PacketObserver* /*packets*/) const override {
        return std::make_unique<FlowNetwork>(*platform_, parameters_);
    }
    [[nodiscard]] std::string summary() const override {
        return fmt::format("flow, parameters {}{}", set_, parameters_.contention ? "" : ", no contention");
    }
    [[nodiscard]] bool same_parameters(const NetworkModel& other) const override {
        return parameters_ == static_cast<const FlowModel&>(other).parameters_;
    }

  private:
    std::shared_ptr<const Platform> platform_;
    FlowParameters parameters_;
    std::string set_; // the published one that they began with
};

} // namespace

const NetworkKindRow flow_kind{
    .kind = NetworkKind::flow,
    .name = "flow",
    .meaning = "messages share links",
    .links = true,
    .rails = ManyRails::one_network_each,
    .parameters = [] { return std::vector{flow_parameters()}; },
    .read = [](const NetworkInput& input) -> std::unique_ptr<NetworkModel> {
        return std::make_unique<FlowModel>(input);
    },
};

} // namespace orrery
