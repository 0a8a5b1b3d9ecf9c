// Small MPI programs, written in the test, on four ranks of a machine where computation takes no time.
#pragma once

#include "emulate/mpi_programs.h"

#include <sstream>

namespace orrery::test {

class FourRanks : public EmulatedPrograms {
  protected:
    // Begins as every program does, with the rank as `r`, the number of ranks as `n`, and `x` as 0.
    static std::string program(const std::string& body, const std::string& before = "") {
        return before +
               "\nint main(int c, char** v) { int r, n, x = 0; MPI_Init(&c, &v); MPI_Comm_rank(MPI_COMM_WORLD, "
               "&r); MPI_Comm_size(MPI_COMM_WORLD, &n);\n" +
               body + "\nMPI_Barrier(MPI_COMM_WORLD); MPI_Finalize(); return 0; }";
    }
    Answer emulated(const std::string& app, const std::string& how = "", bool errors = true) {
        return run("run -n 4 --on ideal-fat-tree --map-by roundrobin --compute none " + how + " " + app,
                   errors);
    }
    // It ends with this code, says these words, and a run that went well has its summary.
    Answer expect_end(const std::string& app, int code, const std::string& words, const std::string& how = "") {
        Answer answer = emulated(app, how);
        EXPECT_EQ(answer.code, code) << how << "\n" << answer.out;
        EXPECT_NE(answer.out.find(words), std::string::npos) << words << " is not in:\n" << answer.out;
        EXPECT_EQ(count(answer.out, "4 ranks, "), code == 0 ? 1U : 0U) << answer.out;
        return answer;
    }
    static std::size_t count(const std::string& text, const std::string& part) {
        std::size_t found = 0;
        for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++found;
        return found;
    }
    std::string text_of(const std::string& name) {
        std::ostringstream text;
        text << std::ifstream(folder_ / name).rdbuf();
        return text.str();
    }
};

} // namespace orrery::test
