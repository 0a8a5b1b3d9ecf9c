#include "formats/net_formats.h"

#include "formats/infiniband/ibnet_file.h"
#include "formats/myrinet/map_file.h"
#include "formats/slurm/slurm_file.h"
#include "machine/word_lines.h"

namespace orrery {

std::optional<NetFormat> net_format(std::string_view text, std::string_view file) {
    if (file.ends_with(".toml")) return std::nullopt;
    if (file.ends_with(".map")) return NetFormat::myrinet_map;
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    std::string_view line;
    while (take_line(text, line)) {
        line = trimmed(line);
        if (line.starts_with("# Topology file: generated")) return NetFormat::ibnetdiscover;
        if (line.empty() || line.starts_with('#')) continue;
        if (is_slurm_line(line)) return NetFormat::slurm;
        if (is_ibnet_line(line)) return NetFormat::ibnetdiscover;
        if (is_map_line(line)) return NetFormat::myrinet_map;
        return std::nullopt;
    }
    return std::nullopt;
}

Net read_net(std::string_view text, const std::string& file, NetFormat format) {
    switch (format) {
    case NetFormat::myrinet_map: return read_map(text, file);
    case NetFormat::ibnetdiscover: return read_ibnet(text, file).net;
    case NetFormat::slurm: break;
    }
    return read_slurm_tree(text, file);
}

} // namespace orrery
