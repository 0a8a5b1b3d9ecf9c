#include "formats/exchange/writers.h"

#include "engine/error.h"
#include "machine/platform.h"

#include <fmt/format.h>
#include <iterator>
#include <map>

namespace orrery {

namespace {

std::string escaped(const std::string& text) {
    std::string out;
    for (const char c : text) {
        switch (c) {
        case '&': out += "&amp;"; break;
        case '<': out += "&lt;"; break;
        case '>': out += "&gt;"; break;
        case '"': out += "&quot;"; break;
        case '\'': out += "&apos;"; break;
        default: out += c;
        }
    }
    return out;
}

class SimGridWriter {
  public:
    explicit SimGridWriter(const Platform& platform) : platform_(platform) {
        std::map<std::string, std::uint32_t> seen;
        for (std::uint32_t i = 0; i < platform.link_count(); ++i) {
            names_.push_back(escaped(platform.topology().link_name({i})));
            ++seen[names_.back()];
        }
        for (std::uint32_t i = 0; i < platform.link_count(); ++i) {
            if (seen[names_[i]] > 1) names_[i] += fmt::format(" ({})", i);
        }
    }

    std::string write(const std::string& name) {
        out_ = "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n";
        add("<platform version=\"4.1\">\n  <zone id=\"{}\" routing=\"Full\">\n", escaped(name));
        for (std::uint32_t i = 0; i < platform_.host_count(); ++i) {
            const Host& host = platform_.host({i});
            add("    <host id=\"{}\" speed=\"{}f\" core=\"{}\"/>\n", host_name(i), host.speed, host.cores);
        }
        for (std::uint32_t i = 0; i < platform_.link_count(); ++i) {
            const Link& link = platform_.link({i});
            add("    <link id=\"{}\" bandwidth=\"{}Bps\" latency=\"{}ps\" sharing_policy=\"{}\"/>\n", names_[i],
                link.bandwidth, link.latency.ps(), link.sharing == Sharing::fat_pipe ? "FATPIPE" : "SHARED");
        }
        for (std::uint32_t a = 0; a < platform_.host_count(); ++a) {
            for (std::uint32_t b = 0; b < platform_.host_count(); ++b) add_route(a, b);
        }
        out_ += "  </zone>\n</platform>\n";
        return std::move(out_);
    }

  private:
    template <typename... Values> void add(fmt::format_string<Values...> pattern, Values&&... values) {
        fmt::format_to(std::back_inserter(out_), pattern, std::forward<Values>(values)...);
    }

    std::string host_name(std::uint32_t host) const { return escaped(platform_.topology().host_name({host})); }

    void add_route(std::uint32_t a, std::uint32_t b) {
        std::vector<LinkId> links;
        platform_.route({a}, {b}, links);
        if (links.empty()) return; // to itself, over nothing
        add("    <route src=\"{}\" dst=\"{}\" symmetrical=\"NO\">", host_name(a), host_name(b));
        for (const LinkId link : links) add("<link_ctn id=\"{}\"/>", names_[link.index()]);
        out_ += "</route>\n";
    }

    const Platform& platform_;
    std::vector<std::string> names_;
    std::string out_;
};

} // namespace

std::string write_simgrid(const Platform& platform, const std::string& name) {
    if (platform.host_count() > most_simgrid_hosts) {
        throw InputError(
            fmt::format("the machine has {} hosts; as a SimGrid platform every pair has a route by hand, "
                        "which is done for up to {} hosts",
                        platform.host_count(), most_simgrid_hosts));
    }
    return SimGridWriter(platform).write(name);
}

} // namespace orrery
