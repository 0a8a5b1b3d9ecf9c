// Error handlers, classes and codes; info objects; the environment; the tools interface.
#include "check.h"

static int handled, last_code;

static void note(MPI_Comm* comm, int* code, ...) {
    int same = 0;
    MPI_Comm_compare(*comm, MPI_COMM_WORLD, &same);
    CHECK(same == MPI_IDENT || same == MPI_CONGRUENT || same == MPI_UNEQUAL);
    ++handled;
    last_code = *code;
}

static void handlers(void) {
    MPI_Errhandler mine, got;
    MPI_Comm comm;
    int value = 0, class = 0;
    MPI_Comm_create_errhandler(note, &mine);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_get_errhandler(comm, &got);
    CHECK(got == MPI_ERRORS_ARE_FATAL);
    MPI_Comm_set_errhandler(comm, mine);
    MPI_Comm_get_errhandler(comm, &got);
    CHECK(got == mine);
    MPI_Errhandler_free(&got);
    int code = MPI_Send(&value, 1, MPI_INT, size, 0, comm);
    CHECK(handled == 1 && last_code == code);
    MPI_Error_class(code, &class);
    CHECK(class == MPI_ERR_RANK);
    MPI_Comm again; // inherits it
    MPI_Comm_dup(comm, &again);
    MPI_Errhandler_free(&mine);
    CHECK(mine == MPI_ERRHANDLER_NULL);
    MPI_Send(&value, 1, MPI_INT, 0, -3, again);
    CHECK(handled == 2);
    MPI_Comm_call_errhandler(again, MPI_ERR_OTHER);
    CHECK(handled == 3 && last_code == MPI_ERR_OTHER);
    MPI_Comm_set_errhandler(again, MPI_ERRORS_RETURN);
    FAILS(MPI_Send(&value, -1, MPI_INT, 0, 0, again), MPI_ERR_COUNT);
    FAILS(MPI_Send(&value, 1, MPI_INT, 0, -7, again), MPI_ERR_TAG);
    FAILS(MPI_Send(&value, 1, MPI_INT, -9, 0, again), MPI_ERR_RANK);
    FAILS(MPI_Send(&value, 1, MPI_DATATYPE_NULL, 0, 0, again), MPI_ERR_TYPE);
    FAILS(MPI_Bcast(&value, 1, MPI_INT, size, again), MPI_ERR_ROOT);
    FAILS(MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_OP_NULL, again), MPI_ERR_OP);
    MPI_Datatype raw;
    MPI_Type_contiguous(2, MPI_INT, &raw);
    FAILS(MPI_Send(&value, 1, raw, 0, 0, again), MPI_ERR_TYPE); // not committed
    MPI_Type_free(&raw);
    CHECK(handled == 3);
    MPI_Comm_free(&again);
    MPI_Comm_free(&comm);
}

// What MPI writes to must be there.
static void null_pointers(void) {
    int value = 0, flag = 0;
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    FAILS(MPI_Comm_rank(MPI_COMM_WORLD, NULL), MPI_ERR_ARG);
    FAILS(MPI_Comm_dup(MPI_COMM_WORLD, NULL), MPI_ERR_ARG);
    FAILS(MPI_Comm_split(MPI_COMM_WORLD, 0, 0, NULL), MPI_ERR_ARG);
    FAILS(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, NULL, &flag), MPI_ERR_ARG);
    FAILS(MPI_Type_contiguous(2, MPI_INT, NULL), MPI_ERR_ARG);
    FAILS(MPI_Get_version(&value, NULL), MPI_ERR_ARG);
    FAILS(MPI_Info_create(NULL), MPI_ERR_ARG);
    int keyval = MPI_KEYVAL_INVALID; // an attribute may be null
    void* found = &value;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);
    CHECK(MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, NULL) == MPI_SUCCESS);
    CHECK(MPI_Comm_get_attr(MPI_COMM_WORLD, keyval, &found, &flag) == MPI_SUCCESS && flag && found == NULL);
    MPI_Comm_delete_attr(MPI_COMM_WORLD, keyval);
    MPI_Comm_free_keyval(&keyval);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm); // the library has not lost count
    MPI_Comm_free(&comm);
    CHECK(MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static void codes(void) {
    int class = 0, code = 0, got = 0, length = 0, flag = 0, *last = NULL;
    char words[MPI_MAX_ERROR_STRING];
    const int classes[] = {MPI_SUCCESS,   MPI_ERR_BUFFER,    MPI_ERR_COUNT, MPI_ERR_TYPE,     MPI_ERR_TAG,
                           MPI_ERR_COMM,  MPI_ERR_RANK,      MPI_ERR_ROOT,  MPI_ERR_GROUP,    MPI_ERR_OP,
                           MPI_ERR_ARG,   MPI_ERR_TRUNCATE,  MPI_ERR_OTHER, MPI_ERR_INTERN,   MPI_ERR_REQUEST,
                           MPI_ERR_INFO,  MPI_ERR_WIN,       MPI_ERR_FILE,  MPI_ERR_RMA_SYNC, MPI_ERR_SPAWN,
                           MPI_ERR_AMODE, MPI_ERR_IN_STATUS, MPI_ERR_IO,    MPI_ERR_TOPOLOGY, MPI_ERR_PENDING};
    for (size_t i = 0; i < sizeof classes / sizeof *classes; ++i) {
        CHECK(MPI_Error_string(classes[i], words, &length) == MPI_SUCCESS && length > 0);
        CHECK((int)strlen(words) == length && classes[i] <= MPI_ERR_LASTCODE);
        MPI_Error_class(classes[i], &got);
        CHECK(got == classes[i]);
    }
    MPI_Add_error_class(&class);
    CHECK(class > MPI_ERR_LASTCODE);
    MPI_Add_error_code(class, &code);
    MPI_Add_error_string(code, "the cat sat on it");
    MPI_Error_string(code, words, &length);
    CHECK(strcmp(words, "the cat sat on it") == 0);
    MPI_Error_class(code, &got);
    CHECK(got == class);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &last, &flag);
    CHECK(flag && *last >= code);
}

