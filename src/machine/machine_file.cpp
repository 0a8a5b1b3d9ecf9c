#include "machine/machine_file.h"

#include "engine/error.h"
#include "engine/units.h"
#include "machine/built_in.h"
#include "machine/toml_text.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace orrery {

namespace {

constexpr std::array<std::string_view, 4> part_kinds{"hosts", "switches", "cables", "routes"};

std::uint64_t line_of(const toml::node& node) { return node.source().begin.line; }

class Reader {
  public:
    void read(std::string_view text, const std::string& file);
    void read_included(const std::string& name, const std::string& from, std::uint64_t line);

    MachineText machine;

  private:
    [[noreturn]] static void fail(const std::string& file, std::uint64_t line, std::string reason) {
        throw InputError(Error{file, line, 0, std::move(reason)});
    }
    void check_circle(const std::string& file, const std::string& from, std::uint64_t line) const {
        if (std::find(open_.begin(), open_.end(), file) == open_.end()) return;
        fail(from, line,
             fmt::format("include: '{}' includes itself: {} -> {}", file, fmt::join(open_, " -> "), file));
    }
    void take_includes(const toml::node& node, const std::string& file);
    void take_table(const toml::table& table, const std::string& prefix, const std::string& file,
                    Settings& into);
    void take_parts(std::string_view kind, const toml::node& node, const std::string& file);
    static std::string words(const toml::node& node, const std::string& key, const std::string& file);

