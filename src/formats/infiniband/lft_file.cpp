// Forwarding tables as `dump_lfts`, OpenSM's opensm-lfts.dump and its opensm.fdbs print them:
//   Unicast lids [0x0-0x16] of switch ... guid 0x0000000000200003 (leaf3):     a table begins
//   0x0001 005 : (Channel Adapter portguid 0x...: 'node00')                    lid and port
//   dump_ucast_routes: Switch 0x0000000000200003                               a table of opensm.fdbs begins
//   0x0001 : 005  : 03   : yes                                                 lid and port
#include "engine/error.h"
#include "formats/infiniband/ibnet_file.h"
#include "machine/word_lines.h"

#include <charconv>
#include <fmt/format.h>
#include <iterator>
#include <utility>

namespace orrery {

namespace {

constexpr std::uint32_t most_lids = 0xBFFF;

class LftReader {
  public:
    LftReader(std::string_view text, const std::string& file, const IbNet& net)
        : rest_(text), file_(file), net_(net) {
        for (const IbPort& port : net.ports) {
            for (std::uint32_t i = 0; i < (1U << port.lmc); ++i) targets_.emplace(port.lid + i, &port);
        }
    }

    std::string convert() {
        out_ = fmt::format("# the forwarding tables of {}\ntables\n", file_);
        for (const auto& [lid, port] : targets_) {
            fmt::format_to(std::back_inserter(out_), "lid {} {} {}\n", lid, quoted_name(port->host),
                           port->port);
        }
        std::string_view line;
        while (take_line(rest_, line)) {
            ++line_;
            line = trimmed(line);
            if (const std::size_t at = line.find("Switch 0x"); line.starts_with("dump_ucast_routes")) {
                begin_table(at == std::string_view::npos ? "" : line.substr(at + 9));
            } else if (line.starts_with("Unicast lids")) {
                const std::size_t guid = line.find(" guid 0x");
                begin_table(guid == std::string_view::npos ? "" : line.substr(guid + 8));
            } else if (line.starts_with("0x")) {
                read_entry(line);
            }
        }
        if (tables_ == 0) throw InputError(Error{file_, 0, 0, "has no forwarding tables"});
        return std::move(out_);
    }

  private:
    [[noreturn]] void fail(std::string reason) const {
        throw InputError(Error{file_, line_, 0, std::move(reason)});
    }

    void begin_table(std::string_view text) {
        std::uint64_t guid = 0;
        const auto result = std::from_chars(text.data(), text.data() + text.size(), guid, 16);
        if (result.ec != std::errc()) fail("expected the guid of a switch");
        const auto found = net_.guids.find(guid);
        if (found == net_.guids.end()) {
            fail(fmt::format("a table of switch 0x{:016x}, which {} does not have", guid, net_.net.file));
        }
        fmt::format_to(std::back_inserter(out_), "switch {}\n", quoted_name(found->second));
        ++tables_;
    }

    // 0x0001 005 : ..., or 0x0001 : 005  : ...
    void read_entry(std::string_view line) {
        const char* const end = line.data() + line.size();
        std::uint32_t lid = 0;
        auto result = std::from_chars(line.data() + 2, end, lid, 16);
        if (result.ec != std::errc() || lid > most_lids) fail("expected a lid such as 0x0001");
        if (tables_ == 0) fail("an entry before the first table");
        while (result.ptr != end && (*result.ptr == ' ' || *result.ptr == '\t' || *result.ptr == ':'))
            ++result.ptr;
        if (line.substr(static_cast<std::size_t>(result.ptr - line.data())).starts_with("UNREACHABLE")) return;
        std::uint32_t port = 0;
        result = std::from_chars(result.ptr, end, port);
        constexpr std::uint32_t highest = 254; // 255: no way
        if (result.ec != std::errc()) fail("expected a port after the lid");
        if (port > highest || !targets_.contains(lid)) return;
        fmt::format_to(std::back_inserter(out_), "{} {}\n", lid, port);
    }

    std::string_view rest_;
    std::string file_;
    const IbNet& net_;
    std::map<std::uint32_t, const IbPort*> targets_;
    std::string out_;
    std::uint64_t line_ = 0;
    std::uint64_t tables_ = 0;
};

} // namespace

std::string convert_lfts(std::string_view text, const std::string& file, const IbNet& net) {
    return LftReader(text, file, net).convert();
}

} // namespace orrery
