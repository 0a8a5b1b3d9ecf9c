// Requests of one rank: which call completes which nonblocking operation.
//
// A trace names a request by the address of the variable that holds it, and says neither which request an
// MPI_Waitany completed nor whether an MPI_Test succeeded; some versions of the tracer leave MPI_Test out
// altogether. What is certain: a request is complete when its variable is used for another one, and at the last
// call that names it. What is left open is filled in like this:
//   - MPI_Wait and MPI_Waitall complete all they name;
//   - MPI_Waitany and MPI_Waitsome complete one request: the one whose variable is used again first, or else
//   the
//     oldest;
//   - MPI_Test and its kin, and MPI_Waitsome for the rest, complete what they name last;
//   - a receive that nothing completes is complete when its variable is used again, or before MPI_Finalize.
#pragma once

#include "formats/allprof/record.h"

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace orrery::allprof {

class RequestTable {
  public:
    // What a request stands for. `nothing`: a message to MPI_PROC_NULL, or a buffered send.
    enum class What : std::uint8_t { nothing, send, recv, collective };

    // `request_bytes`: size of a request in an array, or 0 to go by the binding that made it (see `stride`).
    RequestTable(RankRecords& out, std::uint32_t request_bytes) : out_(out), request_bytes_(request_bytes) {}

    // A new request is going to stand at `address`. Returns the slot of an operation that must have been
    // completed by now although no call says so, or no_slot.
    std::uint32_t displace(std::uint64_t address);
    // Record number `record` starts an operation. Returns the slot where it is noted. `stride`: size of a
    // request in the language and MPI of the call.
    std::uint32_t post(std::uint64_t address, What what, std::uint32_t stride, std::uint32_t record);

    // Persistent requests: `prototype` is the record that each start makes.
    void make_persistent(std::uint64_t address, What what, std::uint32_t stride, const Record& prototype);
    // Null if no call has made such a request.
    [[nodiscard]] const Record* prototype(std::uint64_t address) const;
    [[nodiscard]] What what(std::uint64_t address) const { return requests_.at(address).what; }
    std::uint32_t start(std::uint64_t address, std::uint32_t record);

    // Addresses of the known requests in an array of `count` that begins at `base`, ascending.
    [[nodiscard]] std::vector<std::uint64_t> in_array(std::uint64_t base, std::uint64_t count) const;

    // Record number `wait` completes them. Returns false if no such request is known.
    bool wait_one(std::uint64_t address, std::uint32_t wait);
    bool wait_all(std::uint64_t base, std::uint64_t count, std::uint32_t wait);
    bool wait_any(std::uint64_t base, std::uint64_t count, std::uint32_t wait, bool some);
    bool test(std::uint64_t base, std::uint64_t count, std::uint32_t wait);
    void free(std::uint64_t address);
    void cancel(std::uint64_t address); // of a receive: it is taken out of the program

    // At the end: the slots of the operations that are still to be waited for.
    std::vector<std::uint32_t> leftovers();
    // Forgets all requests and waits: the records so far are not wanted.
    void reset();
    // Writes the waits down in the records, and leaves out the records that are empty or dropped.
    void seal();

    // Record `wait` waits for `slot`.
    void require(std::uint32_t wait, std::uint32_t slot) { pairs_.emplace_back(wait, slot); }

  private:
    static constexpr std::uint32_t no_record = 0xFFFF'FFFF;

    struct Request {
        What what = What::nothing;
        bool active = false;
        std::uint8_t stride = 8;
        std::uint32_t slot = no_slot;
        std::uint32_t record = no_record;
        std::uint32_t last_test = no_record; // the last record that may have completed it
        std::uint64_t serial = 0;            // order of posting
        std::uint32_t prototype = no_record; // persistent: index into prototypes_
    };
    // A Waitany of which it is not yet clear what it completed.
    struct Open {
        std::uint32_t record;
        std::uint64_t base;
        std::uint64_t count;
        std::uint64_t serial;
    };

    [[nodiscard]] std::uint32_t stride_in(std::uint64_t base, std::uint64_t count) const;
    [[nodiscard]] bool covers(const Open& open, std::uint64_t address, const Request& request) const;
    std::uint32_t activate(Request& request, std::uint32_t record);
    void complete(Request& request, std::uint32_t wait);
    void release(Request& request);
    void fill_open(const std::vector<std::uint64_t>& addresses);
    // Completes it at the earliest call that is open, or at the last test. False if there is neither.
    bool complete_earlier(std::uint64_t address, Request& request);

    RankRecords& out_;
    std::uint32_t request_bytes_;
    std::unordered_map<std::uint64_t, Request> requests_;
    std::vector<Record> prototypes_;
    std::vector<Open> open_;
    std::vector<std::uint32_t> free_slots_;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs_; // (wait record, slot)
    std::uint64_t serial_ = 0;
};

// Takes out the records that are marked as dropped and the waits that wait for nothing. The computing time
// before them is counted to the call that follows.
void drop_records(RankRecords& rank);

} // namespace orrery::allprof