static void infos(void) {
    MPI_Info info, copy;
    char value[MPI_MAX_INFO_VAL + 1], key[MPI_MAX_INFO_KEY + 1];
    int flag = 0, count = 0, length = 0;
    MPI_Info_create(&info);
    MPI_Info_set(info, "one", "1");
    MPI_Info_set(info, "two", "22");
    MPI_Info_set(info, "three", "a longer value");
    MPI_Info_set(info, "two", "changed");
    MPI_Info_get_nkeys(info, &count);
    CHECK(count == 3);
    MPI_Info_get_nthkey(info, 1, key);
    CHECK(strcmp(key, "two") == 0); // in the order in which they came
    MPI_Info_get(info, "two", MPI_MAX_INFO_VAL, value, &flag);
    CHECK(flag && strcmp(value, "changed") == 0);
    MPI_Info_get_valuelen(info, "three", &length, &flag);
    CHECK(flag && length == 14);
    MPI_Info_get(info, "three", 5, value, &flag); // cut to fit
    CHECK(flag && strcmp(value, "a lon") == 0);
    MPI_Info_dup(info, &copy);
    MPI_Info_delete(info, "one");
    MPI_Info_get(info, "one", 10, value, &flag);
    CHECK(!flag);
    MPI_Info_get(copy, "one", 10, value, &flag);
    CHECK(flag && strcmp(value, "1") == 0);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    FAILS(MPI_Info_delete(info, "never"), MPI_ERR_INFO_NOKEY);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Info_free(&info);
    MPI_Info_free(&copy);
    CHECK(info == MPI_INFO_NULL);
    MPI_Comm comm;
    MPI_Info_create(&info);
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm);
    MPI_Comm_set_info(comm, info);
    MPI_Info_free(&info);
    MPI_Comm_get_info(comm, &info);
    CHECK(info != MPI_INFO_NULL);
    MPI_Info_free(&info);
    MPI_Comm_free(&comm);
}

static void environment(void) {
    int version = 0, sub = 0, length = 0, flag = 0, provided = -1;
    char words[MPI_MAX_LIBRARY_VERSION_STRING], host[MPI_MAX_PROCESSOR_NAME];
    MPI_Get_version(&version, &sub);
    CHECK(version == MPI_VERSION && sub == MPI_SUBVERSION && version >= 3);
    MPI_Get_library_version(words, &length);
    CHECK(length > 0 && (int)strlen(words) == length);
    MPI_Get_processor_name(host, &length);
    CHECK(length > 0 && (int)strlen(host) == length);
    MPI_Initialized(&flag);
    CHECK(flag);
    MPI_Finalized(&flag);
    CHECK(!flag);
    MPI_Query_thread(&provided);
    CHECK(provided >= MPI_THREAD_SINGLE && provided <= MPI_THREAD_MULTIPLE);
    MPI_Is_thread_main(&flag);
    CHECK(flag);
    double before = MPI_Wtime();
    for (int i = 0; i < 3; ++i) MPI_Barrier(MPI_COMM_WORLD);
    CHECK(MPI_Wtime() >= before && MPI_Wtick() > 0 && MPI_Wtick() < 1e-3);
    double* memory = NULL;
    MPI_Alloc_mem(1000 * sizeof(double), MPI_INFO_NULL, &memory);
    for (int i = 0; i < 1000; ++i) memory[i] = i;
    CHECK(memory[999] == 999);
    MPI_Free_mem(memory);
    MPI_Pcontrol(1);
    MPI_Aint here = 0, there = 0;
    char room[100];
    MPI_Get_address(room, &here);
    MPI_Get_address(room + 60, &there);
    CHECK(MPI_Aint_diff(there, here) == 60 && MPI_Aint_add(here, 60) == there);
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, &type);
    int bytes = 0;
    MPI_Type_size(type, &bytes);
    CHECK(bytes == 8);
}

static void tools(void) {
    int provided = 0, count = -1;
    CHECK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS);
    CHECK(MPI_T_cvar_get_num(&count) == MPI_SUCCESS && count >= 0);
    for (int i = 0; i < count && i < 20; ++i) {
        char name[200], words[500];
        int name_length = 200, length = 500, verbosity = 0, bind = 0, scope = 0;
        MPI_Datatype type;
        MPI_T_enum kind;
        CHECK(MPI_T_cvar_get_info(i, name, &name_length, &verbosity, &type, &kind, words, &length, &bind,
                                  &scope) == MPI_SUCCESS);
        int at = -1;
        CHECK(MPI_T_cvar_get_index(name, &at) == MPI_SUCCESS && at == i);
    }
    CHECK(MPI_T_pvar_get_num(&count) == MPI_SUCCESS && count >= 0);
    CHECK(MPI_T_category_get_num(&count) == MPI_SUCCESS && count >= 0);
    CHECK(MPI_T_finalize() == MPI_SUCCESS);
}

int main(int argc, char** argv) {
    begin(&argc, &argv);
    handlers();
    null_pointers();
    codes();
    infos();
    environment();
    tools();
    return end();
}
