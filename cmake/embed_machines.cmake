# Writes OUTPUT, a C++ source with the texts of the files MACHINES: see src/machine/built_in.h.
set(rows "")
set(names "")
foreach(machine IN LISTS MACHINES)
  get_filename_component(name "${machine}" NAME_WE)
  get_filename_component(folder "${machine}" DIRECTORY)
  list(APPEND names "${name}")
endforeach()
list(SORT names)
foreach(name IN LISTS names)
  file(READ "${folder}/${name}.toml" text)
  string(APPEND rows "    {\"${name}\", R\"toml(${text})toml\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "// Generated from machines/*.toml.
#include \"machine/built_in.h\"

namespace orrery {

namespace {
constexpr BuiltInMachine machines[] = {
${rows}};
} // namespace

std::span<const BuiltInMachine> built_in_machines() { return machines; }

} // namespace orrery
")
