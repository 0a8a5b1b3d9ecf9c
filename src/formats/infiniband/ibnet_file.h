// InfiniBand fabrics: what `ibnetdiscover` prints, and the forwarding tables of `dump_lfts` or OpenSM.
//
// Channel adapters become hosts. Adapters of one host ("node1 HCA-1", "node1 mlx5_1") become one host with a
// port for each of theirs. Switches keep their port numbers, which begin at 1.
#pragma once

#include "machine/fabric/fabric.h"
#include "machine/net.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

struct IbPort { // one that has local identifiers: `lid` to `lid` + 2^lmc - 1
    std::uint32_t lid = 0;
    std::uint32_t lmc = 0;
    std::string host;
    std::uint32_t port = 0; // of the host, from 0
};

struct IbNet {
    Net net;
    std::vector<IbPort> ports;                  // of hosts
    std::map<std::uint64_t, std::string> guids; // of switches: their names
};

bool is_ibnet_line(std::string_view line);
// Throws InputError.
IbNet read_ibnet(std::string_view text, const std::string& file);

// Reads forwarding tables and gives them as a route file for the machine made from `net`. Entries for LIDs of
// switches are left out. Throws InputError.
std::string convert_lfts(std::string_view text, const std::string& file, const IbNet& net);

// Bytes per second of data on a cable such as "4xHDR"; nothing if it is none.
std::optional<double> ib_bandwidth(std::string_view width_and_speed);

} // namespace orrery
