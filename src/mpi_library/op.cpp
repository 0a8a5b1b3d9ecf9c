#include "mpi_library/op.h"

#include "functions.h"
#include "mpi_library/datatype/transfer.h"
#include "mpi_library/predefined.h"

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

namespace orrery::emulate::mpi {

namespace {

Handles<Op>& own_ops() {
    static auto& all = *new Handles<Op>(Kind::op);
    return all;
}

using Predefined = std::array<const Op*, 15>;

Predefined make_predefined() {
    Predefined made{};
#define ORRERY_MAKE(name, number)                                                                              \
    static_assert((name) == handle_of(Kind::op, number));                                                      \
    made[number] = new Op(&kernels_of(number), name);
    ORRERY_MPI_OPS(ORRERY_MAKE)
#undef ORRERY_MAKE
    return made;
}

// Elements of any layout, unpacked from the packed form so that the functions can work on them.
class Unpacked {
  public:
    // Functions may write whole structs, with the gaps at their ends: room up to the bounds, and for the data.
    Unpacked(const Datatype& type, std::int64_t room)
        : type_(type),
          lowest_(std::min(type.lb(), type.true_lb()) + std::min<std::int64_t>(0, (room - 1) * type.extent())) {
        const std::int64_t end = std::max(type.lb() + type.extent(), type.true_lb() + type.true_extent());
        bytes_.resize(
            static_cast<std::size_t>(end + std::max<std::int64_t>(0, (room - 1) * type.extent()) - lowest_));
    }

    // Where offset 0 of the first element is, which may lie outside the memory.
    void* base() { return reinterpret_cast<void*>(reinterpret_cast<std::intptr_t>(bytes_.data()) - lowest_); }
    void load(const std::byte* packed, std::int64_t count) {
        unpack(type_, base(), count, 0, type_.size() * static_cast<Bytes>(count), packed);
    }
    void store(std::byte* packed, std::int64_t count) {
        pack(type_, base(), count, 0, type_.size() * static_cast<Bytes>(count), packed);
    }

  private:
    const Datatype& type_;
    std::int64_t lowest_;
    std::vector<std::byte> bytes_;
};

constexpr std::int64_t at_a_time = 1024; // elements of a layout with gaps

void reduce_in_pieces(const Op& op, const Datatype& type, MPI_Datatype handle, const std::byte* in,
                      std::byte* inout, std::int64_t count, bool in_first) {
    const std::int64_t room = std::min(count, at_a_time);
    Unpacked left(type, room), right(type, room);
    for (std::int64_t done = 0; done < count; done += room) {
        const std::int64_t now = std::min(room, count - done);
        const Bytes at = type.size() * static_cast<Bytes>(done);
        left.load((in_first ? in : inout) + at, now);
        right.load((in_first ? inout : in) + at, now);
        op.apply(left.base(), right.base(), static_cast<int>(now), handle);
        right.store(inout + at, now);
    }
}

} // namespace

const char* op_name(std::uint32_t index) {
#define ORRERY_NAME(name, number)                                                                              \
    if (index == (number)) return #name;
    ORRERY_MPI_OPS(ORRERY_NAME)
#undef ORRERY_NAME
    return "an operation";
}

const Op& op(MPI_Op handle) {
    static const Predefined predefined = make_predefined();
    const std::uint32_t index = index_of(handle);
    if (is_kind(handle, Kind::op) && index > 0 && index < predefined.size()) return *predefined[index];
    if (const Op* found = own_ops().find(handle); found != nullptr) return *found;
    throw Failure(MPI_ERR_OP,
                  handle == MPI_OP_NULL ? "the operation is MPI_OP_NULL" : "there is no such operation");
}

void Op::check(const Datatype& type) const {
    if (kernels_ == nullptr || (*kernels_)[index_of(type.basic())] != nullptr) return;
    const std::string what = type.basic() == MPI_DATATYPE_NULL
                                 ? "a datatype that the application made"
                                 : detail::predefined_types[index_of(type.basic())]->name;
    throw Failure(MPI_ERR_OP, "the operation is not defined on " + what);
}

void Op::apply(const void* in, void* inout, int count, MPI_Datatype type) const {
    if (kernels_ == nullptr) return function_(const_cast<void*>(in), inout, &count, &type);
    const Datatype& of = datatype(type);
    check(of);
    (*kernels_)[index_of(of.basic())](static_cast<const std::byte*>(in), static_cast<std::byte*>(inout), count);
}

void reduce_packed(const Op& op, MPI_Datatype handle, const std::byte* in, std::byte* inout, Bytes bytes,
                   bool in_first) {
    const Datatype& type = datatype(handle);
    if (bytes == 0) return;
    const auto count = static_cast<std::int64_t>(bytes / type.size());
    // Kernels do not mind where numbers lie; a function of the application gets what it could have allocated.
    const bool as_it_is =
        type.dense() && (op.predefined() || count < (std::int64_t{1} << 31)) && (op.commutative() || in_first);
    if (!as_it_is) return reduce_in_pieces(op, type, handle, in, inout, count, in_first || op.commutative());
    constexpr std::int64_t most = 1 << 30;
    for (std::int64_t done = 0; done < count; done += most) {
        const Bytes at = type.size() * static_cast<Bytes>(done);
        op.apply(in + at, inout + at, static_cast<int>(std::min(most, count - done)), handle);
    }
}

int Op_create(MPI_User_function* function, int commute, MPI_Op* new_op) {
    if (function == nullptr) throw Failure(MPI_ERR_ARG, "the function of the operation is a null pointer");
    *new_op = open_handle(own_ops(), *new Op(function, commute != 0));
    return MPI_SUCCESS;
}

int Op_free(MPI_Op* handle) {
    if (op(*handle).predefined()) throw Failure(MPI_ERR_OP, "a predefined operation cannot be freed");
    close_handle(own_ops(), *handle);
    *handle = MPI_OP_NULL;
    return MPI_SUCCESS;
}

int Op_commutative(MPI_Op handle, int* commute) {
    *commute = op(handle).commutative() ? 1 : 0;
    return MPI_SUCCESS;
}

} // namespace orrery::emulate::mpi
