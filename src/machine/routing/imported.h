// Routes from a file: lists of paths, or forwarding tables of switches (docs/fabric_files.md).
//
// Several paths between two hosts are taken by the messages at random, each as often as the others.
#pragma once

#include "machine/routing/route_file.h"
#include "machine/routing/routing.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

class ImportedRouting : public Routing {
  public:
    explicit ImportedRouting(std::string file) : file_(std::move(file)) {}

    // How many paths there are; 0: the file has none.
    [[nodiscard]] virtual std::uint32_t route_count(HostId from, HostId to) const = 0;
    // Appends the channels of one of them. Throws InputError if tables lead nowhere or form a cycle.
    virtual void route(HostId from, HostId to, std::uint32_t number, std::vector<LinkId>& channels) const = 0;
    // The first one, for networks that do not choose. Throws InputError if there is none.
    void first_route(HostId from, HostId to, std::vector<LinkId>& channels) const;

    [[nodiscard]] Decides decides() const override {
        return several_ ? Decides::per_message : Decides::per_pair;
    }
    void path(HostId from, HostId to, std::uint64_t draw, const LoadView& load,
              std::vector<Hop>& hops) const override;
    bool paths(HostId from, HostId to, std::uint64_t most, PathSink& sink) const override;

  protected:
    [[nodiscard]] const std::string& file() const { return file_; }
    // Throws InputError if the file has no route.
    std::uint32_t count_of(HostId from, HostId to) const;
    [[nodiscard]] virtual std::string name_of(HostId host) const = 0;

    bool several_ = false; // some pair has more than one path

  private:
    std::string file_;
};

// The fabric must outlive it. Throws InputError.
std::unique_ptr<ImportedRouting> imported_routes(std::string_view text, const Fabric& fabric,
                                                 const std::string& file);
std::string read_route_text(const std::string& file); // of at most 4 GB
std::unique_ptr<Routing> read_route_file(const Fabric& fabric, const std::string& file);

} // namespace orrery
