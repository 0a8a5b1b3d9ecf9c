#include "formats/dimemas/dim_actions.h"

#include "formats/dimemas/dim_collectives.h"

#include <algorithm>
#include <deque>
#include <fmt/format.h>
#include <map>
#include <span>
#include <tuple>

namespace orrery::dimemas {

namespace {

constexpr std::uint32_t no_communicator = 0xFFFF'FFFF;
constexpr std::size_t most_actions = 256; // of a window

std::uint32_t find_communicator(const DimFile& file, std::int64_t id) {
    return file.find_communicator(id).value_or(no_communicator);
}

} // namespace

DimSurvey::DimSurvey(const DimFile& file) : roots(file.communicators().size()) {
    std::vector<std::size_t> called; // of the communicators, by this task
    for (std::uint32_t task = 0; task < file.tasks(); ++task) {
        other_threads += file.threads(task) - 1;
        for (std::uint32_t thread = 0; thread < file.threads(task); ++thread) {
            called.assign(roots.size(), 0);
            DimCursor cursor = file.begin(file.thread_of(task, thread));
            DimRecord record;
            for (std::uint64_t at = cursor.offset; file.next(cursor, record); at = cursor.offset) {
                const bool talks = record.kind != RecordKind::burst && record.kind != RecordKind::gpu_burst &&
                                   record.kind != RecordKind::event && record.kind != RecordKind::nothing;
                if (!talks) continue;
                if (thread > 0)
                    file.fail(at, fmt::format("thread {} of task {} communicates: only the first thread of a "
                                              "task can, except with --model dimemas",
                                              thread, task));
                if (record.kind != RecordKind::collective) {
                    if (record.peer_thread != any_thread)
                        file.fail(at, "a message between threads: only --model dimemas knows them");
                    if (record.peer == any_task && record.kind != RecordKind::send) ++any_source;
                    continue;
                }
                if (record.communicator <= 0 || record.synchrony == Synchrony::waiting) continue;
                if (is_uneven(record.operation)) ++uneven;
                if (!is_rooted(record.operation)) continue;
                const std::uint32_t which = find_communicator(file, record.communicator);
                if (which == no_communicator)
                    file.fail(at, fmt::format("communicator {} is not defined", record.communicator));
                const std::size_t number = called[which]++;
                if (number >= roots[which].size()) roots[which].resize(number + 1, 0);
                const bool reduce = record.operation == dim_reduce;
                if (!reduce && record.peer != 1) continue;
                const std::uint32_t root = reduce ? static_cast<std::uint32_t>(record.peer) : task;
                const std::uint32_t rank = file.communicators()[which].rank_of(root);
                if (rank == orrery::any_source)
                    file.fail(at, fmt::format("the root, task {}, is not in communicator {}", root,
                                              record.communicator));
                roots[which][number] = rank;
            }
        }
    }
}

std::vector<std::string> DimSurvey::notes() const {
    std::vector<std::string> all;
    if (other_threads > 0)
        all.push_back(fmt::format("{} threads behind the first of their task are left out: they only compute",
                                  other_threads));
    if (uneven > 0)
        all.push_back(fmt::format("{} calls of collectives with counts for each rank (gatherv and its kin) are "
                                  "taken as even: the trace "
                                  "has totals only",
                                  uneven));
    return all;
}

namespace {

struct RequestKey {
    std::int32_t peer;
    std::int64_t tag;
    std::int64_t communicator;
    auto operator<=>(const RequestKey&) const = default;
};

struct RankReader {
    DimCursor cursor;
    bool begun = false;
    bool ended = false;
    std::vector<Action> actions;
    std::vector<Bytes> counts;
    std::vector<std::uint32_t> rooted;                        // calls so far, by communicator
    std::map<RequestKey, std::deque<std::uint32_t>> receives; // nonblocking ones, not waited for
    std::deque<std::uint32_t> collectives;                    // likewise
    std::vector<std::uint32_t> free_requests;
    std::uint32_t requests = 0;

