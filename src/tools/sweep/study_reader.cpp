// Reads a study's TOML. Keys and values are checked here, where the line is known.
#include "engine/error.h"
#include "engine/units.h"
#include "machine/machine_file.h"
#include "machine/toml_text.h"
#include "tools/sweep/axis_range.h"
#include "tools/sweep/study.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <functional>
#include <iterator>
#include <set>
#include <utility>

namespace orrery {

namespace {

using Row = std::pair<std::string, const toml::node*>;

// toml++ sorts keys by name; an order that means something is that of the file.
std::vector<Row> rows_of(const toml::table& table) {
    std::vector<Row> rows;
    for (const auto& [key, node] : table) rows.emplace_back(std::string(key.str()), &node);
    std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
        const auto& left = a.second->source().begin;
        const auto& right = b.second->source().begin;
        return std::pair(left.line, left.column) < std::pair(right.line, right.column);
    });
    return rows;
}

class StudyReader {
  public:
    explicit StudyReader(const std::string& file) { study_.file = file; }
    Study read(std::string_view text);

  private:
    [[noreturn]] void fail(const toml::node& node, std::string reason) const {
        const auto& at = node.source().begin;
        throw InputError(Error{study_.file, at.line, at.column, std::move(reason)});
    }
    template <typename Words>
    void check_key(const std::string& key, const Words& known, const toml::node& node,
                   std::string_view of) const;

    std::string scalar(const toml::node& node, std::string_view key) const;
    std::string text_of(const toml::node& node, std::string_view key) const; // a list has commas between
    void assign(Assignments& into, const toml::table& table, const std::string& prefix,
                std::string_view except = {}) const;
    void assign_one(Assignments& into, const std::string& word, const toml::node& node) const;

    void read_axes(const toml::table& table, const std::string& prefix);
    void read_axis(const std::string& name, const toml::node& node);
    void read_list(Axis& axis, const toml::array& list) const;
    void read_range(Axis& axis, const toml::table& table) const;
    void read_variants(Axis& axis, const toml::array& list) const;
    void add_value(Axis& axis, const toml::node& node, std::string text) const;

    void read_repeat(const toml::node& node);
    void read_zip(const toml::node& node);
    void join(const toml::array& names);
    void read_skip(const toml::node& node);
    void read_plot(const toml::node& node);
    [[nodiscard]] std::size_t axis_of(const std::string& name, const toml::node& node) const;
    void check_axis_value(const std::string& name, const std::string& label, const toml::node& node) const;

    Study study_;
};

template <typename Words>
void StudyReader::check_key(const std::string& key, const Words& known, const toml::node& node,
                            std::string_view of) const {
    if (std::find(std::begin(known), std::end(known), key) != std::end(known)) return;
    const std::string near = nearest_word(key, known);
    fail(node, fmt::format("unknown key '{}' {}; {}", key, of,
                           near.empty() ? fmt::format("there are {}", fmt::join(known, ", "))
                                        : fmt::format("did you mean '{}'?", near)));
}

std::string StudyReader::scalar(const toml::node& node, std::string_view key) const {
    if (const auto* text = node.as_string()) {
        const std::string& value = text->get();
        const auto first = value.find_first_not_of(" \t\n\r");
        if (first == std::string::npos) return {};
        return value.substr(first, value.find_last_not_of(" \t\n\r") - first + 1);
    }
    if (const auto* number = node.as_integer()) return fmt::format("{}", number->get());
    if (const auto* number = node.as_floating_point()) return fmt::format("{}", number->get());
    if (const auto* flag = node.as_boolean()) return flag->get() ? "yes" : "no";
    fail(node, fmt::format("{}: expected a text, a number, true or false", key));
}

std::string StudyReader::text_of(const toml::node& node, std::string_view key) const {
    const auto* list = node.as_array();
    if (list == nullptr) return scalar(node, key);
    std::string out;
    for (const toml::node& each : *list) out += fmt::format("{}{}", out.empty() ? "" : ",", scalar(each, key));
    return out;
}

