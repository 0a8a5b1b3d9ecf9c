#include "mpi_library/table/table.h"

#include "mpi_library/table/wrappers.h"
#include "places.h"

#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <sstream>

namespace orrery::mpi_api::table_test {

namespace {

Function only(const std::string& line) { return read_table(line).at(0); }

std::string complaint_about(const std::string& text) {
    try {
        read_table(text);
    } catch (const TableError& error) {
        return error.what();
    }
    return "none";
}

std::string c_wrapper(const std::string& line) {
    std::ostringstream out;
    write_c_wrappers(out, read_table(line));
    return out.str();
}

std::string fortran_wrapper(const std::string& line) {
    std::ostringstream out;
    write_fortran_wrappers(out, read_table(line), "_");
    return out.str();
}

constexpr const char* recv =
    "int MPI_Recv(void* buf, int count, MPI_Datatype datatype, int source, MPI_Comm comm, "
    "MPI_Status* status) -> recv(source, comm, own status)";

} // namespace

TEST(MpiTable, ReadsPrototypesAndNotes) {
    const Function function = only(recv);
    EXPECT_EQ(function.name, "MPI_Recv");
    EXPECT_TRUE(function.wrapped);
    EXPECT_TRUE(function.replayed());
    ASSERT_EQ(function.parameters.size(), 6U);
    EXPECT_EQ(function.parameter("buf").kind, ParameterKind::address);
    EXPECT_EQ(function.parameter("count").kind, ParameterKind::number);
    EXPECT_EQ(function.parameter("comm").kind, ParameterKind::handle);
    EXPECT_EQ(function.parameter("status").kind, ParameterKind::status);
    EXPECT_EQ(function.after.name, "recv");
    EXPECT_EQ(function.after.arguments.at(2).form, Argument::Form::own_status);

    EXPECT_FALSE(only("double MPI_Wtime(void)").wrapped);
    EXPECT_FALSE(only("int MPI_Win_free(MPI_Win* win) -> count()").replayed());
    EXPECT_EQ(only("int MPI_X(const MPI_Datatype types[])").parameter("types").kind,
              ParameterKind::handle_address);
    EXPECT_EQ(only("int MPI_X(const char* name)").parameter("name").kind, ParameterKind::text);
    const Function wait = only("int MPI_Wait(MPI_Request* request) -> before look(1, request); wait()");
    EXPECT_EQ(wait.before.name, "look");
    EXPECT_EQ(wait.after.name, "wait");
}

TEST(MpiTable, SaysWhatIsWrongAndWhere) {
    EXPECT_EQ(complaint_about("# MPI\n\nint MPI_X\n"), "line 3: expected name(arguments), not 'int MPI_X'");
    EXPECT_EQ(complaint_about("MPI_X(int a)"), "line 1: expected a result and a name: 'MPI_X'");
    EXPECT_EQ(complaint_about("int MPI_X(int)"), "line 1: a parameter without a name: 'int'");
    EXPECT_EQ(complaint_about("int MPI_X(int a) -> f(b)"), "line 1: MPI_X has no parameter 'b'");
    EXPECT_EQ(complaint_about("int MPI_X(int a) -> f"), "line 1: expected name(arguments), not 'f'");
    EXPECT_EQ(complaint_about("int MPI_X(int a) -> f(a); g(a)"), "line 1: two hooks at the same place");
    EXPECT_EQ(complaint_about("int MPI_X(MPI_Status* s) -> f(s)"),
              "line 1: a status is given as 'own' or 'seen' status");
}

TEST(MpiTable, WrappersOfCPassOnAndCallTheHook) {
    const std::string text = c_wrapper(recv);
    EXPECT_NE(text.find("if (!enter(0)) return PMPI_Recv(buf, count, datatype, source, comm, status);"),
              std::string::npos);
    EXPECT_NE(text.find("PMPI_Recv(buf, count, datatype, source, comm, status_used.passed())"),
              std::string::npos);
    EXPECT_NE(text.find("hooks::recv(source, comm, status_used);"), std::string::npos);
}

TEST(MpiTable, WrappersOfFortranConvertArguments) {
    const std::string text = fortran_wrapper(recv);
    EXPECT_NE(text.find("void mpi_recv_(void* buf, MPI_Fint* count, MPI_Fint* datatype, MPI_Fint* source, "
                        "MPI_Fint* comm, MPI_Fint* status, MPI_Fint* ierror)"),
              std::string::npos);
    EXPECT_NE(text.find("hooks::recv(*source, PMPI_Comm_f2c(*comm), status_used);"), std::string::npos);
    // Texts have their lengths behind all other arguments.
    EXPECT_NE(fortran_wrapper("int MPI_F(const char* name, MPI_Info info) -> count()")
                  .find("(char* name, MPI_Fint* info, MPI_Fint* ierror, std::size_t name_length)"),
              std::string::npos);
}

// The functions that the interface must have, and that all messages and collectives are among those recorded.
TEST(MpiTable, HoldsTheWholeInterface) {
    std::ifstream in(project_folder() + "/src/mpi_library/table/functions.table");
    std::ostringstream text;
    text << in.rdbuf();
    const std::vector<Function> functions = read_table(text.str());
    std::set<std::string> all;
    std::set<std::string> wrapped;
    for (const Function& function : functions) {
        EXPECT_TRUE(all.insert(function.name).second) << function.name << " is there twice";
        if (function.wrapped) wrapped.insert(function.name);
    }
    EXPECT_GE(all.size(), 390U);
    for (const char* const name :
         {"MPI_Wtime", "MPI_Type_create_struct", "MPI_Pcontrol", "MPI_T_init_thread", "MPI_Comm_f2c"}) {
        EXPECT_TRUE(all.contains(name)) << name;
        EXPECT_FALSE(wrapped.contains(name)) << name;
    }
    for (const char* const kind : {"", "b", "s", "r"}) {
        const std::string small = std::string(kind) + "send";
        std::string large = small;
        large[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(large[0])));
        for (const std::string& name : {"MPI_" + large, "MPI_I" + small, "MPI_" + large + "_init"})
            EXPECT_TRUE(wrapped.contains(name)) << name;
    }
    for (const char* const name : {"barrier",
                                   "bcast",
                                   "gather",
                                   "gatherv",
                                   "scatter",
                                   "scatterv",
                                   "allgather",
                                   "allgatherv",
                                   "alltoall",
                                   "alltoallv",
                                   "alltoallw",
                                   "reduce",
                                   "allreduce",
                                   "reduce_scatter",
                                   "reduce_scatter_block",
                                   "scan",
                                   "exscan",
                                   "neighbor_allgather",
                                   "neighbor_allgatherv",
                                   "neighbor_alltoall",
                                   "neighbor_alltoallv",
                                   "neighbor_alltoallw"}) {
        std::string large = name;
        large[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(large[0])));
        EXPECT_TRUE(wrapped.contains("MPI_" + large)) << large;
        EXPECT_TRUE(wrapped.contains("MPI_I" + std::string(name))) << name;
    }
}

} // namespace orrery::mpi_api::table_test
