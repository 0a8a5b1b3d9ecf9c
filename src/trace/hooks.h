// What each call of MPI stands for: called by the generated wrappers as the table of the API says.
//
// `before` hooks see what the call is about to destroy (handles of requests and messages); the others run once
// it has succeeded and put() its actions. All of them run with a Recording held, so what they share needs no
// lock. What a thread keeps from before a call until after it is its own.
#pragma once

#include "trace/handles.h"
#include "trace/recorder.h"
#include "trace/statuses.h"

namespace orrery::trace::hooks {

// The process. `provided`: level of thread support.
void started(int provided) noexcept;
void ending() noexcept;
void aborting(int code) noexcept;

// Functions that are only counted and named; their requests are known, so that they are not taken for others.
inline void nothing() noexcept {}
inline void count() noexcept {}
void count(Requests request) noexcept;

// Messages.
void send(int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm) noexcept;
void ssend(int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm) noexcept;
void bsend(int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm) noexcept;
void isend(int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, Requests request) noexcept;
void issend(int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, Requests request) noexcept;
void ibsend(int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, Requests request) noexcept;
void recv(int peer, int tag, MPI_Comm comm, const MPI_Status& status) noexcept;
void irecv(int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, Requests request) noexcept;
void sendrecv(int count, MPI_Datatype type, int destination, int send_tag, int source, int receive_tag,
              MPI_Comm comm, const MPI_Status& status) noexcept;
void probe(int peer, int tag, MPI_Comm comm) noexcept;
void iprobe(int peer, int tag, MPI_Comm comm, int flag) noexcept;
void mprobe(int peer, int tag, MPI_Comm comm, MPI_Message message, const MPI_Status& status) noexcept;
void improbe(int peer, int tag, MPI_Comm comm, int flag, MPI_Message message,
             const MPI_Status& status) noexcept;
void matched(MPI_Message message) noexcept; // before
void mrecv(const MPI_Status& status) noexcept;
void imrecv(int count, MPI_Datatype type, Requests request) noexcept;

// Persistent requests.
void send_init(int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, Requests request) noexcept;
void ssend_init(int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, Requests request) noexcept;
void bsend_init(int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, Requests request) noexcept;
void recv_init(int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, Requests request) noexcept;
void start(int count, Requests requests) noexcept;

// Completion. `base`: the first index, 1 in Fortran.
void look(int count, Requests requests) noexcept; // before
void wait(const Statuses& status) noexcept;
void wait_all(const Statuses& statuses) noexcept;
void wait_any(int index, int base, const Statuses& status) noexcept;
void wait_some(int done, const int* indices, int base, const Statuses& statuses) noexcept;
void test(int flag, const Statuses& status) noexcept;
void test_all(int flag, const Statuses& statuses) noexcept;
void test_any(int flag, int index, int base, const Statuses& status) noexcept;
void cancel(int count, Requests request) noexcept;
void request_free() noexcept;

// Collectives. With a request: nonblocking.
void barrier(MPI_Comm comm, Requests request = {}) noexcept;
void bcast(int count, MPI_Datatype type, int root, MPI_Comm comm, Requests request = {}) noexcept;
void gather(const void* sent, int send_count, MPI_Datatype send_type, int count, MPI_Datatype type, int root,
            MPI_Comm comm, Requests request = {}) noexcept;
void gatherv(const void* sent, int send_count, MPI_Datatype send_type, const int* counts, MPI_Datatype type,
             int root, MPI_Comm comm, Requests request = {}) noexcept;
void scatter(int send_count, MPI_Datatype send_type, const void* received, int count, MPI_Datatype type,
             int root, MPI_Comm comm, Requests request = {}) noexcept;
void scatterv(const int* send_counts, MPI_Datatype send_type, const void* received, int count,
              MPI_Datatype type, int root, MPI_Comm comm, Requests request = {}) noexcept;
void allgather(const void* sent, int send_count, MPI_Datatype send_type, int count, MPI_Datatype type,
               MPI_Comm comm, Requests request = {}) noexcept;
void allgatherv(const void* sent, int send_count, MPI_Datatype send_type, const int* counts, MPI_Datatype type,
                MPI_Comm comm, Requests request = {}) noexcept;
void alltoall(const void* sent, int send_count, MPI_Datatype send_type, int count, MPI_Datatype type,
              MPI_Comm comm, Requests request = {}) noexcept;
void alltoallv(const void* sent, const int* send_counts, MPI_Datatype send_type, const int* counts,
               MPI_Datatype type, MPI_Comm comm, Requests request = {}) noexcept;
void alltoallw(const void* sent, const int* send_counts, Datatypes send_types, const int* counts,
               Datatypes types, MPI_Comm comm, Requests request = {}) noexcept;
void reduce(int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm, Requests request = {}) noexcept;
void allreduce(int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, Requests request = {}) noexcept;
void scan(int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, Requests request = {}) noexcept;
void exscan(int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, Requests request = {}) noexcept;
void reduce_scatter(const int* counts, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                    Requests request = {}) noexcept;
void reduce_scatter_block(int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                          Requests request = {}) noexcept;
void neighbor_allgather(int count, MPI_Datatype type, MPI_Comm comm, Requests request = {}) noexcept;
void neighbor_allgatherv(int send_count, MPI_Datatype send_type, const int* counts, MPI_Datatype type,
                         MPI_Comm comm, Requests request = {}) noexcept;
void neighbor_alltoall(int count, MPI_Datatype type, MPI_Comm comm, Requests request = {}) noexcept;
void neighbor_alltoallv(const int* send_counts, MPI_Datatype send_type, const int* counts, MPI_Datatype type,
                        MPI_Comm comm, Requests request = {}) noexcept;
void neighbor_alltoallw(const int* send_counts, Datatypes send_types, const int* counts, Datatypes types,
                        MPI_Comm comm, Requests request = {}) noexcept;

// Communicators.
void comm_dup(MPI_Comm comm, MPI_Comm made) noexcept;
void comm_idup(MPI_Comm comm, Communicators made, Requests request) noexcept;
void comm_split(MPI_Comm comm, int colour, MPI_Comm made) noexcept;
void comm_create(MPI_Comm made) noexcept;  // in any other way
void comm_leaving(MPI_Comm comm) noexcept; // before
void comm_free() noexcept;

} // namespace orrery::trace::hooks