void StudyReader::assign_one(Assignments& into, const std::string& word, const toml::node& node) const {
    const std::string text = text_of(node, word);
    std::string key;
    try {
        key = study_key(word);
        check_study_value(key, text);
    } catch (const UsageError& error) {
        fail(node, key.empty() ? error.what() : fmt::format("{}: {}", word, error.what()));
    }
    const auto& at = node.source().begin;
    if (!into.try_emplace(key, Said{text, at.line, at.column}).second)
        fail(node, fmt::format("'{}' is set twice", key));
}

void StudyReader::assign(Assignments& into, const toml::table& table, const std::string& prefix,
                         std::string_view except) const {
    for (const auto& [name, node] : rows_of(table)) {
        if (name == except) continue;
        if (const auto* inner = node->as_table()) {
            assign(into, *inner, prefix + name + ".");
        } else {
            assign_one(into, prefix + name, *node);
        }
    }
}

void StudyReader::add_value(Axis& axis, const toml::node& node, std::string text) const {
    AxisValue value;
    value.label = text;
    const toml::value<std::string> said(std::move(text));
    try {
        assign_one(value.sets, axis.name, said);
    } catch (const InputError& error) { // the value was made here: the line is that of the axis
        fail(node, error.error().reason);
    }
    for (auto& [key, each] : value.sets) {
        each.line = node.source().begin.line;
        each.column = node.source().begin.column;
    }
    axis.values.push_back(std::move(value));
}

void StudyReader::read_list(Axis& axis, const toml::array& list) const {
    for (const toml::node& each : list) add_value(axis, each, text_of(each, axis.name));
}

void StudyReader::read_range(Axis& axis, const toml::table& table) const {
    constexpr std::array<std::string_view, 6> known{"from", "to", "step", "factor", "count", "log"};
    AxisRange range;
    for (const auto& [key, node] : rows_of(table)) {
        check_key(key, known, *node, "of a range");
        if (key == "log") {
            const auto* flag = node->as_boolean();
            if (flag == nullptr) fail(*node, "log: expected true or false");
            range.log = flag->get();
            continue;
        }
        std::string& into = key == "from"     ? range.from
                            : key == "to"     ? range.to
                            : key == "step"   ? range.step
                            : key == "factor" ? range.factor
                                              : range.count;
        into = scalar(*node, key);
    }
    std::vector<std::string> values;
    try {
        values = range_values(range);
    } catch (const UsageError& error) {
        fail(table, fmt::format("{}: {}", axis.name, error.what()));
    }
    axis.geometric = !range.factor.empty() || range.log;
    for (std::string& each : values) add_value(axis, table, std::move(each));
}

void StudyReader::read_variants(Axis& axis, const toml::array& list) const {
    for (const toml::node& each : list) {
        const auto* table = each.as_table();
        if (table == nullptr) fail(each, fmt::format("{}: a list has tables only, or values only", axis.name));
        AxisValue value;
        if (const toml::node* name = table->get("name"); name != nullptr) value.label = scalar(*name, "name");
        assign(value.sets, *table, "", "name");
        if (value.label.empty()) {
            for (const auto& [key, said] : value.sets)
                value.label += fmt::format("{}{}={}", value.label.empty() ? "" : " ", key, said.text);
        }
        if (value.label.empty())
            fail(each, fmt::format("{}: expected a name, or something that is set", axis.name));
        axis.values.push_back(std::move(value));
    }
}

void StudyReader::read_axis(const std::string& name, const toml::node& node) {
    Axis axis;
    axis.name = name;
    axis.line = node.source().begin.line;
    const auto* list = node.as_array();
    const bool variants = list != nullptr && !list->empty() && list->front().is_table();
    if (!variants) {
        try {
            axis.name = study_key(name);
        } catch (const UsageError& error) {
            fail(node, error.what());
        }
    }
    if (variants) {
        read_variants(axis, *list);
    } else if (list != nullptr) {
        read_list(axis, *list);
    } else if (const auto* table = node.as_table()) {
        read_range(axis, *table);
    } else {
        fail(node,
             fmt::format("{}: expected a list of values, or a range such as {{from = 1, to = 64, factor = 2}}",
                         name));
    }
    if (axis.values.empty()) fail(node, fmt::format("{}: the list is empty", name));
    for (const Axis& other : study_.axes) {
        if (other.name == axis.name) fail(node, fmt::format("'{}' is varied twice", axis.name));
    }
    std::set<std::string_view> labels;
    for (const AxisValue& value : axis.values) {
        if (!labels.insert(value.label).second)
            fail(node, fmt::format("{}: '{}' is there twice", axis.name, value.label));
    }
    study_.axes.push_back(std::move(axis));
}

