// The zones of a SimGrid platform and how a route is found through them.
//
// A zone holds points: hosts, routers, and zones. It routes between its own points; a route between two of its
// zones enters and leaves them by gateways, and the way from a host to its gateway is found in the same manner
// one level down.
#pragma once

#include "engine/error.h"
#include "machine/platform.h"
#include "machine/topologies/cluster.h"

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace orrery::simgrid {

enum class Routing : std::uint8_t { full, floyd, dijkstra, star, cluster, none };

// A point: the zone that holds it and its number there.
struct Point {
    std::uint32_t zone = ~std::uint32_t{0};
    std::uint32_t index = 0;
    [[nodiscard]] bool valid() const { return zone != ~std::uint32_t{0}; }
    auto operator<=>(const Point&) const = default;
};

struct Hop {
    Point gateway_from; // not valid between hosts and routers of one zone
    Point gateway_to;
    std::vector<LinkId> links;
};

struct Member {
    enum class Kind : std::uint8_t { host, router, zone } kind = Kind::host;
    std::uint32_t id = 0; // of the host or the zone
    std::string name;
};

struct Zone {
    std::string name;
    Routing routing = Routing::none;
    std::uint32_t parent = ~std::uint32_t{0};
    Point self; // as a point of its parent
    std::uint64_t line = 0;
    bool has_zones = false;

    std::vector<Member> members; // not of a cluster: its hosts have the numbers 0.., its router the next one

    // full, floyd, dijkstra: what the file says; star: up and down links of each member.
    std::map<std::pair<std::uint32_t, std::uint32_t>, Hop> hops;
    std::vector<Hop> up;
    std::vector<Hop> down;
    std::map<std::pair<Point, Point>, Hop> bypasses;

    // cluster: a topology of its own, whose hosts and links are counted from these on.
    std::unique_ptr<Topology> topology;
    const ClusterTopology* flat = nullptr; // the same, if it is one on a single switch
    std::uint32_t first_host = 0;
    std::uint32_t first_link = 0;
    std::uint32_t hosts = 0;
    std::uint32_t links = 0;
    std::string router;

    // floyd, dijkstra: the point before each on the way from the row's point; made by `seal`, or row by row.
    std::vector<std::uint32_t> before;
    struct Row {
        std::once_flag made;
        std::vector<std::uint32_t> before;
    };
    std::unique_ptr<Row[]> rows;
    std::vector<std::uint32_t> order; // dijkstra: members in the order in which routes name them
};

class ZoneTopology final : public Topology {
  public:
    explicit ZoneTopology(std::string file) : file_(std::move(file)) {}

    void route(HostId from, HostId to, std::vector<LinkId>& links) const override;
    [[nodiscard]] std::string host_name(HostId host) const override;
    [[nodiscard]] std::string link_name(LinkId link) const override;
    [[nodiscard]] std::string link_class(LinkId link) const override;
    [[nodiscard]] std::optional<HostId> find_host(std::string_view name) const override;
    [[nodiscard]] std::string words() const override;
    [[nodiscard]] std::optional<double> bisection() const override;
    // A platform of one cluster is wired as that is; all others say only which links a message passes.
    bool wire(Wiring& wiring) const override;
    [[nodiscard]] Regularity regularity() const override;

    [[nodiscard]] std::optional<Point> find(std::string_view name) const; // host, router or zone
    [[nodiscard]] std::string name(Point point) const;
    [[nodiscard]] const Member* member(Point point) const; // null for a host or router of a cluster
    [[nodiscard]] bool is_zone(Point point) const;
    [[nodiscard]] bool inside(Point point, std::uint32_t zone) const; // at any depth
    // After the last zone has been read: tables of routes. `loopback` is for hosts of zones with routes by
    // hand.
    void seal(LinkId loopback);

    // Filled by the reader.
    std::vector<Zone> zones;                          // the first is the root
    std::vector<Point> hosts;                         // by HostId
    std::map<std::uint32_t, std::string> link_names;  // not of clusters
    std::map<std::string, Point, std::less<>> points; // not of clusters

  private:
    // The topology of the one zone that has hosts, if that is a cluster; null otherwise.
    [[nodiscard]] const Zone* only_cluster() const;
    [[nodiscard]] const Zone* cluster_of(LinkId link) const; // null: of a link by name
    void between(Point from, Point to, std::vector<LinkId>& links, std::uint32_t depth) const;
    bool bypass(std::uint32_t common, Point from, Point to, std::vector<LinkId>& links,
                std::uint32_t depth) const;
    // Appends the links of zone `zone` from member to member; the gateways of the first and last hop are
    // returned.
    std::pair<Point, Point> within(std::uint32_t zone, std::uint32_t from, std::uint32_t to,
                                   std::vector<LinkId>& links, std::uint32_t depth) const;
    std::pair<Point, Point> along(const Zone& zone, std::span<const std::uint32_t> before, std::uint32_t from,
                                  std::uint32_t to, std::vector<LinkId>& links, std::uint32_t depth) const;
    void within_cluster(const Zone& zone, std::uint32_t from, std::uint32_t to,
                        std::vector<LinkId>& links) const;
    [[nodiscard]] std::vector<std::uint32_t>
    path_up(std::uint32_t zone) const; // the zone, its parent, ..., the root
    [[noreturn]] void no_route(std::uint32_t zone, Point from, Point to) const;

    std::string file_;
    LinkId loopback_{};
};

// Floyd and Warshall's table, and one row of Dijkstra's, with SimGrid's choice among routes of equal length.
std::vector<std::uint32_t> floyd_table(const Zone& zone);
std::vector<std::uint32_t> dijkstra_row(const Zone& zone, std::uint32_t from);

} // namespace orrery::simgrid
