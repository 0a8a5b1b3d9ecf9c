#include "formats/allprof/collective_line.h"

#include "workload/op.h"

#include <fmt/format.h>

namespace orrery::allprof {

namespace {

constexpr std::string_view no_counts = "the trace holds the address of the counts, not the counts";

// MPI_IN_PLACE in C: 1 in Open MPI, -1 in MPICH.
bool in_place(const Line& line, std::size_t argument) {
    const std::uint64_t address = line.address(argument);
    return address == 1 || address == ~std::uint64_t{0};
}

// Reads the arguments of the calls with arrays of counts. Some versions of the tracer write an array as its
// address only, others add its elements as an argument of their own.
class VectorArguments {
  public:
    // `arrays`: how many of the call's `arguments` are arrays of counts or displacements.
    VectorArguments(const Line& line, std::size_t arguments, std::size_t arrays) : line_(line) {
        elements_ = line.arguments() == arguments + arrays;
        if (!elements_) line.expect_arguments(arguments);
    }
    [[nodiscard]] bool elements() const { return elements_; }
    // Where an argument stands that has so many arrays before it.
    [[nodiscard]] std::size_t at(std::size_t argument, std::size_t arrays_before) const {
        return argument + (elements_ ? arrays_before : 0);
    }
    void bytes(std::size_t argument, std::size_t arrays_before, std::size_t count, std::uint64_t size,
               std::vector<std::uint64_t>& out) const {
        const std::size_t where = at(argument, arrays_before) + 1;
        line_.counts(where, count, out);
        for (std::uint64_t& value : out) {
            if (size != 0 && value > max_op_size / size) {
                line_.fail(where, fmt::format("{} elements of {} bytes are too many", value, size));
            }
            value *= size;
        }
    }

  private:
    const Line& line_;
    bool elements_ = false;
};

} // namespace

std::size_t communicator_argument(const Line& line, const CallInfo& call) {
    const std::size_t behind = call.nonblocking ? 2 : 1;
    if (line.arguments() < behind) line.expect_arguments(behind);
    return line.arguments() - behind;
}

CollectiveFields read_collective(const Line& line, const CallInfo& call, const CommunicatorField& comm) {
    const std::size_t request = call.nonblocking ? 1 : 0;
    CollectiveFields fields;
    if (has_root(call.collective)) {
        const std::size_t at = communicator_argument(line, call);
        if (at == 0) line.expect_arguments(2);
        const std::int64_t root = line.integer(at - 1);
        if (root < 0 || root >= std::int64_t{comm.size}) {
            line.fail(at - 1, fmt::format("root {} in a communicator of {} ranks", root, comm.size));
        }
        fields.root = static_cast<std::uint32_t>(root);
    }
    const bool is_root = fields.root == comm.rank;

    switch (call.collective) {
    case Collective::barrier:
        line.expect_arguments(1 + request);
        fields.bytes = 1;
        break;
    case Collective::bcast:
        line.expect_arguments(5 + request);
        fields.bytes = line.bytes(1, 2);
        break;
    case Collective::reduce:
        line.expect_arguments(7 + request);
        fields.bytes = line.bytes(2, 3);
        break;
    case Collective::allreduce:
    case Collective::reduce_scatter_block:
    case Collective::scan:
    case Collective::exscan:
        line.expect_arguments(6 + request);
        fields.bytes = line.bytes(2, 3);
        break;
    case Collective::gather: // the root's send arguments may be MPI_IN_PLACE, the others' receive arguments
                             // rubbish
        line.expect_arguments(8 + request);
        fields.bytes = is_root ? line.bytes(4, 5) : line.bytes(1, 2);
        break;
    case Collective::scatter:
        line.expect_arguments(8 + request);
        fields.bytes = is_root ? line.bytes(1, 2) : line.bytes(4, 5);
        break;
    case Collective::allgather:
    case Collective::alltoall:
        line.expect_arguments(7 + request);
        if (!in_place(line, 0)) fields.bytes = line.bytes(1, 2);
        if (fields.bytes == 0) fields.bytes = line.bytes(4, 5); // in place, which Fortran does not show
        break;
    case Collective::gatherv: { // each member knows its own block; the root's is not sent
        const VectorArguments arguments(line, 9 + request, 2);
        fields.differ = true;
        if (!is_root) fields.bytes = line.bytes(1, 2);
        break;
    }
    case Collective::scatterv: {
        const VectorArguments arguments(line, 9 + request, 2);
        fields.differ = true;
        if (!is_root) fields.bytes = line.bytes(arguments.at(5, 2), arguments.at(6, 2));
        break;
    }
    case Collective::allgatherv: {
        const VectorArguments arguments(line, 8 + request, 2);
        fields.differ = true;
        if (arguments.elements()) {
            std::vector<std::uint64_t> blocks;
            arguments.bytes(4, 0, comm.size, line.datatype_size(arguments.at(6, 2)), blocks);
            fields.bytes = blocks[comm.rank];
        } else if (in_place(line, 0)) {
            fields.missing = "MPI_IN_PLACE, and the trace does not hold the counts";
        } else {
            fields.bytes = line.bytes(1, 2);
        }
        break;
    }
    case Collective::alltoallv: {
        const VectorArguments arguments(line, 9 + request, 4);
        fields.differ = true;
        if (!arguments.elements()) {
            fields.missing = no_counts;
            break;
        }
        arguments.bytes(5, 2, comm.size, line.datatype_size(arguments.at(7, 4)), fields.in);
        if (in_place(line, 0)) {
            fields.out = fields.in;
        } else {
            arguments.bytes(1, 0, comm.size, line.datatype_size(arguments.at(3, 2)), fields.out);
        }
        break;
    }
    case Collective::reduce_scatter: {
        const VectorArguments arguments(line, 6 + request, 1);
        fields.differ = true;
        if (!arguments.elements()) {
            fields.missing = no_counts;
            break;
        }
        arguments.bytes(2, 0, comm.size, line.datatype_size(arguments.at(3, 1)), fields.out);
        break;
    }
    default: break; // liballprof knows no others
    }
    return fields;
}

} // namespace orrery::allprof
