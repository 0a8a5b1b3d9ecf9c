#include "machine/routing/imported.h"

#include "engine/error.h"
#include "engine/random.h"
#include "machine/machine_file.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace orrery {

namespace {

std::uint64_t key_of(HostId from, HostId to) { return (std::uint64_t{from.value} << 32U) | to.value; }

// The paths one after another, in the order of (from, to) and, for a pair, of the file.
class RouteTable final : public ImportedRouting {
  public:
    RouteTable(std::vector<FileRoute> routes, const Fabric& fabric, std::string file)
        : ImportedRouting(std::move(file)), fabric_(fabric) {
        std::stable_sort(routes.begin(), routes.end(), [](const FileRoute& a, const FileRoute& b) {
            return key_of(a.from, a.to) < key_of(b.from, b.to);
        });
        begins_.reserve(routes.size() + 1);
        for (const FileRoute& route : routes) {
            const std::uint64_t key = key_of(route.from, route.to);
            several_ = several_ || (!keys_.empty() && keys_.back() == key);
            keys_.push_back(key);
            begins_.push_back(channels_.size());
            channels_.insert(channels_.end(), route.channels.begin(), route.channels.end());
        }
        begins_.push_back(channels_.size());
    }

    [[nodiscard]] std::uint32_t route_count(HostId from, HostId to) const override {
        const auto [first, last] = std::equal_range(keys_.begin(), keys_.end(), key_of(from, to));
        return static_cast<std::uint32_t>(last - first);
    }

    void route(HostId from, HostId to, std::uint32_t number, std::vector<LinkId>& channels) const override {
        const auto first = std::lower_bound(keys_.begin(), keys_.end(), key_of(from, to));
        const auto index = static_cast<std::size_t>(first - keys_.begin()) + number;
        const auto at = [&](std::size_t i) {
            return channels_.begin() + static_cast<std::ptrdiff_t>(begins_[i]);
        };
        channels.insert(channels.end(), at(index), at(index + 1));
    }

    [[nodiscard]] std::string words() const override { return fmt::format("routes of {}", file()); }

  private:
    [[nodiscard]] std::string name_of(HostId host) const override { return fabric_.name(NodeId{host.value}); }

    const Fabric& fabric_;
    std::vector<std::uint64_t> keys_;
    std::vector<std::size_t> begins_; // in channels_, one more at the end
    std::vector<LinkId> channels_;
};

// What each switch does with a destination, as InfiniBand has it.
class ForwardingTables final : public ImportedRouting {
  public:
    ForwardingTables(FileTables tables, const Fabric& fabric, std::string file)
        : ImportedRouting(std::move(file)), fabric_(fabric), tables_(std::move(tables)),
          first_(fabric.host_count() + std::size_t{1}) {
        for (const FileTarget& target : tables_.targets) ++first_[target.host.index() + 1];
        for (std::size_t i = 1; i < first_.size(); ++i) {
            several_ = several_ || first_[i] > 1;
            first_[i] += first_[i - 1];
        }
        std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
        targets_of_.resize(tables_.targets.size());
        for (std::uint32_t i = 0; i < tables_.targets.size(); ++i) {
            targets_of_[next[tables_.targets[i].host.index()]++] = i;
        }
    }

    [[nodiscard]] std::uint32_t route_count(HostId /*from*/, HostId to) const override {
        return first_[to.index() + 1] - first_[to.index()];
    }

    void route(HostId from, HostId to, std::uint32_t number, std::vector<LinkId>& channels) const override {
        const std::uint32_t target = targets_of_[first_[to.index()] + number];
        LinkId link = first_channel(from, tables_.targets[target].port);
        std::uint32_t steps = 0;
        for (;;) {
            if (link == no_link) lost(from, to, target, "lead nowhere");
            channels.push_back(link);
            const NodeId at = fabric_.channel(link).to;
            if (at == NodeId{to.value}) return;
            if (fabric_.is_host(at)) lost(from, to, target, "lead to " + fabric_.name(at));
            if (++steps > fabric_.switch_count()) lost(from, to, target, "form a cycle");
            link = tables_.next[(at.index() - fabric_.host_count()) * tables_.targets.size() + target];
        }
    }

    [[nodiscard]] std::string words() const override { return fmt::format("forwarding tables of {}", file()); }

  private:
    [[nodiscard]] std::string name_of(HostId host) const override { return fabric_.name(NodeId{host.value}); }

    // Out of the port of the same number as at the other end, or of the first one that is joined.
    [[nodiscard]] LinkId first_channel(HostId from, std::uint32_t port) const {
        const auto out = fabric_.out(NodeId{from.value});
        if (port < out.size() && out[port] != no_link) return out[port];
        const auto found = std::find_if(out.begin(), out.end(), [](LinkId link) { return link != no_link; });
        return found == out.end() ? no_link : *found;
    }

    [[noreturn]] void lost(HostId from, HostId to, std::uint32_t target, const std::string& how) const {
        throw InputError(Error{file(), tables_.targets[target].line, 0,
                               fmt::format("from {} to {} (lid {}) the tables {}", name_of(from), name_of(to),
                                           tables_.targets[target].lid, how)});
    }

    const Fabric& fabric_;
    FileTables tables_;
    std::vector<std::uint32_t> first_;      // of each host, in targets_of_
    std::vector<std::uint32_t> targets_of_; // indices of tables_.targets
};

} // namespace

std::uint32_t ImportedRouting::count_of(HostId from, HostId to) const {
    const std::uint32_t count = route_count(from, to);
    if (count != 0) return count;
    throw InputError(Error{file_, 0, 0, fmt::format("has no route from {} to {}", name_of(from), name_of(to))});
}

void ImportedRouting::first_route(HostId from, HostId to, std::vector<LinkId>& channels) const {
    count_of(from, to);
    route(from, to, 0, channels);
}

void ImportedRouting::path(HostId from, HostId to, std::uint64_t draw, const LoadView& /*load*/,
                           std::vector<Hop>& hops) const {
    const std::uint32_t count = count_of(from, to);
    const RandomStream random(0, key_of(from, to));
    std::vector<LinkId> channels;
    route(from, to, count == 1 ? 0 : static_cast<std::uint32_t>(random.below(draw, count)), channels);
    for (const LinkId link : channels) hops.push_back({link, 0});
}

bool ImportedRouting::paths(HostId from, HostId to, std::uint64_t most, PathSink& sink) const {
    const std::uint32_t count = count_of(from, to);
    std::vector<LinkId> channels;
    std::vector<Hop> hops;
    for (std::uint32_t i = 0; i < count && i < most; ++i) {
        channels.clear();
        hops.clear();
        route(from, to, i, channels);
        for (const LinkId link : channels) hops.push_back({link, 0});
        sink.path(hops);
    }
    return count <= most;
}

std::unique_ptr<ImportedRouting> imported_routes(std::string_view text, const Fabric& fabric,
                                                 const std::string& file) {
    RouteText read = read_routes(text, fabric, file);
    if (read.tables.targets.empty()) {
        return std::make_unique<RouteTable>(std::move(read.routes), fabric, file);
    }
    return std::make_unique<ForwardingTables>(std::move(read.tables), fabric, file);
}

std::string read_route_text(const std::string& file) {
    constexpr std::uint64_t most_bytes = std::uint64_t{4} << 30U;
    return read_whole_file(file, most_bytes);
}

std::unique_ptr<Routing> read_route_file(const Fabric& fabric, const std::string& file) {
    return imported_routes(read_route_text(file), fabric, file);
}

} // namespace orrery
