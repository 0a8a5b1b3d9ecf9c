// Measurements of a machine that does not exist: an eager limit, costs by known formulas.
#pragma once

#include <cmath>
#include <fmt/format.h>
#include <string>

namespace orrery::test {

struct Synthetic {
    double o = 100;          // ns, of a send
    double copy = 0.05;      // ns per byte, of an eager send and of any receive
    double r = 150;          // ns, of a receive
    double L = 400;          // ns
    double fetch = 1500;     // ns more, above the limit
    double completion = 300; // ns
    int limit = 4096;
    int burst = 8;
    bool switches = true; // there is a limit
    bool receiver_moves = true;
    bool handshake = false;

    [[nodiscard]] bool eager(int s) const { return !switches || s <= limit; }
    [[nodiscard]] double send(int s) const { return o + (eager(s) ? copy * s : 0); }
    [[nodiscard]] double recv(int s) const { return r + copy * s + (eager(s) ? 0 : fetch); }
    [[nodiscard]] double half(int s) const { return send(s) + (handshake && !eager(s) ? 3 : 1) * L + recv(s); }
    [[nodiscard]] double done(int s) const {
        return half(s) + completion;
    } // of a blocking send above the limit
};

// The file that would be written. `slow`: that many of ten rounds take three times as long.
inline std::string measurements_of(const Synthetic& machine, int slow = 0) {
    std::string text = fmt::format(
        R"({{"format":"orrery measurements 1","hosts":["h","h"],"cores":4,"cpu":"C","mpi":"Open MPI v4.1.4",)"
        R"("started":"2026-01-02T03:04:05Z","clock_ns":20,"burst":{},"rounds":10,"most_bytes":4194304,"seed":1,"eager_limit":{}}})"
        "\n",
        machine.burst, machine.switches ? machine.limit : 4194304);
    int samples = 0;
    const auto add = [&](const char* kind, int bytes, double delay, double ns) {
        text += fmt::format(R"({{"kind":"{}","bytes":{},"delay_ns":{},"ns":[)", kind, bytes, delay);
        for (int round = 0; round < 10; ++round)
            text += fmt::format("{}{:.3f}", round == 0 ? "" : ",", round < slow ? 3 * ns : ns);
        text += "]}\n";
        samples += 10;
    };
    const double gaps = machine.burst - 1;
    for (int i = -1; i <= 44; ++i) {
        const int s = i < 0 ? 0 : static_cast<int>(std::exp2(i / 2.0));
        const double half = machine.half(s);
        const double row = std::max(machine.send(s), machine.recv(s));
        const double delay = 2 * half;
        add("round_trip", s, delay, 2 * half);
        add("burst", s, delay, 2 * half + gaps * (machine.eager(s) ? row : machine.done(s)));
        add("spaced", s, delay,
            2 * half + gaps * (delay + (machine.eager(s) ? machine.send(s) : machine.done(s))));
        add("send", s, delay, machine.eager(s) ? machine.send(s) : machine.done(s));
        add("isend", s, delay, machine.send(s));
        add("recv", s, delay, machine.recv(s));
        add("wait_of_send", s, delay, machine.eager(s) ? 0 : machine.completion);
        add("wait_of_recv", s, delay, machine.receiver_moves || machine.eager(s) ? machine.recv(s) : 30);
        add("stream", s, delay, half + gaps * row + machine.half(0));
        add("exchange", s, delay, machine.eager(s) ? half : machine.done(s));
    }
    add("reduction", 65536, 0, 6553.6);
    add("reduction", 1024, 0, 102.4);
    add("test", 0, 0, 15);
    return text + fmt::format("{{\"end\":true,\"samples\":{}}}\n", samples);
}

} // namespace orrery::test
