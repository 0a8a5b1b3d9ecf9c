// Reads what Paraver would read, and complains of everything that it would not take or that would mislead it.
//
// The rules are those of Paraver's own reader: a header that says which nodes, applications, tasks and threads
// there are; communicator lines, as many as announced; then records of states (1), events (2) and
// communications (3), by the first time in each, about threads that exist, on CPUs of their node, with times
// from 0 to the end. Beside it the names of all states and event types that occur, and a label for every row.
#pragma once

#include "observe/temporary_file.h"

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace orrery::observe_test {

struct PrvState {
    std::array<std::uint64_t, 3> who{}; // application, task, thread, from 1
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t state = 0;
};
struct PrvEvent {
    std::array<std::uint64_t, 3> who{};
    std::uint64_t time = 0;
    std::uint64_t type = 0;
    std::uint64_t value = 0;
};
struct PrvCommunication {
    std::array<std::uint64_t, 3> from{};
    std::array<std::uint64_t, 3> to{};
    std::uint64_t logical_send = 0;
    std::uint64_t physical_send = 0;
    std::uint64_t logical_receive = 0;
    std::uint64_t physical_receive = 0;
    std::uint64_t bytes = 0;
    std::uint64_t tag = 0;
};

class PrvFile {
  public:
    explicit PrvFile(const std::string& path) {
        read(contents(path));
        names(contents(path.substr(0, path.size() - 4) + ".pcf"));
        rows(contents(path.substr(0, path.size() - 4) + ".row"));
        check_names();
        check_states();
    }

    std::uint64_t end = 0;
    std::vector<std::uint64_t> cpus;                              // per node
    std::vector<std::vector<std::array<std::uint64_t, 2>>> tasks; // per application: threads, node
    std::uint64_t announced_communicators = 0;
    std::vector<PrvState> states;
    std::vector<PrvEvent> events;
    std::vector<PrvCommunication> communications;
    std::map<std::uint64_t, std::string> state_names;
    std::map<std::uint64_t, std::string> state_colours;
    std::map<std::uint64_t, std::string> event_names;
    std::map<std::uint64_t, std::map<std::uint64_t, std::string>> value_names;
    std::map<std::string, std::vector<std::string>> labels; // by level
    std::vector<std::string> complaints;

    [[nodiscard]] std::string all_complaints() const {
        std::string text;
        for (const std::string& each : complaints) text += each + "\n";
        return text;
    }

  private:
    void read(const std::string& text) {
        std::istringstream in(text);
        std::string line;
        if (!std::getline(in, line)) return complain("empty file");
        header(line);
        for (std::uint64_t i = 0; i < announced_communicators; ++i) {
            if (!std::getline(in, line) || !line.starts_with("c:")) return complain("communicator missing");
            communicator(numbers(line.substr(2)));
        }
        std::uint64_t last = 0;
        while (std::getline(in, line)) {
            if (line.empty() || line[0] == '#') continue;
            if (line.size() < 3 || line[1] != ':') {
                complain("no record: " + line);
                continue;
            }
            const std::vector<std::uint64_t> fields = numbers(line.substr(2));
            if (fields.size() < 6) {
                complain("too few fields: " + line);
                continue;
            }
            if (fields[4] < last) complain("out of order: " + line);
            last = fields[4];
            record(line, fields);
        }
        if (!text.ends_with('\n')) complain("no end of line at the end");
    }

    void complain(const std::string& what) {
        if (complaints.size() < 20) complaints.push_back(what);
    }

    // "1:2:3"; anything else is a complaint.
    std::vector<std::uint64_t> numbers(const std::string& text) {
        std::vector<std::uint64_t> all;
        std::istringstream in(text);
        for (std::string word; std::getline(in, word, ':');) {
            if (word.empty() || word.find_first_not_of("0123456789") != std::string::npos || word.size() > 19) {
                complain("no number: '" + word + "' in " + text);
                return {};
            }
            all.push_back(std::stoull(word));
        }
        return all;
    }

    // #Paraver (dd/mm/yy at
    // hh:mm):<end>_ns:<nodes>(<cpus>,..):<applications>:<tasks>(<threads>:<node>,..)..[,n]
    void header(const std::string& line) {
        constexpr std::string_view form = "#Paraver (dd/mm/yy at hh:mm):";
        if (line.size() < form.size()) return complain("short header");
        for (std::size_t i = 0; i < form.size(); ++i) {
            const bool digit = i >= 10 && std::string_view("dmyh").find(form[i]) != std::string_view::npos;
            if (digit ? std::isdigit(static_cast<unsigned char>(line[i])) == 0 : line[i] != form[i])
                return complain("header does not begin as it should: " + line.substr(0, form.size()));
        }
        std::istringstream in(line.substr(form.size()));
        char c = 0;
        std::string unit(4, ' ');
        if (!(in >> end) || !in.read(unit.data(), 4) || unit != "_ns:") return complain("no end of time in ns");
        std::uint64_t nodes = 0;
        if (!(in >> nodes)) return complain("no count of nodes");
        for (std::uint64_t i = 0; i < nodes; ++i) {
            std::uint64_t count = 0;
            if (!in.get(c) || c != (i == 0 ? '(' : ',') || !(in >> count) || count == 0)
                return complain("no CPUs of a node");
            cpus.push_back(count);
        }
        if (nodes > 0 && (!in.get(c) || c != ')')) return complain("no ) after the CPUs");
        std::uint64_t applications = 0;
        if (!in.get(c) || c != ':' || !(in >> applications) || applications == 0)
            return complain("no applications");
        for (std::uint64_t i = 0; i < applications; ++i) {
            std::uint64_t count = 0;
            if (!in.get(c) || c != ':' || !(in >> count) || count == 0) return complain("no tasks");
            std::vector<std::array<std::uint64_t, 2>>& list = tasks.emplace_back();
            for (std::uint64_t task = 0; task < count; ++task) {
                std::array<std::uint64_t, 2> each{};
                if (!in.get(c) || c != (task == 0 ? '(' : ',') || !(in >> each[0]) || each[0] == 0 ||
                    !in.get(c) || c != ':' || !(in >> each[1]))
                    return complain("no threads of a task");
                if (nodes > 0 && (each[1] == 0 || each[1] > nodes)) complain("a task on a node that is none");
                list.push_back(each);
            }
            if (!in.get(c) || c != ')') return complain("no ) after the tasks");
        }
        if (in.get(c) && (c != ',' || !(in >> announced_communicators))) complain("the header does not end");
        for (std::size_t node = 0; node < cpus.size(); ++node) {
            for (std::uint64_t i = 0; i < cpus[node]; ++i) node_of_cpu.push_back(node + 1);
        }
    }

    void communicator(const std::vector<std::uint64_t>& fields) {
        if (fields.size() < 3 || fields[0] == 0 || fields[0] > tasks.size() || fields.size() != 3 + fields[2])
            return complain("a communicator that does not hold what it says");
        for (std::size_t i = 3; i < fields.size(); ++i) {
            if (fields[i] == 0 || fields[i] > tasks[fields[0] - 1].size()) complain("a member that is no task");
        }
    }

    std::array<std::uint64_t, 3> entity(const std::string& line, const std::uint64_t* at) {
        const std::array<std::uint64_t, 3> who{at[1], at[2], at[3]};
        if (who[0] == 0 || who[0] > tasks.size() || who[1] == 0 || who[1] > tasks[who[0] - 1].size() ||
            who[2] == 0 || who[2] > tasks[who[0] - 1][who[1] - 1][0]) {
            complain("a thread that does not exist: " + line);
            return {};
        }
        if (at[0] > node_of_cpu.size()) {
            complain("a CPU that does not exist: " + line);
        } else if (at[0] > 0 && node_of_cpu[at[0] - 1] != tasks[who[0] - 1][who[1] - 1][1]) {
            complain("a CPU of another node: " + line);
        }
        return who;
    }

    void record(const std::string& line, const std::vector<std::uint64_t>& f) {
        const auto in_time = [&](std::uint64_t time) {
            if (time > end) complain("after the end: " + line);
        };
        const std::array<std::uint64_t, 3> who = entity(line, f.data());
        if (line[0] == '1' && f.size() == 7) {
            if (f[5] <= f[4]) complain("a state of no length: " + line);
            in_time(f[5]);
            states.push_back({who, f[4], f[5], f[6]});
        } else if (line[0] == '2' && f.size() >= 7 && f.size() % 2 == 1) {
            in_time(f[4]);
            for (std::size_t i = 5; i < f.size(); i += 2) events.push_back({who, f[4], f[i], f[i + 1]});
        } else if (line[0] == '3' && f.size() == 14) {
            for (const std::size_t at : {4U, 5U, 10U, 11U}) in_time(f[at]);
            if (f[5] < f[4]) complain("sent before it was sent: " + line);
            if (f[11] < f[5]) complain("received before it was sent: " + line);
            communications.push_back({who, entity(line, &f[6]), f[4], f[5], f[10], f[11], f[12], f[13]});
        } else {
            complain("no such record: " + line);
        }
    }

    void names(const std::string& text) {
        std::istringstream in(text);
        std::string section;
        std::uint64_t type = 0;
        bool values = false;
        for (std::string line; std::getline(in, line);) {
            if (line.empty()) continue;
            if (line == "STATES" || line == "STATES_COLOR" || line == "DEFAULT_OPTIONS" ||
                line == "DEFAULT_SEMANTIC" || line == "EVENT_TYPE") {
                section = line;
                values = false;
                continue;
            }
            if (line == "VALUES") {
                values = true;
                continue;
            }
            std::istringstream words(line);
            std::uint64_t number = 0;
            std::string rest;
            if (section.starts_with("DEFAULT")) continue;
            if (!(words >> number)) {
                complain("no number in the .pcf: " + line);
                continue;
            }
            if (section == "EVENT_TYPE" && !values && !(words >> type))
                complain("no type in the .pcf: " + line);
            words >> std::ws;
            if (!std::getline(words, rest) || rest.empty()) complain("no name in the .pcf: " + line);
            if (section == "STATES") {
                state_names[number] = rest;
            } else if (section == "STATES_COLOR") {
                int r = -1;
                int g = -1;
                int b = -1;
                if (std::sscanf(rest.c_str(), "{%d,%d,%d}", &r, &g, &b) != 3 || r < 0 || r > 255 || g < 0 ||
                    g > 255 || b < 0 || b > 255)
                    complain("no colour: " + line);
                state_colours[number] = rest;
            } else if (values) {
                value_names[type][number] = rest;
            } else {
                event_names[type] = rest;
            }
        }
    }

    void rows(const std::string& text) {
        std::istringstream in(text);
        for (std::string line; std::getline(in, line);) {
            if (line.empty()) continue;
            std::istringstream words(line);
            std::string level;
            std::string name;
            std::string size;
            std::size_t count = 0;
            if (!(words >> level >> name >> size >> count) || level != "LEVEL" || size != "SIZE")
                return complain("no level in the .row: " + line);
            for (std::size_t i = 0; i < count; ++i) {
                if (!std::getline(in, line) || line.empty()) return complain("labels missing for " + name);
                labels[name].push_back(line);
            }
        }
        std::uint64_t all_tasks = 0;
        std::uint64_t all_threads = 0;
        for (const auto& application : tasks) {
            all_tasks += application.size();
            for (const auto& task : application) all_threads += task[0];
        }
        if (labels["TASK"].size() != all_tasks) complain("not a label for each task");
        if (labels["THREAD"].size() != all_threads) complain("not a label for each thread");
        if (labels["APPL"].size() != tasks.size()) complain("not a label for each application");
        if (labels["NODE"].size() != cpus.size()) complain("not a label for each node");
        if (labels["CPU"].size() != node_of_cpu.size()) complain("not a label for each CPU");
    }

    void check_names() {
        for (const PrvState& each : states) {
            if (state_names.count(each.state) == 0 || state_colours.count(each.state) == 0)
                return complain("state " + std::to_string(each.state) + " has no name or colour");
        }
        for (const PrvEvent& each : events) {
            if (event_names.count(each.type) == 0)
                return complain("event " + std::to_string(each.type) + " has no name");
            const auto values = value_names.find(each.type);
            if (values != value_names.end() && values->second.count(each.value) == 0)
                return complain("value " + std::to_string(each.value) + " of " + std::to_string(each.type) +
                                " has no name");
        }
    }

    // A thread is in one state at a time.
    void check_states() {
        std::map<std::array<std::uint64_t, 3>, std::uint64_t> until;
        for (const PrvState& each : states) {
            std::uint64_t& last = until[each.who];
            if (each.begin < last) return complain("states of a thread overlap");
            last = each.end;
        }
    }

    std::vector<std::uint64_t> node_of_cpu;
};

} // namespace orrery::observe_test
