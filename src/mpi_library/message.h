// Checks of the arguments of messages, and their way into the engine.
#pragma once

#include "mpi_library/comm.h"
#include "mpi_library/request.h"

namespace orrery::emulate::mpi {

using Mode = MessageArguments::Mode;

// Checks everything that MPI lets an application get wrong; throws Failure. A wildcard is right for receives
// only.
MessageArguments checked(Mode mode, const void* buffer, int count, MPI_Datatype type, int peer, int tag,
                         MPI_Comm comm);

// What the engine is told; the number of the payload, where there is one, goes into `line`.
Messenger::Message envelope(const MessageArguments& arguments, Bytes bytes);
std::uint32_t add_payload(const MessageArguments& arguments);

// Starts it on the engine; no_request if there is nobody to send to. A buffered one is to be forgotten by the
// caller.
RequestId start(const MessageArguments& arguments, std::uint32_t& payload);

// Of a receive that is complete: into `status` unless it is ignored. The payload is gone then. Returns
// MPI_SUCCESS or MPI_ERR_TRUNCATE.
int finish_receive(const Comm& comm, std::uint32_t payload, MPI_Status* status);
[[noreturn]] void truncated(const Comm& comm, std::uint32_t sent_to);
// The error of a status is left alone: only calls that complete several requests set it.
void set_nobody(MPI_Status* status); // what a receive from MPI_PROC_NULL gives

// Charges what a test or probe costs. Returns when it began, for log_test where the trace has no action that
// costs the same.
Time pay_test();
// After an unsuccessful test or probe: simulated time advances a little, so that a program that tests in a loop
// succeeds at some time.
enum class TestsFor : std::uint8_t { requests, message };
// `place`, of a probe for a message: what Context::fingerprint() says in the function that was called.
void test_failed(TestsFor what = TestsFor::requests, std::uint64_t place = 0);
void test_succeeded(); // or probe

} // namespace orrery::emulate::mpi
