#include "formats/paraver/paraver_events.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace orrery {

namespace {

constexpr ParaverCall call(ParaverGroup group, std::string_view name,
                           std::optional<ActionKind> kind = std::nullopt) {
    return {0, group, name, kind, Collective::barrier, false};
}

constexpr ParaverCall collective(std::string_view name, Collective operation, bool nonblocking = false) {
    return {0, ParaverGroup::collective, name, ActionKind::collective, operation, nonblocking};
}

// In the order of their numbers, from 1 (Extrae 5).
constexpr std::array names{
    call(ParaverGroup::point_to_point, "MPI_Send", ActionKind::send),
    call(ParaverGroup::point_to_point, "MPI_Recv", ActionKind::recv),
    call(ParaverGroup::point_to_point, "MPI_Isend", ActionKind::isend),
    call(ParaverGroup::point_to_point, "MPI_Irecv", ActionKind::irecv),
    call(ParaverGroup::point_to_point, "MPI_Wait", ActionKind::wait),
    call(ParaverGroup::point_to_point, "MPI_Waitall", ActionKind::wait_all),
    collective("MPI_Bcast", Collective::bcast),
    collective("MPI_Barrier", Collective::barrier),
    collective("MPI_Reduce", Collective::reduce),
    collective("MPI_Allreduce", Collective::allreduce),
    collective("MPI_Alltoall", Collective::alltoall),
    collective("MPI_Alltoallv", Collective::alltoallv),
    collective("MPI_Gather", Collective::gather),
    collective("MPI_Gatherv", Collective::gatherv),
    collective("MPI_Scatter", Collective::scatter),
    collective("MPI_Scatterv", Collective::scatterv),
    collective("MPI_Allgather", Collective::allgather),
    collective("MPI_Allgatherv", Collective::allgatherv),
    call(ParaverGroup::other, "MPI_Comm_rank"),
    call(ParaverGroup::other, "MPI_Comm_size"),
    call(ParaverGroup::other, "MPI_Comm_create", ActionKind::comm_create),
    call(ParaverGroup::other, "MPI_Comm_dup", ActionKind::comm_dup),
    call(ParaverGroup::other, "MPI_Comm_split", ActionKind::comm_split),
    call(ParaverGroup::other, "MPI_Comm_group"),
    call(ParaverGroup::other, "MPI_Comm_free", ActionKind::comm_free),
    call(ParaverGroup::other, "MPI_Comm_remote_group"),
    call(ParaverGroup::other, "MPI_Comm_remote_size"),
    call(ParaverGroup::other, "MPI_Comm_test_inter"),
    call(ParaverGroup::other, "MPI_Comm_compare"),
    collective("MPI_Scan", Collective::scan),
    call(ParaverGroup::other, "MPI_Init"),
    call(ParaverGroup::other, "MPI_Finalize"),
    call(ParaverGroup::point_to_point, "MPI_Bsend", ActionKind::send),
    call(ParaverGroup::point_to_point, "MPI_Ssend", ActionKind::ssend),
    call(ParaverGroup::point_to_point, "MPI_Rsend", ActionKind::send),
    call(ParaverGroup::point_to_point, "MPI_Ibsend", ActionKind::isend),
    call(ParaverGroup::point_to_point, "MPI_Issend", ActionKind::issend),
    call(ParaverGroup::point_to_point, "MPI_Irsend", ActionKind::isend),
    call(ParaverGroup::other, "MPI_Test", ActionKind::test),
    call(ParaverGroup::point_to_point, "MPI_Cancel"),
    call(ParaverGroup::point_to_point, "MPI_Sendrecv", ActionKind::sendrecv),
    call(ParaverGroup::point_to_point, "MPI_Sendrecv_replace", ActionKind::sendrecv),
    call(ParaverGroup::other, "MPI_Cart_create"),
    call(ParaverGroup::other, "MPI_Cart_shift"),
    call(ParaverGroup::other, "MPI_Cart_coords"),
    call(ParaverGroup::other, "MPI_Cart_get"),
    call(ParaverGroup::other, "MPI_Cart_map"),
    call(ParaverGroup::other, "MPI_Cart_rank"),
    call(ParaverGroup::other, "MPI_Cart_sub"),
    call(ParaverGroup::other, "MPI_Cartdim_get"),
    call(ParaverGroup::other, "MPI_Dims_create"),
    call(ParaverGroup::other, "MPI_Graph_get"),
    call(ParaverGroup::other, "MPI_Graph_map"),
    call(ParaverGroup::other, "MPI_Graph_create"),
    call(ParaverGroup::other, "MPI_Graph_neighbors"),
    call(ParaverGroup::other, "MPI_Graphdims_get"),
    call(ParaverGroup::other, "MPI_Graph_neighbors_count"),
    call(ParaverGroup::other, "MPI_Topo_test"),
    call(ParaverGroup::point_to_point, "MPI_Waitany", ActionKind::wait_any),
    call(ParaverGroup::point_to_point, "MPI_Waitsome", ActionKind::wait_some),
    call(ParaverGroup::point_to_point, "MPI_Probe", ActionKind::probe),
    call(ParaverGroup::point_to_point, "MPI_Iprobe"),
    call(ParaverGroup::one_sided, "MPI_Win_create"),
    call(ParaverGroup::one_sided, "MPI_Win_free"),
    call(ParaverGroup::one_sided, "MPI_Put"),
    call(ParaverGroup::one_sided, "MPI_Get"),
    call(ParaverGroup::one_sided, "MPI_Accumulate"),
    call(ParaverGroup::one_sided, "MPI_Win_fence"),
    call(ParaverGroup::one_sided, "MPI_Win_complete"),
    call(ParaverGroup::one_sided, "MPI_Win_start"),
    call(ParaverGroup::one_sided, "MPI_Win_post"),
    call(ParaverGroup::one_sided, "MPI_Win_wait"),
    call(ParaverGroup::one_sided, "MPI_Win_test"),
    call(ParaverGroup::one_sided, "MPI_Win_lock"),
    call(ParaverGroup::one_sided, "MPI_Win_unlock"),
    call(ParaverGroup::other, "MPI_Pack"),
    call(ParaverGroup::other, "MPI_Unpack"),
    call(ParaverGroup::other, "MPI_Op_create"),
    call(ParaverGroup::other, "MPI_Op_free"),
    collective("MPI_Reduce_scatter", Collective::reduce_scatter),
    call(ParaverGroup::other, "MPI_Attr_delete"),
    call(ParaverGroup::other, "MPI_Attr_get"),
    call(ParaverGroup::other, "MPI_Attr_put"),
    call(ParaverGroup::other, "MPI_Group_difference"),
    call(ParaverGroup::other, "MPI_Group_excl"),
    call(ParaverGroup::other, "MPI_Group_free"),
    call(ParaverGroup::other, "MPI_Group_incl"),
    call(ParaverGroup::other, "MPI_Group_intersection"),
    call(ParaverGroup::other, "MPI_Group_rank"),
    call(ParaverGroup::other, "MPI_Group_range_excl"),
    call(ParaverGroup::other, "MPI_Group_range_incl"),
    call(ParaverGroup::other, "MPI_Group_size"),
    call(ParaverGroup::other, "MPI_Group_translate_ranks"),
    call(ParaverGroup::other, "MPI_Group_union"),
    call(ParaverGroup::other, "MPI_Group_compare"),
    call(ParaverGroup::other, "MPI_Intercomm_create"),
    call(ParaverGroup::other, "MPI_Intercomm_merge"),
    call(ParaverGroup::other, "MPI_Keyval_free"),
    call(ParaverGroup::other, "MPI_Keyval_create"),
    call(ParaverGroup::other, "MPI_Abort"),
    call(ParaverGroup::other, "MPI_Error_class"),
    call(ParaverGroup::other, "MPI_Errhandler_create"),
    call(ParaverGroup::other, "MPI_Errhandler_free"),
    call(ParaverGroup::other, "MPI_Errhandler_get"),
    call(ParaverGroup::other, "MPI_Error_string"),
    call(ParaverGroup::other, "MPI_Errhandler_set"),
    call(ParaverGroup::other, "MPI_Get_processor_name"),
    call(ParaverGroup::other, "MPI_Initialized"),
    call(ParaverGroup::other, "MPI_Wtick"),
    call(ParaverGroup::other, "MPI_Wtime"),
    call(ParaverGroup::other, "MPI_Address"),
    call(ParaverGroup::point_to_point, "MPI_Bsend_init"),
    call(ParaverGroup::other, "MPI_Buffer_attach"),
    call(ParaverGroup::other, "MPI_Buffer_detach"),
    call(ParaverGroup::other, "MPI_Request_free"),
    call(ParaverGroup::point_to_point, "MPI_Recv_init"),
    call(ParaverGroup::point_to_point, "MPI_Send_init"),
    call(ParaverGroup::other, "MPI_Get_count"),
    call(ParaverGroup::other, "MPI_Get_elements"),
    call(ParaverGroup::other, "MPI_Pack_size"),
    call(ParaverGroup::point_to_point, "MPI_Rsend_init"),
    call(ParaverGroup::point_to_point, "MPI_Ssend_init"),
    call(ParaverGroup::other, "MPI_Start"),
    call(ParaverGroup::other, "MPI_Startall"),
    call(ParaverGroup::other, "MPI_Testall"),
    call(ParaverGroup::other, "MPI_Testany"),
    call(ParaverGroup::other, "MPI_Test_cancelled"),
    call(ParaverGroup::other, "MPI_Testsome"),
    call(ParaverGroup::other, "MPI_Type_commit"),
    call(ParaverGroup::other, "MPI_Type_contiguous"),
    call(ParaverGroup::other, "MPI_Type_extent"),
    call(ParaverGroup::other, "MPI_Type_free"),
    call(ParaverGroup::other, "MPI_Type_hindexed"),
    call(ParaverGroup::other, "MPI_Type_hvector"),
    call(ParaverGroup::other, "MPI_Type_indexed"),
    call(ParaverGroup::other, "MPI_Type_lb"),
    call(ParaverGroup::other, "MPI_Type_size"),
    call(ParaverGroup::other, "MPI_Type_struct"),
    call(ParaverGroup::other, "MPI_Type_ub"),
    call(ParaverGroup::other, "MPI_Type_vector"),
    call(ParaverGroup::io, "MPI_File_open"),
    call(ParaverGroup::io, "MPI_File_close"),
    call(ParaverGroup::io, "MPI_File_read"),
    call(ParaverGroup::io, "MPI_File_read_all"),
    call(ParaverGroup::io, "MPI_File_write"),
    call(ParaverGroup::io, "MPI_File_write_all"),
    call(ParaverGroup::io, "MPI_File_read_at"),
    call(ParaverGroup::io, "MPI_File_read_at_all"),
    call(ParaverGroup::io, "MPI_File_write_at"),
    call(ParaverGroup::io, "MPI_File_write_at_all"),
    call(ParaverGroup::other, "MPI_Comm_spawn"),
    call(ParaverGroup::other, "MPI_Comm_spawn_multiple"),
    call(ParaverGroup::other, "MPI_Request_get_status"),
    collective("MPI_Ireduce", Collective::reduce, true),
    collective("MPI_Iallreduce", Collective::allreduce, true),
    collective("MPI_Ibarrier", Collective::barrier, true),
    collective("MPI_Ibcast", Collective::bcast, true),
    collective("MPI_Ialltoall", Collective::alltoall, true),
    collective("MPI_Ialltoallv", Collective::alltoallv, true),
    collective("MPI_Iallgather", Collective::allgather, true),
    collective("MPI_Iallgatherv", Collective::allgatherv, true),
    collective("MPI_Igather", Collective::gather, true),
    collective("MPI_Igatherv", Collective::gatherv, true),
    collective("MPI_Iscatter", Collective::scatter, true),
    collective("MPI_Iscatterv", Collective::scatterv, true),
    collective("MPI_Ireduce_scatter", Collective::reduce_scatter, true),
    collective("MPI_Iscan", Collective::scan, true),
    collective("MPI_Reduce_scatter_block", Collective::reduce_scatter_block),
    collective("MPI_Ireduce_scatter_block", Collective::reduce_scatter_block, true),
    collective("MPI_Alltoallw", Collective::alltoallw),
    collective("MPI_Ialltoallw", Collective::alltoallw, true),
    call(ParaverGroup::one_sided, "MPI_Get_accumulate"),
    call(ParaverGroup::other, "MPI_Dist_graph_create"),
    collective("MPI_Neighbor_allgather", Collective::neighbor_allgather),
    collective("MPI_Ineighbor_allgather", Collective::neighbor_allgather, true),
    collective("MPI_Neighbor_allgatherv", Collective::neighbor_allgatherv),
    collective("MPI_Ineighbor_allgatherv", Collective::neighbor_allgatherv, true),
    collective("MPI_Neighbor_alltoall", Collective::neighbor_alltoall),
    collective("MPI_Ineighbor_alltoall", Collective::neighbor_alltoall, true),
    collective("MPI_Neighbor_alltoallv", Collective::neighbor_alltoallv),
    collective("MPI_Ineighbor_alltoallv", Collective::neighbor_alltoallv, true),
    collective("MPI_Neighbor_alltoallw", Collective::neighbor_alltoallw),
    collective("MPI_Ineighbor_alltoallw", Collective::neighbor_alltoallw, true),
    call(ParaverGroup::one_sided, "MPI_Fetch_and_op"),
    call(ParaverGroup::one_sided, "MPI_Compare_and_swap"),
    call(ParaverGroup::one_sided, "MPI_Win_flush"),
    call(ParaverGroup::one_sided, "MPI_Win_flush_all"),
    call(ParaverGroup::one_sided, "MPI_Win_flush_local"),
    call(ParaverGroup::one_sided, "MPI_Win_flush_local_all"),
    call(ParaverGroup::point_to_point, "MPI_Mprobe", ActionKind::probe),
    call(ParaverGroup::point_to_point, "MPI_Improbe"),
    call(ParaverGroup::point_to_point, "MPI_Mrecv", ActionKind::recv),
    call(ParaverGroup::point_to_point, "MPI_Imrecv", ActionKind::irecv),
    call(ParaverGroup::other, "MPI_Comm_split_type"),
    call(ParaverGroup::io, "MPI_File_write_all_begin"),
    call(ParaverGroup::io, "MPI_File_write_all_end"),
    call(ParaverGroup::io, "MPI_File_read_all_begin"),
    call(ParaverGroup::io, "MPI_File_read_all_end"),
    call(ParaverGroup::io, "MPI_File_write_at_all_begin"),
    call(ParaverGroup::io, "MPI_File_write_at_all_end"),
    call(ParaverGroup::io, "MPI_File_read_at_all_begin"),
    call(ParaverGroup::io, "MPI_File_read_at_all_end"),
    call(ParaverGroup::io, "MPI_File_read_ordered"),
    call(ParaverGroup::io, "MPI_File_read_ordered_begin"),
    call(ParaverGroup::io, "MPI_File_read_ordered_end"),
    call(ParaverGroup::io, "MPI_File_read_shared"),
    call(ParaverGroup::io, "MPI_File_write_ordered"),
    call(ParaverGroup::io, "MPI_File_write_ordered_begin"),
    call(ParaverGroup::io, "MPI_File_write_ordered_end"),
    call(ParaverGroup::io, "MPI_File_write_shared"),
    call(ParaverGroup::other, "MPI_Comm_dup_with_info"),
    call(ParaverGroup::other, "MPI_Dist_graph_create_adjacent"),
    call(ParaverGroup::other, "MPI_Comm_create_group"),
    collective("MPI_Exscan", Collective::exscan),
    collective("MPI_Iexscan", Collective::exscan, true),
};

constexpr auto table = [] {
    auto numbered = names;
    std::uint32_t number = 0;
    for (ParaverCall& each : numbered) each.number = ++number;
    return numbered;
}();

// MPI_Win_fence is win_fence.
bool is_named(const ParaverCall& call, WindowCall window) {
    return call.group == ParaverGroup::one_sided && call.name.substr(5) == name_of(window).substr(1);
}

std::string_view one_sided_name(const Action& action) {
    if (action.nonblocking) return {}; // MPI_Rput and its kin
    if (action.bytes > 0 && action.more_bytes > 0) return "MPI_Get_accumulate";
    return action.bytes > 0 ? "MPI_Put" : "MPI_Get";
}

} // namespace

