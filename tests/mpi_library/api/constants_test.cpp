// mpi.h repeats what predefined.h says: the handles of predefined objects and the numbers of keyvals.
#include "mpi_library/handles.h"
#include "mpi_library/predefined.h"

#include <gtest/gtest.h>
#include <mpi.h>

namespace orrery::emulate::mpi::constants_test {

TEST(MpiConstants, AreTheHandlesOfPredefinedObjects) {
#define ORRERY_SAME(kind, name, index) EXPECT_EQ(name, handle_of(Kind::kind, index)) << #name;
#define ORRERY_TYPE(name, index, type, class) ORRERY_SAME(datatype, name, index)
    ORRERY_MPI_DATATYPES(ORRERY_TYPE)
#define ORRERY_OP(name, index) ORRERY_SAME(op, name, index)
    ORRERY_MPI_OPS(ORRERY_OP)
#define ORRERY_ERRHANDLER(name, index) ORRERY_SAME(errhandler, name, index)
    ORRERY_MPI_ERRHANDLERS(ORRERY_ERRHANDLER)
#define ORRERY_INFO(name, index) ORRERY_SAME(info, name, index)
    ORRERY_MPI_INFOS(ORRERY_INFO)
#define ORRERY_COMM(name, index) ORRERY_SAME(comm, name, index)
    ORRERY_MPI_COMMS(ORRERY_COMM)
#define ORRERY_GROUP(name, index) ORRERY_SAME(group, name, index)
    ORRERY_MPI_GROUPS(ORRERY_GROUP)
#define ORRERY_MESSAGE(name, index) ORRERY_SAME(message, name, index)
    ORRERY_MPI_MESSAGES(ORRERY_MESSAGE)
#define ORRERY_KEYVAL(name, number) EXPECT_EQ(name, number);
    ORRERY_MPI_KEYVALS(ORRERY_KEYVAL)
#define ORRERY_ALIAS(name, other) EXPECT_EQ(name, other);
    ORRERY_MPI_DATATYPE_ALIASES(ORRERY_ALIAS)
}

TEST(MpiConstants, NullHandlesHaveIndexZero) {
    EXPECT_EQ(MPI_COMM_NULL, handle_of(Kind::comm, 0));
    EXPECT_EQ(MPI_GROUP_NULL, handle_of(Kind::group, 0));
    EXPECT_EQ(MPI_DATATYPE_NULL, handle_of(Kind::datatype, 0));
    EXPECT_EQ(MPI_OP_NULL, handle_of(Kind::op, 0));
    EXPECT_EQ(MPI_REQUEST_NULL, handle_of(Kind::request, 0));
    EXPECT_EQ(MPI_ERRHANDLER_NULL, handle_of(Kind::errhandler, 0));
    EXPECT_EQ(MPI_INFO_NULL, handle_of(Kind::info, 0));
    EXPECT_EQ(MPI_WIN_NULL, handle_of(Kind::win, 0));
    EXPECT_EQ(MPI_FILE_NULL, handle_of(Kind::file, 0));
    EXPECT_EQ(MPI_MESSAGE_NULL, handle_of(Kind::message, 0));
}

TEST(MpiConstants, AStatusIsSixIntegersOfFortran) {
    EXPECT_EQ(sizeof(MPI_Status), MPI_F_STATUS_SIZE * sizeof(MPI_Fint));
    EXPECT_EQ(alignof(MPI_Status), alignof(MPI_Fint));
}

} // namespace orrery::emulate::mpi::constants_test
