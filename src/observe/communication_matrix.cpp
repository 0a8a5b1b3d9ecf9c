#include "observe/communication_matrix.h"

#include "collectives/comm_split.h"
#include "engine/error.h"
#include "engine/output_file.h"
#include "observe/json_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

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

// `pairs` is in order again, each pair once.
void add_pairs(const std::vector<PairTraffic>& more, std::vector<PairTraffic>& pairs) {
    if (more.empty()) return;
    const auto key = [](const PairTraffic& pair) { return std::pair(pair.from, pair.to); };
    pairs.insert(pairs.end(), more.begin(), more.end());
    std::sort(pairs.begin(), pairs.end(),
              [&](const PairTraffic& a, const PairTraffic& b) { return key(a) < key(b); });
    std::size_t last = 0;
    for (std::size_t i = 1; i < pairs.size(); ++i) {
        if (key(pairs[i]) != key(pairs[last])) {
            pairs[++last] = pairs[i];
            continue;
        }
        pairs[last].messages += pairs[i].messages;
        pairs[last].bytes += pairs[i].bytes;
    }
    pairs.resize(last + 1);
}

} // namespace

CommunicationMatrix::CommunicationMatrix(ActionSource& source, const TraceCommunicators& communicators,
                                         const CollectivePolicy* collectives)
    : ranks_(source.ranks()), with_collectives_(collectives != nullptr) {
    Row row(ranks_);
    Row fetched(ranks_); // from the memory of others
    std::vector<PairTraffic> back;
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
                case ActionKind::one_sided: {
                    const std::uint32_t target = own.world_rank(action, action.peer);
                    if (action.bytes > 0) row.add(target, action.bytes);
                    if (action.more_bytes > 0) fetched.add(target, action.more_bytes);
                    break;
                }
                case ActionKind::window:
                    if (!is_fence(action)) break;
                    [[fallthrough]];
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
        fetched.take(rank, back);
    }
    for (PairTraffic& pair : back) std::swap(pair.from, pair.to);
    add_pairs(back, pairs_);
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
        text = json_text(out, 1) + "\n";
    }
    OutputFile file(path);
    file.write(text);
    file.commit();
}

} // namespace orrery