void StudyReader::read_axes(const toml::table& table, const std::string& prefix) {
    for (const auto& [name, node] : rows_of(table)) {
        const auto* inner = node->as_table();
        const bool range = inner != nullptr && (inner->contains("from") || inner->contains("to"));
        if (inner != nullptr && !range) {
            read_axes(*inner, prefix + name + ".");
        } else {
            read_axis(prefix + name, *node);
        }
    }
}

void StudyReader::read_repeat(const toml::node& node) {
    constexpr std::int64_t most = 10'000;
    const auto* count = node.as_integer();
    if (count == nullptr || count->get() < 1 || count->get() > most)
        fail(node, fmt::format("repeat: expected a number from 1 to {}", most));
    Axis axis;
    axis.name = "seed";
    axis.line = node.source().begin.line;
    axis.repeats = true;
    for (const Axis& other : study_.axes) {
        if (other.name == axis.name) fail(node, "repeat: 'seed' is varied already");
    }
    for (std::int64_t seed = 1; seed <= count->get(); ++seed) add_value(axis, node, fmt::format("{}", seed));
    study_.axes.push_back(std::move(axis));
}

std::size_t StudyReader::axis_of(const std::string& name, const toml::node& node) const {
    try {
        return axis_named(study_, name);
    } catch (const UsageError& error) {
        fail(node, error.what());
    }
}

void StudyReader::join(const toml::array& names) {
    std::vector<std::size_t> group;
    for (const toml::node& each : names) {
        const std::size_t axis = axis_of(scalar(each, "zip"), each);
        if (!group.empty() && study_.axes[axis].values.size() != study_.axes[group[0]].values.size()) {
            fail(each, fmt::format("zip: '{}' has {} values, but '{}' has {}", study_.axes[axis].name,
                                   study_.axes[axis].values.size(), study_.axes[group[0]].name,
                                   study_.axes[group[0]].values.size()));
        }
        const auto alone = std::find(study_.groups.begin(), study_.groups.end(), std::vector{axis});
        if (alone == study_.groups.end())
            fail(each, fmt::format("zip: '{}' is there twice", study_.axes[axis].name));
        study_.groups.erase(alone);
        group.push_back(axis);
    }
    if (group.size() < 2) fail(names, "zip: expected the names of two axes or more");
    std::sort(group.begin(), group.end());
    study_.groups.push_back(group);
    std::sort(study_.groups.begin(), study_.groups.end());
}

void StudyReader::read_zip(const toml::node& node) {
    const auto* list = node.as_array();
    if (list == nullptr || list->empty())
        fail(node, "zip: expected names of axes, such as [\"ranks\", \"bytes\"]");
    if (!list->front().is_array()) return join(*list);
    for (const toml::node& each : *list) {
        const auto* group = each.as_array();
        if (group == nullptr) fail(each, "zip: expected a list of names");
        join(*group);
    }
}

void StudyReader::check_axis_value(const std::string& name, const std::string& label,
                                   const toml::node& node) const {
    const Axis& axis = study_.axes[axis_of(name, node)];
    std::vector<std::string> labels;
    for (const AxisValue& value : axis.values) {
        if (value.label == label) return;
        labels.push_back(value.label);
    }
    const std::string near = nearest_word(label, labels);
    fail(node, fmt::format("'{}' is not a value of '{}'; {}", label, axis.name,
                           near.empty() ? fmt::format("there are {}", fmt::join(labels, ", "))
                                        : fmt::format("did you mean '{}'?", near)));
}

