// The words of time-independent traces: names of actions in every spelling, and numbers of datatypes.
#pragma once

#include "collectives/call.h"
#include "workload/window_call.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace orrery::ti {

enum class Verb : std::uint8_t {
    compute,
    sleep,
    send,
    bsend,
    ssend,
    isend,
    issend,
    start, // of a persistent request
    recv,
    irecv,
    sendrecv,
    probe,
    iprobe,
    wait,
    wait_all,
    wait_any,
    wait_some,
    await,
    test,
    test_set, // testany, testsome, testall: the tracer writes no request
    collective,
    comm_split,
    comm_dup,
    comm_create,
    comm_free,
    forget,
    neighbours,
    one_sided,
    window,
    cancel,
    aside,
    init,
    no_effect,  // finalize, location, comm_size
    unsupported // files, one-sided operations as SimGrid names them
};

struct Word {
    std::string_view name; // as the current grammar spells it
    Verb verb = Verb::unsupported;
    Collective collective = Collective::barrier;
    bool nonblocking = false;
    std::string_view usage; // what follows the name
    std::string_view older; // how the older grammar spells it, if it does so differently
    WindowCall window = WindowCall::fence;
};

// The word of that name in any mixture of capitals, or null.
const Word* find_word(const char* name, std::size_t length);
// The known name most like it, or empty.
std::string nearest_name(std::string_view name);
// Whether it computes with the data of its ranks: it has instructions, and elements that are not divided.
bool is_reduction(Collective operation);
// How the current grammar spells a collective operation; empty if it cannot.
std::string_view spelling(Collective operation, bool nonblocking);

// Bytes of a datatype by its number in SimGrid's table; -1 if there is no such number. The null datatype (-1)
// has 0.
int datatype_bytes(std::int64_t number);
inline constexpr int datatype_byte = 6; // MPI_BYTE

// Ranks and tags that are no ranks and tags.
inline constexpr std::int64_t text_any_source = -555;
inline constexpr std::int64_t text_any_tag = -444;
inline constexpr std::int64_t text_undefined =
    -333; // what SimGrid's tracer writes for a rank that it cannot name
inline constexpr std::int64_t text_null_rank = -666;

} // namespace orrery::ti
