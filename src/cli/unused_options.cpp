#include "cli/unused_options.h"

#include "cli/timeline_options.h"

#include <algorithm>
#include <fmt/format.h>

namespace orrery::cli {

std::vector<std::string> unused_options(const SimulateArguments& arguments, NetworkKind network) {
    std::vector<std::string> out;
    const SimulateArguments usual;
    if (arguments.noise.empty() && arguments.noise_file.empty()) {
        if (arguments.seed != usual.seed)
            out.emplace_back("--noise-seed: not used without --noise or --noise-file");
        if (arguments.noise_coscheduled)
            out.emplace_back("--noise-coscheduled: not used without --noise or --noise-file");
    }
    const bool picture =
        std::any_of(arguments.timelines.begin(), arguments.timelines.end(),
                    [](const std::string& path) { return timeline_kind(path) == TimelineKind::svg; });
    if (!picture) {
        for (const auto& [option, text] : {std::pair{"--timeline-ranks", &arguments.timeline_ranks},
                                           std::pair{"--timeline-from", &arguments.timeline_from},
                                           std::pair{"--timeline-to", &arguments.timeline_to}}) {
            if (!text->empty()) out.push_back(std::string(option) + ": not used without --timeline FILE.svg");
        }
    }
    if (arguments.paraver_quantum != usual.paraver_quantum && arguments.paraver_network.empty())
        out.emplace_back("--paraver-quantum: not used without --paraver-network");
    if (arguments.force && arguments.output.empty()) out.emplace_back("--force: not used without -o DIR");
    if (arguments.events && arguments.output.empty())
        out.emplace_back("--events: not used without -o DIR; --csv x.events.csv writes them, too");
    if (arguments.links && !network_kind_row(network).links)
        out.push_back(fmt::format("--links: not used, this network has no links; --network {} has",
                                  networks_with_links()));
    return out;
}

} // namespace orrery::cli
