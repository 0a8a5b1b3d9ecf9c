#include "formats/simgrid/reader.h"

#include "formats/simgrid/zone_reader.h"

#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace orrery::simgrid {

namespace {

void check_version(const Element& root) {
    const std::string words = root.text("version", "0");
    double version = 0;
    const auto result = std::from_chars(words.data(), words.data() + words.size(), version);
    if (result.ec != std::errc() || result.ptr != words.data() + words.size()) {
        root.fail(fmt::format("version '{}' is not a number", words));
    }
    const long hundredths = version > 0 && version < 1000 ? std::lround(100 * version) : 0;
    if (hundredths < 400) {
        root.fail(fmt::format(
            "version {} is too old: 4 and 4.1 are read. The program simgrid_update_xml, which comes "
            "with SimGrid, brings the file up to date",
            words));
    }
    if (hundredths > 410)
        root.fail(fmt::format("version {} is newer than 4.1, the newest that is read", words));
}

void read_config(const Element& config, Settings& settings) {
    config.allow({"id"});
    for (const Element& prop : config.children()) {
        if (prop.tag() != "prop") prop.fail("only <prop> may stand in <config>");
        prop.allow({"id", "value"});
        settings.set(prop.text("id"), prop.text("value"), prop.file(), prop.line());
    }
}

} // namespace

PlatformFile read_platform(std::string_view text, const std::string& file, const Settings& overrides) {
    const Document document(text, file);
    const Element root(document.root(), document);
    if (root.tag() != "platform") {
        throw InputError(Error{
            file, root.line(), 0,
            fmt::format("expected <platform>, the first element of a SimGrid platform, not <{}>", root.tag())});
    }
    root.allow({"version"});
    check_version(root);
    PlatformFile out;
    for (const Element& child : root.children()) {
        if (child.tag() == "config") read_config(child, out.settings);
    }
    Settings effective = out.settings;
    for (const auto& [key, setting] : overrides.all())
        effective.set(key, setting.value, setting.file, setting.line);

    ZoneReader reader(file, effective);
    for (const Element& child : root.children()) {
        if (child.tag() == "zone" || child.tag() == "AS" || child.tag() == "cluster") {
            reader.read_root(child);
        } else if (child.tag() == "actor" || child.tag() == "process" || child.tag() == "random") {
            reader.ignore(child, fmt::format("<{}>", child.tag()));
        } else if (child.tag() != "config") {
            ZoneReader::refuse(child);
        }
    }
    out.platform = reader.finish(root);
    out.ignored = reader.ignored();
    return out;
}

} // namespace orrery::simgrid