void StudyReader::read_skip(const toml::node& node) {
    const auto* list = node.as_array();
    if (list == nullptr) fail(node, "skip: expected [[skip]] with axes and values");
    for (const toml::node& each : *list) {
        const auto* table = each.as_table();
        if (table == nullptr || table->empty()) fail(each, "skip: expected axes and values, such as ranks = 4");
        Skip skip;
        skip.line = each.source().begin.line;
        // Dotted keys are tables within tables here.
        const std::function<void(const toml::table&, const std::string&)> take =
            [&](const toml::table& inner, const std::string& prefix) {
                for (const auto& [key, value] : rows_of(inner)) {
                    if (const auto* deeper = value->as_table()) {
                        take(*deeper, prefix + key + ".");
                        continue;
                    }
                    const std::string name = prefix + key;
                    std::vector<std::string>& labels = skip.values[study_.axes[axis_of(name, *value)].name];
                    if (const auto* several = value->as_array()) {
                        for (const toml::node& one : *several) labels.push_back(text_of(one, name));
                    } else {
                        labels.push_back(scalar(*value, name));
                    }
                    for (const std::string& label : labels) check_axis_value(name, label, *value);
                }
            };
        take(*table, "");
        study_.skips.push_back(std::move(skip));
    }
}

void StudyReader::read_plot(const toml::node& node) {
    constexpr std::array<std::string_view, 6> known{"x", "y", "x_scale", "y_scale", "title", "baseline"};
    constexpr std::array<std::string_view, 2> x_scales{"log", "linear"};
    constexpr std::array<std::string_view, 3> y_scales{"log", "linear", "cut"};
    const auto* table = node.as_table();
    if (table == nullptr) fail(node, "plot: expected [plot] with x, y, ...");
    for (const auto& [key, value] : rows_of(*table)) {
        check_key(key, known, *value, "of [plot]");
        if (key == "baseline") {
            const auto* baseline = value->as_table();
            if (baseline == nullptr)
                fail(*value, "baseline: expected an axis and its value, such as {ranks = 4}");
            for (const auto& [name, label] : rows_of(*baseline)) {
                const std::string text = scalar(*label, name);
                check_axis_value(name, text, *label);
                study_.plot.baseline[study_.axes[axis_of(name, *label)].name] = text;
            }
            continue;
        }
        const std::string text = scalar(*value, key);
        if (key == "x" || key == "y") {
            try {
                key == "x" ? set_plot_x(study_, text) : set_plot_y(study_, text);
            } catch (const UsageError& error) {
                fail(*value, error.what());
            }
        } else if (key == "title") {
            study_.plot.title = text;
        } else {
            if (key == "x_scale") {
                check_key(text, x_scales, *value, "for a scale");
            } else {
                check_key(text, y_scales, *value, "for a scale");
            }
            (key == "x_scale" ? study_.plot.x_scale : study_.plot.y_scale) = text;
        }
    }
}

Study StudyReader::read(std::string_view text) {
    constexpr std::array<std::string_view, 7> known{"name", "base", "vary", "repeat", "zip", "skip", "plot"};
    study_.text = std::string(text);
    study_.name = std::filesystem::path(study_.file).stem().string();
    const toml::table table = parse_toml(text, study_.file);
    for (const auto& [key, node] : rows_of(table)) check_key(key, known, *node, "of a study");
    const auto table_at = [&](std::string_view key) {
        const toml::node* node = table.get(key);
        if (node != nullptr && !node->is_table())
            fail(*node, fmt::format("{}: expected [{}] with keys", key, key));
        return node == nullptr ? nullptr : node->as_table();
    };
    if (const toml::node* node = table.get("name")) study_.name = scalar(*node, "name");
    if (const toml::table* base = table_at("base")) assign(study_.base, *base, "");
    if (const toml::table* vary = table_at("vary")) read_axes(*vary, "");
    if (const toml::node* node = table.get("repeat")) read_repeat(*node);
    for (std::size_t i = 0; i < study_.axes.size(); ++i) study_.groups.push_back({i});
    if (const toml::node* node = table.get("zip")) read_zip(*node);
    if (const toml::node* node = table.get("skip")) read_skip(*node);
    if (const toml::node* node = table.get("plot")) read_plot(*node);
    return std::move(study_);
}

} // namespace

Study read_study_text(std::string_view text, const std::string& file) { return StudyReader(file).read(text); }

Study read_study(const std::string& file) {
    std::string text;
    try {
        text = read_whole_file(file);
    } catch (const InputError& error) {
        throw InputError(
            Error{file, 0, 0, fmt::format("{}; expected a study, such as study.toml", error.error().reason)});
    }
    return read_study_text(text, file);
}

} // namespace orrery
