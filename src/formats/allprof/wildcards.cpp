#include "formats/allprof/wildcards.h"

#include "formats/allprof/logical_run.h"
#include "workload/op.h"

#include <map>
#include <optional>
#include <set>
#include <utility>

namespace orrery::allprof {

namespace {

// Tags of the messages that a rank is sent on a communicator.
struct TagsSent {
    std::optional<std::uint32_t> first;
    bool differ = false;
};

using RankAndComm = std::pair<std::uint32_t, std::uint32_t>;

template <typename Visit>
void for_each_message(std::vector<RankRecords>& ranks, RecordKind kind, Visit&& visit) {
    for (std::uint32_t rank = 0; rank < ranks.size(); ++rank) {
        for (std::size_t i = 0; i < ranks[rank].records.size(); ++i) {
            Record& record = ranks[rank].records[i];
            if (record.kind != kind || record.has(record_flag::dropped)) continue;
            visit(rank, i, record, ranks[rank].comms[record.comm].id);
        }
    }
}

} // namespace

void settle_wildcards(std::vector<RankRecords>& ranks, const Communicators& communicators) {
    std::map<RankAndComm, TagsSent> reached; // those that have a receive of any tag
    for_each_message(ranks, RecordKind::recv,
                     [&](std::uint32_t rank, std::size_t, Record& record, std::uint32_t comm) {
                         if (record.tag == any_tag) reached[{rank, comm}];
                     });
    if (reached.empty()) return;
    for_each_message(ranks, RecordKind::send,
                     [&](std::uint32_t, std::size_t, Record& record, std::uint32_t comm) {
                         const auto found = reached.find({record.peer, comm});
                         if (found == reached.end()) return;
                         if (!found->second.first) found->second.first = record.tag;
                         if (found->second.first != record.tag) found->second.differ = true;
                     });

    bool open = false;
    for (const auto& entry : reached) open = open || entry.second.differ;
    std::vector<std::vector<Envelope>> envelopes;
    if (open) envelopes = run_logically(ranks, communicators);
    for_each_message(ranks, RecordKind::recv,
                     [&](std::uint32_t rank, std::size_t i, Record& record, std::uint32_t comm) {
                         const auto found = reached.find({rank, comm});
                         if (found == reached.end()) return;
                         const bool wildcard = record.tag == any_tag || record.peer == any_source;
                         if (found->second.differ && wildcard) {
                             const Envelope& envelope = envelopes[rank][i];
                             if (!envelope.matched) return;
                             record.peer = envelope.source;
                             record.tag = envelope.tag;
                             ++ranks[rank].tally.pinned_wildcards;
                         } else if (record.tag == any_tag && found->second.first) {
                             record.tag = *found->second.first;
                         }
                     });
}

} // namespace orrery::allprof
