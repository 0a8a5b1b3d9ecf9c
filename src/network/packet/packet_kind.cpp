#include "engine/naming_file.h"
#include "network/kind_rows.h"
#include "network/packet/packet_network.h"

#include <fmt/format.h>

namespace orrery {

namespace {

class PacketModel final : public NetworkModel {
  public:
    explicit PacketModel(const NetworkInput& input)
        : parameters_(read_packet_parameters(input.machine.settings)) {}

    void connect(const Machine& machine) override {
        naming_file(machine.file, [&] {
            platform_ = machine.platform;
            fabric_ = std::make_unique<Fabric>(*platform_,
                                               FabricOptions{parameters_.injection_bandwidth, Time::zero()});
            parameters_ = read_packet_parameters(machine.settings, *fabric_);
            routing_ = make_routing(*fabric_, machine.settings);
        });
        for (const auto& [key, setting] : machine.settings.all()) {
            if (key.starts_with("routing.")) routing_settings_ += fmt::format("{}={}\n", key, setting.value);
        }
    }
    [[nodiscard]] std::unique_ptr<Network> make(PacketObserver* packets) const override {
        return std::make_unique<PacketNetwork>(*fabric_, *routing_, parameters_, packets);
    }
    [[nodiscard]] std::string summary() const override {
        return fmt::format("packet, {}; {}", describe(parameters_), routing_->words());
    }
    [[nodiscard]] bool same_parameters(const NetworkModel& other) const override {
        const auto& packet = static_cast<const PacketModel&>(other);
        if (parameters_ != packet.parameters_) return false;
        if (routing_ == nullptr || packet.routing_ == nullptr) return routing_ == packet.routing_;
        if (routing_->decides() != packet.routing_->decides()) return false;
        // Settings of a routing with fixed routes are seen in these; those of another are not.
        return routing_->decides() == Decides::per_pair || routing_settings_ == packet.routing_settings_;
    }
    [[nodiscard]] const Fabric* fabric() const override { return fabric_.get(); }
    [[nodiscard]] const Routing* routing() const override { return routing_.get(); }

  private:
    std::shared_ptr<const Platform> platform_;
    PacketParameters parameters_;
    std::unique_ptr<const Fabric> fabric_;
    std::unique_ptr<const Routing> routing_;
    std::string routing_settings_;
};

} // namespace

const NetworkKindRow packet_kind{
    .kind = NetworkKind::packet,
    .name = "packet",
    .meaning = "every packet",
    .links = true,
    .rails = ManyRails::one_network_each,
    .parameters =
        [] {
            return std::vector{packet_parameters(), routing_parameters()};
        },
    .read = [](const NetworkInput& input) -> std::unique_ptr<NetworkModel> {
        return std::make_unique<PacketModel>(input);
    },
};

} // namespace orrery
