#include "formats/allprof/calls.h"

#include <unordered_map>

namespace orrery::allprof {

namespace {

using Table = std::unordered_map<std::string_view, CallInfo>;

// Set up and ask about things. Creating a communicator is in here too: the call takes the time that it took.
constexpr std::string_view local_calls[] = {
    // environment
    "MPI_Initialized", "MPI_Finalized", "MPI_Is_thread_main", "MPI_Query_thread", "MPI_Get_version",
    "MPI_Get_library_version", "MPI_Get_processor_name", "MPI_Wtime", "MPI_Wtick", "MPI_Pcontrol",
    "MPI_Alloc_mem", "MPI_Free_mem", "MPI_Get_address", "MPI_Address", "MPI_Aint_add", "MPI_Aint_diff",
    "MPI_Buffer_attach", "MPI_Buffer_detach",
    // communicators
    "MPI_Comm_rank", "MPI_Comm_size", "MPI_Comm_group", "MPI_Comm_compare", "MPI_Comm_test_inter",
    "MPI_Comm_remote_size", "MPI_Comm_remote_group", "MPI_Comm_get_attr", "MPI_Comm_set_attr",
    "MPI_Comm_delete_attr", "MPI_Comm_create_keyval", "MPI_Comm_free_keyval", "MPI_Comm_get_name",
    "MPI_Comm_set_name", "MPI_Comm_get_info", "MPI_Comm_set_info", "MPI_Comm_create_errhandler",
    "MPI_Comm_get_errhandler", "MPI_Comm_set_errhandler", "MPI_Comm_call_errhandler", "MPI_Comm_get_parent",
    "MPI_Comm_create", "MPI_Comm_create_group", "MPI_Comm_split_type", "MPI_Cart_sub", "MPI_Graph_create",
    "MPI_Dist_graph_create", "MPI_Dist_graph_create_adjacent", "MPI_Attr_get", "MPI_Attr_put",
    "MPI_Attr_delete", "MPI_Keyval_create", "MPI_Keyval_free",
    // topologies
    "MPI_Topo_test", "MPI_Dims_create", "MPI_Cartdim_get", "MPI_Cart_get", "MPI_Cart_rank", "MPI_Cart_coords",
    "MPI_Cart_shift", "MPI_Cart_map", "MPI_Graph_get", "MPI_Graph_map", "MPI_Graph_neighbors",
    "MPI_Graph_neighbors_count", "MPI_Graphdims_get", "MPI_Dist_graph_neighbors",
    "MPI_Dist_graph_neighbors_count",
    // groups
    "MPI_Group_size", "MPI_Group_rank", "MPI_Group_translate_ranks", "MPI_Group_compare", "MPI_Group_union",
    "MPI_Group_intersection", "MPI_Group_difference", "MPI_Group_incl", "MPI_Group_excl",
    "MPI_Group_range_incl", "MPI_Group_range_excl", "MPI_Group_free",
    // datatypes
    "MPI_Type_contiguous", "MPI_Type_vector", "MPI_Type_hvector", "MPI_Type_indexed", "MPI_Type_hindexed",
    "MPI_Type_struct", "MPI_Type_create_hvector", "MPI_Type_create_hindexed", "MPI_Type_create_hindexed_block",
    "MPI_Type_create_indexed_block", "MPI_Type_create_struct", "MPI_Type_create_subarray",
    "MPI_Type_create_darray", "MPI_Type_create_resized", "MPI_Type_create_f90_real",
    "MPI_Type_create_f90_complex", "MPI_Type_create_f90_integer", "MPI_Type_create_keyval",
    "MPI_Type_free_keyval", "MPI_Type_get_attr", "MPI_Type_set_attr", "MPI_Type_delete_attr",
    "MPI_Type_get_contents", "MPI_Type_get_envelope", "MPI_Type_get_extent", "MPI_Type_get_extent_x",
    "MPI_Type_get_true_extent", "MPI_Type_get_true_extent_x", "MPI_Type_get_name", "MPI_Type_set_name",
    "MPI_Type_match_size", "MPI_Type_size", "MPI_Type_size_x", "MPI_Type_extent", "MPI_Type_lb", "MPI_Type_ub",
    "MPI_Type_dup", "MPI_Type_commit", "MPI_Type_free", "MPI_Pack", "MPI_Pack_size", "MPI_Pack_external",
    "MPI_Pack_external_size", "MPI_Unpack", "MPI_Unpack_external", "MPI_Register_datarep",
    // status, operations, errors, info
    "MPI_Get_count", "MPI_Get_elements", "MPI_Get_elements_x", "MPI_Status_set_elements",
    "MPI_Status_set_elements_x", "MPI_Status_set_cancelled", "MPI_Test_cancelled", "MPI_Request_get_status",
    "MPI_Op_create", "MPI_Op_free", "MPI_Op_commutative", "MPI_Reduce_local", "MPI_Error_class",
    "MPI_Error_string", "MPI_Add_error_class", "MPI_Add_error_code", "MPI_Add_error_string",
    "MPI_Errhandler_create", "MPI_Errhandler_set", "MPI_Errhandler_get", "MPI_Errhandler_free",
    "MPI_Info_create", "MPI_Info_delete", "MPI_Info_dup", "MPI_Info_free", "MPI_Info_get", "MPI_Info_get_nkeys",
    "MPI_Info_get_nthkey", "MPI_Info_get_valuelen", "MPI_Info_set"};

constexpr std::string_view one_sided[] = {"MPI_Put",
                                          "MPI_Get",
                                          "MPI_Accumulate",
                                          "MPI_Get_accumulate",
                                          "MPI_Fetch_and_op",
                                          "MPI_Compare_and_swap",
                                          "MPI_Rput",
                                          "MPI_Rget",
                                          "MPI_Raccumulate",
                                          "MPI_Rget_accumulate",
                                          "MPI_Win_create",
                                          "MPI_Win_allocate",
                                          "MPI_Win_allocate_shared",
                                          "MPI_Win_create_dynamic",
                                          "MPI_Win_attach",
                                          "MPI_Win_detach",
                                          "MPI_Win_free",
                                          "MPI_Win_fence",
                                          "MPI_Win_start",
                                          "MPI_Win_complete",
                                          "MPI_Win_post",
                                          "MPI_Win_wait",
                                          "MPI_Win_test",
                                          "MPI_Win_lock",
                                          "MPI_Win_unlock",
                                          "MPI_Win_lock_all",
                                          "MPI_Win_unlock_all",
                                          "MPI_Win_flush",
                                          "MPI_Win_flush_all",
                                          "MPI_Win_flush_local",
                                          "MPI_Win_flush_local_all",
                                          "MPI_Win_sync"};

constexpr std::string_view between_groups[] = {
    "MPI_Intercomm_create", "MPI_Intercomm_merge", "MPI_Comm_spawn",   "MPI_Comm_spawn_multiple",
    "MPI_Comm_accept",      "MPI_Comm_connect",    "MPI_Comm_join",    "MPI_Comm_disconnect",
    "MPI_Open_port",        "MPI_Close_port",      "MPI_Publish_name", "MPI_Unpublish_name",
    "MPI_Lookup_name"};

constexpr std::string_view neighbourhood[] = {
    "MPI_Neighbor_allgather",  "MPI_Neighbor_allgatherv", "MPI_Neighbor_alltoall",    "MPI_Neighbor_alltoallv",
    "MPI_Neighbor_alltoallw",  "MPI_Ineighbor_allgather", "MPI_Ineighbor_allgatherv", "MPI_Ineighbor_alltoall",
    "MPI_Ineighbor_alltoallv", "MPI_Ineighbor_alltoallw"};

void unsupported(Table& table, std::string_view name, std::string_view why) {
    table[name] = {.kind = CallKind::unsupported, .why = why};
}

Table make_table() {
    Table table;
    for (const std::string_view name : local_calls) table[name] = {.kind = CallKind::local};
    for (const std::string_view name : one_sided) {
        unsupported(table, name, "one-sided communication has no sends and receives");
    }
    for (const std::string_view name : between_groups) {
        unsupported(table, name, "processes outside MPI_COMM_WORLD");
    }
    for (const std::string_view name : neighbourhood) {
        unsupported(table, name, "the trace does not say who the neighbours are");
    }
    for (const std::string_view name : {"MPI_Alltoallw", "MPI_Ialltoallw"}) {
        unsupported(table, name, "the trace does not hold its datatypes");
    }
    for (const std::string_view name : {"MPI_Grequest_start", "MPI_Grequest_complete"}) {
        unsupported(table, name, "the program itself completes the request");
    }
    unsupported(table, "MPI_Comm_idup", "the trace does not say when the communicator may be used");
    unsupported(table, "MPI_Abort", "the traced run was aborted");

    table["MPI_Init"] = {.kind = CallKind::init};
    table["MPI_Init_thread"] = {.kind = CallKind::init};
    table["MPI_Finalize"] = {.kind = CallKind::finalize};

    for (const std::string_view name : {"MPI_Send", "MPI_Ssend", "MPI_Rsend"})
        table[name] = {.kind = CallKind::send};
    table["MPI_Bsend"] = {.kind = CallKind::send, .buffered = true};
    for (const std::string_view name : {"MPI_Isend", "MPI_Issend", "MPI_Irsend"}) {
        table[name] = {.kind = CallKind::send, .nonblocking = true};
    }
    table["MPI_Ibsend"] = {.kind = CallKind::send, .nonblocking = true, .buffered = true};
    table["MPI_Recv"] = {.kind = CallKind::recv};
    table["MPI_Irecv"] = {.kind = CallKind::recv, .nonblocking = true};
    table["MPI_Sendrecv"] = {.kind = CallKind::sendrecv};
    table["MPI_Sendrecv_replace"] = {.kind = CallKind::sendrecv_replace};
    for (const std::string_view name : {"MPI_Send_init", "MPI_Ssend_init", "MPI_Rsend_init"}) {
        table[name] = {.kind = CallKind::send_init};
    }
    table["MPI_Bsend_init"] = {.kind = CallKind::send_init, .buffered = true};
    table["MPI_Recv_init"] = {.kind = CallKind::recv_init};
    table["MPI_Start"] = {.kind = CallKind::start};
    table["MPI_Startall"] = {.kind = CallKind::startall};
    table["MPI_Wait"] = {.kind = CallKind::wait};
    table["MPI_Waitall"] = {.kind = CallKind::waitall};
    table["MPI_Waitany"] = {.kind = CallKind::waitany};
    table["MPI_Waitsome"] = {.kind = CallKind::waitsome};
    table["MPI_Test"] = {.kind = CallKind::test};
    for (const std::string_view name : {"MPI_Testall", "MPI_Testany", "MPI_Testsome"}) {
        table[name] = {.kind = CallKind::test_many};
    }
    table["MPI_Request_free"] = {.kind = CallKind::request_free};
    table["MPI_Cancel"] = {.kind = CallKind::cancel};
    for (const std::string_view name : {"MPI_Probe", "MPI_Iprobe"}) table[name] = {.kind = CallKind::probe};
    table["MPI_Mprobe"] = {.kind = CallKind::message_probe};
    table["MPI_Improbe"] = {.kind = CallKind::message_probe, .nonblocking = true};
    table["MPI_Mrecv"] = {.kind = CallKind::message_recv};
    table["MPI_Imrecv"] = {.kind = CallKind::message_recv, .nonblocking = true};

    table["MPI_Comm_split"] = {.kind = CallKind::comm_split};
    for (const std::string_view name : {"MPI_Comm_dup", "MPI_Comm_dup_with_info", "MPI_Cart_create"}) {
        table[name] = {.kind = CallKind::comm_copy};
    }
    table["MPI_Comm_free"] = {.kind = CallKind::comm_free};

    constexpr struct {
        std::string_view blocking, nonblocking;
        Collective collective;
    } collective_calls[] = {
        {"MPI_Barrier", "MPI_Ibarrier", Collective::barrier},
        {"MPI_Bcast", "MPI_Ibcast", Collective::bcast},
        {"MPI_Reduce", "MPI_Ireduce", Collective::reduce},
        {"MPI_Allreduce", "MPI_Iallreduce", Collective::allreduce},
        {"MPI_Gather", "MPI_Igather", Collective::gather},
        {"MPI_Gatherv", "MPI_Igatherv", Collective::gatherv},
        {"MPI_Scatter", "MPI_Iscatter", Collective::scatter},
        {"MPI_Scatterv", "MPI_Iscatterv", Collective::scatterv},
        {"MPI_Allgather", "MPI_Iallgather", Collective::allgather},
        {"MPI_Allgatherv", "MPI_Iallgatherv", Collective::allgatherv},
        {"MPI_Alltoall", "MPI_Ialltoall", Collective::alltoall},
        {"MPI_Alltoallv", "MPI_Ialltoallv", Collective::alltoallv},
        {"MPI_Reduce_scatter", "MPI_Ireduce_scatter", Collective::reduce_scatter},
        {"MPI_Reduce_scatter_block", "MPI_Ireduce_scatter_block", Collective::reduce_scatter_block},
        {"MPI_Scan", "MPI_Iscan", Collective::scan},
        {"MPI_Exscan", "MPI_Iexscan", Collective::exscan},
    };
    for (const auto& row : collective_calls) {
        table[row.blocking] = {.kind = CallKind::collective, .collective = row.collective};
        table[row.nonblocking] = {
            .kind = CallKind::collective, .nonblocking = true, .collective = row.collective};
    }
    return table;
}

} // namespace

CallInfo find_call(std::string_view name) {
    static const Table table = make_table();
    const auto found = table.find(name);
    if (found != table.end()) return found->second;
    if (name.starts_with("MPI_File_")) {
        return {.kind = CallKind::unsupported, .why = "file access is not simulated"};
    }
    // What is left of windows sets attributes and names.
    if (name.starts_with("MPI_Win_")) return {.kind = CallKind::local};
    return {};
}

} // namespace orrery::allprof
