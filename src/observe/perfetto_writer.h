// Writes a Perfetto trace packet by packet: ranks as processes, tracks below them, slices and instants. What
// they mean is for the callers (timeline_perfetto.cpp, replay_timeline_perfetto.cpp).
//
// Perfetto counts in nanoseconds: times are rounded down to them, which keeps their order. It sorts by time
// and keeps the order of the file among equal times; so the events of a track must be written in order, those
// of different tracks need not be. Memory: a few hundred packets.
#pragma once

#include "engine/output_file.h"
#include "engine/time.h"
#include "observe/perfetto_trace.pb.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace orrery {

class PerfettoWriter {
  public:
    using Event = perfetto::TrackEvent;

    // Strings are sent once, at the head of the file, and named by their position (from 1) afterwards.
    struct Strings {
        std::span<const std::string_view> names;
        std::span<const std::string_view> categories;
        std::span<const std::string_view> keys;
    };
    PerfettoWriter(const std::string& file, const Strings& strings);

    void describe_rank(std::uint32_t rank, std::uint64_t track);
    void describe_track(std::uint64_t track, std::uint64_t parent, const std::string& name);

    // The reference holds until the next call.
    Event& event(Event::Type type, std::uint64_t track, Time time, std::uint64_t name, std::uint64_t category);
    void end_slice(std::uint64_t track, Time time);

    static void annotate(Event& event, std::uint64_t key, std::uint64_t value);
    static void annotate(Event& event, std::uint64_t key, std::string_view value);

    void commit();

  private:
    perfetto::TracePacket& packet();
    Event& event(Event::Type type, std::uint64_t track, Time time);
    void flush();

    OutputFile out_;
    perfetto::Trace batch_; // packets not written yet; its memory is reused
    std::string buffer_;
};

} // namespace orrery
