#include "network/kind_rows.h"
#include "network/kpacket/kpacket_network.h"

#include <fmt/format.h>

namespace orrery {

namespace {

class KPacketModel final : public NetworkModel {
  public:
    explicit KPacketModel(const NetworkInput& input)
        : platform_(input.machine.platform), parameters_(read_kpacket_parameters(input.machine.settings)) {}

    [[nodiscard]] std::unique_ptr<Network> make(PacketObserver* /*packets*/) const override {
        return std::make_unique<KPacketNetwork>(*platform_, parameters_);
    }
    [[nodiscard]] std::string summary() const override {
        return fmt::format("kpacket, {}", describe(parameters_));
    }
    [[nodiscard]] bool same_parameters(const NetworkModel& other) const override {
        return parameters_ == static_cast<const KPacketModel&>(other).parameters_;
    }

  private:
    std::shared_ptr<const Platform> platform_;
    KPacketParameters parameters_;
};

} // namespace

const NetworkKindRow kpacket_kind{
    .kind = NetworkKind::kpacket,
    .name = "kpacket",
    .meaning = "a few packets a message",
    .links = true,
    .rails = ManyRails::one_network_each,
    .parameters = [] { return std::vector{kpacket_parameters()}; },
    .read = [](const NetworkInput& input) -> std::unique_ptr<NetworkModel> {
        return std::make_unique<KPacketModel>(input);
    },
};

} // namespace orrery
