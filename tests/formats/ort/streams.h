// Streams of actions like those of real programs, and what becomes of them, for tests of recorded traces.
#pragma once

#include "formats/ort/decoder.h"
#include "formats/ort/encoder.h"
#include "formats/ti/text_writer.h"
#include "workload/action.h"

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace orrery::recorded_test {

using recorded::ActionTimes;

struct Entry {
    Action action;
    std::vector<Bytes> counts;
    ActionTimes times;
};

inline bool same(const Entry& a, const Entry& b, bool timed) {
    const Action& x = a.action;
    const Action& y = b.action;
    return x.kind == y.kind && x.collective == y.collective && x.nonblocking == y.nonblocking &&
           x.commutative == y.commutative && x.comm == y.comm && x.peer == y.peer && x.other == y.other &&
           x.tag == y.tag && x.request == y.request && x.element == y.element && x.bytes == y.bytes &&
           x.more_bytes == y.more_bytes &&
           std::bit_cast<std::uint64_t>(x.volume) == std::bit_cast<std::uint64_t>(y.volume) &&
           a.counts == b.counts && (!timed || (a.times.begin == b.times.begin && a.times.end == b.times.end));
}

class Stream {
  public:
    Action& put(ActionKind kind, std::vector<Bytes> counts = {}) {
        Entry& entry = entries.emplace_back();
        entry.action.kind = kind;
        entry.action.counts = static_cast<std::uint32_t>(counts.size());
        entry.counts = std::move(counts);
        return entry.action;
    }
    void message(ActionKind kind, std::uint32_t peer, Bytes bytes, std::uint32_t tag = 0,
                 std::uint32_t request = 0) {
        Action& action = put(kind);
        action.peer = peer;
        action.bytes = bytes;
        action.tag = tag;
        action.request = request;
    }
    void compute(double volume) { put(ActionKind::compute).volume = volume; }
    void noisy(double volume) { // by 5 %
        compute(std::floor(volume * (0.95 + 0.1 * static_cast<double>(below(1'000'000)) * 1e-6)));
    }
    void wait(std::uint32_t request) { put(ActionKind::wait).request = request; }
    Action& collective(Collective operation, Bytes bytes, std::vector<Bytes> counts = {}) {
        Action& action = put(ActionKind::collective, std::move(counts));
        action.collective = operation;
        action.bytes = bytes;
        return action;
    }
    Action& window(WindowCall call, std::vector<Bytes> ranks = {}) {
        Action& action = put(ActionKind::window, std::move(ranks));
        action.other = static_cast<std::uint32_t>(call);
        return action;
    }
    std::uint64_t below(std::uint64_t n) { return random_() % n; }

    std::vector<Entry> entries;

  private:
    std::mt19937_64 random_{7};
};

// Four neighbours, two computations of noisy volume and a wait for all per step.
inline Stream stencil(int steps) {
    Stream s;
    for (int step = 0; step < steps; ++step) {
        std::uint32_t request = 0;
        for (const std::uint32_t peer : {36U, 28U, 33U, 31U})
            s.message(ActionKind::irecv, peer, 8192, 0, request++);
        for (const std::uint32_t peer : {36U, 28U, 33U, 31U})
            s.message(ActionKind::isend, peer, 8192, 0, request++);
        s.noisy(1e6);
        s.put(ActionKind::wait_all, {0, 1, 2, 3, 4, 5, 6, 7});
        s.noisy(1e6);
    }
    return s;
}

// Sweeps over planes to and fro, then an exchange of faces; a norm now and then.
inline Stream wavefront(int steps) {
    Stream s;
    for (int step = 0; step < steps; ++step) {
        for (const std::uint32_t sweep : {0U, 1U}) {
            for (int plane = 0; plane < 60; ++plane) {
                s.message(ActionKind::recv, sweep == 0 ? 3 : 9, 1040, 10 + sweep);
                s.message(ActionKind::recv, sweep == 0 ? 5 : 7, 1040, 10 + sweep);
                s.noisy(200'000);
                s.message(ActionKind::send, sweep == 0 ? 9 : 3, 1040, 10 + sweep);
                s.message(ActionKind::send, sweep == 0 ? 7 : 5, 1040, 10 + sweep);
            }
        }
        for (const std::uint32_t peer : {3U, 5U, 7U, 9U}) {
            s.message(ActionKind::irecv, peer, 41'600);
            s.message(ActionKind::send, peer, 41'600);
            s.wait(0);
            s.noisy(50'000);
        }
        if (step % 10 == 0) s.collective(Collective::allreduce, 40).element = 8;
    }
    return s;
}

// Sums over rows and exchanges by halves, 25 turns to an outer one.
inline Stream conjugate_gradient(int turns) {
    Stream s;
    for (int turn = 0; turn < turns; ++turn) {
        for (int inner = 0; inner < 25; ++inner) {
            s.noisy(4e6);
            for (const Bytes bytes : {Bytes{28'000}, Bytes{8}, Bytes{8}}) {
                for (std::uint32_t level = 0; level < 4; ++level) {
                    s.message(ActionKind::irecv, 1U << level, bytes >> (bytes > 8 ? level : 0), 1);
                    s.message(ActionKind::send, 1U << level, bytes >> (bytes > 8 ? level : 0), 1);
                    s.wait(0);
                    s.noisy(bytes > 8 ? 30'000 : 100);
                }
            }
        }
        s.collective(Collective::allreduce, 8).element = 8;
    }
    return s;
}

// To and from anybody, of any size, at any time.
inline Stream irregular(int actions) {
    Stream s;
    while (s.entries.size() < static_cast<std::size_t>(actions)) {
        const auto n = static_cast<std::uint32_t>(1 + s.below(3));
        s.compute(static_cast<double>(s.below(1'000'000)));
        for (std::uint32_t i = 0; i < n; ++i) {
            s.message(ActionKind::irecv, static_cast<std::uint32_t>(s.below(64)), s.below(65'536), 5, 2 * i);
            s.message(ActionKind::isend, static_cast<std::uint32_t>(s.below(64)), s.below(65'536), 5,
                      2 * i + 1);
        }
        for (std::uint32_t i = 0; i < 2 * n; ++i) s.wait(i);
        if (s.below(10) == 0) s.collective(Collective::allreduce, 8 * s.below(100)).element = 8;
    }
    return s;
}

// As segments of at most so many actions.
inline std::vector<std::string> encoded(std::span<const Entry> entries, std::size_t segment_actions,
                                        bool timed = false) {
    std::vector<std::string> segments;
    recorded::SegmentEncoder encoder(timed);
    const auto flush = [&] { encoder.take(segments.emplace_back()); };
    for (const Entry& entry : entries) {
        encoder.add(entry.action, entry.counts, entry.times);
        if (encoder.actions() >= segment_actions) flush();
    }
    if (encoder.actions() > 0) flush();
    return segments;
}

struct Decoded {
    std::vector<Entry> entries;
    std::size_t largest_window = 0;
};

// Throws InputError. Nothing but the format is checked: any rank and request will do.
inline Decoded decoded(std::span<const std::string> segments, bool timed = false,
                       std::size_t window_actions = 256) {
    static const std::string file = "segments";
    const ti::ActionLimits any{0xFFFF'FFFF, std::uint64_t{1} << 33};
    Decoded out;
    recorded::SegmentDecoder decoder;
    recorded::Window window;
    std::uint64_t line = 0;
    for (const std::string& segment : segments) {
        decoder.begin({reinterpret_cast<const std::uint8_t*>(segment.data()), segment.size()},
                      {&file, 0, 0, 1});
        while (decoder.left() > 0) {
            window.clear();
            decoder.decode(window_actions, any, line, timed, window);
            out.largest_window = std::max(out.largest_window, window.actions.size());
            for (std::size_t i = 0; i < window.actions.size(); ++i) {
                const Action& action = window.actions[i];
                const auto counts = std::span(window.counts).subspan(action.first_count, action.counts);
                out.entries.push_back(
                    {action, {counts.begin(), counts.end()}, timed ? window.times[i] : ActionTimes{}});
            }
        }
    }
    return out;
}

inline std::size_t bytes_of(std::span<const std::string> parts) {
    std::size_t sum = 0;
    for (const std::string& part : parts) sum += part.size();
    return sum;
}

inline std::size_t text_bytes(std::span<const Entry> entries) {
    ti::LineWriter writer(32, 64, TiGrammar::current, "stream");
    std::string line;
    std::size_t sum = 0;
    for (const Entry& entry : entries) {
        line.clear();
        writer.add(entry.action, entry.counts, line);
        sum += line.size();
    }
    return sum;
}

} // namespace orrery::recorded_test
