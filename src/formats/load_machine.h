// A machine by name or file.
//
// A machine file is TOML (docs/machines.md); a SimGrid platform file (XML, version 4 or 4.1) is one too, and so
// are descriptions of networks by other programs (docs/fabric_files.md), which are told by their contents. Keys
// of [machine], [host], [link], [topology] and the other parts of the hardware are checked and used here; all
// other sections ([flow], [endpoint], [loggops], [collectives], ..., or <config> in XML) are handed on as
// Settings.
#pragma once

#include "machine/machine.h"

#include <span>
#include <string>
#include <string_view>

namespace orrery {

// `name_or_path`: a path that ends in .xml, .toml or .map, a path of such a file with another name, or a
// built-in name. `overrides` are KEY=VALUE as `--set` takes them, for any key of the machine file;
// network.latency and network.bandwidth stand for link.latency and link.bandwidth. Throws InputError with file
// and line for what is wrong with the machine, UsageError for an unknown name (with "did you mean") or a
// malformed override.
Machine load_machine(const std::string& name_or_path, std::span<const std::string> overrides = {});

// The same from the text of a file, TOML or XML; `file` is its name for complaints and includes.
Machine machine_from_text(std::string_view text, const std::string& file,
                          std::span<const std::string> overrides = {});

} // namespace orrery
