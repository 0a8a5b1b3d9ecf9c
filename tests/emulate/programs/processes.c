// Process creation: refused with an error that the program can handle; and what can be asked without it.
#include "check.h"

int main(int argc, char** argv) {
    begin(&argc, &argv);
    MPI_Comm parent = MPI_COMM_WORLD, other = MPI_COMM_NULL;
    char port[MPI_MAX_PORT_NAME], words[MPI_MAX_ERROR_STRING];
    int errors[1], length = 0, code = 0, flag = 0;
    int *universe = NULL, *number = NULL;
    MPI_Comm_get_parent(&parent);
    CHECK(parent == MPI_COMM_NULL);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &universe, &flag);
    CHECK(!flag || *universe >= 1);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &number, &flag);
    CHECK(!flag || *number == 0);

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    code = MPI_Comm_spawn("./other", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other, errors);
    CHECK(code != MPI_SUCCESS);
    MPI_Error_string(code, words, &length);
    CHECK(length > 0);
    FAILS(code, MPI_ERR_UNSUPPORTED_OPERATION);
    FAILS(MPI_Open_port(MPI_INFO_NULL, port), MPI_ERR_UNSUPPORTED_OPERATION);
    FAILS(MPI_Comm_connect("nowhere", MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other), MPI_ERR_UNSUPPORTED_OPERATION);
    FAILS(MPI_Comm_accept("nowhere", MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other), MPI_ERR_UNSUPPORTED_OPERATION);
    FAILS(MPI_Publish_name("service", MPI_INFO_NULL, "port"), MPI_ERR_UNSUPPORTED_OPERATION);
    FAILS(MPI_Lookup_name("service", MPI_INFO_NULL, port), MPI_ERR_UNSUPPORTED_OPERATION);
    return end();
}
