#include "cli/command_line.h"

#include "cli/help_page.h"
#include "engine/error.h"
#include "engine/units.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <limits>
#include <utility>

namespace orrery::cli {

namespace {

// CLI11 takes -1 for the largest number of an unsigned type, and cuts off what is larger.
template <typename Whole> CLI::Option* whole(CLI::Option* option, const Whole& /*value*/) {
    return option->transform(CLI::Validator(
        [](std::string& text) {
            Whole value = 0;
            const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
            if (error == std::errc() && end == text.data() + text.size()) return std::string();
            return fmt::format("{}: expected a whole number from 0 to {}", text,
                               std::numeric_limits<Whole>::max());
        },
        ""));
}

} // namespace

Option Option::group(const std::string& name) const {
    page_->group = name;
    return *this;
}
Option Option::type_name(const std::string& name) const {
    option_->type_name(name);
    page_->value = name;
    return *this;
}
Option Option::show_default() const {
    option_->capture_default_str();
    page_->initial = option_->get_default_str();
    return *this;
}
Option Option::advanced() const {
    page_->advanced = true;
    return *this;
}
Option Option::hidden() const {
    page_->hidden = true;
    return *this;
}
Option Option::completes(const std::vector<std::string>& words) const {
    page_->choices = words;
    return *this;
}

Option Option::required() const {
    option_->required();
    page_->required = true;
    return *this;
}
Option Option::range(std::uint32_t least, std::uint32_t most) const {
    option_->check(CLI::Range(least, most));
    return *this;
}
Option Option::range(double least, double most) const {
    option_->check(CLI::Range(least, most));
    return *this;
}
Option Option::one_of(const std::vector<std::string>& words) const {
    option_->check(CLI::IsMember(words));
    return completes(words);
}
Option Option::existing_file() const {
    option_->check([](const std::string& path) {
        std::error_code none;
        const auto kind = std::filesystem::status(path, none).type();
        if (kind == std::filesystem::file_type::not_found)
            throw InputError(Error{path, 0, 0, "cannot be opened: No such file or directory"});
        if (kind == std::filesystem::file_type::directory) throw InputError(Error{path, 0, 0, "is a folder"});
        return std::string();
    });
    return *this;
}

Option Option::one_each_time() const {
    option_->allow_extra_args(false);
    return *this;
}
Option Option::delimiter(char between) const {
    option_->delimiter(between);
    return *this;
}
Option Option::optional_value(const std::string& without) const {
    option_->expected(0, 1)->default_str(without);
    page_->value_optional = true;
    return *this;
}

bool Option::given() const { return option_->count() > 0; }
std::string Option::name() const { return option_->get_name(); }

Verb Verb::add_subcommand(const std::string& name, const std::string& summary) const {
    auto page = std::make_unique<VerbPage>();
    page->name = name;
    page->path = page_->path + " " + name;
    page->summary = summary;
    VerbPage* const added = page.get();
    page_->verbs.push_back(std::move(page));
    return {app_->add_subcommand(name, summary), added};
}
void Verb::require_subcommand() const { app_->require_subcommand(1); }
void Verb::group(const std::string& heading) const { page_->group = heading; }

// What CLI11 makes of `names`, without its marks: "!--no-x" is a flag for false.
Option Verb::add_page(CLI::Option* option, const std::string& names, const std::string& meaning,
                      const std::string& value) const {
    auto page = std::make_unique<OptionPage>();
    for (std::size_t at = 0; at < names.size();) {
        const std::size_t end = std::min(names.find(',', at), names.size());
        std::string name = names.substr(at, end - at);
        if (name.starts_with('!')) name.erase(0, 1);
        if (name.starts_with('-')) {
            page->names.push_back(std::move(name));
        } else {
            page->word = std::move(name);
        }
        at = end + 1;
    }
    page->meaning = meaning;
    page->value = value;
    page->repeats = option->get_items_expected_max() > 1;
    OptionPage* const added = page.get();
    page_->options.push_back(std::move(page));
    if (!value.empty()) option->type_name(value);
    return {option, added};
}

Option Verb::add_option(const std::string& names, std::string& value, const std::string& meaning) const {
    return add_page(app_->add_option(names, value, meaning), names, meaning, "VALUE");
}
Option Verb::add_option(const std::string& names, std::vector<std::string>& value,
                        const std::string& meaning) const {
    return add_page(app_->add_option(names, value, meaning), names, meaning, "VALUE");
}
Option Verb::add_option(const std::string& names, std::uint16_t& value, const std::string& meaning) const {
    return add_page(whole(app_->add_option(names, value, meaning), value), names, meaning, "N");
}
Option Verb::add_option(const std::string& names, std::uint32_t& value, const std::string& meaning) const {
    return add_page(whole(app_->add_option(names, value, meaning), value), names, meaning, "N");
}
Option Verb::add_option(const std::string& names, std::uint64_t& value, const std::string& meaning) const {
    return add_page(whole(app_->add_option(names, value, meaning), value), names, meaning, "N");
}
Option Verb::add_option(const std::string& names, double& value, const std::string& meaning) const {
    return add_page(app_->add_option(names, value, meaning), names, meaning, "NUMBER");
}
Option Verb::add_flag(const std::string& names, bool& value, const std::string& meaning) const {
    return add_page(app_->add_flag(names, value, meaning), names, meaning, "");
}
Option Verb::add_flag(const std::string& names, const std::string& meaning) const {
    return add_page(app_->add_flag(names, meaning), names, meaning, "");
}
Option Verb::add_ranks(std::uint32_t& value, const std::string& meaning, std::uint32_t most) const {
    const char* const names = "-n,--ranks,--np";
    const auto read = [&value, most](const std::string& text) {
        const std::uint64_t count = parse_count(text);
        if (count == 0 || count > most)
            throw UsageError(fmt::format("-n {}: expected 1 to {} ranks", text, format_count(most)));
        value = static_cast<std::uint32_t>(count);
    };
    return add_page(app_->add_option_function<std::string>(names, read, meaning), names, meaning, "RANKS");
}

void Verb::remove_option(const std::string& name) const {
    app_->remove_option(app_->get_option(name));
    auto& pages = page_->options;
    pages.erase(
        std::remove_if(pages.begin(), pages.end(), [&](const auto& page) { return page->has_name(name); }),
        pages.end());
}
void Verb::positionals_at_end() const {
    app_->positionals_at_end();
    page_->program_last = true;
}
void Verb::examples(const std::vector<std::string>& commands) const { page_->examples = commands; }
void Verb::notes(const std::string& text) const { page_->notes = text; }
void Verb::details(const std::string& text) const { page_->details = text; }
void Verb::callback(std::function<void()> work) const { app_->callback(std::move(work)); }

std::vector<Option> Verb::options() const {
    std::vector<Option> all;
    for (const auto& page : page_->options) {
        if (page->positional()) continue;
        all.emplace_back(app_->get_option(page->names.front()), page.get());
    }
    return all;
}
bool Verb::given(const std::string& name) const { return app_->count(name) > 0; }

} // namespace orrery::cli