    std::uint32_t request() {
        if (free_requests.empty()) return requests++;
        const std::uint32_t number = free_requests.back();
        free_requests.pop_back();
        return number;
    }
};

class DimActions final : public ActionSource {
  public:
    DimActions(const DimFile& file, const DimSurvey& survey) : file_(file), survey_(survey) {
        for (std::uint32_t task = 0; task < file.tasks(); ++task) {
            RankReader& rank = ranks_.emplace_back();
            rank.cursor = file.begin(file.thread_of(task, 0));
        }
        for (std::uint32_t i = 0; i < file.communicators().size(); ++i) worlds_.push_back(file.is_world(i));
    }

    [[nodiscard]] std::uint32_t ranks() const override { return file_.tasks(); }
    [[nodiscard]] std::span<const Bytes> counts(RankId rank, const Action& action) const override {
        return {ranks_[rank.index()].counts.data() + action.first_count, action.counts};
    }
    [[nodiscard]] std::string file(RankId) const override { return file_.path(); }

    std::span<const Action> next(RankId id) override {
        RankReader& rank = ranks_[id.index()];
        rank.actions.clear();
        rank.counts.clear();
        if (!rank.begun) make_communicators(id.value, rank);
        rank.begun = true;
        DimRecord record;
        while (rank.actions.size() < most_actions && !rank.ended) {
            const std::uint64_t at = rank.cursor.offset;
            if (file_.next(rank.cursor, record)) {
                add(id.value, rank, record, at);
            } else {
                rank.ended = true;
                end(rank);
            }
        }
        return rank.actions;
    }

  private:
    // The communicators of the trace, but that of all, are made at the beginning. Their numbers are from 1.
    void make_communicators(std::uint32_t task, RankReader& rank) {
        rank.rooted.assign(file_.communicators().size(), 0);
        for (std::uint32_t i = 0; i < file_.communicators().size(); ++i) {
            const DimCommunicator& each = file_.communicators()[i];
            if (worlds_[i] || each.rank_of(task) == any_source) continue;
            Action action;
            action.kind = ActionKind::comm_create;
            action.request = i + 1;
            action.first_count = static_cast<std::uint32_t>(rank.counts.size());
            action.counts = static_cast<std::uint32_t>(each.tasks.size());
            for (const std::uint32_t member : each.tasks) rank.counts.push_back(member);
            rank.actions.push_back(action);
        }
    }

    // Communicator and tag of a message as one tag. Few and small ones keep apart exactly; others (a number for
    // each message) are mixed into the upper half.
    [[nodiscard]] std::uint32_t tag_of(const DimRecord& record) const {
        const std::uint32_t which = find_communicator(file_, record.communicator);
        const std::uint64_t classes = file_.communicators().size() + 1;
        const std::uint64_t index = which == no_communicator ? 0 : which + 1;
        const bool known = which != no_communicator || record.communicator == 0;
        constexpr std::uint64_t half = std::uint64_t{1} << 31;
        if (known && record.tag >= 0 && static_cast<std::uint64_t>(record.tag) < half / classes)
            return static_cast<std::uint32_t>(static_cast<std::uint64_t>(record.tag) * classes + index);
        const std::uint64_t mixed = static_cast<std::uint64_t>(record.communicator) +
                                    static_cast<std::uint64_t>(record.tag) * 0x9e3779b97f4a7c15ULL;
        return static_cast<std::uint32_t>(half + mixed % (half - 1));
    }

    void add(std::uint32_t task, RankReader& rank, const DimRecord& record, std::uint64_t at) {
        Action action;
        switch (record.kind) {
        case RecordKind::nothing:
        case RecordKind::event: return;
        case RecordKind::burst:
        case RecordKind::gpu_burst:
            if (record.seconds <= 0) return;
            action.volume = record.seconds * dim_volume_rate;
            break;
        case RecordKind::send: return send(rank, record);
        case RecordKind::receive:
        case RecordKind::receive_no_wait:
        case RecordKind::wait: return receive(rank, record);
        case RecordKind::collective:
            if (record.communicator > 0) collective(task, rank, record, at);
            return;
        }
        rank.actions.push_back(action);
    }

