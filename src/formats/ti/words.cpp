#include "formats/ti/words.h"

#include "engine/units.h"

#include <array>
#include <cstring>
#include <vector>

namespace orrery::ti {

namespace {

constexpr std::string_view to_usage = "<to> <tag> <count> [datatype]";
constexpr std::string_view from_usage = "<from> <tag> <count> [datatype]";
constexpr std::string_view wait_usage = "<from> <to> <tag>";
constexpr std::string_view between_neighbours = "<bytes to each destination> <bytes from each source>";

constexpr Word plain(std::string_view name, Verb verb, std::string_view usage, std::string_view older = {}) {
    return {name, verb, Collective::barrier, false, usage, older};
}
constexpr Word call(std::string_view name, Collective operation, std::string_view usage,
                    std::string_view older = {}) {
    return {name, Verb::collective, operation, name.front() == 'i', usage, older};
}
constexpr Word one_sided(std::string_view name) {
    return {name, Verb::one_sided, Collective::barrier, name.front() == 'i', "<target> <bytes> <bytes back>",
            {}};
}
constexpr Word window(WindowCall call, std::string_view usage) {
    return {name_of(call), Verb::window, Collective::barrier, false, usage, {}, call};
}
constexpr Word refused(std::string_view name) {
    return {name, Verb::unsupported, Collective::barrier, false, {}, {}};
}

// Each collective twice: blocking, and with an i before its name.
#define ORRERY_TI_BOTH(name, operation, usage, older)                                                          \
    call(name, Collective::operation, usage, older), call("i" name, Collective::operation, usage)

constexpr std::array action_words{
    plain("compute", Verb::compute, "<instructions>"),
    plain("sleep", Verb::sleep, "<seconds> [kind of pause] [at most, in picoseconds]"),
    plain("send", Verb::send, to_usage),
    plain("isend", Verb::isend, to_usage, "Isend"),
    plain("ssend", Verb::ssend, to_usage),
    plain("issend", Verb::issend, to_usage),
    plain("bsend", Verb::bsend, to_usage),
    plain("ibsend", Verb::isend, to_usage),
    plain("rsend", Verb::send, to_usage),
    plain("irsend", Verb::isend, to_usage),
    plain("start", Verb::start, "<to> <tag> <bytes> [datatype]"),
    plain("recv", Verb::recv, from_usage),
    plain("irecv", Verb::irecv, from_usage, "Irecv"),
    plain("sendrecv", Verb::sendrecv, "<send count> <to> <receive count> <from> [datatype [datatype]]"),
    plain("probe", Verb::probe, "<from> <tag>"),
    plain("iprobe", Verb::iprobe, "<from> <tag>"),
    plain("wait", Verb::wait, wait_usage),
    plain("waitall", Verb::wait_all, "[how many]", "waitAll"),
    plain("waitany", Verb::wait_any, "[how many]"),
    plain("waitsome", Verb::wait_some, "[how many]"),
    plain("await", Verb::await, "req=<request>[,<request>...]"),
    plain("test", Verb::test, wait_usage),
    plain("testany", Verb::test_set, ""),
    plain("testall", Verb::test_set, ""),
    plain("testsome", Verb::test_set, ""),
    ORRERY_TI_BOTH("barrier", barrier, "", ""),
    ORRERY_TI_BOTH("bcast", bcast, "<count> [root [datatype]]", ""),
    ORRERY_TI_BOTH("reduce", reduce, "<count> <instructions> [root [datatype]]", ""),
    ORRERY_TI_BOTH("allreduce", allreduce, "<count> <instructions> [datatype]", "allReduce"),
    ORRERY_TI_BOTH("alltoall", alltoall, "<send count> <receive count> [datatype [datatype]]", "allToAll"),
    ORRERY_TI_BOTH(
        "alltoallv", alltoallv,
        "<send size> <send count of each rank> <receive size> <receive count of each rank> [datatype "
        "[datatype]]",
        "allToAllV"),
    ORRERY_TI_BOTH(
        "alltoallw", alltoallw,
        "<send size> <send count of each rank> <receive size> <receive count of each rank> [datatype "
        "[datatype]]",
        ""),
    ORRERY_TI_BOTH("gather", gather, "<send count> <receive count> [root [datatype [datatype]]]", ""),
    ORRERY_TI_BOTH("gatherv", gatherv, "<send count> <receive count of each rank> [root [datatype [datatype]]]",
                   "gatherV"),
    ORRERY_TI_BOTH("scatter", scatter, "<send count> <receive count> [root [datatype [datatype]]]", ""),
    ORRERY_TI_BOTH("scatterv", scatterv,
                   "<send count of each rank> <receive count> [root [datatype [datatype]]]", "scatterV"),
    ORRERY_TI_BOTH("allgather", allgather, "<send count> <receive count> [datatype [datatype]]", "allGather"),
    ORRERY_TI_BOTH("allgatherv", allgatherv,
                   "<send count> <receive count of each rank> [datatype datatype] [displacement of each rank]",
                   "allGatherV"),
    ORRERY_TI_BOTH("reducescatter", reduce_scatter, "<receive count of each rank> <instructions> [datatype]",
                   "reduceScatter"),
    ORRERY_TI_BOTH("reducescatterblock", reduce_scatter_block, "<count> <instructions> [datatype]", ""),
    ORRERY_TI_BOTH("scan", scan, "<count> <instructions> [datatype]", ""),
    ORRERY_TI_BOTH("exscan", exscan, "<count> <instructions> [datatype]", ""),
    ORRERY_TI_BOTH("neighbor_allgather", neighbor_allgather, "<bytes>", ""),
    ORRERY_TI_BOTH("neighbor_alltoall", neighbor_alltoall, "<bytes>", ""),
    ORRERY_TI_BOTH("neighbor_allgatherv", neighbor_allgatherv, "<bytes> <bytes of each source>", ""),
    ORRERY_TI_BOTH("neighbor_alltoallv", neighbor_alltoallv, between_neighbours, ""),
    ORRERY_TI_BOTH("neighbor_alltoallw", neighbor_alltoallw, between_neighbours, ""),
    plain("comm_split", Verb::comm_split, "<new communicator> <colour> <key>"),
    plain("comm_dup", Verb::comm_dup, "<new communicator>"),
    plain("comm_create", Verb::comm_create, "<new communicator> <rank of each member>"),
    plain("comm_free", Verb::comm_free, "<communicator>"),
    plain("forget", Verb::forget, "req=<request>"),
    plain("neighbours", Verb::neighbours,
          "<how many sources> <rank of each source> <rank of each destination>"),
    one_sided("rma"),
    one_sided("irma"),
    window(WindowCall::fence, ""),
    window(WindowCall::lock, "<target> <flags>"),
    window(WindowCall::unlock, "<target>"),
    window(WindowCall::lock_all, "<flags>"),
    window(WindowCall::unlock_all, ""),
    window(WindowCall::flush, "<target>"),
    window(WindowCall::flush_all, ""),
    window(WindowCall::flush_local, "<target>"),
    window(WindowCall::flush_local_all, ""),
    window(WindowCall::start, "<flags> <rank of each target>"),
    window(WindowCall::complete, ""),
    window(WindowCall::post, "<flags> <rank of each origin>"),
    window(WindowCall::wait, ""),
    plain("cancel", Verb::cancel, "req=<request>"),
    plain("aside", Verb::aside, "<six numbers of each step>"),
    plain("init", Verb::init, "[1]"),
    plain("finalize", Verb::no_effect, ""),
    plain("location", Verb::no_effect, "<file> <line>"),
    plain("comm_size", Verb::no_effect, "[ranks]"),
    refused("startall"),
    refused("put"),
    refused("get"),
    refused("rput"),
    refused("rget"),
    refused("accumulate"),
    refused("raccumulate"),
    refused("get_accumulate"),
    refused("rget_accumulate"),
    refused("fetch_and_op"),
    refused("compare_and_swap"),
    refused("io"), // "IO - read"
    refused("migrate"),
};
#undef ORRERY_TI_BOTH

// Letters as small ones; what else a name may hold ('_', digits) stays distinct.
constexpr char folded(char c) { return static_cast<char>(c | 0x20); }

// Names differ in their first eight letters or in their length, up to a few that share a cell's neighbour.
std::uint32_t hash(const char* name, std::size_t length) {
    std::uint64_t letters = 0;
    if (length >= 8) {
        std::memcpy(&letters, name, 8);
    } else if (length >= 4) {
        std::uint32_t first = 0;
        std::uint32_t last = 0;
        std::memcpy(&first, name, 4);
        std::memcpy(&last, name + length - 4, 4);
        letters = first | std::uint64_t{last} << 32;
    } else {
        for (std::size_t i = 0; i < length; ++i) letters = letters << 8 | static_cast<unsigned char>(name[i]);
    }
    letters = (letters | 0x2020'2020'2020'2020u) + length;
    return static_cast<std::uint32_t>((letters * 0x9E37'79B9'7F4A'7C15u) >> 55); // 9 bits
}

constexpr std::uint32_t table_cells = 512; // as many as hash() tells apart
struct Table {
    std::array<std::uint8_t, table_cells> cells{}; // index into `action_words` plus one, or 0

    Table() {
        for (std::size_t i = 0; i < action_words.size(); ++i) {
            std::uint32_t at = hash(action_words[i].name.data(), action_words[i].name.size());
            while (cells[at] != 0) at = (at + 1) % table_cells;
            cells[at] = static_cast<std::uint8_t>(i + 1);
        }
    }
};
static_assert(action_words.size() < 255);
const Table table;

bool same_name(const Word& word, const char* name, std::size_t length) {
    if (word.name.size() != length) return false;
    for (std::size_t i = 0; i < length; ++i) {
        if (folded(name[i]) != folded(word.name[i])) return false;
    }
    return true;
}

} // namespace

const Word* find_word(const char* name, std::size_t length) {
    for (std::uint32_t at = hash(name, length); table.cells[at] != 0; at = (at + 1) % table_cells) {
        const Word& word = action_words[table.cells[at] - 1];
        if (same_name(word, name, length)) return &word;
    }
    return nullptr;
}

std::string nearest_name(std::string_view name) {
    std::vector<std::string_view> names;
    for (const Word& word : action_words) {
        if (word.verb != Verb::unsupported) names.push_back(word.name);
    }
    return nearest_word(name, names);
}

bool is_reduction(Collective operation) {
    switch (operation) {
    case Collective::reduce:
    case Collective::allreduce:
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_block:
    case Collective::scan:
    case Collective::exscan: return true;
    default: return false;
    }
}

std::string_view spelling(Collective operation, bool nonblocking) {
    for (const Word& word : action_words) {
        if (word.verb == Verb::collective && word.collective == operation && word.nonblocking == nonblocking)
            return word.name;
    }
    return {};
}

int datatype_bytes(std::int64_t number) {
    // DOUBLE INT CHAR SHORT LONG FLOAT BYTE LONG_LONG SIGNED_CHAR UCHAR / USHORT UNSIGNED ULONG ULONG_LONG
    // LONG_DOUBLE WCHAR C_BOOL INT8 INT16 INT32 / INT64 UINT8 UINT16 UINT32 UINT64 complex f d ld AINT OFFSET /
    // FLOAT_INT LONG_INT DOUBLE_INT SHORT_INT 2INT 2FLOAT 2DOUBLE 2LONG REAL REAL4 / REAL8 REAL16 COMPLEX8
    // COMPLEX16 COMPLEX32 INTEGER1 INTEGER2 INTEGER4 INTEGER8 INTEGER16 / LONG_DOUBLE_INT CXX bool cf cd cld UB
    // LB PACKED PTR COUNT. COMPLEX32 and INTEGER1 have the sizes that SimGrid gives them.
    static constexpr std::array<std::uint8_t, 60> sizes{
        8, 4,  1,  2, 8, 4, 1,  8,  1, 1, 2, 4,  8, 8,  16, 4, 1, 1, 2, 4,  8,  1, 2, 4,  8,  8, 16, 32, 8, 8,
        8, 16, 16, 8, 8, 8, 16, 16, 4, 4, 8, 16, 8, 16, 16, 4, 2, 4, 8, 16, 32, 1, 8, 16, 32, 0, 0,  1,  8, 8};
    if (number == -1) return 0;
    return number >= 0 && number < static_cast<std::int64_t>(sizes.size())
               ? sizes[static_cast<std::size_t>(number)]
               : -1;
}

} // namespace orrery::ti
