#include "emulate/compute/burst_filter.h"

#include <algorithm>
#include <cmath>

namespace orrery::emulate {

namespace {

constexpr std::size_t most_sites = 4096;
constexpr std::size_t most_offences = 65536;
constexpr std::uint32_t least_comparable = 1;
constexpr std::uint32_t refresh_every = 16; // stored bursts
constexpr std::uint32_t least_ranks = 16;   // to replace without evidence
// The longest disturbances that we measured: 7.2 ms of page faults, 5.1 ms that ended with a switch, 1.04 ms
// without any trace.
constexpr std::int64_t most_seen_ns = 10'000'000;
constexpr std::int64_t most_unseen_ns = 1'000'000;
// What is usual: up to the median plus the largest of these.
constexpr float usual_share = 0.5F;
constexpr float usual_deviations = 8;
constexpr float usual_ns = 1000;
constexpr double same_size = 0.15;
constexpr std::ptrdiff_t streak = 4;         // bursts alike, before the one that is judged,
constexpr std::uint32_t recent_visits = 16;  // within so many
constexpr double normal_deviations = 1.4826; // standard deviations for a median distance, of normal values

std::uint64_t mixed_key(std::uint64_t site, std::uint64_t rank) {
    return (site + 0x9e3779b97f4a7c15U) * 0xbf58476d1ce4e5b9U ^ (rank + 1) * 0x94d049bb133111ebU;
}

bool same_length(std::int64_t a, std::int64_t b) {
    return std::abs(static_cast<double>(a - b)) <= same_size * static_cast<double>(std::max(a, b));
}

} // namespace

BurstFilter::Site* BurstFilter::site_of(std::uint64_t key) {
    const auto found = numbers_.find(key);
    if (found != numbers_.end()) return &sites_[found->second];
    if (sites_.size() == most_sites) return nullptr;
    numbers_.emplace(key, static_cast<std::uint32_t>(sites_.size()));
    return &sites_.emplace_back();
}

void BurstFilter::store(Site& site, std::int64_t ns) {
    site.recent[site.stored % comparable] = static_cast<float>(ns);
    site.total += static_cast<float>(ns);
    ++site.stored;
    if (site.stored < comparable || site.stored - site.measured >= refresh_every) find_limit(site);
}

BurstFilter::Usual BurstFilter::usual_of(const Site& site) {
    std::array<float, comparable> values = site.recent;
    const auto end =
        values.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(site.stored, comparable));
    const auto middle = values.begin() + (end - values.begin()) / 2;
    std::nth_element(values.begin(), middle, end);
    const float median = *middle;
    for (auto value = values.begin(); value != end; ++value) *value = std::abs(*value - median);
    std::nth_element(values.begin(), middle, end);
    return {median, *middle};
}

void BurstFilter::find_limit(Site& site) {
    const Usual usual = usual_of(site);
    site.median = usual.median;
    site.limit =
        usual.median + std::max({usual_share * usual.median, usual_deviations * usual.deviation, usual_ns});
    site.measured = site.stored;
}

bool BurstFilter::plausible(const Site& site, const MeasuredBurst& burst, std::int64_t excess) const {
    if (burst.disturbed) return excess <= most_seen_ns;
    return excess <= most_unseen_ns && ranks_ >= least_ranks && !site.varies;
}

// The rank was so long here before: often, or three times by the same amount.
bool BurstFilter::recurs(const Site& site, const Offence& offence, std::int64_t excess) const {
    if (offence.count == 0) return false;
    const std::uint32_t own_visits = std::max(site.visits / ranks_, 1U);
    if (offence.count * 5 > own_visits) return true;
    return offence.count >= 2 && same_length(excess, offence.last) && same_length(excess, offence.before);
}

