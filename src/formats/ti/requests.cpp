#include "formats/ti/requests.h"

#include <bit>
#include <tsl/robin_map.h>

namespace orrery::ti {

namespace {

struct NameHash {
    std::size_t operator()(const RequestName& name) const {
        std::uint64_t x = (std::uint64_t{name.from} << 32 | name.to) * 0x9E37'79B9'7F4A'7C15u;
        x ^= x >> 29;
        x = (x ^ (std::uint64_t{name.comm} << 32 | name.tag)) * 0xBF58'476D'1CE4'E5B9u;
        return x ^ x >> 32;
    }
};

} // namespace

// The oldest and the latest of each name.
struct Requests::Index {
    struct Ends {
        std::uint32_t oldest;
        std::uint32_t latest;
    };
    tsl::robin_map<RequestName, Ends, NameHash> ends;
};

Requests::Requests() noexcept = default;
Requests::Requests(Requests&&) noexcept = default;
Requests& Requests::operator=(Requests&&) noexcept = default;
Requests::~Requests() = default;

std::uint32_t Requests::smallest_free() {
    while (lowest_word_ < taken_.size() && taken_[lowest_word_] == ~std::uint64_t{0}) ++lowest_word_;
    if (lowest_word_ == taken_.size()) taken_.push_back(0);
    const auto bit = static_cast<std::uint32_t>(std::countr_one(taken_[lowest_word_]));
    taken_[lowest_word_] |= std::uint64_t{1} << bit;
    return 64 * lowest_word_ + bit;
}

std::uint32_t Requests::add(const RequestName& name) {
    const std::uint32_t number = smallest_free();
    if (number >= slots_.size()) slots_.resize(number + 1);
    Slot& slot = slots_[number];
    slot = {name, last_, none, none, none};
    (last_ == none ? first_ : slots_[last_].after) = number;
    last_ = number;
    ++size_;
    if (index_) {
        enter(number);
    } else if (size_ > searched) {
        build_index();
    }
    return number;
}

void Requests::enter(std::uint32_t number) {
    const auto [at, is_new] = index_->ends.try_emplace(slots_[number].name, Index::Ends{number, number});
    if (is_new) return;
    Index::Ends& ends = at.value();
    slots_[number].same_before = ends.latest;
    slots_[ends.latest].same_after = number;
    ends.latest = number;
}

void Requests::build_index() {
    index_ = std::make_unique<Index>();
    for (std::uint32_t at = first_; at != none; at = slots_[at].after) {
        slots_[at].same_before = none;
        slots_[at].same_after = none;
        enter(at);
    }
}

std::optional<std::uint32_t> Requests::oldest(const RequestName& name) const {
    if (index_) {
        const auto at = index_->ends.find(name);
        return at == index_->ends.end() ? std::nullopt : std::optional(at->second.oldest);
    }
    for (std::uint32_t at = first_; at != none; at = slots_[at].after) {
        if (slots_[at].name == name) return at;
    }
    return std::nullopt;
}

std::optional<std::uint32_t> Requests::oldest() const {
    return first_ == none ? std::nullopt : std::optional(first_);
}

std::optional<std::uint32_t> Requests::latest() const {
    return last_ == none ? std::nullopt : std::optional(last_);
}

bool Requests::pending(std::uint32_t number) const {
    return number / 64 < taken_.size() && (taken_[number / 64] >> (number % 64) & 1) != 0;
}

void Requests::remove(std::uint32_t number) {
    const Slot& slot = slots_[number];
    (slot.before == none ? first_ : slots_[slot.before].after) = slot.after;
    (slot.after == none ? last_ : slots_[slot.after].before) = slot.before;
    if (index_) {
        if (slot.same_before != none) slots_[slot.same_before].same_after = slot.same_after;
        if (slot.same_after != none) slots_[slot.same_after].same_before = slot.same_before;
        const auto at = index_->ends.find(slot.name);
        if (slot.same_before == none && slot.same_after == none) {
            index_->ends.erase(at);
        } else if (slot.same_before == none) {
            at.value().oldest = slot.same_after;
        } else if (slot.same_after == none) {
            at.value().latest = slot.same_before;
        }
    }
    taken_[number / 64] &= ~(std::uint64_t{1} << (number % 64));
    if (number / 64 < lowest_word_) lowest_word_ = number / 64;
    if (--size_ == 0) clear();
}

void Requests::clear() {
    if (slots_.size() > kept) { // many at once are rare: do not keep their memory
        slots_ = {};
        taken_ = {};
    } else if (!taken_.empty()) {
        taken_[0] = 0;
    }
    first_ = none;
    last_ = none;
    lowest_word_ = 0;
    size_ = 0;
    done_ = 0;
    index_.reset();
}

} // namespace orrery::ti
