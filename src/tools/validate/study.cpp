#include "tools/validate/study.h"

#include "engine/error.h"
#include "engine/units.h"
#include "machine/machine_file.h"
#include "machine/toml_text.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <iterator>
#include <utility>

namespace orrery {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t most_runs = 10'000;
constexpr std::int64_t most_ranks = 1'000'000;

class Reader {
  public:
    explicit Reader(const std::string& file) : file_(file) {}

    ValidationPlan read(std::string_view text) {
        const toml::table root = parse_toml(text, file_);
        plan_.name = fs::path(file_).stem().string();
        for (const auto& [key, node] : root) read_key(std::string(key.str()), node);
        if (plan_.applications.empty())
            throw InputError(
                Error{file_, 0, 0, "expected at least one [[application]] with name, command and ranks"});
        return std::move(plan_);
    }

  private:
    [[noreturn]] void fail(const toml::node& node, std::string reason) const {
        const auto& at = node.source().begin;
        throw InputError(Error{file_, at.line, at.column, std::move(reason)});
    }

    template <typename Words>
    [[noreturn]] void unknown(const std::string& key, const Words& words, const toml::node& node) const {
        const std::string near = nearest_word(key, words);
        fail(node, fmt::format("unknown key '{}'; {}", key,
                               near.empty() ? fmt::format("there are {}", fmt::join(words, ", "))
                                            : fmt::format("did you mean '{}'?", near)));
    }

    std::string text(const std::string& key, const toml::node& node) const {
        if (const auto* value = node.as_string(); value != nullptr && !value->get().empty())
            return value->get();
        fail(node, fmt::format("{}: expected a text", key));
    }

    std::vector<std::string> texts(const std::string& key, const toml::node& node) const {
        std::vector<std::string> out;
        const auto* list = node.as_array();
        if (list == nullptr) return {text(key, node)};
        for (const toml::node& each : *list) out.push_back(text(key, each));
        return out;
    }

    std::uint32_t count(const std::string& key, const toml::node& node, std::int64_t least,
                        std::int64_t most) const {
        const auto* value = node.as_integer();
        if (value == nullptr || value->get() < least || value->get() > most)
            fail(node, fmt::format("{}: expected a number from {} to {}", key, least, most));
        return static_cast<std::uint32_t>(value->get());
    }

    // Beside the study file, unless it is absolute.
    [[nodiscard]] std::string beside(const std::string& path) const {
        return fs::path(path).is_absolute()
                   ? path
                   : (fs::path(file_).parent_path() / path).lexically_normal().string();
    }

    // A file beside the study, or a machine that is built in.
    [[nodiscard]] std::string machine(const std::string& name) const {
        const bool file =
            name.ends_with(".toml") || name.ends_with(".xml") || name.find('/') != std::string::npos;
        return file ? beside(name) : name;
    }

    struct Key;
    void read_key(const std::string& name, const toml::node& at);
    void read_set(const toml::node& node, const std::string& prefix);
    void read_applications(const toml::node& node);
    void read_application(const toml::node& node);
    double seconds(const std::string& key, const toml::node& node) const;
    std::vector<std::string> words(const toml::node& node) const;
    std::vector<std::string> command(const toml::node& node) const;

    const std::string& file_;
    ValidationPlan plan_;
};

// One row per key of the file.
struct Reader::Key {
    using Read = void (*)(Reader& reader, const std::string& key, const toml::node& node);
    std::string_view name;
    Read read;

