#include "tools/calibrate/machine_text.h"

#include "engine/units.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>

namespace orrery {

namespace {

// A TOML string; the values that come from outside are host names, versions and commands.
std::string toml_string(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
    return out + '"';
}

std::string percent_text(double fraction) { return fmt::format("{:.1f} %", 100 * fraction); }

std::string bytes_words(double bytes) { return fmt::format("{:.0f}", bytes); }

std::string fit_words(const PiecewiseFit& fit) {
    return fmt::format("{} sizes in {} pieces, mean error {}, worst {}{}", fit.points, fit.pieces.size(),
                       percent_text(fit.mean_error), percent_text(fit.worst_error),
                       fit.outliers == 0 ? "" : fmt::format(", {} sizes left out as outliers", fit.outliers));
}

// Each piece with its error, as comments.
std::string piece_comments(std::string_view what, const PiecewiseFit& fit) {
    std::string out = fmt::format("# {}: {}\n", what, fit_words(fit));
    for (const FitPiece& piece : fit.pieces) {
        out += fmt::format("#   above {:>8} B: {:.1f} ns + {:.5f} ns/B, error {}, worst {}\n",
                           bytes_words(piece.above), piece.base, piece.per_byte, percent_text(piece.mean_error),
                           percent_text(piece.worst_error));
    }
    return out;
}

// The network part as latency and bandwidth of one link, with factors that give each piece exactly.
struct LinkPart {
    double latency = 0;   // ns
    double bandwidth = 0; // bytes per second
    std::string latency_factor;
    std::string bandwidth_factor;
};

LinkPart link_of(const PiecewiseFit& network) {
    // The models divide by these, so nothing is quite 0: a picosecond, and a thousandth of one per byte.
    constexpr double least_latency = 1e-3;
    constexpr double least_per_byte = 1e-6;
    LinkPart link;
    double slowest = least_per_byte;
    for (const FitPiece& piece : network.pieces) {
        link.latency = std::max(link.latency, std::max(piece.base, least_latency));
        slowest = std::max(slowest, piece.per_byte);
    }
    link.bandwidth = 1e9 / slowest;
    for (const FitPiece& piece : network.pieces) {
        const std::string separator = link.latency_factor.empty() ? "" : "; ";
        const std::string above = bytes_words(piece.above);
        link.latency_factor +=
            fmt::format("{}{}: {:.6g}", separator, above, std::max(piece.base, least_latency) / link.latency);
        link.bandwidth_factor +=
            fmt::format("{}{}: {:.6g}", separator, above, slowest / std::max(piece.per_byte, least_per_byte));
    }
    return link;
}

std::string provenance(const Measurements& measured) {
    const std::string where = measured.one_host()
                                  ? fmt::format("two ranks on {}", measured.hosts[0])
                                  : fmt::format("ranks on {} and {}", measured.hosts[0], measured.hosts[1]);
    return fmt::format("{} samples, {}, {}, {}, {}", measured.samples, where, measured.cpu, measured.mpi,
                       measured.started);
}

std::string check_words(const SelfCheck& check) {
    return fmt::format("mean error {} (largest of a pattern and range of sizes: {}); with --network loggops {}",
                       percent_text(check.flow_error), percent_text(check.flow_worst),
                       percent_text(check.loggops_error));
}

std::string rate_lines(const ComputeRate& rate) {
    std::string out = fmt::format("counts = {}\nspeed = \"{:.6g} Ginstr/s\"\n", toml_string(rate.counter),
                                  rate.average / 1e9);
    if (rate.classes.size() > 1) {
        std::string table;
        for (const RateClass& each : rate.classes)
            table +=
                fmt::format("{}{:g}: {:.6g} Ginstr/s", table.empty() ? "" : "; ", each.from, each.rate / 1e9);
        out += fmt::format("speed_by_burst = \"{}\"\n", table);
    }
    out += fmt::format(
        "source = {}\n",
        toml_string(fmt::format("{} bursts of computation ({:.3g} s) of {}, counted in {}; error by "
                                "burst {} with one rate, {} by size",
                                rate.bursts, rate.seconds, rate.trace, rate.counter,
                                percent_text(rate.average_error), percent_text(rate.class_error))));
    return out;
}

std::string hardware_text(const MachineParts& parts, const LinkPart& link) {
    const bool one_host = parts.measured.one_host();
    std::string out = fmt::format("[host]\ncores = {}\n", parts.measured.cores);
    if (parts.rate != nullptr) {
        out += rate_lines(*parts.rate);
    } else {
        out += "counts = \"cpu-time\"\nspeed = \"1 Ginstr/s\"\n"
               "source = \"not measured: fits traces that count CPU time, in nanoseconds; for others: orrery "
               "calibrate --rate-from TRACE\"\n";
    }
    out += fmt::format("\n[topology]\ntype = \"crossbar\"\nhosts = {}\n", one_host ? 1 : 2);
    const std::string words = fmt::format("bandwidth = \"{:.6g} GB/s\"\nlatency = \"{:.3f} ns\"\n",
                                          link.bandwidth / 1e9, one_host ? link.latency : link.latency / 2);
    if (one_host) {
        out +=
            fmt::format("\n[loopback]\n{}sharing = \"fat-pipe\"\nsource = \"the network part between two ranks "
                        "of this host, see [flow]\"\n",
                        words);
        out += fmt::format("\n[link]\n{}source = \"not measured: there is one host\"\n", words);
    } else {
        out +=
            fmt::format("\n[link]\n{}source = \"the network part between two hosts, two cables each way, see "
                        "[flow]\"\n",
                        words);
    }
    return out;
}

std::string endpoint_text(const MachineParts& parts) {
    const CommunicationModel& model = parts.model;
    std::string out = "[endpoint]\n";
    out += piece_comments("send (eager: MPI_Send, otherwise: MPI_Isend)", model.send);
    out += fmt::format("send_overhead = \"{}\"\n", endpoint_table(model.send));
    out += piece_comments("isend (MPI_Isend)", model.isend);
    out += fmt::format("isend_overhead = \"{}\"\n", endpoint_table(model.isend));
    out += piece_comments("receive (per message of many in a row)", model.recv);
    out += fmt::format("recv_overhead = \"{}\"\n", endpoint_table(model.recv));
    out += model.eager_limit ? fmt::format("eager_limit = \"{} B\"\n", *model.eager_limit)
                             : std::string("eager_limit = \"unlimited\"\n");
    out += fmt::format("handshake = \"{}\"\n", model.handshake ? "yes" : "no");
    if (model.fetched) {
        out += fmt::format("fetch = \"yes\"\nsend_completion = \"{}\"\nfetch_tail = \"{:.1f} ns\"\n",
                           endpoint_table(model.completion), model.fetch_tail);
    }
    out += fmt::format("test = \"{:.1f} ns\"\nreduction = \"{:.6f} ns/B\"\n", model.test, model.reduction);
    out += fmt::format(
        "source = {}\n",
        toml_string(fmt::format("{}; send + network + receive against half round trips: mean error {}",
                                provenance(parts.measured), percent_text(model.round_trip_error))));
    return out;
}

std::string loggops_text(const CommunicationModel& model) {
    const LogGOPSFit& fit = model.loggops;
    return fmt::format(
        "[loggops]\nL = \"{:.3f} ns\"\no = \"{:.3f} ns\"\ng = \"{:.3f} ns\"\nG = \"{:.6f} ns/B\"\nO = \"{:.6f} "
        "ns/B\"\nS = \"{}\"\nsource = {}\n",
        fit.L, fit.o, fit.g, fit.G, fit.O, fit.S ? fmt::format("{} B", *fit.S) : std::string("unlimited"),
        toml_string(
            fmt::format("round trips with n messages and delay d; mean errors: o + sO {}, g + sG {}, round "
                        "trips {}",
                        percent_text(fit.overhead_error), percent_text(fit.gap_error),
                        percent_text(fit.round_trip_error))));
}

} // namespace

std::string endpoint_table(const PiecewiseFit& fit) {
    std::string out;
    for (const FitPiece& piece : fit.pieces) {
        out += fmt::format("{}{}:{:.3f}ns:{:.6f}ns/B", out.empty() ? "" : ";", bytes_words(piece.above),
                           piece.base, piece.per_byte);
    }
    return out;
}

std::string machine_text(const MachineParts& parts) {
    const Measurements& measured = parts.measured;
    const LinkPart link = link_of(parts.model.network);
    std::string out = fmt::format("# Made by: {}\n", parts.command);
    out += fmt::format("# From: {}\n", provenance(measured));
    if (parts.check != nullptr) out += fmt::format("# Self-check: {}\n", check_words(*parts.check));
    for (const std::string& note : parts.model.notes) out += fmt::format("# Note: {}\n", note);
    out += fmt::format(
        "[machine]\ndescription = {}\n",
        toml_string(fmt::format("{}, {}, {} cores, {}, calibrated {}", measured.hosts[0], measured.cpu,
                                measured.cores, measured.mpi, measured.started.substr(0, 10))));
    std::string source = provenance(measured);
    if (parts.check != nullptr) source += "; self-check: " + check_words(*parts.check);
    out += fmt::format("source = {}\n\n", toml_string(source));
    out += fmt::format("[provenance]\nsource = {}\ndate = \"{}\"\n",
                       toml_string("measured by orrery calibrate: " + provenance(measured)),
                       measured.started.substr(0, 10));
    if (parts.check != nullptr)
        out += fmt::format("message_error = \"{}\"\n", percent_text(parts.check->flow_error));
    out += "\n" + hardware_text(parts, link);
    out += "\n[flow]\n" + piece_comments("network part (RTT/2 - send - receive)", parts.model.network);
    out += fmt::format("latency_factor = \"{}\"\nbandwidth_factor = \"{}\"\nsource = {}\n\n",
                       link.latency_factor, link.bandwidth_factor, toml_string(fit_words(parts.model.network)));
    out += endpoint_text(parts) + "\n" + loggops_text(parts.model);
    const bool mpich = measured.mpi.find("MPICH") != std::string::npos;
    out += fmt::format("\n[collectives]\nselector = \"{}\"\nsource = \"the MPI that was measured\"\n",
                       mpich ? "mpich" : "openmpi");
    return out;
}

std::string machine_with_rate(const std::string& machine, const ComputeRate& rate, const std::string& command) {
    const std::string included =
        std::filesystem::exists(machine) ? std::filesystem::absolute(machine).string() : machine;
    return fmt::format("# Made by: {}\ninclude = {}\n\n[host]\n{}", command, toml_string(included),
                       rate_lines(rate));
}

} // namespace orrery
