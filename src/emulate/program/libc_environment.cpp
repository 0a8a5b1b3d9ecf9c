// Environment variables that a rank sets for itself, strtok.
#include "emulate/program/libc_state.h"
#include "emulate/program/libc_tables.h"
#include "emulate/rank.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

namespace orrery::emulate {

namespace {

using Settings = std::vector<LibcState::Setting>;

Settings& settings() {
    auto& mine = self().libc->settings;
    if (mine == nullptr) mine = std::make_unique<Settings>();
    return *mine;
}
std::string_view name_of(std::string_view text) { return text.substr(0, text.find('=')); }

void put(std::unique_ptr<std::string> own, char* text) {
    Settings& all = settings();
    const auto it =
        std::find_if(all.begin(), all.end(), [&](const auto& s) { return name_of(s.text) == name_of(text); });
    if (it == all.end())
        all.push_back({std::move(own), text});
    else
        *it = {std::move(own), text};
}
void put(std::string text) {
    auto own = std::make_unique<std::string>(std::move(text));
    char* at = own->data();
    put(std::move(own), at);
}
bool good_name(const char* name) {
    if (name != nullptr && *name != '\0' && std::strchr(name, '=') == nullptr) return true;
    errno = EINVAL;
    return false;
}

char* own_getenv(const char* name) {
    if (const auto& mine = self().libc->settings; mine != nullptr)
        for (const auto& s : *mine)
            if (name_of(s.text) == name) {
                char* equals = std::strchr(s.text, '=');
                return equals == nullptr ? nullptr : equals + 1;
            }
    return std::getenv(name);
}
int own_setenv(const char* name, const char* value, int overwrite) {
    if (!good_name(name)) return -1;
    if (overwrite != 0 || own_getenv(name) == nullptr) put(std::string(name) + "=" + value);
    return 0;
}
int own_unsetenv(const char* name) {
    if (!good_name(name)) return -1;
    put(std::string(name));
    return 0;
}
int own_putenv(char* text) {
    put(nullptr, text);
    return 0;
}
int own_clearenv() {
    for (char** e = environ; e != nullptr && *e != nullptr; ++e) put(std::string(name_of(*e)));
    for (auto& s : settings()) put(std::string(name_of(s.text)));
    return 0;
}

char* own_strtok(char* text, const char* separators) {
    return strtok_r(text, separators, &self().libc->strtok_rest);
}

} // namespace

std::span<const Symbol> environment_symbols() {
    static const Symbol all[] = {
        bound("getenv", own_getenv),     bound("secure_getenv", own_getenv), bound("setenv", own_setenv),
        bound("unsetenv", own_unsetenv), bound("putenv", own_putenv),        bound("clearenv", own_clearenv),
        bound("strtok", own_strtok),
    };
    return all;
}

} // namespace orrery::emulate
