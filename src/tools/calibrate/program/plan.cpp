#include "tools/calibrate/program/plan.h"

#include "engine/random.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace orrery::calibrate {

std::vector<int> sizes_to_measure(const Plan& plan, std::int64_t eager_limit) {
    std::vector<int> sizes{0, 1};
    const RandomStream random(plan.seed, 0);
    std::uint64_t drawn = 0;
    for (int power = 2; power <= plan.most_bytes; power *= 2) {
        sizes.push_back(power);
        if (power >= plan.most_bytes) break;
        constexpr int between = 3; // in each octave, one in each third of it
        for (int third = 0; third < between; ++third) {
            const double exponent = (third + random.uniform(drawn++)) / between;
            sizes.push_back(static_cast<int>(power * std::exp2(exponent)));
        }
    }
    if (eager_limit >= 0) {
        const auto limit = static_cast<double>(eager_limit);
        for (const double near : {0.9 * limit, 0.97 * limit, limit, limit + 1, 1.03 * limit, 1.1 * limit})
            sizes.push_back(static_cast<int>(near));
    }
    std::erase_if(sizes, [&](int bytes) { return bytes > plan.most_bytes; });
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    return sizes;
}

std::vector<std::uint32_t> order_of_round(const Plan& plan, std::uint64_t round, std::uint32_t count) {
    std::vector<std::uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0U);
    const RandomStream random(plan.seed, round + 1);
    for (std::uint32_t i = count; i > 1; --i) std::swap(order[i - 1], order[random.below(i, i)]);
    return order;
}

int samples_per_visit(int bytes) {
    if (bytes < (16 << 10)) return 6;
    return bytes < (256 << 10) ? 3 : 1;
}

} // namespace orrery::calibrate
