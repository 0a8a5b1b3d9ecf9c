#include "tools/cosim/node_map.h"

#include "engine/error.h"
#include "machine/machine_file.h"

#include <fmt/format.h>

namespace orrery {

std::vector<HostId> read_node_map(const std::string& file, const Platform& platform) {
    return parse_node_map(read_whole_file(file), file, platform);
}

std::vector<HostId> parse_node_map(std::string_view text, const std::string& file, const Platform& platform) {
    std::vector<HostId> nodes;
    std::uint64_t number = 0;
    std::uint64_t blank = 0; // the first blank line: only the end of the file may follow
    while (!text.empty()) {
        ++number;
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        const std::size_t begin = std::min(line.find_first_not_of(" \t\r"), line.size());
        line.remove_prefix(begin);
        line = line.substr(0, line.find_last_not_of(" \t\r") + 1);
        if (line.empty()) {
            if (blank == 0) blank = number;
            continue;
        }
        if (blank != 0)
            throw InputError(Error{file, blank, 0, "expected the name of a host: line n is node n"});
        const auto host = platform.topology().find_host(line);
        if (!host) throw InputError(Error{file, number, begin + 1, fmt::format("there is no host '{}'", line)});
        nodes.push_back(*host);
    }
    if (nodes.empty()) throw InputError(Error{file, 0, 0, "expected a host name per line, line n for node n"});
    return nodes;
}

std::vector<HostId> all_hosts(const Platform& platform) {
    std::vector<HostId> nodes;
    for (std::uint32_t host = 0; host < platform.host_count(); ++host) nodes.push_back(HostId{host});
    return nodes;
}

} // namespace orrery
