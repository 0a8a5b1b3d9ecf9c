#include "mpi_library/table/emulator.h"

#include "mpi_library/table/constants.h"
#include "mpi_library/table/fortran_interface.h"

#include <gtest/gtest.h>
#include <sstream>

namespace orrery::mpi_api::emulator_test {

namespace {

template <typename Writer> std::string written(Writer writer, const std::string& table) {
    std::ostringstream out;
    writer(out, read_table(table));
    return out.str();
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

constexpr const char* recv = "int MPI_Recv(void* buf, int count, MPI_Comm comm, MPI_Status* status)";
constexpr const char* open_file = "int MPI_File_open(MPI_Comm comm, const char* filename, MPI_File* fh)";

} // namespace

TEST(MpiEmulator, EntryPointsCallTheImplementation) {
    const std::string text = written(write_entry_points, recv);
    EXPECT_TRUE(has(text, "int PMPI_Recv(void* buf, int count, MPI_Comm comm, MPI_Status* status) {"));
    EXPECT_TRUE(has(text, "mpi::Call call(mpi::FunctionId::Recv);"));
    EXPECT_TRUE(has(text, "return call.leave(mpi::Recv(buf, count, comm, status));"));
    EXPECT_TRUE(has(text, "__attribute__((weak, alias(\"PMPI_Recv\")));"));
    // A handle is the same number in both languages.
    EXPECT_TRUE(has(written(write_entry_points, "MPI_Fint MPI_Comm_c2f(MPI_Comm comm)"), "return comm;"));
}

TEST(MpiEmulator, EntryPointsCheckWhatMustNotBeNull) {
    const auto checks = [](const std::string& table, const std::string& name) {
        return has(written(write_entry_points, table), "mpi::check_pointer(" + name + ", \"" + name + "\");");
    };
    EXPECT_TRUE(checks("int MPI_Comm_rank(MPI_Comm comm, int* rank)", "rank"));
    EXPECT_FALSE(checks("int MPI_Comm_rank(MPI_Comm comm, int* rank)", "comm"));
    EXPECT_TRUE(checks(open_file, "fh"));
    EXPECT_FALSE(checks(open_file, "filename"));
    EXPECT_TRUE(checks("int MPI_Get_processor_name(char* name, int* resultlen)", "name"));
    EXPECT_TRUE(checks("int MPI_Alloc_mem(MPI_Aint size, void* baseptr)", "baseptr"));
    EXPECT_TRUE(checks("int MPI_Attr_get(int keyval, void* attribute_val)", "attribute_val"));
    EXPECT_FALSE(checks("int MPI_Attr_put(int keyval, void* attribute_val)", "attribute_val"));
    EXPECT_TRUE(checks("int MPI_Get_count(const MPI_Status* status, int* count)", "status"));
    EXPECT_TRUE(checks("int MPI_Status_set_cancelled(MPI_Status* status, int flag)", "status"));
    EXPECT_FALSE(checks(recv, "buf"));
    EXPECT_FALSE(checks(recv, "status"));
    EXPECT_FALSE(checks("int MPI_Waitall(int count, MPI_Request array_of_requests[])", "array_of_requests"));
    EXPECT_FALSE(checks("int MPI_Init(int* argc, char*** argv)", "argc"));
    EXPECT_FALSE(checks("int MPI_Op_create(MPI_User_function* user_fn, MPI_Op* op)", "user_fn"));
    EXPECT_FALSE(checks("int MPI_T_enum_get_info(MPI_T_enum enumtype, int* num)", "num"));
}

TEST(MpiEmulator, WhatNobodyImplementsNamesItself) {
    const std::string text = written(write_unsupported, recv);
    EXPECT_TRUE(has(text, "__attribute__((weak)) int Recv("));
    EXPECT_TRUE(has(text, "unsupported(\"MPI_Recv\")"));
}

TEST(MpiEmulator, FortranPassesAddressesAndLengthsBehind) {
    const std::string text = written(write_fortran_entry_points, recv);
    EXPECT_TRUE(has(text, "void pmpi_recv_(void* buf, MPI_Fint* count, MPI_Fint* comm, MPI_Fint* status, "
                          "MPI_Fint* ierror) {"));
    EXPECT_TRUE(has(text, "*ierror = PMPI_Recv(c_buffer(buf), *count, *comm, c_status(status));"));
    const std::string texts = written(write_fortran_entry_points, open_file);
    EXPECT_TRUE(has(texts, "MPI_Fint* fh, MPI_Fint* ierror, Length filename_length)"));
    EXPECT_TRUE(has(texts, "text_in(filename, filename_length).c_str()"));
    EXPECT_FALSE(has(written(write_fortran_entry_points, "MPI_Fint MPI_Comm_c2f(MPI_Comm comm)"), "c2f"));
}

TEST(MpiEmulator, SymbolsAreSorted) {
    const std::string text = written(write_symbols, std::string(recv) + "\n" + open_file);
    const std::size_t first = text.find("{\"MPI_File_open\"");
    const std::size_t second = text.find("{\"MPI_Recv\"");
    const std::size_t third = text.find("{\"pmpi_file_open_\"");
    ASSERT_NE(third, std::string::npos);
    EXPECT_LT(first, second);
    EXPECT_LT(second, third);
}

TEST(MpiEmulator, TheHeaderTakesUpThePrototypes) {
    std::ostringstream out;
    write_whole_header(out, "begin\n#include \"mpi_functions.h\"\nend\n", read_table(open_file));
    EXPECT_EQ(out.str(), "begin\nint MPI_File_open(MPI_Comm comm, const char* filename, MPI_File* fh);\n\n"
                         "int PMPI_File_open(MPI_Comm comm, const char* filename, MPI_File* fh);\nend\n");
    EXPECT_THROW(write_whole_header(out, "nothing\n", read_table(open_file)), std::runtime_error);
}

TEST(MpiEmulator, ConstantsOfFortranAreThoseOfTheHeader) {
    const std::vector<Constant> constants =
        read_constants("#define MPI_COMM_WORLD ((MPI_Comm)0x04000001)\n#define MPI_ANY_TAG (-1)\n"
                       "#define MPI_MAX_NAME 256\n#define MPI_WORLD MPI_COMM_WORLD\n"
                       "#define MPI_BOTTOM ((void*)0)\n#define MPI_T_X 3\n#define OTHER 4\n");
    ASSERT_EQ(constants.size(), 4U);
    EXPECT_EQ(constants[0].type, "MPI_Comm");
    EXPECT_EQ(constants[0].value, 0x04000001);
    EXPECT_EQ(constants[1].value, -1);
    EXPECT_EQ(constants[2].value, 255); // no zero at the end
    EXPECT_EQ(constants[3].value, 0x04000001);
    EXPECT_THROW(read_constants("#define MPI_X MPI_UNKNOWN\n"), std::runtime_error);
    std::ostringstream mpif;
    write_mpif(mpif, constants);
    EXPECT_TRUE(has(mpif.str(), "      parameter (MPI_COMM_WORLD=67108865)\n"));
}

TEST(MpiEmulator, ModulesDifferInTypesOnly) {
    std::ostringstream mpi;
    write_interfaces(mpi, read_table(recv), Dialect::module_mpi);
    EXPECT_TRUE(has(mpi.str(), "NO_ARG_CHECK :: buf\n      type(*) :: buf(*)\n"));
    EXPECT_TRUE(has(mpi.str(), "      integer :: comm\n"));
    EXPECT_TRUE(has(mpi.str(), "      integer :: status(6)\n"));
    std::ostringstream f08;
    write_interfaces(f08, read_table(recv), Dialect::module_f08);
    EXPECT_TRUE(has(f08.str(), "      type(MPI_Comm) :: comm\n"));
    EXPECT_TRUE(has(f08.str(), "      type(MPI_Status) :: status\n"));
    EXPECT_TRUE(has(f08.str(), "      integer, optional :: ierror\n"));
}

TEST(MpiEmulator, TheTracerLeavesEmulatedFunctionsAlone) {
    const Function function =
        read_table("int MPI_Address(void* location, MPI_Aint* address) -> emulated").at(0);
    EXPECT_TRUE(function.emulated);
    EXPECT_FALSE(function.wrapped);
}

} // namespace orrery::mpi_api::emulator_test
