// Actions of any trace as a .dim.
#include "formats/dimemas/dim_collectives.h"
#include "formats/dimemas/dim_writer.h"
#include "workload/trace_communicators.h"

#include <fmt/format.h>

namespace orrery {

namespace {

using dimemas::DimRecord;
using dimemas::RecordKind;
using dimemas::Synchrony;

// What a request of the trace is, in a .dim.
struct Pending {
    enum class Kind : std::uint8_t { none, send, receive, collective };
    Kind kind = Kind::none;
    DimRecord wait; // of a receive or collective
};

class RankExport {
  public:
    RankExport(ActionSource& source, RankId rank, const TraceCommunicators& communicators, double speed,
               DimNotes& notes, dimemas::DimWriter& writer)
        : source_(source), rank_(rank), communicators_(communicators, rank, source.file(rank)), speed_(speed),
          notes_(notes), writer_(writer) {}

    void run() {
        writer_.begin_thread(rank_.value, 0);
        for (std::span<const Action> window; !(window = source_.next(rank_)).empty();) {
            for (const Action& action : window) {
                const std::span<const Bytes> counts = source_.counts(rank_, action);
                if (!notes_.left_out.takes(action, communicators_)) {
                    add(action, counts);
                } else if (makes_request(action)) {
                    slot(action.request).kind = Pending::Kind::none;
                }
                communicators_.pass(action, counts);
            }
        }
    }

  private:
    void burst(double seconds) {
        DimRecord record;
        record.kind = RecordKind::burst;
        record.seconds = seconds;
        writer_.record(record);
    }

    DimRecord message(const Action& action, std::uint32_t peer, Bytes bytes) {
        DimRecord record;
        if (action.tag == any_tag)
            communicators_.fail(action, "a receive of any tag, which Dimemas does not know");
        const std::uint32_t task = communicators_.world_rank(action, peer);
        record.peer = task == any_source ? dimemas::any_task : static_cast<std::int32_t>(task);
        record.bytes = bytes == any_bytes ? 0 : bytes;
        record.tag = action.tag;
        record.communicator = communicators_.of(action).index + std::int64_t{1};
        return record;
    }

    void send(const Action& action, bool rendezvous, bool immediate) {
        DimRecord record = message(action, action.peer, action.bytes);
        record.kind = RecordKind::send;
        record.rendezvous = rendezvous;
        record.immediate = immediate;
        writer_.record(record);
    }

    DimRecord receive(const Action& action, std::uint32_t from, Bytes bytes, RecordKind kind) {
        DimRecord record = message(action, from, bytes);
        if (record.peer == dimemas::any_task) ++notes_.any_source;
        record.kind = kind;
        writer_.record(record);
        record.kind = RecordKind::wait;
        return record;
    }

    Pending& slot(std::uint32_t number) {
        if (number >= requests_.size()) requests_.resize(number + std::size_t{1});
        return requests_[number];
    }

    void wait(std::uint32_t number) {
        Pending& pending = slot(number);
        if (pending.kind == Pending::Kind::receive || pending.kind == Pending::Kind::collective)
            writer_.record(pending.wait);
        pending.kind = Pending::Kind::none;
    }

    void choose(std::span<const Bytes> counts) {
        ++notes_.choices;
        for (const Bytes number : counts) {
            if (slot(static_cast<std::uint32_t>(number)).kind != Pending::Kind::none)
                return wait(static_cast<std::uint32_t>(number));
        }
        for (std::uint32_t number = 0; counts.empty() && number < requests_.size(); ++number) {
            if (requests_[number].kind != Pending::Kind::none) return wait(number);
        }
    }

    void collective(const Action& action, std::span<const Bytes> counts) {
        const CollectiveCall call = communicators_.call(action, counts);
        const std::optional<std::uint8_t> number = dimemas::dim_number(call.operation);
        if (!number) {
            ++notes_.neighbours;
            return;
        }
        if (call.operation == Collective::exscan) ++notes_.exscans;
        const Membership& member = communicators_.of(action);
        DimRecord record = dimemas::collective_record(call, *number);
        record.communicator = member.index + std::int64_t{1};
        record.peer_thread = 0;
        if (*number == dimemas::dim_reduce) {
            record.peer = static_cast<std::int32_t>(communicators_.world_rank(member, call.root));
            record.synchrony = Synchrony::root_only;
        } else {
            record.peer = dimemas::is_rooted(*number) && call.rank == call.root ? 1 : 0;
        }
        const bool nonblocking = action.kind == ActionKind::collective && action.nonblocking;
        if (nonblocking) record.synchrony = Synchrony::nonblocking;
        writer_.record(record);
        if (nonblocking) {
            record.synchrony = Synchrony::waiting;
            slot(action.request) = {Pending::Kind::collective, record};
        }
        if (action.kind == ActionKind::collective && action.volume > 0) burst(action.volume / speed_);
    }

