// The bytes that are under way between ranks at this moment, for the words of a fault: whose buffer it was, in
// which call, and who is at the other end.
//
// Bytes are moved when a message arrives, often while no rank or another one runs. So what moves them says
// here for whom. Costs two stores per message.
#pragma once

#include "emulate/program/faults.h"

#include <optional>

namespace orrery::emulate {

struct Payload;
class CollectiveData;
namespace mpi {
struct Operation;
}

struct Delivery {
    const Payload* from = nullptr;             // a message: what is read
    const Payload* to = nullptr;               // and written; null: a copy that the emulator keeps
    const CollectiveData* within = nullptr;    // a step of a collective within one rank
    const mpi::Operation* one_sided = nullptr; // a put, get or accumulate
};
extern Delivery delivery;

// About `delivery`, for explain_faults(); none: nothing is under way.
std::optional<FaultWords> delivery_words(const void* address, bool writes);

} // namespace orrery::emulate
