#include "formats/allprof/linking.h"

#include "engine/error.h"
#include "workload/op.h"

#include <fmt/format.h>
#include <string>

namespace orrery::allprof {

namespace {

// A collective operation of a communicator: what the members say about it.
struct Instance {
    Collective collective = Collective::barrier;
    std::uint32_t root = 0;
    std::uint32_t rank = 0; // who was read first
    std::uint32_t line = 0;
    std::uint32_t calls = 0; // of how many members
    std::uint64_t blocks = 0;
};

class Linker {
  public:
    Linker(std::vector<RankRecords>& ranks, const Communicators& communicators)
        : ranks_(ranks), communicators_(communicators), instances_(communicators.members.size()) {}

    std::vector<Bytes> run(bool allow_truncated) {
        for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) link(rank);
        check_calls(allow_truncated);
        check_alltoallv();
        return std::move(blocks_);
    }

  private:
    void link(std::uint32_t rank);
    void collective(std::uint32_t rank, Record& record, const CommUse& use, std::uint32_t number);
    void skip(RankRecords& rank, Record& record, const CommUse& use);
    void check_calls(bool allow_truncated);
    void check_alltoallv() const;

    std::vector<RankRecords>& ranks_;
    const Communicators& communicators_;
    std::vector<std::vector<Instance>> instances_; // per communicator
    std::vector<Bytes> blocks_;
};

void Linker::link(std::uint32_t rank) {
    RankRecords& records = ranks_[rank];
    const std::uint64_t first_block = blocks_.size();
    blocks_.insert(blocks_.end(), records.blocks.begin(), records.blocks.end());
    records.blocks = {};
    std::vector<std::uint32_t> numbers(communicators_.members.size(), 0);
    for (Record& record : records.records) {
        if (record.kind == RecordKind::wait || record.kind == RecordKind::finish) continue;
        const CommUse& use = records.comms[record.comm];
        if (use.id == unknown_comm) {
            skip(records, record, use);
            continue;
        }
        if (record.kind != RecordKind::collective) {
            if (record.peer != any_source) record.peer = communicators_.members[use.id][record.peer];
            continue;
        }
        const bool own_blocks =
            record.collective == Collective::alltoallv || record.collective == Collective::reduce_scatter;
        if (record.has(record_flag::blocks) && own_blocks) record.bytes += first_block;
        collective(rank, record, use, numbers[use.id]++);
    }
}

void Linker::collective(std::uint32_t rank, Record& record, const CommUse& use, std::uint32_t number) {
    std::vector<Instance>& instances = instances_[use.id];
    const bool blocks_of_all = record.has(record_flag::blocks) && record.collective != Collective::alltoallv;
    if (number == instances.size()) {
        instances.push_back({record.collective, record.peer, rank, record.line, 0, 0});
        if (blocks_of_all && record.collective == Collective::reduce_scatter) {
            instances.back().blocks = record.bytes;
        } else if (blocks_of_all) {
            instances.back().blocks = blocks_.size();
            blocks_.resize(blocks_.size() + use.size, 0);
        }
    }
    Instance& instance = instances[number];
    if (instance.collective != record.collective || instance.root != record.peer) {
        const auto words = [](Collective c, std::uint32_t root) {
            return std::string(name_of(c)) + (has_root(c) ? fmt::format(" with root {}", root) : "");
        };
        throw InputError(Error{
            ranks_[rank].file, record.line, 0,
            fmt::format("{} is the collective number {} of a communicator of {} ranks here, but "
                        "in {}:{} that is {}",
                        words(record.collective, record.peer), number + 1, use.size, ranks_[instance.rank].file,
                        instance.line, words(instance.collective, instance.root))});
    }
    ++instance.calls;
    record.tag = number;
    if (!blocks_of_all) return;
    if (record.collective != Collective::reduce_scatter) blocks_[instance.blocks + use.rank] = record.bytes;
    record.bytes = instance.blocks;
}

void Linker::skip(RankRecords& rank, Record& record, const CommUse& use) {
    record.flags |= record_flag::dropped;
    std::string call = record.kind == RecordKind::collective ? std::string(name_of(record.collective))
                       : record.kind == RecordKind::send     ? "send"
                                                             : "receive";
    const std::string why =
        fmt::format("on a communicator of {} ranks whose members the trace does not tell", use.size);
    for (Skipped& skipped : rank.skipped) {
        if (skipped.call != call || skipped.why != why) continue;
        ++skipped.count;
        return;
    }
    rank.skipped.push_back({std::move(call), why, 1, record.line});
}

void Linker::check_calls(bool allow_truncated) {
    for (RankRecords& rank : ranks_) {
        for (Record& record : rank.records) {
            if (record.kind != RecordKind::collective || record.has(record_flag::dropped)) continue;
            const CommUse& use = rank.comms[record.comm];
            if (instances_[use.id][record.tag].calls == use.size) continue;
            if (allow_truncated) {
                record.flags |= record_flag::dropped;
                continue;
            }
            throw InputError(
                Error{rank.file, record.line, 0,
                      fmt::format("{} is the collective number {} of a communicator of {} ranks, but "
                                  "only {} of them make that many collective calls",
                                  name_of(record.collective), record.tag + 1, use.size,
                                  instances_[use.id][record.tag].calls)});
        }
    }
}

// What i says it sends to j, j must say it gets from i.
void Linker::check_alltoallv() const {
    struct Side {
        std::uint32_t rank;
        std::uint32_t member;
        const Record* record;
    };
    std::vector<std::vector<std::vector<Side>>> sides(instances_.size()); // by communicator and number
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
        for (const Record& record : ranks_[rank].records) {
            if (record.kind != RecordKind::collective || record.collective != Collective::alltoallv) continue;
            if (record.has(record_flag::dropped)) continue;
            const CommUse& use = ranks_[rank].comms[record.comm];
            if (sides[use.id].size() <= record.tag) sides[use.id].resize(record.tag + 1);
            sides[use.id][record.tag].push_back({rank, use.rank, &record});
        }
    }
    for (const auto& of_communicator : sides) {
        for (const auto& members : of_communicator) {
            for (const Side& from : members) {
                for (const Side& to : members) {
                    const Bytes sent = blocks_[from.record->bytes + to.member];
                    const Bytes got = blocks_[to.record->bytes + members.size() + from.member];
                    if (sent == got) continue;
                    throw InputError(
                        Error{ranks_[to.rank].file, to.record->line, 0,
                              fmt::format("alltoallv: {} bytes are expected from rank {}, which sends "
                                          "{} ({}:{})",
                                          got, from.member, sent, ranks_[from.rank].file, from.record->line)});
                }
            }
        }
    }
}

} // namespace

std::vector<Bytes> link_ranks(std::vector<RankRecords>& ranks, const Communicators& communicators,
                              bool allow_truncated) {
    return Linker(ranks, communicators).run(allow_truncated);
}

} // namespace orrery::allprof
