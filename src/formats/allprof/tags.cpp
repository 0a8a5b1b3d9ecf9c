#include "formats/allprof/tags.h"

#include "workload/op.h"

#include <algorithm>
#include <utility>

namespace orrery::allprof {

namespace {

constexpr std::uint32_t collective_base = 1'000'000;
constexpr std::uint32_t comm_shift = 24;

template <typename Visit> void for_each_tag(std::vector<RankRecords>& ranks, Visit&& visit) {
    for (RankRecords& rank : ranks) {
        for (Record& record : rank.records) {
            if (record.kind == RecordKind::wait || record.kind == RecordKind::finish) continue;
            if (record.has(record_flag::dropped)) continue;
            visit(record, rank.comms[record.comm].id);
        }
    }
}

} // namespace

void assign_tags(std::vector<RankRecords>& ranks, std::uint32_t communicators) {
    // A receive of any tag that no message reaches: it gets a tag that nobody sends.
    constexpr std::uint32_t never = (1u << comm_shift) - 1;
    bool as_loggopsim = communicators <= 255;
    for_each_tag(ranks, [&](const Record& record, std::uint32_t) {
        if (record.kind == RecordKind::collective) {
            as_loggopsim = as_loggopsim && record.tag < never - collective_base;
        } else if (record.tag != any_tag) {
            as_loggopsim = as_loggopsim && record.tag < collective_base;
        }
    });
    if (as_loggopsim) {
        for_each_tag(ranks, [&](Record& record, std::uint32_t comm) {
            if (record.tag == any_tag) record.tag = never;
            if (record.kind == RecordKind::collective) record.tag += collective_base;
            record.tag |= comm << comm_shift;
        });
        return;
    }

    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs; // (communicator, tag)
    for_each_tag(ranks, [&](const Record& record, std::uint32_t comm) {
        if (record.kind != RecordKind::collective) pairs.emplace_back(comm, record.tag);
    });
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    const std::uint64_t left = std::uint64_t{any_tag} - pairs.size();
    for_each_tag(ranks, [&](Record& record, std::uint32_t comm) {
        if (record.kind == RecordKind::collective) {
            // Numbers that come round again do no harm: messages between two ranks stay in order.
            const std::uint64_t number = std::uint64_t{record.tag} * communicators + comm;
            record.tag = static_cast<std::uint32_t>(pairs.size() + number % left);
        } else {
            const auto at = std::lower_bound(pairs.begin(), pairs.end(), std::make_pair(comm, record.tag));
            record.tag = static_cast<std::uint32_t>(at - pairs.begin());
        }
    });
}

} // namespace orrery::allprof
