#include "tools/calibrate/communication_model.h"

#include "engine/error.h"
#include "engine/units.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace orrery {

namespace {

constexpr double shortest_scale = 50; // ns: errors of shorter times are taken relative to this

// What was measured of one message size.
struct AtSize {
    Bytes bytes = 0;
    bool eager = true;
    double half_trip = 0;
    double send = 0; // overhead
    double isend = 0;
    double per_message = 0; // in a row, at the receiver
    double send_call = 0;
    double recv_call = 0;
    double wait_of_send = 0;
    double wait_of_recv = 0;
    double exchange = 0;
};

double typical(const Measurements& measured, std::string_view kind, Bytes bytes) {
    const MeasuredSeries* const found = measured.find(kind, bytes);
    if (found == nullptr)
        throw InputError(Error{measured.file, 0, 0, fmt::format("there is no {} of {} bytes", kind, bytes)});
    return found->typical;
}

std::vector<AtSize> sizes_of(const Measurements& measured) {
    std::vector<AtSize> sizes;
    const std::vector<const MeasuredSeries*> trips = measured.of("round_trip");
    if (trips.empty()) throw InputError(Error{measured.file, 0, 0, "there are no round trips"});
    const double answer = trips.front()->typical / 2; // the word back at the end of a stream
    for (const MeasuredSeries* trip : trips) {
        const auto get = [&](std::string_view kind) { return typical(measured, kind, trip->bytes); };
        AtSize& size = sizes.emplace_back();
        size.bytes = trip->bytes;
        size.eager = !measured.eager_limit || trip->bytes <= *measured.eager_limit;
        size.half_trip = trip->typical / 2;
        size.isend = get("isend");
        size.send_call = get("send");
        size.recv_call = get("recv");
        size.wait_of_send = get("wait_of_send");
        size.wait_of_recv = get("wait_of_recv");
        size.exchange = get("exchange");
        size.send = std::min(size.eager ? size.send_call : size.isend, size.half_trip);
        // n messages in a row: the first takes its way, each other one adds what the slower side needs.
        const double gaps = measured.burst - 1;
        double row = (get("stream") - size.half_trip - answer) / gaps;
        // A burst of rendezvous messages goes one by one.
        if (size.eager) row = (row + (get("burst") - trip->typical) / gaps) / 2;
        size.per_message = std::clamp(row, 0.0, size.half_trip - size.send);
    }
    return sizes;
}

template <typename Value>
std::vector<FitPoint> points_of(const std::vector<AtSize>& sizes, const Value& value) {
    std::vector<FitPoint> points;
    for (const AtSize& size : sizes) {
        const double time = value(size);
        points.push_back({static_cast<double>(size.bytes), time, std::max(time, shortest_scale)});
    }
    return points;
}

double median(std::vector<double> values) { return quantile(std::move(values), 0.5); }

// Messages above the eager limit that wait for their receiver to be in an MPI call.
bool moved_by_receiver(const std::vector<AtSize>& sizes) {
    std::vector<double> shares;
    for (const AtSize& size : sizes) {
        if (!size.eager) shares.push_back(size.wait_of_recv / std::max(size.recv_call, 1.0));
    }
    return !shares.empty() && median(shares) > 0.5;
}

bool needs_sender(const std::vector<AtSize>& sizes) {
    std::vector<double> shares;
    for (const AtSize& size : sizes) {
        if (!size.eager) shares.push_back(size.wait_of_send / std::max(size.recv_call, 1.0));
    }
    return median(shares) > 0.5;
}

// Of a request and a clear-to-send, each as long on its way as the shortest message; 0 if messages above the
// eager limit do not take as much longer.
template <typename Part> double handshake_time(const std::vector<AtSize>& sizes, const Part& network_part) {
    const double latency = std::max(network_part(sizes.front()), 0.0);
    std::vector<double> left;
    for (const AtSize& size : sizes) {
        if (!size.eager) left.push_back(network_part(size) - 2 * latency);
    }
    return !left.empty() && median(left) > 0 ? 2 * latency : 0;
}

void fit_completion(const std::vector<AtSize>& sizes, CommunicationModel& model) {
    std::vector<FitPoint> points;
    std::vector<double> tails;
    for (const AtSize& size : sizes) {
        if (size.eager) continue;
        points.push_back(
            {static_cast<double>(size.bytes), std::max(size.exchange - size.half_trip, 0.0), size.half_trip});
        tails.push_back(std::max(size.exchange - size.send_call, 0.0));
    }
    FitOptions options;
    options.most_pieces = 4;
    options.constant = true;
    model.completion = fit_piecewise(points, options);
    model.fetch_tail = median(tails);
}

double per_byte_of(const Measurements& measured, std::string_view kind) {
    std::vector<FitPoint> points;
    for (const MeasuredSeries* each : measured.of(kind))
        points.push_back(
            {static_cast<double>(each->bytes), each->typical, std::max(each->typical, shortest_scale)});
    if (points.empty()) return 0;
    FitOptions options;
    options.most_pieces = 1;
    return fit_piecewise(points, options).pieces.front().per_byte;
}

// The lower quartile stands a quarter of disturbed samples, and more if the disturbed ones are the slow ones;
// but then little is left of the good ones.
void note_disturbance(const Measurements& measured, CommunicationModel& model) {
    std::size_t disturbed = 0;
    std::size_t count = 0;
    for (const MeasuredSeries& each : measured.series) {
        if (each.typical < 2 * shortest_scale) continue; // the clock is too coarse to tell
        count += each.samples.size();
        for (const double sample : each.samples) disturbed += sample > 1.5 * each.typical ? 1 : 0;
    }
    if (disturbed * 20 > count) {
        model.notes.push_back(
            fmt::format("{} % of the samples took more than one and a half times as long as usual: "
                        "the machine was busy; measure again when it is idle",
                        disturbed * 100 / count));
    }
}

} // namespace

