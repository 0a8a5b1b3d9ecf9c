#include "tools/calibrate/calibration.h"

#include "engine/error.h"
#include "engine/interrupt.h"
#include "tools/calibrate/fit_plot.h"
#include "tools/calibrate/machine_text.h"

#include <algorithm>
#include <fmt/format.h>

namespace orrery {

namespace {

constexpr int most_message_bytes = 4 << 20;
constexpr double seconds = 25;
constexpr double quick_seconds = 4;

std::vector<FitPoint> measured_points(const Measurements& measured, std::string_view kind, double factor = 1) {
    std::vector<FitPoint> points;
    for (const MeasuredSeries* each : measured.of(kind))
        points.push_back({static_cast<double>(each->bytes), each->typical * factor, 1});
    return points;
}

// The whole of half a round trip has the breaks of all its parts.
std::vector<FitPiece> sum_of_pieces(const CommunicationModel& model) {
    std::vector<double> breaks;
    for (const PiecewiseFit* fit : {&model.send, &model.network, &model.recv}) {
        for (const FitPiece& piece : fit->pieces) breaks.push_back(piece.above);
    }
    std::sort(breaks.begin(), breaks.end());
    breaks.erase(std::unique(breaks.begin(), breaks.end()), breaks.end());
    std::vector<FitPiece> pieces;
    for (const double above : breaks) {
        FitPiece piece;
        piece.above = above;
        for (const PiecewiseFit* fit : {&model.send, &model.network, &model.recv}) {
            const FitPiece& part = fit->piece(above + 1);
            piece.base += part.base;
            piece.per_byte += part.per_byte;
        }
        piece.mean_error = model.round_trip_error;
        pieces.push_back(piece);
    }
    return pieces;
}

std::vector<FitPiece> line(double base, double per_byte, double error) {
    return {FitPiece{0, base, per_byte, 0, error, error}};
}

} // namespace

void measure_machine(const MeasureOptions& options, const std::string& path) {
    Launch launch_options = options.launch;
    launch_options.ranks = 2;
    launch_options.command = {calibrate_program(options.mpi), path,
                              fmt::format("{}", options.quick ? quick_seconds : seconds),
                              std::to_string(most_message_bytes), std::to_string(options.seed)};
    // Finding the eager limit and the delays takes a few seconds more; a machine that needs this long is stuck.
    launch_options.timeout_seconds = 20 * seconds;
    const Launched run = launch(launch_options, options.mpi);
    if (run.stopped_by != 0) throw Interrupted(run.stopped_by, "stopped while it measured; nothing is written");
    if (run.timed_out) throw InputError(fmt::format("the measurement did not end: {}", run.command_line));
    if (run.exit_code != 0)
        throw InputError(
            fmt::format("the measurement failed with code {}: {}", run.exit_code, run.command_line));
}

Calibration calibrate(Measurements measured, const ComputeRate* rate, const std::string& command) {
    Calibration result;
    result.measured = std::move(measured);
    const std::string state = keep_longest_state(result.measured);
    result.model = fit_communication(result.measured);
    if (!state.empty()) result.model.notes.push_back(state);
    MachineParts parts{result.measured, result.model, command, nullptr, rate};
    result.check = check_machine(machine_text(parts), result.measured);
    parts.check = &result.check;
    result.machine = machine_text(parts);
    return result;
}

std::vector<std::pair<std::string, std::string>> calibration_plots(const Calibration& calibration) {
    const Measurements& measured = calibration.measured;
    const CommunicationModel& model = calibration.model;
    const std::string where = fmt::format("{}, {}, {}", measured.hosts[0], measured.mpi, measured.started);
    std::optional<double> limit;
    if (model.eager_limit) limit = static_cast<double>(*model.eager_limit);
    const auto error = [](double value) { return fmt::format("mean error {:.1f} %", 100 * value); };

    FitPlot calls{"Sending: what a call takes", where, {}, limit};
    calls.series.push_back({"MPI_Send", measured_points(measured, "send"), model.send.pieces});
    if (limit) {
        calls.series.back().curve_to = *limit;
        calls.series.back().no_curve = "no curve above the eager limit: it waits for its receiver";
    }
    calls.series.push_back({fmt::format("MPI_Isend, {}", error(model.isend.mean_error)),
                            measured_points(measured, "isend"), model.isend.pieces});
    FitPlot receive{"Receiving", where, {}, limit};
    receive.series.push_back({"MPI_Recv of a message that is there", measured_points(measured, "recv"), {}});
    receive.series.back().no_curve = "no curve: the model is fitted to many in a row";
    receive.series.push_back({fmt::format("per message of many in a row, {}", error(model.recv.mean_error)),
                              model.receive_points, model.recv.pieces});
    FitPlot trip{"Half a round trip = send + network + receive", where, {}, limit};
    trip.series.push_back({fmt::format("RTT/2, {}", error(model.round_trip_error)),
                           measured_points(measured, "round_trip", 0.5), sum_of_pieces(model)});
    trip.series.push_back({fmt::format("network part, error of the whole {}", error(model.network.mean_error)),
                           model.network_points, model.network.pieces});
    const LogGOPSFit& fit = model.loggops;
    FitPlot loggops{"LogGOPS: overhead o + sO, gap g + sG", where, {}, limit};
    loggops.series.push_back({fmt::format("o(s), {}", error(fit.overhead_error)), fit.overhead,
                              line(fit.o, fit.O, fit.overhead_error)});
    loggops.series.push_back(
        {fmt::format("g(s), {}", error(fit.gap_error)), fit.gap, line(fit.g, fit.G, fit.gap_error)});

    std::vector<std::pair<std::string, std::string>> plots;
    plots.emplace_back("send.svg", draw_fit(calls));
    plots.emplace_back("receive.svg", draw_fit(receive));
    plots.emplace_back("round-trip.svg", draw_fit(trip));
    plots.emplace_back("loggops.svg", draw_fit(loggops));
    for (const std::string_view pattern : checked_patterns) {
        FitPlot check{fmt::format("Self-check: {}", words_of_pattern(pattern)), where, {}, limit};
        PlottedFit seen{"measured", {}, {}};
        PlottedFit flow{"predicted (flow)", {}, {}};
        for (const CheckedSize& size : calibration.check.sizes) {
            if (size.pattern != pattern) continue;
            seen.points.push_back({static_cast<double>(size.bytes), size.measured, 1});
            flow.points.push_back({static_cast<double>(size.bytes), size.flow, 1});
        }
        check.series = {std::move(seen), std::move(flow)};
        plots.emplace_back(fmt::format("check-{}.svg", pattern == "round_trip" ? "ping-pong" : pattern),
                           draw_fit(check));
    }
    return plots;
}

} // namespace orrery
