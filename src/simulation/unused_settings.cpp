#include "simulation/unused_settings.h"

#include "engine/error.h"
#include "engine/plural.h"
#include "simulation/changed_routes.h"
#include "simulation/setting_hints.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <utility>

namespace orrery {

namespace {

enum class SettingEffect : std::uint8_t {
    used,      // or the same value held before
    unread,    // something has changed, but nothing that this run reads
    uncrossed, // links have changed that no message crosses
    nothing,   // nothing at all has changed
};

bool same_platform(const Simulation& now, const Simulation& before) {
    const Platform* const one = now.machine().platform.get();
    const Platform* const two = before.machine().platform.get();
    if (one == nullptr || two == nullptr) return one == two;
    const auto same = [](const auto& a, const auto& b) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end());
    };
    return same(one->links(), two->links()) && same(one->hosts(), two->hosts()) && one->bursts == two->bursts;
}

// Keys that change routes without changing any link.
bool same_topology_keys(const Simulation& now, const Simulation& before) {
    for (const std::string_view key : {"topology.cost", "topology.through_hosts", "topology.simgrid_quirks"}) {
        if (now.machine().hardware.word(key, "") != before.machine().hardware.word(key, "")) return false;
    }
    return true;
}

// Whether the links, or how they are joined, have changed in any way.
bool same_wiring(const Simulation& now, const Simulation& before) {
    const auto one = now.platform().links();
    const auto two = before.platform().links();
    if (!std::equal(one.begin(), one.end(), two.begin(), two.end())) return false;
    for (const auto& [key, setting] : now.machine().hardware.all()) {
        if (key.starts_with("topology.") && before.machine().hardware.word(key, "") != setting.value)
            return false;
    }
    return same_topology_keys(now, before);
}

bool same_routing_keys(const Simulation& now, const Simulation& before) {
    for (const auto& [key, setting] : now.machine().settings.all()) {
        if (key.starts_with("routing.") && before.machine().settings.word(key, "") != setting.value)
            return false;
    }
    return true;
}

bool same_mapping(const Simulation& now, const Simulation& before, const RunFacts& facts) {
    if (now.machine().platform == nullptr || before.machine().platform == nullptr || facts.own_hostfiles)
        return true;
    return now.map(facts.ranks) == before.map(facts.ranks);
}

// Everything that any run could read.
bool same_everything(const Simulation& now, const Simulation& before, const RunFacts& facts) {
    return now.network_kind() == before.network_kind() && now.loggops() == before.loggops() &&
           now.endpoint_settings() == before.endpoint_settings() && now.collectives() == before.collectives() &&
           now.network().same_parameters_of_all(before.network()) && same_platform(now, before) &&
           same_topology_keys(now, before) && same_routing_keys(now, before) &&
           same_mapping(now, before, facts) && now.skew() == before.skew() &&
           now.machine().rates_cpu_time() == before.machine().rates_cpu_time();
}

bool calls_collectives(const RunFacts& facts) {
    if (facts.schedule() || facts.workload == RunFacts::Workload::messages) return false;
    if (facts.prediction == nullptr) return true; // perhaps
    const ReplayPrediction& prediction = *facts.prediction;
    return prediction.base.messages != prediction.point_to_point ||
           std::any_of(prediction.calls.begin(), prediction.calls.end(),
                       [](const CallTimes& rank) { return rank[CallKind::collective] > Time::zero(); });
}

// Cores and speeds of the hosts of the run, as far as it reads them.
bool same_hosts(const Simulation& now, const Simulation& before, const RunFacts& facts) {
    if (facts.schedule() || facts.workload == RunFacts::Workload::messages) return true;
    const bool rated = now.machine().rates_cpu_time() == before.machine().rates_cpu_time();
    if ((facts.host_speeds || facts.recorded_speed) && facts.workload == RunFacts::Workload::trace && !rated)
        return false;
    const Platform& one = now.platform();
    const Platform& two = before.platform();
    if (facts.host_speeds && one.bursts != two.bursts) return false;
    return std::all_of(facts.hosts.begin(), facts.hosts.end(), [&](HostId host) {
        if (host.value >= two.host_count()) return false;
        const Host& a = one.host(host);
        const Host& b = two.host(host);
        return a.cores == b.cores && (!facts.host_speeds || (a.speed == b.speed && a.bursts == b.bursts));
    });
}

