// Measured bursts that this computer disturbed are replaced by what their likes take.
//
// A burst is comparable with the last ones that began after the same MPI call of the program and ended at the
// same one (its site): mostly those of other ranks in the same step. Their median and spread say what is usual.
// A burst far above it is replaced by the median
// - if the thread was seen to be switched out or robbed during it, or most of it was a page fault, and the
// excess
//   is at most 10 ms; or
// - without such evidence, since a hypervisor, an interrupt or a page fault need not show: if the excess is at
//   most 1 ms, comparable bursts come from at least 16 ranks, and it happens rarely at that site.
//
// Imbalance of the application is not replaced, because it comes again: in the other ranks of the same step, in
// the next visits of the same rank, or with the same size. Then what was withheld is paid back, and a rank
// that differs from the others is from then on compared with itself.
//
// Cost: a lookup and a store for a judged burst; memory for 4,096 sites at most, about 1 MB.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <tsl/robin_map.h>
#include <vector>

namespace orrery::emulate {

struct MeasuredBurst {
    std::int64_t ns = 0;
    std::uint64_t site = 0; // of the two calls around it; the same in all ranks
    std::uint32_t rank = 0;
    bool disturbed = false; // there is evidence
};

struct BurstFigures {
    std::uint64_t replaced_seen = 0;   // with evidence
    std::uint64_t replaced_unseen = 0; // without
    std::uint64_t kept_long = 0;       // far above their likes, but nothing speaks for a disturbance
    std::int64_t removed_ns = 0;       // by all replacements, less what was paid back
    std::int64_t kept_long_ns = 0;     // of those: above the median
    double spread = 0;                 // of bursts of one site, relative to their median; the mean over time
    [[nodiscard]] std::uint64_t replaced() const { return replaced_seen + replaced_unseen; }
};

class BurstFilter {
  public:
    explicit BurstFilter(std::uint32_t ranks) : ranks_(ranks) {}

    // How long the burst counts; with what the rank is owed.
    std::int64_t judge(const MeasuredBurst& burst);
    // Whether some rank is to be paid back: then no burst may pass by.
    [[nodiscard]] bool owes() const { return !owed_.empty(); }
    [[nodiscard]] BurstFigures figures() const;

  private:
    struct Withheld {
        std::uint32_t rank = 0;
        std::uint32_t visit = 0;
        std::int64_t ns = 0;
    };
    static constexpr std::size_t comparable = 32;
    struct Site {
        std::array<float, comparable> recent{}; // ns, a ring
        std::uint32_t visits = 0;
        std::uint32_t stored = 0;   // bursts that went into `recent`
        std::uint32_t measured = 0; // `stored` when median and limit were found
        std::uint32_t unseen = 0;   // replaced without evidence
        float median = 0;
        float limit = 0;                    // above this a burst is far from its likes
        float total = 0;                    // ns
        bool varies = false;                // by itself: only evidence counts
        bool has_private = false;           // some rank is compared with itself
        std::array<Withheld, 8> withheld{}; // the last ones without evidence
    };
    // What was withheld from a rank at a site.
    struct Offence {
        std::uint32_t count = 0;
        std::int64_t total = 0;
        std::int64_t last = 0, before = 0;
    };

    // The median, and the median of the distances from it.
    struct Usual {
        float median = 0;
        float deviation = 0;
    };

    Site* site_of(std::uint64_t key);
    static void store(Site& site, std::int64_t ns);
    static Usual usual_of(const Site& site);
    static void find_limit(Site& site);
    [[nodiscard]] bool plausible(const Site& site, const MeasuredBurst& burst, std::int64_t excess) const;
    [[nodiscard]] bool recurs(const Site& site, const Offence& offence, std::int64_t excess) const;
    bool changes(Site& site, const MeasuredBurst& burst, std::int64_t excess);
    std::int64_t withhold(Site& site, const MeasuredBurst& burst, std::int64_t excess);
    std::int64_t pay(std::uint32_t rank);

    std::uint32_t ranks_;
    std::vector<Site> sites_;
    tsl::robin_map<std::uint64_t, std::uint32_t> numbers_; // of sites, by key
    tsl::robin_map<std::uint64_t, Offence> offences_;      // by key of site and rank
    tsl::robin_map<std::uint32_t, std::int64_t> owed_;     // ns, by rank
    BurstFigures figures_;
};

} // namespace orrery::emulate
