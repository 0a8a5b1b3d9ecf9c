#include "observe/communication_matrix.h"

#include "collectives/comm_split.h"
#include "engine/error.h"
#include "engine/output_file.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <nlohmann/json.hpp>

namespace orrery {

namespace {

// What one rank sends, by receiver; used for one rank after the other.
class Row {
  public:
    explicit Row(std::uint32_t ranks) : cells_(ranks) {}

    void add(std::uint32_t to, Bytes bytes) {
        PairTraffic& cell = cells_[to];
        if (cell.messages++ == 0) touched_.push_back(to);
        cell.bytes += bytes;
    }
    void take(std::uint32_t from, std::vector<PairTraffic>& pairs) {
        std::sort(touched_.begin(), touched_.end());
        for (const std::uint32_t to : touched_) {
            pairs.push_back({from, to, cells_[to].messages, cells_[to].bytes});
            cells_[to] = {};
        }
        touched_.clear();
    }

  private:
    std::vector<PairTraffic> cells_;
    std::vector<std::uint32_t> touched_;
};

void add_collective(const Action& action, std::span<const Bytes> counts, const CollectivePolicy& policy,
                    RankCommunicators& communicators, Row& row) {
    const CollectiveCall call = communicators.call(action, counts);
    const Membership& member = communicators.of(action);
    Steps steps = action.kind == ActionKind::comm_split ? split_steps(policy.selector(), call) : Steps();
    if (!steps) steps = (action.nonblocking ? policy.choose_nonblocking(call) : policy.choose(call)).run(call);
    while (const Step* const step = steps.next()) {
        const bool sends = step->kind == Step::Kind::send || step->kind == Step::Kind::isend;
        const bool exchanges = step->kind == Step::Kind::sendrecv &&
                               !(step->peer == member.rank && step->source == member.rank); // else a copy
        if (sends || exchanges) row.add(communicators.world_rank(member, step->peer), step->from.bytes);
    }
}

} // namespace

CommunicationMatrix::CommunicationMatrix(ActionSource& source, const TraceCommunicators& communicators,
                                         const CollectivePolicy* collectives)
    : ranks_(source.ranks()), with_collectives_(collectives != nullptr) {
    Row row(ranks_);
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
        const RankId id{rank};
        RankCommunicators own(communicators, id, source.file(id));
        for (std::span<const Action> window; !(window = source.next(id)).empty();) {
            for (const Action& action : window) {
                const std::span<const Bytes> counts = source.counts(id, action);
                switch (action.kind) {
                case ActionKind::send:
                case ActionKind::ssend:
                case ActionKind::isend:
                case ActionKind::issend: row.add(own.world_rank(action, action.peer), action.bytes); break;
                case ActionKind::sendrecv: {
                    const std::uint32_t to = own.world_rank(action, action.peer);
                    if (to != rank || own.world_rank(action, action.other) != rank) row.add(to, action.bytes);
                    break;
                }
                case ActionKind::collective:
                case ActionKind::comm_split:
                case ActionKind::comm_dup:
                    if (collectives != nullptr) add_collective(action, counts, *collectives, own, row);
                    break;
                default: break;
                }
                own.pass(action, counts);
            }
        }
        row.take(rank, pairs_);
    }
    for (const PairTraffic& pair : pairs_) {
        messages_ += pair.messages;
        bytes_ += pair.bytes;
    }
}

std::vector<PairTraffic> CommunicationMatrix::heaviest(std::size_t count) const {
    std::vector<PairTraffic> result(std::min(count, pairs_.size()));
    std::partial_sort_copy(pairs_.begin(), pairs_.end(), result.begin(), result.end(),
                           [](const PairTraffic& a, const PairTraffic& b) {
                               return a.bytes != b.bytes ? a.bytes > b.bytes
                                                         : std::pair(a.from, a.to) < std::pair(b.from, b.to);
                           });
    return result;
}

std::vector<std::uint32_t> CommunicationMatrix::partners() const {
    std::vector<std::uint32_t> counts(ranks_);
    const auto has = [&](std::uint32_t from, std::uint32_t to) {
        const auto at = std::lower_bound(
            pairs_.begin(), pairs_.end(), std::pair(from, to),
            [](const PairTraffic& pair, const auto& key) { return std::pair(pair.from, pair.to) < key; });
        return at != pairs_.end() && at->from == from && at->to == to;
    };
    for (const PairTraffic& pair : pairs_) {
        if (pair.from == pair.to) continue;
        ++counts[pair.from];
        if (!has(pair.to, pair.from)) ++counts[pair.to]; // otherwise the way back counts it
    }
    return counts;
}

void check_matrix_name(const std::string& path) {
    if (path.ends_with(".svg") || path.ends_with(".csv") || path.ends_with(".json")) return;
    throw UsageError(fmt::format("--matrix {}: expected a name that ends in .svg, .csv or .json", path));
}

void write_matrix(const CommunicationMatrix& matrix, const std::string& path, const std::string& title) {
    check_matrix_name(path);
    std::string text;
    if (path.ends_with(".svg")) {
        text = matrix_svg(matrix, title);
    } else if (path.ends_with(".csv")) {
        text = "from,to,messages,bytes\n";
        for (const PairTraffic& pair : matrix.pairs())
            fmt::format_to(std::back_inserter(text), "{},{},{},{}\n", pair.from, pair.to, pair.messages,
                           pair.bytes);
    } else {
        nlohmann::ordered_json out;
        out["ranks"] = matrix.ranks();
        out["with_collectives"] = matrix.with_collectives();
        out["messages"] = matrix.messages();
        out["bytes"] = matrix.bytes();
        out["pairs"] = nlohmann::ordered_json::array();
        for (const PairTraffic& pair : matrix.pairs()) {
            out["pairs"].push_back(
                {{"from", pair.from}, {"to", pair.to}, {"messages", pair.messages}, {"bytes", pair.bytes}});
        }
        text = out.dump(1) + "\n";
    }
    OutputFile file(path);
    file.write(text);
    file.commit();
}

} // namespace orrery
