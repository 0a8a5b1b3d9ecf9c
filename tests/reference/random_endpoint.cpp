#include "reference/random_endpoint.h"

#include <array>
#include <fmt/format.h>

namespace orrery::reference {

std::string random_table(Draw& draw) {
    constexpr std::array<int, 6> constant{0, 0, 1, 3, 10, 100};
    constexpr std::array<const char*, 4> per_byte{"0", "0", "1ns/B", "0.37ns/B"};
    std::string table = fmt::format("0:{}ns:{}", draw.of(constant), draw.of(per_byte));
    if (draw.chance(30)) table += fmt::format(";9:{}ns:{}", draw.of(constant), draw.of(per_byte));
    return table;
}

std::vector<std::string> random_endpoint(Draw& draw) {
    constexpr std::array<const char*, 6> limits{"0 B", "8 B", "9 B", "999 B", "1000 B", "64 KiB"};
    std::vector<std::string> settings{fmt::format("endpoint.eager_limit={}", draw.of(limits))};
    const auto add = [&](const char* key, const std::string& value) {
        settings.push_back(fmt::format("endpoint.{}={}", key, value));
    };
    if (draw.chance(75)) {
        const std::string send = random_table(draw);
        add("send_overhead", send); // a schedule does not know which of its sends block
        add("isend_overhead", send);
        add("recv_overhead", random_table(draw));
    }
    if (draw.chance(30)) {
        add("handshake", "no");
    } else if (draw.chance(50)) {
        add("control_bytes", "64 B");
    }
    if (draw.chance(30)) {
        add("fetch", "yes");
        add("send_completion", random_table(draw));
        if (draw.chance(50)) add("fetch_tail", "2ns");
    }
    if (draw.chance(20)) settings.emplace_back("smpi.async-small-thresh=9");
    return settings;
}

} // namespace orrery::reference
