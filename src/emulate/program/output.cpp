#include "emulate/program/output.h"

#include "emulate/program/fortran.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <iostream>
#include <stdio_ext.h>
#include <streambuf>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace orrery::emulate {

namespace {

// The process's own streams, and what std::cout and std::cerr wrote to before.
struct Real {
    std::FILE* in = nullptr;
    std::FILE* nothing = nullptr; // what ranks but the first read
    std::FILE* out = nullptr;
    std::FILE* err = nullptr;
    std::streambuf *cout = nullptr, *cerr = nullptr, *clog = nullptr;
    std::FILE* first = nullptr; // stdout as it was
    int caught = -1;            // in place of descriptor 1: what gfortran's library writes
};
Real real;

// gfortran's library writes to descriptor 1 itself: a memory file takes its place, and the real output
// moves to another descriptor.
void catch_descriptor() {
    std::fflush(stdout);
    const int moved = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    real.caught = memfd_create("orrery-output", MFD_CLOEXEC);
    std::FILE* out = fdopen(moved, "w");
    if (out == nullptr || real.caught < 0) return;
    dup2(real.caught, STDOUT_FILENO);
    real.out = out;
}
void release_descriptor() {
    if (real.caught < 0) return;
    std::fflush(real.out);
    dup2(fileno(real.out), STDOUT_FILENO);
    std::fclose(real.out);
    close(real.caught);
    real.caught = -1;
    real.out = real.first;
}

// Passes characters on to whatever stdout or stderr is at the moment.
class Follower : public std::streambuf {
  public:
    explicit Follower(bool error) : error_(error) {}

  protected:
    int_type overflow(int_type c) override {
        if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
        return std::fputc(c, stream()) == EOF ? traits_type::eof() : c;
    }
    std::streamsize xsputn(const char* text, std::streamsize count) override {
        return static_cast<std::streamsize>(std::fwrite(text, 1, static_cast<std::size_t>(count), stream()));
    }
    int sync() override { return std::fflush(stream()); }

  private:
    [[nodiscard]] std::FILE* stream() const { return error_ ? stderr : stdout; }
    bool error_;
};

ssize_t cookie_write(void* cookie, const char* text, std::size_t size) {
    static_cast<TaggedStream*>(cookie)->write({text, size});
    return static_cast<ssize_t>(size);
}

} // namespace

TaggedStream::TaggedStream(std::uint32_t rank, std::FILE* out) : tag_(fmt::format("[{}] ", rank)), real_(out) {
    cookie_io_functions_t functions{};
    functions.write = cookie_write;
    file_ = fopencookie(this, "w", functions);
    std::setvbuf(file_, nullptr, _IOLBF, 512);
}

TaggedStream::~TaggedStream() {
    std::fclose(file_);
    finish();
}

void TaggedStream::write(std::string_view text) {
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        line_.append(text.substr(0, end));
        if (end == std::string_view::npos) return;
        line_.push_back('\n');
        std::fwrite(tag_.data(), 1, tag_.size(), real_);
        std::fwrite(line_.data(), 1, line_.size(), real_);
        line_.clear();
        text.remove_prefix(end + 1);
    }
}

void TaggedStream::finish() {
    if (!line_.empty()) write("\n");
    std::fflush(real_);
}

void start_output(bool tagged) {
    real.first = real.out = stdout;
    real.err = stderr;
    real.in = stdin;
    if (real.nothing == nullptr) real.nothing = std::fopen("/dev/null", "r+e");
    if (!tagged) return;
    if (fortran_loaded()) catch_descriptor();
    follow_cpp_streams();
}

void follow_cpp_streams() {
    if (real.cout != nullptr) return;
    static Follower out(false), err(true), log(true);
    real.cout = std::cout.rdbuf(&out);
    real.cerr = std::cerr.rdbuf(&err);
    real.clog = std::clog.rdbuf(&log);
}

std::FILE** shared_stream(const std::FILE* stream) {
    LibcVariables& mine = self().libc->variables;
    const TaggedOutput* const tagged = self().libc->tagged.get();
    const auto shared = [&](const std::FILE* one) {
        return one == real.in || one == real.nothing || one == real.out || one == real.err ||
               (tagged != nullptr && (one == tagged->out.file() || one == tagged->err.file()));
    };
    for (std::FILE** const one : {&mine.in, &mine.out, &mine.err})
        if (*one == stream && shared(stream)) return one;
    return nullptr;
}

std::FILE* nowhere() { return real.nothing; }

void end_streams(bool redirected) {
    flush_fortran();
    for (std::ostream* const stream : {&std::cout, &std::cerr, &std::clog}) stream->flush();
    (void)std::fflush(nullptr);
    if (!redirected) return;
    for (std::FILE* const stream : {real.out, real.err}) {
        __fpurge(stream);
        std::clearerr(stream);
    }
    for (std::ostream* const stream : {&std::cout, &std::cerr, &std::clog}) stream->clear();
}

void stop_output() {
    release_descriptor();
    select_real_output();
    if (real.cout == nullptr) return;
    std::cout.rdbuf(real.cout);
    std::cerr.rdbuf(real.cerr);
    std::clog.rdbuf(real.clog);
    real.cout = nullptr;
}

void open_output(Rank& rank, bool tagged) {
    LibcVariables& v = rank.libc->variables;
    v.in = rank.index == 0 ? real.in : real.nothing;
    v.out = real.out;
    v.err = real.err;
    if (!tagged) return;
    rank.libc->tagged = std::make_unique<TaggedOutput>(rank.index, real.out, real.err);
    v.out = rank.libc->tagged->out.file();
    v.err = rank.libc->tagged->err.file();
}

void close_output(Rank& rank) {
    LibcVariables& v = rank.libc->variables;
    flush_fortran();
    if (rank.libc->tagged != nullptr) collect_fortran(rank);
    std::fflush(v.out);
    std::fflush(v.err);
    if (TaggedOutput* t = rank.libc->tagged.get(); t != nullptr) {
        t->out.finish();
        t->err.finish();
    }
}

void flush_output(Rank& rank) {
    flush_fortran();
    if (rank.libc->tagged != nullptr) collect_fortran(rank);
    for (std::ostream* const stream : {&std::cout, &std::cerr, &std::clog}) stream->flush();
    (void)std::fflush(nullptr); // also the files of the program
}

void forget_output(Rank& rank) {
    if (rank.libc->tagged == nullptr) return;
    rank.libc->tagged->out.forget();
    rank.libc->tagged->err.forget();
}

void collect_fortran(Rank& rank) {
    if (real.caught < 0) return;
    flush_fortran();
    const off_t size = lseek(real.caught, 0, SEEK_CUR);
    if (size <= 0) return;
    std::vector<char> text(static_cast<std::size_t>(size));
    const ssize_t got = pread(real.caught, text.data(), text.size(), 0);
    lseek(real.caught, 0, SEEK_SET);
    if (got > 0) std::fwrite(text.data(), 1, static_cast<std::size_t>(got), rank.libc->variables.out);
}

void select_output(const LibcVariables& variables) {
    stdin = variables.in;
    stdout = variables.out;
    stderr = variables.err;
}

void select_real_output() {
    stdin = real.in;
    stdout = real.out;
    stderr = real.err;
}

} // namespace orrery::emulate
