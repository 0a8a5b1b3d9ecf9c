#include "observe/paraver/network_trace.h"

#include "engine/units.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace orrery {

using paraver::Entity;

ParaverNetworkTrace::ParaverNetworkTrace(const std::string& path, NetworkMap map, Bytes quantum,
                                         std::size_t run_records)
    : map_(std::move(map)), quantum_(std::max<Bytes>(quantum, 1)), writer_(path, run_records),
      buffers_(map_.channels.size()) {}

Entity ParaverNetworkTrace::sender(LinkId channel) const {
    const NetworkMap::Channel& each = map_.channels[channel.index()];
    return {0, each.from, each.from_port};
}

Entity ParaverNetworkTrace::receiver(LinkId channel) const {
    const NetworkMap::Channel& each = map_.channels[channel.index()];
    return {0, each.to, each.to_port};
}

void ParaverNetworkTrace::message(const Message& message) { under_way_[message.number].bytes = message.bytes; }

void ParaverNetworkTrace::traversal(const Traversal& traversal) {
    const Entity from = sender(traversal.channel);
    writer_.event(from, traversal.start, segment, std::uint64_t{traversal.segment} + 1);
    writer_.event(from, traversal.start, message_number, traversal.message + 1);
    writer_.event(from, traversal.end, segment, 0);
    writer_.event(from, traversal.end, message_number, 0);

    std::vector<Passage>& passages = under_way_[traversal.message].passages;
    const auto found = std::find_if(passages.begin(), passages.end(),
                                    [&](const Passage& each) { return each.channel == traversal.channel; });
    if (found == passages.end()) {
        passages.push_back({traversal.channel, traversal.ready, traversal.start, traversal.end});
        return;
    }
    if (traversal.start < found->start) { // segments may overtake one another
        found->ready = traversal.ready;
        found->start = traversal.start;
    }
    found->end = later(found->end, traversal.end);
}

void ParaverNetworkTrace::arrived(std::uint64_t message, Time /*now*/) {
    const auto found = under_way_.find(message);
    if (found == under_way_.end()) return;
    for (const Passage& each : found->second.passages) {
        const Time latency = map_.channels[each.channel.index()].latency;
        writer_.communication({.from = sender(each.channel),
                               .logical_send = each.ready,
                               .physical_send = each.start,
                               .to = receiver(each.channel),
                               .logical_receive = each.start + latency,
                               .physical_receive = each.end + latency,
                               .bytes = found->second.bytes,
                               .tag = message});
    }
    under_way_.erase(found);
}

void ParaverNetworkTrace::set_level(LinkId channel, Time now, std::uint32_t level) {
    Buffer& buffer = buffers_[channel.index()];
    if (level == buffer.level) return;
    writer_.state(receiver(channel), buffer.since, now, buffer.level);
    buffer.since = now;
    buffer.level = level;
    highest_ = std::max(highest_, level);
}

void ParaverNetworkTrace::backlog(LinkId channel, Time now, Bytes bytes) {
    set_level(channel, now, static_cast<std::uint32_t>((bytes + quantum_ - 1) / quantum_));
}

void ParaverNetworkTrace::stop(LinkId channel, Time now) {
    const std::uint32_t lanes = ++buffers_[channel.index()].stopped;
    most_lanes_ = std::max(most_lanes_, lanes);
    writer_.event(receiver(channel), now, flow_control, lanes);
}

void ParaverNetworkTrace::go(LinkId channel, Time now) {
    std::uint32_t& stopped = buffers_[channel.index()].stopped;
    if (stopped > 0) --stopped;
    writer_.event(receiver(channel), now, flow_control, stopped);
}

void ParaverNetworkTrace::blocked(LinkId channel, Time now) {
    const std::uint32_t lanes = ++buffers_[channel.index()].blocked;
    most_lanes_ = std::max(most_lanes_, lanes);
    writer_.event(receiver(channel), now, head_of_line, lanes);
}

void ParaverNetworkTrace::unblocked(LinkId channel, Time now) {
    std::uint32_t& lanes = buffers_[channel.index()].blocked;
    if (lanes > 0) --lanes;
    writer_.event(receiver(channel), now, head_of_line, lanes);
}

namespace {

// White for an empty buffer, then from light blue over yellow to red.
paraver::Colour colour_of_level(std::uint32_t level, std::uint32_t highest) {
    if (level == 0) return {255, 255, 255};
    const double share = highest <= 1 ? 0 : static_cast<double>(level - 1) / (highest - 1);
    const auto part = [](double value) { return static_cast<std::uint8_t>(std::lround(value * 255)); };
    if (share < 0.5) return {part(0.4 + 1.2 * share), part(0.7 + 0.4 * share), part(1 - 1.8 * share)};
    return {255, part(1.8 * (1 - share)), part(0.2 * (1 - share))};
}

} // namespace

void ParaverNetworkTrace::finish(Time end) {
    for (std::uint32_t i = 0; i < map_.channels.size(); ++i) {
        if (map_.channels[i].from == map_.channels[i].to) continue;
        const Buffer& buffer = buffers_[i];
        if (end > buffer.since) writer_.state(receiver(LinkId{i}), buffer.since, end, buffer.level);
    }
    paraver::Objects objects;
    paraver::Objects::Application& network = objects.applications.emplace_back();
    network.name = "network";
    for (const NetworkMap::Node& node : map_.nodes) {
        paraver::Objects::Task& task = network.tasks.emplace_back();
        task.name = node.name;
        for (std::uint32_t port = 0; port < std::max(node.ports, 1U); ++port)
            task.threads.push_back(fmt::format("{} port {}", node.name, port));
    }
    paraver::Legend legend;
    legend.states.push_back({0, "empty", colour_of_level(0, highest_)});
    for (std::uint32_t level = 1; level <= highest_; ++level) {
        legend.states.push_back(
            {level, fmt::format("up to {}", format_bytes(level * quantum_)), colour_of_level(level, highest_)});
    }
    legend.events = {
        {flow_control, "Flow control (lanes stopped)", {{0, "go"}, {1, "stop"}}},
        {head_of_line, "Head-of-line blocking (lanes blocked)", {{0, "end"}, {1, "begin"}}},
        {segment, "Segment (number in its message)", {}},
        {message_number, "Message (number + 1)", {}},
    };
    for (std::uint32_t lanes = 2; lanes <= most_lanes_; ++lanes) {
        legend.events[0].values.emplace_back(lanes, fmt::format("stop, {} lanes", lanes));
        legend.events[1].values.emplace_back(lanes, fmt::format("{} lanes", lanes));
    }
    writer_.finish(objects, legend, end);
}

} // namespace orrery
