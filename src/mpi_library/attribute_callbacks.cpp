#include "mpi_library/attribute_callbacks.h"

#include "mpi_library/errors.h"
#include "orrery/mpi/mpi.h"

#include <string>

namespace orrery::emulate::mpi {

namespace {

// Communicators and windows have error handlers of their own.
void check(int code, const char* which, int object) {
    if (code == MPI_SUCCESS) return;
    const bool own = is_kind(object, Kind::comm) || is_kind(object, Kind::win);
    throw Failure(code, "the " + std::string(which) + " function of an attribute returned an error",
                  own ? object : 0);
}

void* as_pointer(std::int64_t value) { return reinterpret_cast<void*>(static_cast<std::intptr_t>(value)); }

// In Fortran everything is passed by address; T is the type of values and of the extra state.
template <typename T> using FortranCopy = void(int*, int*, T* extra, T* in, T* out, int* flag, int* error);
template <typename T> using FortranRemove = void(int*, int*, T* value, T* extra, int* error);

template <typename T> bool fortran_copy(const Keyval& keyval, int object, int number, std::int64_t& value) {
    T extra = static_cast<T>(keyval.extra_state);
    T in = static_cast<T>(value);
    T out = in;
    int flag = 0, error = MPI_SUCCESS;
    reinterpret_cast<FortranCopy<T>*>(keyval.copy)(&object, &number, &extra, &in, &out, &flag, &error);
    check(error, "copy", object);
    value = out;
    return flag != 0;
}

template <typename T> void fortran_remove(const Keyval& keyval, int object, int number, std::int64_t value) {
    T extra = static_cast<T>(keyval.extra_state);
    T in = static_cast<T>(value);
    int error = MPI_SUCCESS;
    reinterpret_cast<FortranRemove<T>*>(keyval.remove)(&object, &number, &in, &extra, &error);
    check(error, "delete", object);
}

} // namespace

bool call_copy(const Keyval& keyval, int object, int number, std::int64_t& value) {
    if (keyval.copy == nullptr) return false;
    if (keyval.language == AttributeLanguage::fortran_integer) {
        return fortran_copy<MPI_Fint>(keyval, object, number, value);
    }
    if (keyval.language == AttributeLanguage::fortran_address) {
        return fortran_copy<MPI_Aint>(keyval, object, number, value);
    }
    void* copied = nullptr;
    int flag = 0;
    auto* function = reinterpret_cast<MPI_Comm_copy_attr_function*>(keyval.copy); // all handles are integers
    check(function(object, number, as_pointer(keyval.extra_state), as_pointer(value),
                   static_cast<void*>(&copied), &flag),
          "copy", object);
    value = reinterpret_cast<std::intptr_t>(copied);
    return flag != 0;
}

void call_remove(const Keyval& keyval, int object, int number, std::int64_t value) {
    if (keyval.remove == nullptr) return;
    if (keyval.language == AttributeLanguage::fortran_integer) {
        return fortran_remove<MPI_Fint>(keyval, object, number, value);
    }
    if (keyval.language == AttributeLanguage::fortran_address) {
        return fortran_remove<MPI_Aint>(keyval, object, number, value);
    }
    auto* function = reinterpret_cast<MPI_Comm_delete_attr_function*>(keyval.remove);
    check(function(object, number, as_pointer(value), as_pointer(keyval.extra_state)), "delete", object);
}

} // namespace orrery::emulate::mpi
