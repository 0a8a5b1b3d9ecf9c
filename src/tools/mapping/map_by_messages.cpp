#include "tools/mapping/map_by_messages.h"

#include "machine/mapping.h"
#include "tools/mapping/metis_mapping.h"
#include "tools/mapping/pattern.h"

namespace orrery {

namespace {

std::vector<HostId> map_by(const Simulation& simulation, const std::string& hostfile,
                           const CommunicationPattern& pattern) {
    MappingOptions options;
    options.hostfile = hostfile;
    return map_metis(simulation.platform(), hosts_of(simulation.platform(), options), pattern);
}

} // namespace

std::vector<HostId> map_by_messages(const Simulation& simulation, const std::string& hostfile,
                                    const std::function<std::vector<Simulation::Job>()>& open) {
    const std::vector<Simulation::Job> jobs = open();
    const std::vector<Simulation::Job> again = open();
    CommunicationPattern all;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        const TraceCommunicators communicators(*jobs[i].actions);
        const CommunicationMatrix matrix(*again[i].actions, communicators, &simulation.collectives());
        for (RankMessage message : pattern_of(matrix, "").messages) {
            message.from += all.ranks;
            message.to += all.ranks;
            all.messages.push_back(message);
        }
        all.ranks += matrix.ranks();
    }
    return map_by(simulation, hostfile, all);
}

std::vector<HostId> map_by_messages(const Simulation& simulation, const std::string& hostfile,
                                    const Schedule& schedule) {
    return map_by(simulation, hostfile, pattern_of(schedule, ""));
}

} // namespace orrery
