#include "machine/start_skew.h"

#include "engine/error.h"
#include "engine/random.h"
#include "engine/units.h"

#include <array>
#include <fmt/format.h>

namespace orrery {

namespace {

constexpr std::int64_t longest_us = 3'600'000'000; // an hour

} // namespace

StartSkew StartSkew::parse(std::string_view text, std::uint64_t seed) {
    StartSkew skew;
    if (text.empty()) return skew;
    const std::size_t colon = text.find(':');
    const std::string_view word = text.substr(0, colon);
    constexpr std::array<std::string_view, 2> words{"uniform", "exponential"};
    if (word == words[0]) {
        skew.kind_ = Kind::uniform;
    } else if (word == words[1]) {
        skew.kind_ = Kind::exponential;
    }
    if (skew.kind_ == Kind::none || colon == std::string_view::npos) {
        const std::string near = skew.kind_ == Kind::none ? nearest_word(word, words) : "";
        throw UsageError(fmt::format("--start-skew {}: expected uniform:TIME or exponential:TIME, such as "
                                     "uniform:10us{}",
                                     text, near.empty() ? "" : fmt::format("; did you mean {}?", near)));
    }
    skew.scale_ = parse_time(text.substr(colon + 1));
    if (skew.scale_ <= Time::zero() || skew.scale_ > Time::us(longest_us))
        throw UsageError(fmt::format("--start-skew {}: expected a time above 0 and up to an hour", text));
    skew.seed_ = seed;
    return skew;
}

Time StartSkew::of(RankId rank) const {
    if (kind_ == Kind::none) return Time::zero();
    // Noise draws from (seed, rank) too: another stream, so that the two do not go together.
    const RandomStream stream(mix_bits(seed_) ^ 0x5B4E'5A2D'0001ULL, rank.value);
    if (kind_ == Kind::uniform)
        return Time::ps(static_cast<std::int64_t>(stream.below(0, static_cast<std::uint64_t>(scale_.ps()))));
    return Time::from_ps(stream.exponential(0, scale_.picoseconds()), "the late start of a rank");
}

std::string StartSkew::describe() const {
    switch (kind_) {
    case Kind::none: break;
    case Kind::uniform:
        return fmt::format("ranks begin up to {} late (uniform, seed {})", format_time(scale_), seed_);
    case Kind::exponential:
        return fmt::format("ranks begin {} late on average (exponential, seed {})", format_time(scale_), seed_);
    }
    return {};
}

} // namespace orrery
