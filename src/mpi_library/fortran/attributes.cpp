// Attributes in Fortran: values are integers of the size of an address (of default size in the functions of
// MPI-1), and the copy and delete functions are subroutines that get everything by address.
#include "mpi_library/attribute_functions.h"
#include "mpi_library/call.h"
#include "mpi_library/fortran/entry.h"

using namespace orrery::emulate::mpi;

namespace {

// As the entry points of C do.
template <typename Body> int in_call(FunctionId function, Body body) {
    Call call(function);
    try {
        body();
        return call.leave(MPI_SUCCESS);
    } catch (const Failure& failure) {
        return call.fail(failure);
    } catch (...) {
        call.broken();
    }
}

template <typename Value>
constexpr AttributeLanguage language = sizeof(Value) == sizeof(MPI_Fint) ? AttributeLanguage::fortran_integer
                                                                         : AttributeLanguage::fortran_address;

template <typename Value>
int create(FunctionId function, Kind kind, void (*copy)(), void (*remove)(), int* keyval, Value extra_state) {
    return in_call(function, [&] {
        *keyval = create_keyval({kind, language<Value>, copy, remove, extra_state});
    });
}

template <typename Value>
int get(FunctionId function, Kind kind, int object, int keyval, Value* value, MPI_Fint* flag) {
    return in_call(function, [&] {
        std::int64_t found = 0;
        *flag = get_attribute(kind, object, keyval, language<Value>, found) ? 1 : 0;
        if (*flag != 0) *value = static_cast<Value>(found);
    });
}

template <typename Value> int set(FunctionId function, Kind kind, int object, int keyval, Value value) {
    return in_call(function, [&] { set_attribute(kind, object, keyval, language<Value>, value); });
}

} // namespace

#define ORRERY_ATTRIBUTES(id, kind, Address, create_name, get_name, set_name)                                  \
    ORRERY_FORTRAN(                                                                                            \
        void, create_name,                                                                                     \
        (void (*copy)(), void (*remove)(), MPI_Fint* keyval, Address extra_state, MPI_Fint* ierror)) {         \
        ORRERY_OPTIONAL(ierror);                                                                               \
        *ierror = create(FunctionId::id##_create_keyval, Kind::kind, copy, remove, keyval, *extra_state);      \
    }                                                                                                          \
    ORRERY_FORTRAN(                                                                                            \
        void, get_name,                                                                                        \
        (MPI_Fint * object, MPI_Fint * keyval, Address value, MPI_Fint * flag, MPI_Fint * ierror)) {           \
        ORRERY_OPTIONAL(ierror);                                                                               \
        *ierror = get(FunctionId::id##_get_attr, Kind::kind, *object, *keyval, value, flag);                   \
    }                                                                                                          \
    ORRERY_FORTRAN(void, set_name, (MPI_Fint * object, MPI_Fint * keyval, Address value, MPI_Fint * ierror)) { \
        ORRERY_OPTIONAL(ierror);                                                                               \
        *ierror = set(FunctionId::id##_set_attr, Kind::kind, *object, *keyval, *value);                        \
    }

ORRERY_ATTRIBUTES(Comm, comm, MPI_Aint*, comm_create_keyval, comm_get_attr, comm_set_attr)
ORRERY_ATTRIBUTES(Type, datatype, MPI_Aint*, type_create_keyval, type_get_attr, type_set_attr)
ORRERY_ATTRIBUTES(Win, win, MPI_Aint*, win_create_keyval, win_get_attr, win_set_attr)
ORRERY_ATTRIBUTES(Comm, comm, MPI_Fint*, keyval_create, attr_get, attr_put) // MPI-1
