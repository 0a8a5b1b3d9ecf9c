// Networks as other programs describe them: which of the formats a text is, and its reader.
#pragma once

#include "machine/net.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace orrery {

// The format of a text by its first words, or by the name .map; nothing if it is none of ours.
enum class NetFormat : std::uint8_t { myrinet_map, ibnetdiscover, slurm };
std::optional<NetFormat> net_format(std::string_view text, std::string_view file);
// Throws InputError.
Net read_net(std::string_view text, const std::string& file, NetFormat format);

} // namespace orrery
