// MPI programs, built with the wrappers and emulated.
#pragma once

#include "cli/program_test.h"
#include "reference/sanitized.h"

#include <nlohmann/json.hpp>

namespace orrery::test {

using reference::sanitized;

class EmulatedPrograms : public ProgramTest {
  protected:
    // Built by the wrapper for the language of the source: "./name".
    std::string build(const std::string& source, const std::string& name = "app",
                      const std::string& more = "") {
        const std::string ending = std::filesystem::path(source).extension().string();
        const std::string which = ending == ".c" ? "cc" : ending == ".cpp" ? "cxx" : "f90";
        return build_with(build_folder() + "/orrery-mpi" + which, source, name, more);
    }
    std::string build_with(const std::string& compiler, const std::string& source, const std::string& name,
                           const std::string& more = "") {
        const Answer built = run_command("cd " + folder_.string() + " && " + compiler + " -O1 -w -o " + name +
                                         " " + more + " " + source + " -lm 2>&1");
        EXPECT_EQ(built.code, 0) << built.out;
        return "./" + name;
    }
    std::string build_text(const std::string& text, const std::string& more = "") {
        write("app.c", "#include <mpi.h>\n#include <stdio.h>\n#include <stdlib.h>\n" + text);
        return build((folder_ / "app.c").string(), "app", more);
    }
    std::int64_t predicted(const std::string& arguments) {
        const Answer answer = run(arguments + " | tail -n 1");
        const auto json = nlohmann::json::parse(answer.out, nullptr, false);
        EXPECT_FALSE(json.is_discarded()) << arguments << "\n" << answer.out;
        return json.is_discarded() ? -1 : json["predicted_time_ps"].get<std::int64_t>();
    }

    static bool installed(const std::string& command) { return run_command("command -v " + command).code == 0; }
};

} // namespace orrery::test
