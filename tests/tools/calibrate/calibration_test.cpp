// From measurements of a machine that is known to its parameters, and back by replaying them.
#include "tools/calibrate/calibration.h"

#include "engine/error.h"
#include "formats/load_machine.h"
#include "machine/machine.h"
#include "protocol/endpoint_parameters.h"
#include "tools/calibrate/machine_text.h"
#include "tools/calibrate/synthetic.h"

#include <gtest/gtest.h>

namespace orrery::calibration_test {
namespace {

using test::measurements_of;
using test::Synthetic;

Calibration calibrated(const Synthetic& machine) {
    return calibrate(parse_measurements(measurements_of(machine), "m.json"), nullptr, "orrery calibrate");
}

TEST(Calibration, FindsTheLogGOPSParametersOfTheEquations) {
    Synthetic machine;
    machine.switches = false;
    machine.copy = 0; // o and g do not depend on the size
    const LogGOPSFit fit = fit_loggops(parse_measurements(measurements_of(machine), "m.json"));
    EXPECT_NEAR(fit.o, 100, 0.5);
    EXPECT_NEAR(fit.O, 0, 1e-4);
    EXPECT_NEAR(fit.g, 150, 0.5);
    EXPECT_NEAR(fit.L, (100 + 400 + 150) - 2 * 100, 1);
    EXPECT_EQ(fit.S, std::nullopt);
    EXPECT_LT(fit.overhead_error, 0.01);

    machine.copy = 0.05;
    const LogGOPSFit sloped = fit_loggops(parse_measurements(measurements_of(machine), "m.json"));
    EXPECT_NEAR(sloped.o, 100, 1);
    EXPECT_NEAR(sloped.O, 0.05, 1e-3);
    EXPECT_NEAR(sloped.G, 0.05, 1e-3);
}

TEST(Calibration, SplitsAMessageAsItWasMade) {
    const Synthetic machine;
    const CommunicationModel model = calibrated(machine).model;
    EXPECT_EQ(model.eager_limit, Bytes{4096});
    EXPECT_TRUE(model.fetched);
    EXPECT_FALSE(model.handshake);
    for (const int bytes : {0, 8, 1000, 4096, 5000, 100'000, 3'000'000}) {
        EXPECT_NEAR(model.send.at(bytes) / machine.send(bytes), 1, 0.02) << bytes;
        EXPECT_NEAR(model.recv.at(bytes) / machine.recv(bytes), 1, 0.02) << bytes;
        EXPECT_NEAR((model.send.at(bytes) + model.network.at(bytes) + model.recv.at(bytes)) /
                        machine.half(bytes),
                    1, 0.01)
            << bytes;
    }
    EXPECT_NEAR(model.completion.at(10'000), 300, 3);
    EXPECT_NEAR(model.fetch_tail, 0, 1);
    EXPECT_NEAR(model.test, 15, 0.1);
    EXPECT_NEAR(model.reduction, 0.1, 0.001);
}

TEST(Calibration, TheMachineReproducesItsMeasurements) {
    const Calibration calibration = calibrated({});
    EXPECT_LT(calibration.check.flow_error, 0.01);
    EXPECT_LT(calibration.check.flow_worst, 0.03);
    EXPECT_EQ(calibration.check.ranges.size(), 16U);
    EXPECT_NE(calibration.machine.find("Self-check: mean error"), std::string::npos);
}

TEST(Calibration, TheMachineFileIsReadAsItWasMeant) {
    const Calibration calibration = calibrated({});
    const Machine machine = machine_from_text(calibration.machine, "m.toml");
    ASSERT_NE(machine.platform, nullptr);
    EXPECT_EQ(machine.platform->host_count(), 1U);
    EXPECT_EQ(machine.platform->host(HostId{0}).cores, 4U);
    EXPECT_EQ(machine.platform->speed(HostId{0}, 1), 1e9);
    EXPECT_NE(machine.description.find("Open MPI v4.1.4"), std::string::npos);
    const EndpointParameters endpoint = read_endpoint_parameters(machine.settings);
    EXPECT_EQ(endpoint.eager_below, 4097U);
    EXPECT_TRUE(endpoint.fetched);
    EXPECT_NEAR(static_cast<double>(endpoint.recv_cost(1'000'000).ps()), 1e3 * Synthetic{}.recv(1'000'000),
                1e6);
    const LogGOPS loggops = read_loggops(machine.settings);
    EXPECT_EQ(loggops.S, 4096U);
}

TEST(Calibration, MessagesThatMoveByThemselvesAreARendezvous) {
    for (const bool handshake : {false, true}) {
        Synthetic machine;
        machine.receiver_moves = false;
        machine.handshake = handshake;
        const Calibration calibration = calibrated(machine);
        EXPECT_FALSE(calibration.model.fetched);
        EXPECT_EQ(calibration.model.handshake, handshake);
        EXPECT_LT(calibration.model.round_trip_error, 0.01) << handshake;
        for (const CheckedSize& size : calibration.check.sizes) {
            if (size.pattern != "round_trip") continue;
            EXPECT_NEAR(size.flow / size.measured, 1, 0.03) << size.bytes;
        }
    }
}

TEST(Calibration, BetweenTwoHostsTheLinkCarriesTheLatency) {
    std::string text = measurements_of({});
    text.replace(text.find(R"(["h","h"])"), 9, R"(["a","b"])");
    const Calibration calibration = calibrate(parse_measurements(text, "m.json"), nullptr, "x");
    EXPECT_FALSE(calibration.model.fetched);
    const Machine machine = machine_from_text(calibration.machine, "m.toml");
    EXPECT_EQ(machine.platform->host_count(), 2U);
    // Ping-pongs are met; the other patterns were made for a host.
    for (const CheckedSize& size : calibration.check.sizes) {
        if (size.pattern != "round_trip") continue;
        EXPECT_NEAR(size.flow / size.measured, 1, 0.03) << size.bytes;
    }
}

TEST(Calibration, WithoutASwitchEveryMessageIsEager) {
    Synthetic machine;
    machine.switches = false;
    const Calibration calibration = calibrated(machine);
    EXPECT_NE(calibration.machine.find("eager_limit = \"unlimited\""), std::string::npos);
    EXPECT_LT(calibration.check.flow_error, 0.01);
}

TEST(Calibration, AMissingExperimentIsNamed) {
    std::string text = measurements_of({});
    for (std::size_t at = 0; (at = text.find("\"stream\"", at)) != std::string::npos;)
        text.replace(at, 8, "\"scream\"");
    try {
        (void)calibrate(parse_measurements(text, "m.json"), nullptr, "x");
        FAIL();
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("no stream of 0 bytes"), std::string::npos) << error.what();
    }
}

TEST(Calibration, DrawsEachModel) {
    const auto plots = calibration_plots(calibrated({}));
    EXPECT_EQ(plots.size(), 8U);
    for (const auto& [name, svg] : plots) {
        EXPECT_TRUE(name.ends_with(".svg"));
        EXPECT_NE(svg.find("<circle"), std::string::npos) << name;
        EXPECT_EQ(svg.find("nan"), std::string::npos) << name;
        EXPECT_EQ(svg.find("inf"), std::string::npos) << name;
        EXPECT_EQ(svg.find(" us<"), std::string::npos) << name << ": one spelling of microseconds";
    }
    // Points without a curve say why.
    EXPECT_NE(plots[0].second.find("MPI_Send (no curve above the eager limit: it waits for its receiver)"),
              std::string::npos)
        << plots[0].second;
    EXPECT_NE(plots[1].second.find("(no curve: the model is fitted to many in a row)"), std::string::npos);
}

} // namespace
} // namespace orrery::calibration_test
