#include "network/kind_rows.h"
#include "network/loggops/loggops_transport.h"

#include <fmt/format.h>

namespace orrery {

namespace {

class LogGOPSModel final : public NetworkModel {
  public:
    explicit LogGOPSModel(const NetworkInput& input)
        : hosts_(input.machine.platform == nullptr ? 0 : input.machine.platform->host_count()),
          parameters_(input.loggops) {}

    [[nodiscard]] std::unique_ptr<Network> make(PacketObserver* /*packets*/) const override {
        return std::make_unique<LogGOPSTransport>(hosts_, parameters_);
    }
    [[nodiscard]] std::string summary() const override {
        return fmt::format("loggops {}", to_string(parameters_));
    }
    [[nodiscard]] bool same_parameters(const NetworkModel& other) const override {
        return parameters_ == static_cast<const LogGOPSModel&>(other).parameters_;
    }

  private:
    std::uint32_t hosts_;
    LogGOPS parameters_;
};

} // namespace

const NetworkKindRow loggops_kind{
    .kind = NetworkKind::loggops,
    .name = "loggops",
    .meaning = "no topology",
    .rails = ManyRails::impossible,
    .parameters = [] { return std::vector{loggops_keys()}; },
    .read = [](const NetworkInput& input) -> std::unique_ptr<NetworkModel> {
        return std::make_unique<LogGOPSModel>(input);
    },
};

} // namespace orrery
