#include "mpi_library/datatype/elements.h"

#include "functions.h"
#include "mpi_library/datatype/checks.h"

#include <algorithm>
#include <climits>

namespace orrery::emulate::mpi {

std::int64_t elements_in(const Datatype& type, Bytes bytes) {
    if (type.size() == 0) return 0;
    auto count = static_cast<std::int64_t>(bytes / type.size()) * type.elements();
    bytes %= type.size();
    for (const Datatype::Part& part : type.shape().parts) {
        if (bytes == 0) break;
        const Bytes here = std::min(bytes, part.type->size() * static_cast<Bytes>(part.count));
        count += elements_in(*part.type, here);
        bytes -= here;
    }
    return count;
}

Bytes bytes_of_elements(const Datatype& type, std::int64_t elements) {
    if (type.elements() == 0) return 0;
    Bytes bytes = type.size() * static_cast<Bytes>(elements / type.elements());
    elements %= type.elements();
    for (const Datatype::Part& part : type.shape().parts) {
        if (elements == 0) break;
        const std::int64_t here = std::min(elements, part.type->elements() * part.count);
        bytes += bytes_of_elements(*part.type, here);
        elements -= here;
    }
    return bytes;
}

namespace {

// MPI_UNDEFINED if the data end within an element.
std::int64_t whole_elements(const MPI_Status& status, const Datatype& type) {
    const auto bytes = static_cast<Bytes>(status.bytes_);
    const std::int64_t elements = elements_in(type, bytes);
    return bytes_of_elements(type, elements) == bytes ? elements : MPI_UNDEFINED;
}

int as_int(std::int64_t count) { return count > INT_MAX ? MPI_UNDEFINED : static_cast<int>(count); }

} // namespace

int Get_count(const MPI_Status* status, MPI_Datatype handle, int* count) {
    const Bytes size = datatype(handle).size();
    const auto bytes = static_cast<Bytes>(status->bytes_);
    if (size == 0) {
        *count = bytes == 0 ? 0 : MPI_UNDEFINED;
    } else {
        *count = bytes % size != 0 ? MPI_UNDEFINED : as_int(static_cast<std::int64_t>(bytes / size));
    }
    return MPI_SUCCESS;
}

int Get_elements(const MPI_Status* status, MPI_Datatype handle, int* count) {
    *count = as_int(whole_elements(*status, datatype(handle)));
    return MPI_SUCCESS;
}

int Get_elements_x(const MPI_Status* status, MPI_Datatype handle, MPI_Count* count) {
    *count = whole_elements(*status, datatype(handle));
    return MPI_SUCCESS;
}

int Status_set_elements_x(MPI_Status* status, MPI_Datatype handle, MPI_Count count) {
    check_count(count);
    status->bytes_ = static_cast<MPI_Count>(bytes_of_elements(datatype(handle), count));
    return MPI_SUCCESS;
}

int Status_set_elements(MPI_Status* status, MPI_Datatype handle, int count) {
    return Status_set_elements_x(status, handle, count);
}

int Status_set_cancelled(MPI_Status* status, int flag) {
    status->cancelled_ = flag != 0 ? 1 : 0;
    return MPI_SUCCESS;
}

} // namespace orrery::emulate::mpi