// Several of the last bursts were longer by about as much: the program does something else now. They are paid
// back, and the site begins anew.
bool BurstFilter::changes(Site& site, const MeasuredBurst& burst, std::int64_t excess) {
    const auto alike = [&](const Withheld& each) {
        return each.ns > 0 && site.visits - each.visit < recent_visits && each.ns < 2 * excess &&
               excess < 2 * each.ns;
    };
    if (std::count_if(site.withheld.begin(), site.withheld.end(), alike) < streak) return false;
    for (Withheld& each : site.withheld) {
        if (!alike(each)) continue;
        owed_[each.rank] += each.ns;
        figures_.removed_ns -= each.ns;
        --figures_.replaced_unseen;
        --site.unseen;
        each.ns = 0;
        offences_.erase(mixed_key(burst.site, each.rank));
    }
    site.stored = site.measured = 0;
    return true;
}

std::int64_t BurstFilter::withhold(Site& site, const MeasuredBurst& burst, std::int64_t excess) {
    if (burst.disturbed) {
        ++figures_.replaced_seen;
    } else {
        ++figures_.replaced_unseen;
        ++site.unseen;
        std::move_backward(site.withheld.begin(), site.withheld.end() - 1, site.withheld.end());
        site.withheld.front() = {burst.rank, site.visits, excess};
    }
    figures_.removed_ns += excess;
    return static_cast<std::int64_t>(site.median);
}

std::int64_t BurstFilter::pay(std::uint32_t rank) {
    const auto found = owed_.find(rank);
    if (found == owed_.end()) return 0;
    const std::int64_t ns = found->second;
    owed_.erase(found);
    return ns;
}

std::int64_t BurstFilter::judge(const MeasuredBurst& burst) {
    const std::int64_t back = owed_.empty() ? 0 : pay(burst.rank);
    Site* site = site_of(burst.site);
    const std::uint64_t own_key = mixed_key(burst.site, burst.rank);
    if (site != nullptr && site->has_private) {
        if (const auto own = numbers_.find(own_key); own != numbers_.end()) site = &sites_[own->second];
    }
    if (site == nullptr) return burst.ns + back;
    ++site->visits;
    const auto usual = [&] {
        return site->stored < least_comparable || static_cast<float>(burst.ns) <= site->limit;
    };
    if (!usual()) find_limit(*site);
    if (usual()) {
        store(*site, burst.ns);
        return burst.ns + back;
    }
    const std::int64_t excess = burst.ns - static_cast<std::int64_t>(site->median);
    if (!plausible(*site, burst, excess) || offences_.size() >= most_offences) {
        ++figures_.kept_long;
        figures_.kept_long_ns += excess;
        store(*site, burst.ns);
        return burst.ns + back;
    }
    Offence& offence = offences_[own_key];
    if (recurs(*site, offence, excess)) {
        const std::int64_t owed = offence.total;
        figures_.removed_ns -= owed;
        offence = {};
        site->has_private = true;
        if (Site* const own = site_of(own_key); own != nullptr) {
            ++own->visits;
            store(*own, burst.ns);
        }
        return burst.ns + back + owed;
    }
    if (!burst.disturbed) {
        site->varies = site->varies || site->unseen > 4 + site->visits / 25;
        if (site->varies || changes(*site, burst, excess)) {
            store(*site, burst.ns);
            return burst.ns + back;
        }
    }
    ++offence.count;
    offence.total += excess;
    offence.before = offence.last;
    offence.last = excess;
    return withhold(*site, burst, excess) + back;
}

BurstFigures BurstFilter::figures() const {
    BurstFigures figures = figures_;
    double weight = 0;
    double sum = 0;
    for (const Site& site : sites_) {
        if (site.stored < least_comparable) continue;
        const Usual usual = usual_of(site);
        if (!(usual.median > 0)) continue;
        const auto total = static_cast<double>(site.total);
        sum += total * normal_deviations * static_cast<double>(usual.deviation / usual.median);
        weight += total;
    }
    figures.spread = weight > 0 ? sum / weight : 0;
    return figures;
}

} // namespace orrery::emulate
