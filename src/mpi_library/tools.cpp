// The interface for tools, MPI_T. There are no control or performance variables and no categories: what a tool
// could set or read is in the options and reports of the emulator. The functions say so.
//
// Errors are returned and never go to an error handler (MPI-3.1, 14.3.9).
#include "functions.h"
#include "mpi_library/local_state.h"

#include <algorithm>

struct orrery_mpi_t_session {
    int unused = 0;
};

namespace orrery::emulate::mpi {

namespace {

// `otherwise`, or that nobody called MPI_T_init_thread.
int unless_begun(int otherwise) {
    return local_state().tools_begun == 0 ? MPI_T_ERR_NOT_INITIALIZED : otherwise;
}

int none(int* count) {
    const int code = unless_begun(MPI_SUCCESS);
    if (code == MPI_SUCCESS) *count = 0;
    return code;
}

int checked(MPI_T_pvar_session session, int otherwise) {
    const auto& open = local_state().tool_sessions;
    const bool known = std::find(open.begin(), open.end(), session) != open.end();
    return unless_begun(known ? otherwise : MPI_T_ERR_INVALID_SESSION);
}

int all_or_invalid(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
    return checked(session, handle == MPI_T_PVAR_ALL_HANDLES ? MPI_SUCCESS : MPI_T_ERR_INVALID_HANDLE);
}

} // namespace

int T_init_thread(int required, int* provided) {
    ++local_state().tools_begun;
    *provided = std::clamp(required, MPI_THREAD_SINGLE, MPI_THREAD_SERIALIZED);
    return MPI_SUCCESS;
}

int T_finalize() {
    const int code = unless_begun(MPI_SUCCESS);
    if (code == MPI_SUCCESS) --local_state().tools_begun;
    return code;
}

int T_cvar_get_num(int* num_cvar) { return none(num_cvar); }
int T_cvar_get_info(int, char*, int*, int*, MPI_Datatype*, MPI_T_enum*, char*, int*, int*, int*) {
    return unless_begun(MPI_T_ERR_INVALID_INDEX);
}
int T_cvar_get_index(const char*, int*) { return unless_begun(MPI_T_ERR_INVALID_NAME); }
int T_cvar_handle_alloc(int, void*, MPI_T_cvar_handle*, int*) { return unless_begun(MPI_T_ERR_INVALID_INDEX); }
int T_cvar_handle_free(MPI_T_cvar_handle*) { return unless_begun(MPI_T_ERR_INVALID_HANDLE); }
int T_cvar_read(MPI_T_cvar_handle, void*) { return unless_begun(MPI_T_ERR_INVALID_HANDLE); }
int T_cvar_write(MPI_T_cvar_handle, const void*) { return unless_begun(MPI_T_ERR_INVALID_HANDLE); }

int T_enum_get_info(MPI_T_enum, int*, char*, int*) { return unless_begun(MPI_T_ERR_INVALID_HANDLE); }
int T_enum_get_item(MPI_T_enum, int, int*, char*, int*) { return unless_begun(MPI_T_ERR_INVALID_HANDLE); }

int T_category_get_num(int* num_cat) { return none(num_cat); }
int T_category_changed(int* update_number) { return none(update_number); }
int T_category_get_info(int, char*, int*, char*, int*, int*, int*, int*) {
    return unless_begun(MPI_T_ERR_INVALID_INDEX);
}
int T_category_get_index(const char*, int*) { return unless_begun(MPI_T_ERR_INVALID_NAME); }
int T_category_get_cvars(int, int, int[]) { return unless_begun(MPI_T_ERR_INVALID_INDEX); }
int T_category_get_pvars(int, int, int[]) { return unless_begun(MPI_T_ERR_INVALID_INDEX); }
int T_category_get_categories(int, int, int[]) { return unless_begun(MPI_T_ERR_INVALID_INDEX); }

int T_pvar_get_num(int* num_pvar) { return none(num_pvar); }
int T_pvar_get_info(int, char*, int*, int*, int*, MPI_Datatype*, MPI_T_enum*, char*, int*, int*, int*, int*,
                    int*) {
    return unless_begun(MPI_T_ERR_INVALID_INDEX);
}
int T_pvar_get_index(const char*, int, int*) { return unless_begun(MPI_T_ERR_INVALID_NAME); }

int T_pvar_session_create(MPI_T_pvar_session* session) {
    const int code = unless_begun(MPI_SUCCESS);
    if (code != MPI_SUCCESS) return code;
    *session = new orrery_mpi_t_session;
    local_state().tool_sessions.push_back(*session);
    return MPI_SUCCESS;
}

int T_pvar_session_free(MPI_T_pvar_session* session) {
    const int code = checked(*session, MPI_SUCCESS);
    if (code != MPI_SUCCESS) return code;
    std::erase(local_state().tool_sessions, *session);
    delete *session;
    *session = MPI_T_PVAR_SESSION_NULL;
    return MPI_SUCCESS;
}

int T_pvar_handle_alloc(MPI_T_pvar_session session, int, void*, MPI_T_pvar_handle*, int*) {
    return checked(session, MPI_T_ERR_INVALID_INDEX);
}
int T_pvar_handle_free(MPI_T_pvar_session session, MPI_T_pvar_handle*) {
    return checked(session, MPI_T_ERR_INVALID_HANDLE);
}
int T_pvar_read(MPI_T_pvar_session session, MPI_T_pvar_handle, void*) {
    return checked(session, MPI_T_ERR_INVALID_HANDLE);
}
int T_pvar_readreset(MPI_T_pvar_session session, MPI_T_pvar_handle, void*) {
    return checked(session, MPI_T_ERR_INVALID_HANDLE);
}
int T_pvar_write(MPI_T_pvar_session session, MPI_T_pvar_handle, const void*) {
    return checked(session, MPI_T_ERR_INVALID_HANDLE);
}
int T_pvar_start(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
    return all_or_invalid(session, handle);
}
int T_pvar_stop(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
    return all_or_invalid(session, handle);
}
int T_pvar_reset(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
    return all_or_invalid(session, handle);
}

} // namespace orrery::emulate::mpi
