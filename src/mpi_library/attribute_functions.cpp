#include "mpi_library/attribute_functions.h"

#include "functions.h"
#include "mpi_library/datatype/life.h"
#include "mpi_library/errors.h"
#include "mpi_library/local_state.h"

namespace orrery::emulate::mpi {

namespace {

AttributeSet& attributes_of(Kind kind, int object) {
    switch (kind) {
    case Kind::comm: return attributes_of_comm(object);
    case Kind::win: return attributes_of_win(object);
    default: return attributes_of_type(object);
    }
}

const int* world_attribute(int keyval) {
    const WorldAttributes& world = local_state().world;
    switch (keyval) {
    case MPI_TAG_UB: return &world.tag_ub;
    case MPI_HOST: return &world.host;
    case MPI_IO: return &world.io;
    case MPI_WTIME_IS_GLOBAL: return &world.wtime_is_global;
    case MPI_UNIVERSE_SIZE: return &world.universe_size;
    case MPI_LASTUSEDCODE: return &world.last_used_code;
    case MPI_APPNUM: return &world.appnum;
    default: return nullptr;
    }
}

template <typename Function> void (*plain(Function* function))() {
    return reinterpret_cast<void (*)()>(function);
}

int create(Kind kind, void (*copy)(), void (*remove)(), int* keyval, void* extra_state) {
    const auto extra = static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(extra_state));
    *keyval = create_keyval({kind, AttributeLanguage::c, copy, remove, extra});
    return MPI_SUCCESS;
}

int release(Kind kind, int* keyval) {
    free_keyval(kind, *keyval);
    *keyval = MPI_KEYVAL_INVALID;
    return MPI_SUCCESS;
}

int set(Kind kind, int object, int keyval, void* value) {
    set_attribute(kind, object, keyval, AttributeLanguage::c, reinterpret_cast<std::intptr_t>(value));
    return MPI_SUCCESS;
}

int get(Kind kind, int object, int keyval, void* value, int* flag) {
    std::int64_t found = 0;
    *flag = get_attribute(kind, object, keyval, AttributeLanguage::c, found) ? 1 : 0;
    if (*flag != 0) *static_cast<void**>(value) = reinterpret_cast<void*>(static_cast<std::intptr_t>(found));
    return MPI_SUCCESS;
}

int remove(Kind kind, int object, int keyval) {
    attributes_of(kind, object).remove(kind, object, keyval);
    return MPI_SUCCESS;
}

} // namespace

void set_attribute(Kind kind, int object, int keyval, AttributeLanguage language, std::int64_t value) {
    attributes_of(kind, object).set(kind, object, keyval, language, value);
}

bool get_attribute(Kind kind, int object, int keyval, AttributeLanguage language, std::int64_t& value) {
    const AttributeSet& attributes = attributes_of(kind, object);
    const int* world = kind == Kind::comm ? world_attribute(keyval) : nullptr;
    if (world == nullptr) return attributes.get(kind, keyval, language, value);
    value = language == AttributeLanguage::c ? reinterpret_cast<std::intptr_t>(world) : *world;
    return true;
}

int Comm_create_keyval(MPI_Comm_copy_attr_function* copy, MPI_Comm_delete_attr_function* remove_function,
                       int* keyval, void* extra_state) {
    return create(Kind::comm, plain(copy), plain(remove_function), keyval, extra_state);
}
int Comm_free_keyval(int* keyval) { return release(Kind::comm, keyval); }
int Comm_set_attr(MPI_Comm comm, int keyval, void* value) { return set(Kind::comm, comm, keyval, value); }
int Comm_get_attr(MPI_Comm comm, int keyval, void* value, int* flag) {
    return get(Kind::comm, comm, keyval, value, flag);
}
int Comm_delete_attr(MPI_Comm comm, int keyval) { return remove(Kind::comm, comm, keyval); }

int Type_create_keyval(MPI_Type_copy_attr_function* copy, MPI_Type_delete_attr_function* remove_function,
                       int* keyval, void* extra_state) {
    return create(Kind::datatype, plain(copy), plain(remove_function), keyval, extra_state);
}
int Type_free_keyval(int* keyval) { return release(Kind::datatype, keyval); }
int Type_set_attr(MPI_Datatype type, int keyval, void* value) {
    return set(Kind::datatype, type, keyval, value);
}
int Type_get_attr(MPI_Datatype type, int keyval, void* value, int* flag) {
    return get(Kind::datatype, type, keyval, value, flag);
}
int Type_delete_attr(MPI_Datatype type, int keyval) { return remove(Kind::datatype, type, keyval); }

int Win_create_keyval(MPI_Win_copy_attr_function* copy, MPI_Win_delete_attr_function* remove_function,
                      int* keyval, void* extra_state) {
    return create(Kind::win, plain(copy), plain(remove_function), keyval, extra_state);
}
int Win_free_keyval(int* keyval) { return release(Kind::win, keyval); }
int Win_set_attr(MPI_Win win, int keyval, void* value) { return set(Kind::win, win, keyval, value); }
int Win_get_attr(MPI_Win win, int keyval, void* value, int* flag) {
    return get(Kind::win, win, keyval, value, flag);
}
int Win_delete_attr(MPI_Win win, int keyval) { return remove(Kind::win, win, keyval); }

// MPI-1.
int Keyval_create(MPI_Copy_function* copy, MPI_Delete_function* remove_function, int* keyval,
                  void* extra_state) {
    return create(Kind::comm, plain(copy), plain(remove_function), keyval, extra_state);
}
int Keyval_free(int* keyval) { return release(Kind::comm, keyval); }
int Attr_put(MPI_Comm comm, int keyval, void* value) { return set(Kind::comm, comm, keyval, value); }
int Attr_get(MPI_Comm comm, int keyval, void* value, int* flag) {
    return get(Kind::comm, comm, keyval, value, flag);
}
int Attr_delete(MPI_Comm comm, int keyval) { return remove(Kind::comm, comm, keyval); }

} // namespace orrery::emulate::mpi
