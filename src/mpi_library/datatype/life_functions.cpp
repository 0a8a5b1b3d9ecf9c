// Committing, copying, naming and freeing datatypes, and their attributes.
#include "functions.h"
#include "mpi_library/datatype/life.h"
#include "mpi_library/local_state.h"

#include <algorithm>
#include <cstring>
#include <memory>

namespace orrery::emulate::mpi {

AttributeSet& attributes_of_type(MPI_Datatype handle) {
    Datatype& type = datatype_to_change(handle);
    return type.predefined() ? local_state().type_attributes[handle] : type.attributes;
}

int Type_commit(MPI_Datatype* handle) {
    datatype_to_change(*handle).commit();
    return MPI_SUCCESS;
}

int Type_dup(MPI_Datatype oldtype, MPI_Datatype* newtype) {
    *newtype = MPI_DATATYPE_NULL; // for the case that copying an attribute fails
    const Datatype& old = datatype(oldtype);
    auto copy =
        std::make_unique<Datatype>(old.shape(), Recipe{MPI_COMBINER_DUP, {}, {}, {TypeRef(old)}}, old.basic());
    if (old.committed()) copy->commit();
    copy->attributes.copy_from(attributes_of_type(oldtype), oldtype);
    *newtype = open_handle(own_types(), *copy.release());
    return MPI_SUCCESS;
}

int Type_free(MPI_Datatype* handle) {
    Datatype& type = datatype_to_change(*handle);
    if (type.predefined()) throw Failure(MPI_ERR_TYPE, "a predefined datatype cannot be freed");
    const TypeRef keep(type); // the functions of attributes may look at it
    if (last_reference(type)) type.attributes.remove_all(*handle);
    close_handle(own_types(), *handle);
    *handle = MPI_DATATYPE_NULL;
    return MPI_SUCCESS;
}

int Type_set_name(MPI_Datatype handle, const char* type_name) {
    Datatype& type = datatype_to_change(handle);
    const std::size_t length = std::min<std::size_t>(std::strlen(type_name), MPI_MAX_OBJECT_NAME - 1);
    (type.predefined() ? local_state().type_names[handle] : type.name).assign(type_name, length);
    return MPI_SUCCESS;
}

int Type_get_name(MPI_Datatype handle, char* type_name, int* resultlen) {
    const Datatype& type = datatype(handle);
    const auto& given = local_state().type_names;
    const auto own = given.find(handle);
    const std::string& name = own == given.end() ? type.name : own->second;
    std::strcpy(type_name, name.c_str());
    *resultlen = static_cast<int>(name.size());
    return MPI_SUCCESS;
}

} // namespace orrery::emulate::mpi
