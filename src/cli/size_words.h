// Sizes of messages in words: what `orrery info` says of schedules and of traces alike.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

namespace orrery::cli {

// By power of two: bucket 0 holds size 0, bucket b holds 2^(b-1) to 2^b - 1.
std::string bucket_words(std::size_t bucket); // "64 KiB up to 128 KiB"
// The fullest buckets in order of size, on one line: "50 % 8 B up to 16 B; 50 % 1 KiB up to 2 KiB".
std::string histogram_words(std::span<const std::uint64_t> buckets);
// Those that are not empty: [{"from": 8, "to": 15, "messages": 3}, ...].
nlohmann::ordered_json histogram_json(std::span<const std::uint64_t> buckets);

} // namespace orrery::cli