SettingEffect effect_of(const Simulation& now, const Simulation& before, const RunFacts& facts) {
    if (now.network_kind() != before.network_kind() || now.skew() != before.skew()) return SettingEffect::used;
    if (same_everything(now, before, facts)) return SettingEffect::nothing;
    const NetworkKind kind = now.network_kind();
    if (!now.network().same_parameters(before.network())) return SettingEffect::used;
    if (facts.schedule() && kind == NetworkKind::loggops) return SettingEffect::unread;
    const bool same_endpoint = facts.workload == RunFacts::Workload::messages
                                   ? now.endpoint().control_bytes == before.endpoint().control_bytes
                                   : now.endpoint() == before.endpoint();
    if (!same_endpoint || !same_mapping(now, before, facts) || !same_hosts(now, before, facts))
        return SettingEffect::used;
    if (calls_collectives(facts) && now.collectives() != before.collectives()) return SettingEffect::used;
    if (kind == NetworkKind::loggops || kind == NetworkKind::ideal) return SettingEffect::unread;
    // A message without bytes leaves no trace on links, but in a network of packets.
    const bool known =
        facts.prediction != nullptr && (kind == NetworkKind::packet || facts.prediction->by_size[0] == 0);
    const RouteChange change =
        changed_routes(now.network(), before.network(), facts.hosts,
                       known ? std::span(facts.prediction->crossed) : std::span<const std::vector<bool>>());
    if (change == RouteChange::crossed || change == RouteChange::unknown) return SettingEffect::used;
    const bool links =
        !same_wiring(now, before) || (kind == NetworkKind::packet && !same_routing_keys(now, before));
    return links ? SettingEffect::uncrossed : SettingEffect::unread;
}

// The one switch that all hosts of the run have a cable to.
bool under_one_switch(const Platform& platform, std::span<const HostId> hosts) {
    try {
        const Fabric fabric(platform);
        std::optional<NodeId> common;
        for (const HostId host : hosts) {
            for (const LinkId channel : fabric.out(NodeId{host.value})) {
                const NodeId to = fabric.channel(channel).to;
                if (fabric.is_host(to) || (common && *common != to)) return false;
                common = to;
            }
        }
        return common.has_value();
    } catch (const InputError&) { // a topology that cannot say how it is wired
        return false;
    }
}

std::string uncrossed_reason(const SimulationText& text, const Simulation& simulation, const RunFacts& facts) {
    std::vector<HostId> used = facts.hosts;
    std::sort(used.begin(), used.end());
    used.erase(std::unique(used.begin(), used.end()), used.end());
    std::string words =
        fmt::format("no message crosses the changed links: {} sit{} on {}", plural(facts.ranks, "rank"),
                    facts.ranks == 1 ? "s" : "", plural(used.size(), "host"));
    if (used.size() > 1 && under_one_switch(simulation.platform(), used)) words += " under one switch";
    const bool block = text.map_by.empty() || text.map_by == "block";
    if (block && text.hostfile.empty() && !facts.own_hostfiles && used.size() < facts.ranks &&
        used.size() < simulation.platform().host_count())
        words += "; --map-by roundrobin spreads them";
    return words;
}

// Keys with the same reason are one sentence.
class UnusedReasons {
  public:
    void add(const std::string& key, const std::string& reason) {
        for (auto& [keys, same] : rows_) {
            if (same != reason) continue;
            keys += ", " + key;
            return;
        }
        rows_.emplace_back(key, reason);
    }
    [[nodiscard]] std::vector<std::string> sentences() const {
        std::vector<std::string> out;
        for (const auto& [keys, reason] : rows_) out.push_back(fmt::format("{}: {}", keys, reason));
        return out;
    }

  private:
    std::vector<std::pair<std::string, std::string>> rows_;
};