    std::vector<std::string> open_; // files being read, to find cycles
    std::size_t included_ = 0;      // files that were included, each as often as it was
};

// A scalar as text; a list as its elements with commas between.
std::string Reader::words(const toml::node& node, const std::string& key, const std::string& file) {
    if (const auto* text = node.as_string()) return text->get();
    if (const auto* number = node.as_integer()) return fmt::format("{}", number->get());
    if (const auto* number = node.as_floating_point()) return fmt::format("{}", number->get());
    if (const auto* flag = node.as_boolean()) return flag->get() ? "yes" : "no";
    if (const auto* list = node.as_array()) {
        std::string out;
        for (const toml::node& each : *list) {
            if (each.is_array() || each.is_table()) fail(file, line_of(each), key + ": a list within a list");
            if (!out.empty()) out += ", ";
            out += words(each, key, file);
        }
        return out;
    }
    fail(file, line_of(node), key + ": expected a text, a number, yes or no, or a list");
}

void Reader::take_table(const toml::table& table, const std::string& prefix, const std::string& file,
                        Settings& into) {
    // By line, so that what the file says first is complained about first.
    std::vector<std::pair<std::string, const toml::node*>> rows;
    for (const auto& [key, node] : table) rows.emplace_back(std::string(key.str()), &node);
    std::stable_sort(rows.begin(), rows.end(),
                     [](const auto& a, const auto& b) { return line_of(*a.second) < line_of(*b.second); });
    for (const auto& [name, node] : rows) {
        const std::string key = prefix + name;
        if (prefix.empty() && name == "include") continue;
        if (prefix.empty() && name == "kernel") continue; // [[kernel.dgemm]], ...: read by whoever emulates
        if (prefix.empty() && std::find(part_kinds.begin(), part_kinds.end(), name) != part_kinds.end()) {
            take_parts(name, *node, file);
        } else if (const auto* inner = node->as_table()) {
            take_table(*inner, key + ".", file, into);
        } else if (prefix.empty()) {
            fail(file, line_of(*node),
                 fmt::format(
                     "'{}' stands outside of all sections; expected [machine], [host], [link], [topology] "
                     "or another section first",
                     name));
        } else {
            into.set(key, words(*node, key, file), file, line_of(*node));
        }
    }
}

void Reader::take_parts(std::string_view kind, const toml::node& node, const std::string& file) {
    const auto* list = node.as_array();
    if (list == nullptr) fail(file, line_of(node), fmt::format("expected [[{}]] with two brackets", kind));
    for (const toml::node& each : *list) {
        const auto* table = each.as_table();
        if (table == nullptr) fail(file, line_of(each), fmt::format("expected [[{}]] with keys", kind));
        MachinePart part{std::string(kind), {}, file, line_of(each)};
        take_table(*table, std::string(kind) + ".", file, part.values);
        machine.parts.push_back(std::move(part));
    }
}

void Reader::take_includes(const toml::node& node, const std::string& file) {
    if (const auto* text = node.as_string()) return read_included(text->get(), file, line_of(node));
    const auto* list = node.as_array();
    if (list == nullptr) fail(file, line_of(node), "include: expected a name or a list of names");
    for (const toml::node& each : *list) {
        const auto* text = each.as_string();
        if (text == nullptr) fail(file, line_of(each), "include: expected a name or a list of names");
        read_included(text->get(), file, line_of(each));
    }
}

void Reader::read_included(const std::string& name, const std::string& from, std::uint64_t line) {
    namespace fs = std::filesystem;
    if (++included_ > most_machine_includes)
        fail(from, line,
             fmt::format("include: more than {} files are included, counting one that is included twice as two",
                         most_machine_includes));
    const fs::path beside = fs::path(from).parent_path() / name;
    std::error_code none;
    if (fs::is_regular_file(beside, none)) {
        const std::string path = beside.lexically_normal().string();
        check_circle(path, from, line);
        read(read_whole_file(path), path);
        return;
    }
    std::vector<std::string_view> names;
    for (const BuiltInMachine& each : built_in_machines()) {
        if (name == each.name) {
            const std::string path = fmt::format("machines/{}.toml", each.name);
            check_circle(path, from, line);
            read(each.text, path);
            return;
        }
        names.push_back(each.name);
    }
    const std::string near = nearest_word(name, names);
    fail(from, line,
         fmt::format("include: there is no file '{}', nor a built-in machine of that name{}", beside.string(),
                     near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
}

void Reader::read(std::string_view text, const std::string& file) {
    open_.push_back(file);
    const toml::table table = parse_toml(text, file);
    if (const toml::node* include = table.get("include")) take_includes(*include, file);
    take_table(table, "", file, machine.values);
    open_.pop_back();
}

} // namespace

namespace {

[[noreturn]] void fail_to_read(const std::string& file, std::string reason) {
    throw InputError(Error{file, 0, 0, std::move(reason)});
}

std::string read_at_most(const std::string& file, std::uint64_t most_bytes) {
    const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) fail_to_read(file, fmt::format("cannot be read: {}", std::strerror(errno)));
    std::string text;
    std::array<char, std::size_t{1} << 16> buffer{};
    ssize_t got = 0;
    while ((got = ::read(descriptor, buffer.data(), buffer.size())) > 0 || (got < 0 && errno == EINTR)) {
        if (got > 0) text.append(buffer.data(), static_cast<std::size_t>(got));
        if (text.size() > most_bytes) break;
    }
    const int reason = errno;
    ::close(descriptor);
    if (got < 0) fail_to_read(file, fmt::format("cannot be read: {}", std::strerror(reason)));
    if (text.size() > most_bytes)
        fail_to_read(file, fmt::format("is too large: {} MiB are the most", most_bytes >> 20U));
    return text;
}

} // namespace

std::string read_whole_file(const std::string& file, std::uint64_t most_bytes) {
    struct stat info {};
    if (::stat(file.c_str(), &info) != 0)
        fail_to_read(file, fmt::format("cannot be read: {}", std::strerror(errno)));
    if (S_ISDIR(info.st_mode)) fail_to_read(file, "is a folder");
    if (S_ISREG(info.st_mode)) {
        if (static_cast<std::uint64_t>(info.st_size) > most_bytes)
            fail_to_read(file, fmt::format("is too large: {} MiB are the most", most_bytes >> 20U));
        return read_at_most(file, most_bytes);
    }
    static std::mutex lock;
    static std::map<std::string, std::string> from_pipes;
    const std::lock_guard hold(lock);
    const auto known = from_pipes.find(file);
    return known != from_pipes.end() ? known->second
                                     : from_pipes.emplace(file, read_at_most(file, most_bytes)).first->second;
}

MachineText read_machine_file(const std::string& file) {
    return read_machine_text(read_whole_file(file), std::filesystem::path(file).lexically_normal().string());
}

MachineText read_machine_text(std::string_view text, const std::string& file) {
    Reader reader;
    reader.read(text, file);
    return std::move(reader.machine);
}

} // namespace orrery
