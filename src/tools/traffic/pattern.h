// Who sends to whom in random traffic: the destination of each message of a host.
//
// A destination is a function of the seed, the host and the number of the message, so that a run can be
// repeated and no queue of messages that wait need be stored.
#pragma once

#include "machine/platform.h"

#include <cstdint>
#include <string>
#include <vector>

namespace orrery {

class TrafficPattern {
  public:
    // What read_pattern() (machine/routing/pattern.h) knows: destinations for
    // each host, of which each message takes one at random. Three need no list:
    // uniform, group and hotspot. Throws UsageError if the pattern does not fit
    // the machine.
    TrafficPattern(const Platform& platform, const std::string& text, std::uint64_t seed);

    [[nodiscard]] bool sends(HostId from) const;
    [[nodiscard]] std::uint32_t senders() const; // hosts that send
    // Of the n-th message of a host that sends.
    [[nodiscard]] HostId destination(HostId from, std::uint64_t n) const;
    [[nodiscard]] const std::string& words() const { return words_; }

  private:
    void set_hotspot(const std::string& argument);
    void set_group(std::uint32_t hosts);
    void set_listed(const Platform& platform, const std::string& text);

    std::uint32_t hosts_;
    std::uint64_t seed_;
    std::string words_;
    // A host has listed destinations, or sends to others at random: to all, or to the group behind its own.
    bool listed_ = false;
    std::vector<std::uint32_t> first_; // of each host in to_, one more at the end
    std::vector<HostId> to_;
    std::uint32_t group_ = 0; // hosts of a group; 0: no groups
    double hot_share_ = 0;    // of the messages, to the hot host
    std::uint32_t hot_ = 0;
};

} // namespace orrery
