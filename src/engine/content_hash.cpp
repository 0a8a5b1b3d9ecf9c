#include "engine/content_hash.h"

#include <fmt/format.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace orrery {

struct Hasher::State {
    XXH3_state_t hashed{};
};

Hasher::Hasher() : state_(std::make_unique<State>()) { XXH3_128bits_reset(&state_->hashed); }

Hasher::~Hasher() = default;

void Hasher::add(std::string_view bytes) { XXH3_128bits_update(&state_->hashed, bytes.data(), bytes.size()); }

void Hasher::add_field(std::string_view text) {
    add(fmt::format("{}:", text.size()));
    add(text);
}

std::string Hasher::get() const {
    const XXH128_hash_t hash = XXH3_128bits_digest(&state_->hashed);
    return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

std::string content_hash(std::string_view bytes) {
    Hasher hasher;
    hasher.add(bytes);
    return hasher.get();
}

} // namespace orrery
