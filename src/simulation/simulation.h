// One prediction: a workload, a machine, a network, a mapping, and how collectives are done.
//
// A simulation is plain text, as a user gives it on the command line or in a study file; `run` turns it into a
// prediction. So the command line, sweeps and comparisons ask the same question in the same way.
#pragma once

#include "drivers/trace/replay.h"
#include "machine/machine.h"
#include "observe/replay_report.h"
#include "protocol/endpoint_parameters.h"
#include "results/recording.h"
#include "results/replay_prediction.h"
#include "simulation/simulation_network.h"
#include "workload/schedule.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orrery {

struct EventPath;

struct SimulationText {
    std::string machine;               // --on: a built-in name or a file; empty: LogGOPS parameters only
    std::vector<std::string> settings; // --set, each KEY=VALUE
    std::string network;    // --network: loggops, flow, packet, ...; empty: what the machine is made for
    std::string model;      // --model: smpi-compat, ... or logp, loggp, loggps, loggops; empty: ours
    std::string loggops;    // --loggops
    std::string rendezvous; // --rendezvous
    std::string hostfile;   // --hostfile
    std::string map_by;     // --map-by
    std::vector<std::string> collectives; // --collective: selectors and "operation=algorithm"
    bool congestion = true;               // false: --no-congestion
    std::string start_skew;               // --start-skew: "uniform:10us" or empty
    std::uint64_t seed = 1;               // of the skew
};

class Simulation {
  public:
    // Loads the machine and checks that everything fits together; throws UsageError or InputError. `traces`:
    // the workload is a trace, which needs a platform to compute on.
    Simulation(const SimulationText& text, bool traces);

    [[nodiscard]] NetworkKind network_kind() const { return network_.kind(); }
    [[nodiscard]] const LogGOPS& loggops() const { return loggops_; }
    [[nodiscard]] const EndpointParameters& endpoint() const { return endpoint_; }
    // What the settings say of it; LogGOPS has an endpoint of its own (o, O, S) instead.
    [[nodiscard]] const EndpointParameters& endpoint_settings() const { return endpoint_settings_; }
    // Where the LogGOPS parameters come from.
    enum class LogGOPSOrigin : std::uint8_t { said, derived_from_links, default_values };
    [[nodiscard]] LogGOPSOrigin loggops_origin() const { return loggops_origin_; }
    [[nodiscard]] const CollectivePolicy& collectives() const { return collectives_; }
    [[nodiscard]] const Platform& platform() const { return *machine_.platform; }
    [[nodiscard]] const Machine& machine() const { return machine_; }
    [[nodiscard]] const StartSkew& skew() const { return skew_; }
    // The host of each rank.
    [[nodiscard]] std::vector<HostId> map(std::uint32_t ranks) const;
    // From now on this mapping, for as many ranks: one that follows from the workload (mapping_search/).
    void place_at(std::vector<HostId> hosts) { placed_ = std::move(hosts); }
    [[nodiscard]] const std::vector<HostId>& placed() const { return placed_; } // empty: by --map-by

    // In words, for the summary.
    [[nodiscard]] std::string network_words() const { return network_.words(); }
    [[nodiscard]] std::string mapping_words(std::uint32_t ranks) const;

    // Each call is a run of its own. `with_ideal`: also on an ideal network, for all efficiencies; `again`
    // gives the same jobs anew for that.
    struct Job {
        std::shared_ptr<ActionSource> actions;
        Time start;
        std::string hostfile; // empty: the simulation's mapping, behind the jobs before it
        // Of a trace that holds CPU time: its volume per second where it was recorded
        // (RecordedBegin::reference). It then computes as fast as there, unless the machine rates CPU time.
        double cpu_time_rate = 0;
        bool as_recorded = false; // it does so in any case: the volumes were made for this machine
    };
    struct Watchers {
        Noise* noise = nullptr;
        ReplayObserver* observer = nullptr;
        PacketObserver* packets = nullptr; // of --network packet
        std::function<void(std::uint64_t, Time)> progress;
        EventPath* critical_path = nullptr; // found after the run, if somebody wants it
        Recording* recording = nullptr;     // of a schedule on the fast path, which has no other observer
        EventLog* events = nullptr;         // of all other runs: filled, if somebody wants it
    };
    // The host of each rank, all jobs counted through.
    [[nodiscard]] std::vector<HostId> hosts(std::span<const Job> jobs) const;
    [[nodiscard]] ReplayPrediction run(std::span<const Job> jobs, const Watchers& watchers) const;
    [[nodiscard]] ReplayPrediction run(const Schedule& schedule, const Watchers& watchers) const;
    // A schedule in the LogGOPS model takes the driver made for it (drivers/graph/simulate.h): no hosts, and a
    // Recording of all that happened. All else runs over hosts, and ReplayObservers watch it.
    [[nodiscard]] bool fast_path() const { return network_kind() == NetworkKind::loggops; }
    // The same for whatever drives the ranks itself (the emulator).
    using Driver = std::function<ReplayPrediction(Network& network, const ReplayOptions& options)>;
    [[nodiscard]] ReplayPrediction run(const Driver& driver, const Watchers& watchers) const;
    // The same on an ideal network: no latency, no overhead, endless bandwidth. What is left is computation and
    // waiting for others.
    [[nodiscard]] Time run_ideal(std::span<const Job> jobs) const;
    [[nodiscard]] Time run_ideal(const Schedule& schedule) const;

    // A network of its own, as the runs have it.
    [[nodiscard]] const SimulationNetwork& network() const { return network_; }
    // What the validity line says.
    [[nodiscard]] std::string validity() const;
    // What a report says of it, for so many ranks of traces, a program (`traces`) or a schedule. The caller
    // knows the rest: names, noise, style.
    [[nodiscard]] ReplayContext context(std::uint32_t ranks, bool traces) const;

  private:
    [[nodiscard]] ReplayPrediction run_fast(const Schedule& schedule, const Watchers& watchers) const;
    [[nodiscard]] ReplayOptions ideal_options() const;
    [[nodiscard]] std::vector<ReplayJob> place(std::span<const Job> jobs) const;
    void read_settings(const SimulationText& text);
    void check_mapping() const;

    Machine machine_;
    LogGOPS loggops_;
    SimulationNetwork network_;
    LogGOPSOrigin loggops_origin_ = LogGOPSOrigin::said;
    EndpointParameters endpoint_;
    EndpointParameters endpoint_settings_;
    CollectivePolicy collectives_;
    StartSkew skew_;
    std::string hostfile_;
    std::string map_by_;
    std::vector<HostId> placed_; // not empty: instead of map_by_
    bool string_order_ = false;  // SimGrid's order of hosts
    std::string model_;
};

// What is set of a simulation apart from its models: collectives, and what SimGrid's files say, for help and
// checking.
std::span<const Parameter> simulation_parameters();

} // namespace orrery