std::string_view name_of(ParaverGroup group) {
    switch (group) {
    case ParaverGroup::point_to_point: return "MPI Point-to-point";
    case ParaverGroup::collective: return "MPI Collective Comm";
    case ParaverGroup::other: return "MPI Other";
    case ParaverGroup::one_sided: return "MPI One-sided";
    case ParaverGroup::io: break;
    }
    return "MPI I/O";
}

std::span<const ParaverCall> paraver_calls() { return table; }

const ParaverCall* paraver_call(std::uint64_t number) {
    return number >= 1 && number <= table.size() ? &table[static_cast<std::size_t>(number) - 1] : nullptr;
}

const ParaverCall* paraver_call_named(std::string_view mpi_name) {
    const auto found = std::find_if(table.begin(), table.end(),
                                    [&](const ParaverCall& each) { return each.name == mpi_name; });
    return found == table.end() ? nullptr : &*found;
}

// The first call of several that do the same here (MPI_Send, not MPI_Bsend).
const ParaverCall* paraver_call_of(const Action& action) {
    if (action.kind == ActionKind::one_sided) return paraver_call_named(one_sided_name(action));
    if (action.kind == ActionKind::cancel) return paraver_call_named("MPI_Cancel");
    const auto found = std::find_if(table.begin(), table.end(), [&](const ParaverCall& each) {
        if (action.kind == ActionKind::window) return is_named(each, static_cast<WindowCall>(action.other));
        return each.kind == action.kind &&
               (action.kind != ActionKind::collective ||
                (each.collective == action.collective && each.nonblocking == action.nonblocking));
    });
    return found == table.end() ? nullptr : &*found;
}

} // namespace orrery