    void send(RankReader& rank, const DimRecord& record) {
        Action action;
        action.kind = record.immediate ? (record.rendezvous ? ActionKind::issend : ActionKind::isend)
                                       : (record.rendezvous ? ActionKind::ssend : ActionKind::send);
        action.peer = static_cast<std::uint32_t>(record.peer);
        action.tag = tag_of(record);
        action.bytes = record.bytes;
        if (record.immediate) action.request = rank.request();
        rank.actions.push_back(action);
        if (!record.immediate) return;
        // Such traces have no record of waiting for a send.
        forget(rank, action.request);
    }

    static void forget(RankReader& rank, std::uint32_t request) {
        Action action;
        action.kind = ActionKind::forget;
        action.request = request;
        rank.actions.push_back(action);
        rank.free_requests.push_back(request);
    }

    void receive(RankReader& rank, const DimRecord& record) {
        const RequestKey key{record.peer, record.tag, record.communicator};
        Action action;
        action.kind = ActionKind::recv;
        action.peer = record.peer == any_task ? any_source : static_cast<std::uint32_t>(record.peer);
        action.tag = tag_of(record);
        action.bytes = record.bytes;
        if (record.kind == RecordKind::receive_no_wait) {
            action.kind = ActionKind::irecv;
            action.request = rank.request();
            rank.receives[key].push_back(action.request);
        } else if (record.kind == RecordKind::wait) {
            // Without its receive, a wait receives itself, as in Dimemas.
            const auto found = rank.receives.find(key);
            if (found != rank.receives.end()) {
                action.kind = ActionKind::wait;
                action.request = found->second.front();
                found->second.pop_front();
                if (found->second.empty()) rank.receives.erase(found);
                rank.free_requests.push_back(action.request);
            }
        }
        rank.actions.push_back(action);
    }

    void collective(std::uint32_t task, RankReader& rank, const DimRecord& record, std::uint64_t at) {
        Action action;
        if (record.synchrony == Synchrony::waiting) {
            if (rank.collectives.empty()) file_.fail(at, "a wait for a collective that was not started");
            action.kind = ActionKind::wait;
            action.request = rank.collectives.front();
            rank.collectives.pop_front();
            rank.free_requests.push_back(action.request);
            rank.actions.push_back(action);
            return;
        }
        const std::uint32_t which = find_communicator(file_, record.communicator);
        if (which == no_communicator)
            file_.fail(at, fmt::format("communicator {} is not defined", record.communicator));
        const DimCommunicator& communicator = file_.communicators()[which];
        if (!worlds_[which] && communicator.rank_of(task) == any_source)
            file_.fail(at, fmt::format("task {} is not in communicator {}", task, record.communicator));
        action.kind = ActionKind::collective;
        action.comm = worlds_[which] ? world : which + 1;
        fill_collective(record, static_cast<std::uint32_t>(communicator.tasks.size()), action);
        if (is_rooted(record.operation)) action.peer = survey_.roots[which][rank.rooted[which]++];
        action.nonblocking = record.synchrony == Synchrony::nonblocking;
        if (action.nonblocking) {
            action.request = rank.request();
            rank.collectives.push_back(action.request);
        }
        rank.actions.push_back(action);
    }

    // Nobody waits for what is left.
    static void end(RankReader& rank) {
        for (auto& [key, requests] : rank.receives) {
            for (const std::uint32_t request : requests) forget(rank, request);
        }
        rank.receives.clear();
        for (const std::uint32_t request : rank.collectives) {
            Action action;
            action.kind = ActionKind::wait;
            action.request = request;
            rank.actions.push_back(action);
        }
        rank.collectives.clear();
    }

    const DimFile& file_;
    const DimSurvey& survey_;
    std::vector<bool> worlds_; // which communicators hold all tasks in order
    std::vector<RankReader> ranks_;
};

} // namespace

std::unique_ptr<ActionSource> dim_actions(const DimFile& file, const DimSurvey& survey) {
    return std::make_unique<DimActions>(file, survey);
}

} // namespace orrery::dimemas
