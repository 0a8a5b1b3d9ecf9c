// What users write by hand on the command line and in noise traces must be read or refused.
#include "engine/error.h"
#include "engine/units.h"
#include "machine/noise.h"
#include "network/loggops/parameters.h"

#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>

using namespace orrery;

namespace {

template <typename Parse> void try_to(Parse&& parse) {
    try {
        parse();
    } catch (const UsageError&) { // refused
    } catch (const InputError&) {
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    try_to([&] { (void)parse_loggops(text); });
    try_to([&] { (void)parse_time(text); });
    try_to([&] { (void)parse_time_per_byte(text); });
    try_to([&] { (void)parse_bytes(text); });
    try_to([&] { (void)parse_count(text); });
    const auto use = [](Noise& noise) {
        Time at;
        for (int i = 0; i < 20 && at < Time::ps(std::int64_t{1} << 60); ++i) {
            at += Time::us(3) + noise.delay(RankId{7}, 0, at, Time::us(2));
        }
    };
    try_to([&] {
        std::istringstream lines(text);
        use(*noise_from_text(lines, "fuzz", {}));
    });
    try_to([&] { use(*noise_from_distribution(text, {})); });
    return 0;
}
