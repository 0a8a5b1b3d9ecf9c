// From the elements of a platform file to its zones, hosts and links.
#pragma once

#include "engine/settings.h"
#include "formats/simgrid/element.h"
#include "formats/simgrid/zones.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace orrery::simgrid {

class ZoneReader {
  public:
    ZoneReader(const std::string& file, const Settings& settings);

    void read_root(const Element& element); // <zone>, <AS> or <cluster>
    std::unique_ptr<Platform> finish(const Element& root);

    void ignore(const Element& element, const std::string& what);
    [[noreturn]] static void refuse(const Element& element);
    [[nodiscard]] std::vector<std::string> ignored() const;

  private:
    // A link by name: both directions of a split-duplex one.
    struct NamedLink {
        LinkId up;
        LinkId down;
        bool split = false;
    };
    // A host of a star that waits for the zone's backbone, which may come later in the file.
    struct Spoke {
        std::uint32_t member;
        LinkId up;
        LinkId down;
    };

    std::uint32_t begin_zone(const Element& element, std::uint32_t parent);
    void read_zone(const Element& element, std::uint32_t parent, std::uint32_t depth);
    void read_part(const Element& element, std::uint32_t zone, std::uint32_t depth);
    void read_cluster(const Element& element, std::uint32_t parent);
    void read_host(const Element& element, std::uint32_t zone);
    void read_host_property(const Element& prop);
    void read_router(const Element& element, std::uint32_t zone);
    void read_link(const Element& element);
    void read_backbone(const Element& element, std::uint32_t zone);
    void read_cabinet(const Element& element, std::uint32_t zone);
    void read_host_link(const Element& element, std::uint32_t zone);
    void read_route(const Element& element, std::uint32_t zone, bool zones, bool bypass);
    void add_hop(const Element& element, std::uint32_t zone, Point from, Point to, Hop hop);
    void finish_star(std::uint32_t zone);

    Point add_member(const Element& element, std::uint32_t zone, Member member);
    std::uint32_t add_host(const Host& host, Point point);
    void add_link(const Element& element, const std::string& name, const Cable& cable);
    [[nodiscard]] const NamedLink& link(const Element& element, const std::string& name) const;
    [[nodiscard]] Point point(const Element& element, const char* attribute) const;
    [[nodiscard]] Point gateway(const Element& element, const char* attribute, Point zone) const;
    void check_new_name(const Element& element, const std::string& name) const;

    std::unique_ptr<ZoneTopology> topology_;
    std::vector<Host> hosts_;
    std::vector<Link> links_;
    std::map<std::string, NamedLink, std::less<>> named_links_;
    std::map<std::uint32_t, std::vector<Spoke>> spokes_; // by zone
    std::map<std::uint32_t, LinkId> backbones_;
    std::map<std::string, std::string> ignored_; // what, and where first
    Link loopback_;
    bool quirks_ = false;
    std::uint32_t fat_tree_hosts_ = 0;
};

} // namespace orrery::simgrid
