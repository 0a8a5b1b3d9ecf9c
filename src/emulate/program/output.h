// stdout and stderr of the ranks: straight through, or with "[rank] " before each line.
//
// Untagged, all ranks share the process's streams, in the order in which they write. Tagged, each rank has its
// own streams, and the C library's variables stdout and stderr, which printf uses, are set at each switch. The
// first rank reads the process's stdin, as under mpirun; the others find it empty.
#pragma once

#include "emulate/program/libc_state.h"
#include "emulate/rank.h"

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

namespace orrery::emulate {

// One stream of a rank: whole lines go on at once, the rest of one when the rank ends.
class TaggedStream {
  public:
    TaggedStream(std::uint32_t rank, std::FILE* real);
    ~TaggedStream();
    TaggedStream(const TaggedStream&) = delete;
    TaggedStream& operator=(const TaggedStream&) = delete;
    [[nodiscard]] std::FILE* file() const { return file_; }
    void write(std::string_view text);
    void finish();
    void forget() { line_.clear(); }

  private:
    std::string tag_, line_;
    std::FILE* real_;
    std::FILE* file_;
};

struct TaggedOutput {
    TaggedOutput(std::uint32_t rank, std::FILE* to_out, std::FILE* to_err)
        : out(rank, to_out), err(rank, to_err) {}
    TaggedStream out, err;
};

void start_output(bool tagged); // before the first rank; std::cout and std::cerr follow the ranks' streams
void stop_output();
void open_output(Rank& rank, bool tagged);
void close_output(Rank& rank); // writes out what a rank has left
// What has been written goes out now; a child process then forgets the unfinished lines of the rank.
void flush_output(Rank& rank);
void forget_output(Rank& rank);
// Tagged: what gfortran's library has written to descriptor 1 for this rank (it has no stream of ours).
void collect_fortran(Rank& rank);
// The rank's variable stdin, stdout or stderr if this stream is that one and shared with other ranks; otherwise
// null.
std::FILE** shared_stream(const std::FILE* stream);
std::FILE* nowhere();      // can be read and written, to no effect
void follow_cpp_streams(); // std::cout and std::cerr go where stdout and stderr do
// Before the simulator's descriptors are put back: what could not be written to redirected ones is dropped.
void end_streams(bool redirected);
void select_output(const LibcVariables& variables);
void select_real_output();

} // namespace orrery::emulate