CommunicationModel fit_communication(const Measurements& measured) {
    CommunicationModel model;
    model.eager_limit = measured.eager_limit;
    const std::vector<AtSize> sizes = sizes_of(measured);
    FitOptions options;
    if (model.eager_limit) options.breaks.push_back(static_cast<double>(*model.eager_limit));
    model.send = fit_piecewise(points_of(sizes, [](const AtSize& size) { return size.send; }), options);
    model.isend = fit_piecewise(points_of(sizes, [](const AtSize& size) { return size.isend; }), options);
    model.receive_points = points_of(sizes, [](const AtSize& size) { return size.per_message; });
    model.recv = fit_piecewise(model.receive_points, options);
    model.fetched = measured.one_host() && moved_by_receiver(sizes);
    if (model.fetched) fit_completion(sizes, model);

    // What the two fits leave of each half trip; errors count relative to the whole.
    const auto network_part = [&](const AtSize& size) {
        const auto bytes = static_cast<double>(size.bytes);
        return size.half_trip - model.send.at(bytes) - model.recv.at(bytes);
    };
    const double control = model.fetched ? 0 : handshake_time(sizes, network_part);
    model.handshake = control > 0;
    for (const AtSize& size : sizes) {
        const double left = network_part(size) - (size.eager ? 0 : control);
        model.network_points.push_back(
            {static_cast<double>(size.bytes), std::max(left, 0.0), std::max(size.half_trip, shortest_scale)});
    }
    model.network = fit_piecewise(model.network_points, options);
    double errors = 0;
    for (const AtSize& size : sizes) {
        const double sum = model.network.at(static_cast<double>(size.bytes)) + (size.eager ? 0 : control);
        errors += std::abs(sum - network_part(size)) / std::max(size.half_trip, shortest_scale);
    }
    model.round_trip_error = errors / static_cast<double>(sizes.size());

    if (const auto tests = measured.of("test"); !tests.empty()) model.test = tests.front()->typical;
    if (const auto probes = measured.of("iprobe"); !probes.empty()) model.iprobe = probes.front()->typical;
    model.reduction = per_byte_of(measured, "reduction");
    model.copy = per_byte_of(measured, "copy");
    model.loggops = fit_loggops(measured);
    const auto take_notes = [&](std::string_view what, const std::vector<std::string>& notes) {
        for (const std::string& note : notes) model.notes.push_back(fmt::format("{}: {}", what, note));
    };
    take_notes("send", model.send.notes);
    take_notes("isend", model.isend.notes);
    take_notes("receive", model.recv.notes);
    take_notes("network", model.network.notes);
    take_notes("LogGOPS", model.loggops.notes);
    if (!model.eager_limit) {
        model.notes.push_back(fmt::format("no protocol switch up to {}: all messages are taken as eager",
                                          format_bytes(measured.most_bytes)));
    }
    if (model.fetched && needs_sender(sizes)) {
        model.notes.emplace_back(
            "messages above the eager limit move only while both ranks are in MPI calls; of the "
            "sender, that is not modelled");
    }
    note_disturbance(measured, model);
    return model;
}

} // namespace orrery
