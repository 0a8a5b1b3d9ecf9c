// The state of parse_rank. Internal: rank_parser.cpp goes through the lines, rank_parser_messages.cpp does
// point-to-point messages and requests.
#pragma once

#include "formats/allprof/calls.h"
#include "formats/allprof/line.h"
#include "formats/allprof/line_reader.h"
#include "formats/allprof/options.h"
#include "formats/allprof/record.h"
#include "formats/allprof/requests.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <unordered_map>

namespace orrery::allprof {

class RankParser {
  public:
    RankParser(LineReader& input, std::uint32_t ranks, const AllprofOptions& options)
        : input_(input), ranks_(ranks), options_(options), requests_(out_, options.request_bytes) {
        out_.file = input.name();
    }
    RankRecords run();

  private:
    struct Peer {
        std::uint32_t rank = 0; // any_source for a wildcard
        bool nobody = false;    // MPI_PROC_NULL
    };
    struct Found { // by MPI_Mprobe
        std::uint32_t comm = 0;
        Peer peer;
        std::uint32_t tag = 0;
    };

    void call(const CallInfo& info);
    void point_to_point(const CallInfo& info);
    void communicator_call(const CallInfo& info);
    void collective(const CallInfo& info);
    void finish();
    void skip(std::string_view why);

    void send_or_recv(const CallInfo& info);
    void sendrecv(bool replace);
    void make_persistent(const CallInfo& info);
    void start_persistent(bool all);
    void message_probe(const CallInfo& info);
    void message_recv(const CallInfo& info);
    void wait(const CallInfo& info);

    std::uint32_t comm(std::size_t argument);
    [[nodiscard]] Peer peer(std::size_t argument, std::uint32_t comm_index, bool receives) const;
    [[nodiscard]] std::uint32_t tag(std::size_t argument, bool receives) const;
    [[nodiscard]] std::uint32_t request_stride(std::uint32_t comm_index) const;

    // Computing time since the call before, up to the start of this one.
    std::uint64_t gap();
    void wait_before_this_call(std::uint32_t slot);
    void end_call() { last_end_ = line_.end(); }
    // The message of this call, and the request that stands for it if the call is nonblocking.
    void add_message(RecordKind kind, std::uint32_t comm_index, Peer peer, std::uint32_t tag,
                     std::uint64_t bytes, const CallInfo& info, std::uint64_t request);
    Record make_record(RecordKind kind) const;
    std::uint32_t push(const Record& record) {
        out_.records.push_back(record);
        return static_cast<std::uint32_t>(out_.records.size() - 1);
    }
    [[nodiscard]] std::uint32_t next_record() const { return static_cast<std::uint32_t>(out_.records.size()); }

    LineReader& input_;
    const std::uint32_t ranks_;
    const AllprofOptions& options_;
    RankRecords out_;
    RequestTable requests_;
    Line line_;
    bool initialised_ = false;
    bool finished_ = false;
    MpiLibrary library_ = MpiLibrary::detect;
    std::optional<TimeStamp> last_end_; // of the call before; unknown until the program begins
    std::uint64_t carried_ = 0;         // computing time that no record has taken yet
    std::uint64_t world_collectives_ = 0;
    std::uint32_t generation_ = 0;
    std::map<std::tuple<std::uint64_t, std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t> comm_index_;
    std::unordered_map<std::uint64_t, Found> found_; // by address of the message variable
};

} // namespace orrery::allprof