    void add(const Action& action, std::span<const Bytes> counts) {
        switch (action.kind) {
        case ActionKind::compute: return burst(action.volume / speed_);
        case ActionKind::sleep: return burst(action.volume);
        case ActionKind::send: return send(action, false, false);
        case ActionKind::ssend: return send(action, true, false);
        case ActionKind::isend:
        case ActionKind::issend:
            send(action, action.kind == ActionKind::issend, true);
            slot(action.request) = {Pending::Kind::send, {}};
            return;
        case ActionKind::recv: (void)receive(action, action.peer, action.bytes, RecordKind::receive); return;
        case ActionKind::irecv:
            slot(action.request) = {Pending::Kind::receive,
                                    receive(action, action.peer, action.bytes, RecordKind::receive_no_wait)};
            return;
        case ActionKind::sendrecv: {
            const DimRecord waiting =
                receive(action, action.other, action.more_bytes, RecordKind::receive_no_wait);
            send(action, false, true);
            return writer_.record(waiting);
        }
        case ActionKind::probe: ++notes_.probes; return;
        case ActionKind::test: ++notes_.tests; return;
        case ActionKind::wait: return wait(action.request);
        case ActionKind::wait_all:
            for (const Bytes number : counts) wait(static_cast<std::uint32_t>(number));
            for (std::uint32_t number = 0; counts.empty() && number < requests_.size(); ++number) wait(number);
            return;
        case ActionKind::wait_any:
        case ActionKind::wait_some: return choose(counts);
        case ActionKind::collective:
        case ActionKind::comm_split:
        case ActionKind::comm_dup:
        case ActionKind::window: return collective(action, counts); // a fence
        case ActionKind::forget: slot(action.request).kind = Pending::Kind::none; return;
        case ActionKind::comm_create:
        case ActionKind::comm_free:
        case ActionKind::neighbours:
        case ActionKind::one_sided:
        case ActionKind::cancel:
        case ActionKind::aside:
        case ActionKind::await: return; // the wait itself follows
        }
    }

    ActionSource& source_;
    RankId rank_;
    RankCommunicators communicators_;
    double speed_;
    DimNotes& notes_;
    dimemas::DimWriter& writer_;
    std::vector<Pending> requests_;
};

std::vector<dimemas::DimCommunicator> communicators_of(const TraceCommunicators& trace) {
    std::vector<dimemas::DimCommunicator> all;
    for (std::uint32_t index = 0; index < trace.all().count(); ++index) {
        dimemas::DimCommunicator& each = all.emplace_back();
        each.id = index + std::int64_t{1};
        for (std::uint32_t rank = 0; rank < trace.all().size(index); ++rank)
            each.tasks.push_back(trace.all().member(index, rank));
    }
    return all;
}

} // namespace

std::vector<std::string> DimNotes::words() const {
    std::vector<std::string> all;
    const auto note = [&](std::uint64_t count, std::string_view what) {
        if (count > 0) all.push_back(fmt::format("{} {}", count, what));
    };
    note(choices, "waits for any of several requests became waits for the first of them");
    note(probes, "probes are left out");
    note(tests, "tests are left out");
    note(any_source, "receives from any source, which Dimemas itself cannot simulate");
    note(exscans, "exclusive scans became scans");
    note(neighbours, "collectives of neighbours are left out: Dimemas has none");
    left_out.append_words(all);
    return all;
}

TiWritten write_dim(ActionSource& source, ActionSource& again, const std::string& path, const std::string& name,
                    double speed, DimNotes& notes) {
    const TraceCommunicators communicators(again);
    dimemas::DimWriter writer(path, name, std::vector<std::uint32_t>(source.ranks(), 1),
                              communicators_of(communicators));
    for (std::uint32_t rank = 0; rank < source.ranks(); ++rank)
        RankExport(source, RankId{rank}, communicators, speed, notes, writer).run();
    writer.finish();
    return {writer.records(), writer.bytes()};
}

} // namespace orrery
