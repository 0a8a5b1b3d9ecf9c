// <mpi.h> of the MPI that this library is built for, without its old C++ interface.
//
// The library is preloaded into all processes of a launch, also into a shell that only starts the program. So
// all that it refers to must be allowed to be missing; a test holds this list against the library.
#pragma once

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#pragma weak PMPI_Allgather
#pragma weak PMPI_Allreduce
#pragma weak PMPI_Barrier
#pragma weak PMPI_Bcast
#pragma weak PMPI_Cart_shift
#pragma weak PMPI_Cartdim_get
#pragma weak PMPI_Comm_free
#pragma weak PMPI_Comm_get_parent
#pragma weak PMPI_Comm_group
#pragma weak PMPI_Comm_rank
#pragma weak PMPI_Comm_remote_group
#pragma weak PMPI_Comm_size
#pragma weak PMPI_Comm_split
#pragma weak PMPI_Comm_test_inter
#pragma weak PMPI_Dist_graph_neighbors
#pragma weak PMPI_Dist_graph_neighbors_count
#pragma weak PMPI_Gather
#pragma weak PMPI_Get_count
#pragma weak PMPI_Get_elements_x
#pragma weak PMPI_Get_library_version
#pragma weak PMPI_Get_processor_name
#pragma weak PMPI_Graph_neighbors
#pragma weak PMPI_Graph_neighbors_count
#pragma weak PMPI_Group_free
#pragma weak PMPI_Group_size
#pragma weak PMPI_Group_translate_ranks
#pragma weak PMPI_Irecv
#pragma weak PMPI_Isend
#pragma weak PMPI_Op_commutative
#pragma weak PMPI_Recv
#pragma weak PMPI_Reduce
#pragma weak PMPI_Send
#pragma weak PMPI_Status_f2c
#pragma weak PMPI_Test_cancelled
#pragma weak PMPI_Topo_test
#pragma weak PMPI_Type_size_x
#pragma weak PMPI_Wait
#pragma weak PMPI_Waitall

#ifdef OPEN_MPI
#pragma weak PMPI_Comm_f2c
#pragma weak PMPI_Message_f2c
#pragma weak PMPI_Op_f2c
#pragma weak PMPI_Request_c2f
#pragma weak PMPI_Request_f2c
#pragma weak PMPI_Type_f2c
#pragma weak ompi_mpi_byte
#pragma weak ompi_mpi_comm_null
#pragma weak ompi_mpi_comm_self
#pragma weak ompi_mpi_comm_world
#pragma weak ompi_mpi_group_null
#pragma weak ompi_message_no_proc
#pragma weak ompi_request_null
#pragma weak MPI_F_STATUS_IGNORE
#pragma weak MPI_F_STATUSES_IGNORE
#else
#pragma weak MPI_F08_STATUS_IGNORE
#pragma weak MPI_F08_STATUSES_IGNORE
#endif
