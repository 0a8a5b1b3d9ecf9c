#include "cli/command_line.h"

#include <CLI/CLI.hpp>
#include <utility>

namespace orrery::cli {

Option Option::group(const std::string& name) const { return Option(option_->group(name)); }
Option Option::type_name(const std::string& name) const { return Option(option_->type_name(name)); }
Option Option::show_default() const { return Option(option_->capture_default_str()); }

Option Option::required() const { return Option(option_->required()); }
Option Option::range(std::uint32_t least, std::uint32_t most) const {
    return Option(option_->check(CLI::Range(least, most)));
}
Option Option::range(double least, double most) const {
    return Option(option_->check(CLI::Range(least, most)));
}
Option Option::one_of(const std::vector<std::string>& words) const {
    return Option(option_->check(CLI::IsMember(words)));
}
Option Option::existing_file() const { return Option(option_->check(CLI::ExistingFile)); }

Option Option::one_each_time() const { return Option(option_->allow_extra_args(false)); }
Option Option::delimiter(char between) const { return Option(option_->delimiter(between)); }
Option Option::optional_value(const std::string& without) const {
    return Option(option_->expected(0, 1)->default_str(without));
}

bool Option::given() const { return option_->count() > 0; }
std::string Option::name() const { return option_->get_name(); }

Verb Verb::add_subcommand(const std::string& name, const std::string& meaning) const {
    return Verb(app_->add_subcommand(name, meaning));
}
void Verb::require_subcommand() const { app_->require_subcommand(1); }

Option Verb::add_option(const std::string& names, std::string& value, const std::string& meaning) const {
    return Option(app_->add_option(names, value, meaning));
}
Option Verb::add_option(const std::string& names, std::vector<std::string>& value,
                        const std::string& meaning) const {
    return Option(app_->add_option(names, value, meaning));
}
Option Verb::add_option(const std::string& names, std::uint16_t& value, const std::string& meaning) const {
    return Option(app_->add_option(names, value, meaning));
}
Option Verb::add_option(const std::string& names, std::uint32_t& value, const std::string& meaning) const {
    return Option(app_->add_option(names, value, meaning));
}
Option Verb::add_option(const std::string& names, std::uint64_t& value, const std::string& meaning) const {
    return Option(app_->add_option(names, value, meaning));
}
Option Verb::add_option(const std::string& names, double& value, const std::string& meaning) const {
    return Option(app_->add_option(names, value, meaning));
}
Option Verb::add_flag(const std::string& names, bool& value, const std::string& meaning) const {
    return Option(app_->add_flag(names, value, meaning));
}
Option Verb::add_flag(const std::string& names, const std::string& meaning) const {
    return Option(app_->add_flag(names, meaning));
}

void Verb::remove_option(const std::string& name) const { app_->remove_option(app_->get_option(name)); }
void Verb::positionals_at_end() const { app_->positionals_at_end(); }
void Verb::footer(const std::string& text) const { app_->footer(text); }
void Verb::callback(std::function<void()> work) const { app_->callback(std::move(work)); }

std::vector<Option> Verb::options() const {
    std::vector<Option> all;
    for (CLI::Option* const option : app_->get_options(std::function<bool(CLI::Option*)>()))
        all.emplace_back(option);
    return all;
}
bool Verb::given(const std::string& name) const { return app_->count(name) > 0; }

} // namespace orrery::cli