    template <auto Member> static void word(Reader& reader, const std::string& key, const toml::node& node) {
        reader.plan_.simulation.*Member = reader.text(key, node);
    }
    template <auto Member, std::int64_t least>
    static void number(Reader& reader, const std::string& key, const toml::node& node) {
        reader.plan_.*Member = reader.count(key, node, least, most_runs);
    }
};

void Reader::read_key(const std::string& name, const toml::node& at) {
    using Text = const std::string&;
    using Node = const toml::node&;
    static constexpr std::array<Key, 19> keys{{
        {"name", [](Reader& r, Text key, Node node) { r.plan_.name = r.text(key, node); }},
        {"machine",
         [](Reader& r, Text key, Node node) { r.plan_.simulation.machine = r.machine(r.text(key, node)); }},
        {"network", Key::word<&SimulationText::network>},
        {"model", Key::word<&SimulationText::model>},
        {"loggops", Key::word<&SimulationText::loggops>},
        {"rendezvous", Key::word<&SimulationText::rendezvous>},
        {"hostfile",
         [](Reader& r, Text key, Node node) { r.plan_.simulation.hostfile = r.beside(r.text(key, node)); }},
        {"map-by", Key::word<&SimulationText::map_by>},
        {"collective",
         [](Reader& r, Text key, Node node) { r.plan_.simulation.collectives = r.texts(key, node); }},
        {"set", [](Reader& r, Text, Node node) { r.read_set(node, ""); }},
        {"runs", Key::number<&ValidationPlan::runs, 1>},
        {"warm-ups", Key::number<&ValidationPlan::warm_ups, 0>},
        {"traces", Key::number<&ValidationPlan::traces, 1>},
        {"counter", [](Reader& r, Text key, Node node) { r.plan_.counter = r.text(key, node); }},
        {"mpi", [](Reader& r, Text key, Node node) { r.plan_.mpi = r.text(key, node); }},
        {"mpirun", [](Reader& r, Text key, Node node) { r.plan_.mpirun = r.text(key, node); }},
        {"mpirun-options", [](Reader& r, Text, Node node) { r.plan_.mpirun_options = r.words(node); }},
        {"timeout", [](Reader& r, Text key, Node node) { r.plan_.timeout_seconds = r.seconds(key, node); }},
        {"application", [](Reader& r, Text, Node node) { r.read_applications(node); }},
    }};
    std::vector<std::string_view> names;
    for (const Key& key : keys) {
        if (key.name == name) return key.read(*this, name, at);
        names.push_back(key.name);
    }
    unknown(name, names, at);
}

void Reader::read_applications(const toml::node& node) {
    const auto* list = node.as_array();
    if (list == nullptr) fail(node, "application: write [[application]], once for each");
    for (const toml::node& each : *list) read_application(each);
}

double Reader::seconds(const std::string& key, const toml::node& node) const {
    try {
        return parse_time(text(key, node)).seconds();
    } catch (const UsageError& error) {
        fail(node, fmt::format("{}: {}", key, error.what()));
    }
}

// [set] link.latency = "2 us" and its like.
void Reader::read_set(const toml::node& node, const std::string& prefix) {
    const auto* table = node.as_table();
    if (table == nullptr) fail(node, "set: expected a table of settings, such as link.latency = \"2 us\"");
    for (const auto& [key, value] : *table) {
        const std::string name = prefix + std::string(key.str());
        if (value.is_table()) {
            read_set(value, name + ".");
        } else if (const auto* number = value.as_integer()) {
            plan_.simulation.settings.push_back(fmt::format("{}={}", name, number->get()));
        } else if (const auto* real = value.as_floating_point()) {
            plan_.simulation.settings.push_back(fmt::format("{}={}", name, real->get()));
        } else {
            plan_.simulation.settings.push_back(fmt::format("{}={}", name, text(name, value)));
        }
    }
}

// A line to be split, or a list.
std::vector<std::string> Reader::words(const toml::node& node) const {
    const auto* line = node.as_string();
    if (line == nullptr) return texts("words", node);
    try {
        return split_words(line->get());
    } catch (const UsageError& error) {
        fail(node, error.what());
    }
}

std::vector<std::string> Reader::command(const toml::node& node) const {
    std::vector<std::string> out = words(node);
    if (out.empty()) fail(node, "command: expected a program and its arguments");
    if (out[0].find('/') != std::string::npos) out[0] = beside(out[0]);
    return out;
}

void Reader::read_application(const toml::node& node) {
    constexpr std::array<std::string_view, 4> known{"name", "command", "ranks", "trace"};
    const auto* table = node.as_table();
    if (table == nullptr) fail(node, "application: write [[application]], once for each");
    ValidationApplication application;
    std::vector<std::uint32_t> ranks;
    for (const auto& [word, value] : *table) {
        const std::string key(word.str());
        if (key == "name") {
            application.name = text(key, value);
        } else if (key == "command") {
            application.command = command(value);
        } else if (key == "ranks") {
            if (const auto* list = value.as_array()) {
                for (const toml::node& each : *list) ranks.push_back(count(key, each, 1, most_ranks));
            } else {
                ranks.push_back(count(key, value, 1, most_ranks));
            }
        } else if (key == "trace") {
            application.trace = beside(text(key, value));
        } else {
            unknown(key, known, value);
        }
    }
    if (application.command.empty()) fail(node, "an application needs its command");
    if (ranks.empty()) fail(node, "an application needs its ranks: a number, or a list of them");
    if (application.name.empty()) application.name = fs::path(application.command[0]).filename().string();
    if (!application.trace.empty() && ranks.size() > 1) fail(node, "a trace belongs to one number of ranks");
    for (const std::uint32_t each : ranks) {
        application.ranks = each;
        const auto same = [&](const ValidationApplication& other) {
            return folder_of(other) == folder_of(application);
        };
        if (std::any_of(plan_.applications.begin(), plan_.applications.end(), same))
            fail(node, fmt::format("there are two of '{}'; give them different names", title_of(application)));
        plan_.applications.push_back(application);
    }
}

} // namespace

std::vector<std::string> split_words(std::string_view command) {
    std::vector<std::string> words;
    char quote = 0;
    bool inside = false; // of a word, which may be empty: ''
    for (std::size_t i = 0; i < command.size(); ++i) {
        const char c = command[i];
        const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
        if (quote == 0 && blank) {
            inside = false;
            continue;
        }
        if (!std::exchange(inside, true)) words.emplace_back();
        if (c == quote) {
            quote = 0;
        } else if (quote == 0 && (c == '\'' || c == '"')) {
            quote = c;
        } else if (c == '\\' && quote != '\'' && i + 1 < command.size()) {
            words.back() += command[++i];
        } else {
            words.back() += c;
        }
    }
    if (quote != 0) throw UsageError(fmt::format("the quote {} is not closed", quote));
    return words;
}

ValidationPlan validation_from_text(std::string_view text, const std::string& file) {
    return Reader(file).read(text);
}

ValidationPlan read_validation(const std::string& file) {
    std::error_code none;
    if (!fs::exists(file, none)) throw InputError(Error{file, 0, 0, "there is no such study"});
    return validation_from_text(read_whole_file(file), file);
}

} // namespace orrery
