// Views and file pointers.
#include "emulate/rank.h"
#include "functions.h"
#include "mpi_library/datatype/external.h"
#include "mpi_library/io/file.h"

#include <cstring>
#include <fmt/format.h>
#include <set>
#include <utility>

namespace orrery::emulate::mpi {

namespace {

// Names that ranks have registered, for data that are stored as they are in memory.
std::set<std::pair<std::uint32_t, std::string>>& representations() {
    static auto& all = *new std::set<std::pair<std::uint32_t, std::string>>;
    return all;
}

bool is_known(const std::string& name) {
    return name == "native" || name == "internal" || name == "external32";
}

void set_representation(View& view, const char* name) {
    view.representation = name == nullptr ? "" : name;
    if (!is_known(view.representation) && !representations().contains({self().index, view.representation}))
        throw Failure(MPI_ERR_UNSUPPORTED_DATAREP,
                      "there is no data representation '" + view.representation + "'");
    view.external = view.representation == "external32";
    const bool same = external_size(*view.etype) == view.etype->size() &&
                      external_size(*view.filetype) == view.filetype->size();
    if (view.external && !same)
        throw Failure(MPI_ERR_UNSUPPORTED_DATAREP,
                      "external32 is for views of types that are as long there as in memory");
}

void check_types(const View& view, bool overlaps_allowed) {
    const Datatype& etype = *view.etype;
    const Datatype& filetype = *view.filetype;
    if (etype.size() == 0 || filetype.size() % etype.size() != 0)
        throw Failure(MPI_ERR_ARG, "the filetype does not consist of etypes");
    if (!is_ascending(etype, overlaps_allowed) || !is_ascending(filetype, overlaps_allowed))
        throw Failure(MPI_ERR_IO,
                      "displacements in etypes and filetypes must not be negative, go back or overlap");
}

MPI_Offset sought(const File& file, MPI_Offset present, MPI_Offset offset, int whence) {
    MPI_Offset from = 0;
    switch (whence) {
    case MPI_SEEK_SET: break;
    case MPI_SEEK_CUR: from = present; break;
    case MPI_SEEK_END: from = file.view.etypes_in(file_size(*file.all)); break;
    default: throw Failure(MPI_ERR_ARG, fmt::format("whence is {}", whence));
    }
    if (from + offset < 0) throw Failure(MPI_ERR_ARG, "the position lies before the beginning of the view");
    return from + offset;
}

void check_not_sequential(const File& file) {
    if ((file.amode & MPI_MODE_SEQUENTIAL) != 0)
        throw Failure(MPI_ERR_UNSUPPORTED_OPERATION, "a sequential file has no positions");
}

// Of a type that the application made: one more handle, which it frees.
MPI_Datatype handle_for(const Datatype& type) {
    return type.predefined() ? type.handle() : open_handle(own_types(), type);
}

} // namespace

int File_set_view(MPI_File handle, MPI_Offset displacement, MPI_Datatype etype, MPI_Datatype filetype,
                  const char* representation, MPI_Info given) {
    return on_file(handle, [&](File& file) {
        View view;
        view.displacement = displacement;
        const bool sequential = (file.amode & MPI_MODE_SEQUENTIAL) != 0;
        if (displacement == MPI_DISPLACEMENT_CURRENT && sequential) {
            view.displacement = file.view.byte_offset(file.view.stream_offset(file.all->shared));
        } else if (displacement < 0) {
            throw Failure(MPI_ERR_ARG, fmt::format("the displacement is {}", displacement));
        }
        view.etype = TypeRef(committed_datatype(etype));
        view.filetype = TypeRef(committed_datatype(filetype));
        check_types(view, (file.amode & MPI_MODE_RDONLY) != 0);
        set_representation(view, representation);
        if (given != MPI_INFO_NULL) file.info = info(given);
        (void)file.once([](OpenFile& all) {
            all.shared = 0;
            return MPI_SUCCESS;
        });
        file.view = std::move(view);
        file.position = 0;
    });
}

int File_get_view(MPI_File handle, MPI_Offset* displacement, MPI_Datatype* etype, MPI_Datatype* filetype,
                  char* representation) {
    return on_file(handle, [&](File& file) {
        *displacement = file.view.displacement;
        *etype = handle_for(*file.view.etype);
        *filetype = handle_for(*file.view.filetype);
        std::strcpy(representation, file.view.representation.c_str());
    });
}

int File_seek(MPI_File handle, MPI_Offset offset, int whence) {
    return on_file(handle, [&](File& file) {
        check_not_sequential(file);
        file.position = sought(file, file.position, offset, whence);
    });
}

int File_seek_shared(MPI_File handle, MPI_Offset offset, int whence) {
    return on_file(handle, [&](File& file) {
        check_not_sequential(file);
        MPI_Offset found = 0;
        const int error = file.once([&](OpenFile& all) {
            try {
                all.shared = found = sought(file, all.shared, offset, whence);
            } catch (const Failure& failure) {
                return failure.code();
            }
            return MPI_SUCCESS;
        });
        check_error(error, "moving the shared file pointer");
    });
}

int File_get_position(MPI_File handle, MPI_Offset* offset) {
    return on_file(handle, [&](File& file) {
        check_not_sequential(file);
        *offset = file.position;
    });
}

int File_get_position_shared(MPI_File handle, MPI_Offset* offset) {
    return on_file(handle, [&](File& file) {
        check_not_sequential(file);
        *offset = file.all->shared;
    });
}

int File_get_byte_offset(MPI_File handle, MPI_Offset offset, MPI_Offset* displacement) {
    return on_file(handle, [&](File& file) {
        check_not_sequential(file);
        if (offset < 0) throw Failure(MPI_ERR_ARG, fmt::format("the offset is {}", offset));
        *displacement = file.view.byte_offset(file.view.stream_offset(offset));
    });
}

int File_get_type_extent(MPI_File handle, MPI_Datatype type, MPI_Aint* extent) {
    return on_file(handle, [&](File& file) { *extent = file.view.extent_of(datatype(type)); });
}

int Register_datarep(const char* name, MPI_Datarep_conversion_function* read_function,
                     MPI_Datarep_conversion_function* write_function, MPI_Datarep_extent_function*, void*) {
    if (name == nullptr || *name == '\0' || std::strlen(name) > MPI_MAX_DATAREP_STRING)
        throw Failure(MPI_ERR_ARG, "the name of the data representation is empty or too long", MPI_FILE_NULL);
    if (is_known(name) || representations().contains({self().index, name}))
        throw Failure(MPI_ERR_DUP_DATAREP, fmt::format("'{}' is known already", name), MPI_FILE_NULL);
    if (read_function != MPI_CONVERSION_FN_NULL || write_function != MPI_CONVERSION_FN_NULL)
        throw Failure(MPI_ERR_UNSUPPORTED_DATAREP, "functions that convert data are not supported",
                      MPI_FILE_NULL);
    representations().emplace(self().index, name);
    return MPI_SUCCESS;
}

} // namespace orrery::emulate::mpi
