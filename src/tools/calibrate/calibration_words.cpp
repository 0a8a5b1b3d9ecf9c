// What a calibration says of itself, in words and as JSON.
#include "engine/time.h"
#include "engine/units.h"
#include "tools/calibrate/calibration.h"

#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>

namespace orrery {

namespace {

using nlohmann::json;

std::string time_words(double ns) { return format_picoseconds(ns * 1e3); }

std::string range_words(const CheckedRange& range) {
    const auto words = [](Bytes bytes) { // all of them are powers of two
        constexpr Bytes mebi = 1 << 20;
        return bytes % mebi == 0 ? fmt::format("{} MiB", bytes / mebi) : fmt::format("{} KiB", bytes / 1024);
    };
    if (range.above == 0) return fmt::format("up to {}", words(range.up_to));
    if (range.up_to == std::numeric_limits<Bytes>::max()) return fmt::format("above {}", words(range.above));
    return fmt::format("to {}", words(range.up_to));
}

std::string breaks_of(const PiecewiseFit& fit) {
    std::string words;
    for (std::size_t i = 1; i < fit.pieces.size(); ++i)
        words += fmt::format("{}{}", i == 1 ? "" : ", ", format_bytes(static_cast<Bytes>(fit.pieces[i].above)));
    return words.empty() ? "none" : words;
}

std::string fit_line(std::string_view name, const PiecewiseFit& fit) {
    return fmt::format("  {:<14}error {:4.1f} %, worst {:4.1f} %   breaks: {}\n", name, 100 * fit.mean_error,
                       100 * fit.worst_error, breaks_of(fit));
}

json fit_json(const PiecewiseFit& fit) {
    json pieces = json::array();
    for (const FitPiece& piece : fit.pieces) {
        pieces.push_back({{"above_bytes", piece.above},
                          {"base_ns", piece.base},
                          {"ns_per_byte", piece.per_byte},
                          {"points", piece.points},
                          {"mean_error", piece.mean_error},
                          {"worst_error", piece.worst_error}});
    }
    return {{"pieces", pieces},
            {"mean_error", fit.mean_error},
            {"worst_error", fit.worst_error},
            {"outliers", fit.outliers}};
}

} // namespace

std::string calibration_words(const Calibration& calibration) {
    const Measurements& measured = calibration.measured;
    const CommunicationModel& model = calibration.model;
    std::string out = fmt::format("{}{}, {}, {} cores, {}: {} samples\n", measured.hosts[0],
                                  measured.one_host() ? "" : " and " + measured.hosts[1], measured.cpu,
                                  measured.cores, measured.mpi, format_count(measured.samples));
    out += fmt::format("  protocol      {}\n",
                       !model.eager_limit
                           ? std::string("every message is eager")
                           : fmt::format("eager up to {}, then {}", format_bytes(*model.eager_limit),
                                         model.fetched
                                             ? "fetched by the receiver's CPU"
                                             : (model.handshake ? "rendezvous with handshake" : "rendezvous")));
    out += fit_line("send", model.send) + fit_line("isend", model.isend) + fit_line("receive", model.recv) +
           fit_line("network", model.network);
    const LogGOPSFit& fit = model.loggops;
    out += fmt::format("  LogGOPS       L={} o={} g={} G={:.4f}ns/B O={:.4f}ns/B S={}\n", time_words(fit.L),
                       time_words(fit.o), time_words(fit.g), fit.G, fit.O,
                       fit.S ? format_bytes(*fit.S) : std::string("unlimited"));
    out += "  self-check    sizes             measured   predicted    error   LogGOPS\n";
    for (const CheckedRange& range : calibration.check.ranges) {
        out += fmt::format("    {:<16}{:<14} {:>11} {:>+9.1f} % {:>7.1f} % {:>7.1f} %\n",
                           words_of_pattern(range.pattern), range_words(range), time_words(range.measured),
                           100 * range.flow_bias, 100 * range.flow_error, 100 * range.loggops_error);
    }
    out += fmt::format("  mean error    {:.1f} %; with --network loggops {:.1f} %\n",
                       100 * calibration.check.flow_error, 100 * calibration.check.loggops_error);
    for (const std::string& note : model.notes) out += fmt::format("  note          {}\n", note);
    return out;
}

json calibration_json(const Calibration& calibration) {
    const Measurements& measured = calibration.measured;
    const CommunicationModel& model = calibration.model;
    json out{{"hosts", measured.hosts},
             {"cpu", measured.cpu},
             {"cores", measured.cores},
             {"mpi", measured.mpi},
             {"started", measured.started},
             {"samples", measured.samples},
             {"fetched_by_receiver", model.fetched},
             {"handshake", model.handshake},
             {"send", fit_json(model.send)},
             {"isend", fit_json(model.isend)},
             {"receive", fit_json(model.recv)},
             {"network", fit_json(model.network)},
             {"round_trip_error", model.round_trip_error},
             {"test_ns", model.test},
             {"iprobe_ns", model.iprobe},
             {"reduction_ns_per_byte", model.reduction},
             {"copy_ns_per_byte", model.copy},
             {"notes", model.notes}};
    out["eager_limit_bytes"] = model.eager_limit ? json(*model.eager_limit) : json(nullptr);
    const LogGOPSFit& fit = model.loggops;
    out["loggops"] = {{"L_ns", fit.L},
                      {"o_ns", fit.o},
                      {"g_ns", fit.g},
                      {"G_ns_per_byte", fit.G},
                      {"O_ns_per_byte", fit.O},
                      {"overhead_error", fit.overhead_error},
                      {"gap_error", fit.gap_error},
                      {"round_trip_error", fit.round_trip_error}};
    json ranges = json::array();
    for (const CheckedRange& range : calibration.check.ranges) {
        ranges.push_back({{"pattern", range.pattern},
                          {"above_bytes", range.above},
                          {"sizes", range.sizes},
                          {"measured_ns", range.measured},
                          {"bias", range.flow_bias},
                          {"error", range.flow_error},
                          {"loggops_error", range.loggops_error}});
    }
    out["self_check"] = {{"error", calibration.check.flow_error},
                         {"loggops_error", calibration.check.loggops_error},
                         {"ranges", ranges}};
    return out;
}

std::string rate_words(const ComputeRate& rate) {
    std::string out =
        fmt::format("{}: {} bursts of computation, {}, counted in {}\n", rate.trace, format_count(rate.bursts),
                    format_picoseconds(rate.seconds * 1e12), rate.counter);
    out += fmt::format("  average       {}   error by burst {:.1f} %, by size {:.1f} %\n",
                       format_rate(rate.average), 100 * rate.average_error, 100 * rate.class_error);
    if (rate.interrupted > 0)
        out += fmt::format("  left out      {} bursts that were interrupted\n", format_count(rate.interrupted));
    for (const RateClass& each : rate.classes) {
        out += fmt::format("  from {:<8g} {}   ({} to {} in eight of ten bursts; {} bursts, {})\n", each.from,
                           format_rate(each.rate), format_rate(each.slow), format_rate(each.fast),
                           format_count(each.bursts), format_picoseconds(each.seconds * 1e12));
    }
    return out;
}

json rate_json(const ComputeRate& rate) {
    json classes = json::array();
    for (const RateClass& each : rate.classes) {
        classes.push_back({{"from", each.from},
                           {"rate", each.rate},
                           {"slow", each.slow},
                           {"fast", each.fast},
                           {"bursts", each.bursts},
                           {"seconds", each.seconds}});
    }
    return {{"trace", rate.trace},
            {"counter", rate.counter},
            {"rate", rate.average},
            {"bursts", rate.bursts},
            {"interrupted", rate.interrupted},
            {"seconds", rate.seconds},
            {"average_error", rate.average_error},
            {"class_error", rate.class_error},
            {"classes", classes}};
}

std::string kernel_words(const KernelModel& model) {
    std::string out;
    for (const KernelPiece& piece : model.pieces) {
        out += fmt::format("{:<12}{}{} points, R2 {:.4f}, error {:.1f} %, worst {:.1f} %\n", model.routine,
                           piece.when.always() ? "" : piece.when.words() + ": ", piece.points, piece.r2,
                           100 * piece.mean_error, 100 * piece.worst_error);
        for (std::size_t i = 0; i < piece.terms.size(); ++i) {
            out += fmt::format("  {:>12.4e} s +- {:.1e}   * {}\n", piece.coefficients[i],
                               piece.standard_errors[i], piece.terms[i].words());
        }
    }
    for (const std::string& note : model.notes) out += fmt::format("  note: {}\n", note);
    return out;
}

json kernel_json(const KernelModel& model) {
    json pieces = json::array();
    for (const KernelPiece& piece : model.pieces) {
        json terms = json::array();
        for (const Polynomial& term : piece.terms) terms.push_back(term.words());
        pieces.push_back({{"when", piece.when.words()},
                          {"terms", terms},
                          {"coefficients", piece.coefficients},
                          {"standard_errors", piece.standard_errors},
                          {"points", piece.points},
                          {"r2", piece.r2},
                          {"mean_error", piece.mean_error},
                          {"worst_error", piece.worst_error}});
    }
    return {{"routine", model.routine}, {"pieces", pieces}, {"notes", model.notes}};
}

} // namespace orrery
