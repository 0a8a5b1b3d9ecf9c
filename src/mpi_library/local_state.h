// What types, attributes, errors and info objects keep for each rank, apart from its own objects.
//
// Predefined datatypes are shared by all ranks, but each rank may give them names and attributes.
#pragma once

#include "mpi_library/attribute.h"
#include "mpi_library/error_codes.h"
#include "mpi_library/info.h"
#include "orrery/mpi/mpi.h"

#include <climits>
#include <map>
#include <string>
#include <vector>

namespace orrery::emulate::mpi {

// Attributes of MPI_COMM_WORLD: the application gets the addresses of these numbers.
struct WorldAttributes {
    int tag_ub = INT_MAX;
    int host = MPI_PROC_NULL;
    int io = MPI_ANY_SOURCE; // any rank can
    int wtime_is_global = 1;
    int universe_size = 1; // set when the rank is made
    int appnum = 0;
    int last_used_code = MPI_ERR_LASTCODE;
};

struct LocalState {
    WorldAttributes world;
    ErrorCodes errors; // made by the application
    Info environment;  // MPI_INFO_ENV
    std::map<MPI_Datatype, std::string> type_names;
    std::map<MPI_Datatype, AttributeSet> type_attributes;
    std::string processor_name = "localhost"; // MPI_Get_processor_name; set when the rank is made
    int tools_begun = 0;                      // MPI_T_init_thread minus MPI_T_finalize
    std::vector<MPI_T_pvar_session> tool_sessions;
};

// That of the rank that runs. Without a runtime (tests) there is one for the process; the runtime puts its own
// way to find it here.
extern LocalState& (*local_state)();

} // namespace orrery::emulate::mpi
