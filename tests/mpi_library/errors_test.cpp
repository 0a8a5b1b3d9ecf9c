#include "functions.h"
#include "mpi_library/errhandler.h"
#include "mpi_library/error_codes.h"
#include "mpi_library/errors.h"
#include "mpi_library/local_state.h"

#include <gtest/gtest.h>

#include <string>

namespace orrery::emulate::mpi::errors_test {
namespace {

TEST(EmulatedErrorCodes, ClassesOfTheStandardHaveWords) {
    for (int code = MPI_SUCCESS; code <= MPI_T_ERR_INVALID; ++code) {
        ASSERT_NE(words_of_class(code), nullptr) << code;
        int error_class = -1;
        Error_class(code, &error_class);
        EXPECT_EQ(error_class, code);
    }
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    Error_string(MPI_ERR_RANK, text, &length);
    EXPECT_EQ(std::string(text), "MPI_ERR_RANK: invalid rank");
    EXPECT_EQ(length, 26);
    EXPECT_THROW(Error_string(99999, text, &length), Failure);
}

TEST(EmulatedErrorCodes, ApplicationsAddTheirOwn) {
    ErrorCodes codes;
    const int own = codes.add_class();
    EXPECT_EQ(own, MPI_ERR_LASTCODE + 1);
    const int code = codes.add_code(own), other = codes.add_code(MPI_ERR_ARG);
    EXPECT_EQ(codes.class_of(code), own);
    EXPECT_EQ(codes.class_of(other), MPI_ERR_ARG);
    EXPECT_EQ(codes.last_used(), other);
    EXPECT_EQ(codes.words(code), "");
    codes.set_words(code, "the sky is falling");
    EXPECT_EQ(codes.words(code), "the sky is falling");
    EXPECT_THROW(codes.set_words(MPI_ERR_ARG, "mine"), Failure);
    EXPECT_THROW(codes.add_code(code), Failure); // no class
}

int handled_object = 0, handled_code = 0;
void handler(MPI_Comm* comm, int* code, ...) {
    handled_object = *comm;
    handled_code = *code;
    *code = MPI_ERR_OTHER;
}

TEST(EmulatedErrhandlers, ASlotKeepsItsHandler) {
    MPI_Errhandler own = MPI_ERRHANDLER_NULL;
    Comm_create_errhandler(handler, &own);
    ErrhandlerSlot slot;
    int code = MPI_ERR_TAG;
    EXPECT_EQ(slot.raise(MPI_COMM_WORLD, code), ErrhandlerSlot::Outcome::fatal);
    slot.set(Kind::comm, own);
    EXPECT_THROW(slot.set(Kind::win, own), Failure);
    const MPI_Errhandler old = own;
    Errhandler_free(&own);
    EXPECT_EQ(own, MPI_ERRHANDLER_NULL);
    EXPECT_EQ(slot.raise(MPI_COMM_SELF, code), ErrhandlerSlot::Outcome::returns);
    EXPECT_EQ(handled_object, MPI_COMM_SELF);
    EXPECT_EQ(handled_code, MPI_ERR_TAG);
    EXPECT_EQ(code, MPI_ERR_OTHER);
    EXPECT_THROW(slot.set(Kind::comm, old), Failure); // the handle is gone
    MPI_Errhandler again = slot.get();                // and there is a new one
    const ErrhandlerSlot copy = slot;
    slot.set(Kind::comm, MPI_ERRORS_RETURN);
    EXPECT_EQ(slot.get(), MPI_ERRORS_RETURN);
    EXPECT_EQ(slot.raise(MPI_COMM_SELF, code), ErrhandlerSlot::Outcome::returns);
    EXPECT_EQ(copy.raise(MPI_COMM_SELF, code), ErrhandlerSlot::Outcome::returns);
    Errhandler_free(&again);
}

TEST(EmulatedTools, ThereAreNoVariables) {
    int count = -1, provided = -1;
    EXPECT_EQ(T_cvar_get_num(&count), MPI_T_ERR_NOT_INITIALIZED);
    EXPECT_EQ(T_init_thread(MPI_THREAD_MULTIPLE, &provided), MPI_SUCCESS);
    EXPECT_EQ(provided, MPI_THREAD_SERIALIZED);
    EXPECT_EQ(T_cvar_get_num(&count), MPI_SUCCESS);
    EXPECT_EQ(count, 0);
    EXPECT_EQ(T_cvar_get_index("nothing", &count), MPI_T_ERR_INVALID_NAME);
    MPI_T_pvar_session session = MPI_T_PVAR_SESSION_NULL;
    EXPECT_EQ(T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES), MPI_T_ERR_INVALID_SESSION);
    EXPECT_EQ(T_pvar_session_create(&session), MPI_SUCCESS);
    EXPECT_EQ(T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES), MPI_SUCCESS);
    EXPECT_EQ(T_pvar_session_free(&session), MPI_SUCCESS);
    EXPECT_EQ(session, MPI_T_PVAR_SESSION_NULL);
    EXPECT_EQ(T_finalize(), MPI_SUCCESS);
    EXPECT_EQ(T_finalize(), MPI_T_ERR_NOT_INITIALIZED);
}

TEST(EmulatedEnvironment, MemoryAndNames) {
    void* memory = nullptr;
    Alloc_mem(100, MPI_INFO_NULL, static_cast<void*>(&memory));
    ASSERT_NE(memory, nullptr);
    Free_mem(memory);
    EXPECT_THROW(Alloc_mem(-1, MPI_INFO_NULL, static_cast<void*>(&memory)), Failure);
    int version = 0, subversion = 0, length = 0;
    Get_version(&version, &subversion);
    EXPECT_EQ(version * 10 + subversion, 31);
    char name[MPI_MAX_PROCESSOR_NAME];
    Get_processor_name(name, &length);
    EXPECT_EQ(local_state().processor_name, std::string(name, static_cast<std::size_t>(length)));
}

} // namespace
} // namespace orrery::emulate::mpi::errors_test