class UnusedSettings {
  public:
    UnusedSettings(const SimulationText& text, const Simulation& simulation, const RunFacts& facts)
        : text_(text), simulation_(simulation), facts_(facts) {}

    std::vector<std::string> find() {
        for (std::size_t i = 0; i < text_.settings.size(); ++i) look_at_setting(i);
        const auto look = [&](const char* option, auto SimulationText::*member) {
            if (text_.*member == SimulationText{}.*member) return;
            SimulationText without = text_;
            without.*member = SimulationText{}.*member;
            add(option, effect_without(without), false);
        };
        look("--model", &SimulationText::model);
        look("--loggops", &SimulationText::loggops);
        look("--rendezvous", &SimulationText::rendezvous);
        look("--no-congestion", &SimulationText::congestion);
        look("--collective", &SimulationText::collectives);
        const auto look_at_hosts = [&](const char* option, std::string SimulationText::*member) {
            const bool hosts = !facts_.schedule() || simulation_.network_kind() != NetworkKind::loggops;
            if (hosts) return look(option, member);
            if (!(text_.*member).empty()) add(option, SettingEffect::unread, false);
        };
        if (simulation_.placed().empty()) {
            look_at_hosts("--hostfile", &SimulationText::hostfile);
            look_at_hosts("--map-by", &SimulationText::map_by);
        }
        if (text_.start_skew.empty() && text_.seed != SimulationText{}.seed)
            reasons_.add("--skew-seed", "not used without --start-skew");
        return reasons_.sentences();
    }

  private:
    void look_at_setting(std::size_t which) {
        const std::string& assignment = text_.settings[which];
        std::string key = assignment.substr(0, assignment.find('='));
        key.erase(std::remove(key.begin(), key.end(), ' '), key.end());
        std::replace(key.begin(), key.end(), '/', '.');
        if (key.starts_with("machine.") || key.starts_with("provenance.") || key.starts_with("validation."))
            return; // words
        SimulationText without = text_;
        without.settings.erase(without.settings.begin() + static_cast<std::ptrdiff_t>(which));
        add(key, effect_without(without), true);
    }

    [[nodiscard]] SettingEffect effect_without(const SimulationText& without) {
        try {
            Simulation before(without, !facts_.schedule());
            if (!simulation_.placed().empty()) before.place_at(simulation_.placed());
            before_ = std::move(before);
            return effect_of(simulation_, *before_, facts_);
        } catch (const UsageError&) { // it makes no sense without
        } catch (const InputError&) {
        }
        before_.reset();
        return SettingEffect::used;
    }

    void add(const std::string& name, SettingEffect effect, bool setting) {
        switch (effect) {
        case SettingEffect::used: return;
        case SettingEffect::nothing:
            if (setting) add_without_change(name);
            return;
        case SettingEffect::uncrossed: return reasons_.add(name, uncrossed_reason(text_, simulation_, facts_));
        case SettingEffect::unread:
            return reasons_.add(name, unread_reason(name, simulation_.network_kind(), facts_.workload));
        }
    }

    // The machine has this value already, or nothing takes it.
    void add_without_change(const std::string& key) {
        if (const std::string reason = accepted_reason(key); !reason.empty()) return reasons_.add(key, reason);
        for (const Settings* const settings : {&before_->machine().hardware, &before_->machine().settings}) {
            if (settings->find(key) == nullptr) continue;
            const Settings& now = settings == &before_->machine().hardware ? simulation_.machine().hardware
                                                                           : simulation_.machine().settings;
            if (settings->word(key, "") == now.word(key, "")) return;
        }
        reasons_.add(key, "changes nothing: the machine has this value already, or other keys replace it");
    }

    const SimulationText& text_;
    const Simulation& simulation_;
    const RunFacts& facts_;
    std::optional<Simulation> before_;
    UnusedReasons reasons_;
};

} // namespace

std::vector<std::string> unused_settings(const SimulationText& text, const Simulation& simulation,
                                         const RunFacts& facts) {
    return UnusedSettings(text, simulation, facts).find();
}

} // namespace orrery
