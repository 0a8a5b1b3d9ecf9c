#include "tools/sweep/process_pool.h"

#include "engine/error.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <exception>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace orrery {

namespace {

volatile std::sig_atomic_t stop_signal = 0;

extern "C" void note_stop(int number) { stop_signal = number; }

// While it lives, the three signals that end a program are noted, and only while waiting; then all is as
// before.
class StopSignals {
  public:
    StopSignals() {
        stop_signal = 0;
        struct sigaction action {};
        action.sa_handler = note_stop;
        sigset_t block;
        sigemptyset(&block);
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            sigaddset(&block, numbers[i]);
            sigaction(numbers[i], &action, &before_[i]);
        }
        sigprocmask(SIG_BLOCK, &block, &mask_);
    }
    StopSignals(const StopSignals&) = delete;
    StopSignals& operator=(const StopSignals&) = delete;
    ~StopSignals() { restore(); }

    void restore() {
        for (std::size_t i = 0; i < numbers.size(); ++i) sigaction(numbers[i], &before_[i], nullptr);
        sigprocmask(SIG_SETMASK, &mask_, nullptr);
    }
    [[nodiscard]] const sigset_t* mask_while_waiting() const { return &mask_; }

  private:
    static constexpr std::array<int, 3> numbers{SIGINT, SIGTERM, SIGHUP};
    std::array<struct sigaction, numbers.size()> before_{};
    sigset_t mask_{};
};

struct Worker {
    pid_t process = -1;
    int answer = -1; // pipe, read end
    int said = -1;   // its standard error, kept in memory
    std::size_t task = 0;
    std::string text;
};

[[noreturn]] void fail(const char* what) {
    throw InputError(fmt::format("cannot {}: {}", what, std::strerror(errno)));
}

void write_all(int descriptor, const std::string& text) {
    for (std::size_t at = 0; at < text.size();) {
        const ssize_t wrote = ::write(descriptor, text.data() + at, text.size() - at);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) _exit(2);
        at += static_cast<std::size_t>(wrote);
    }
}

[[noreturn]] void be_worker(pid_t parent, int answer, int said, StopSignals& signals, std::size_t task,
                            const std::function<std::string(std::size_t)>& work) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) _exit(2); // it died before we asked
    signals.restore();
    std::signal(SIGINT, SIG_IGN); // of the terminal: the parent decides
    const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    ::dup2(nothing, STDIN_FILENO);
    ::dup2(nothing, STDOUT_FILENO);
    ::dup2(said, STDERR_FILENO);
    const int score = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (score >= 0 && ::write(score, "500", 3) != 3)
        ::close(score); // a wish; without it, the parent may be chosen
    try {
        write_all(answer, work(task));
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        std::fflush(stderr);
        _exit(3);
    }
    _exit(0); // no destructors: what the parent has open is the parent's
}

Worker start(std::size_t task, StopSignals& signals, const std::function<std::string(std::size_t)>& work) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail("make a pipe");
    Worker worker;
    worker.task = task;
    worker.answer = ends[0];
    worker.said = ::memfd_create("orrery-worker", MFD_CLOEXEC);
    const pid_t parent = ::getpid();
    worker.process = ::fork();
    if (worker.process < 0) fail("start a process");
    if (worker.process == 0) {
        ::close(ends[0]);
        be_worker(parent, ends[1], worker.said, signals, task, work);
    }
    ::close(ends[1]);
    return worker;
}

// The last line that the process wrote to its standard error.
std::string last_words(int descriptor) {
    constexpr off_t most = 4096;
    const off_t end = ::lseek(descriptor, 0, SEEK_END);
    if (end <= 0) return {};
    std::string text(static_cast<std::size_t>(std::min(end, most)), '\0');
    const ssize_t got = ::pread(descriptor, text.data(), text.size(), end - static_cast<off_t>(text.size()));
    text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    while (!text.empty() && text.back() == '\n') text.pop_back();
    const auto line = text.rfind('\n');
    return line == std::string::npos ? text : text.substr(line + 1);
}

std::string reason_of(int status, int said) {
    std::string reason;
    if (WIFSIGNALED(status)) {
        const int number = WTERMSIG(status);
        reason = fmt::format("the process was ended by signal {} ({})", number, strsignal(number));
        if (number == SIGKILL) reason += "; the machine may have run out of memory";
    } else {
        reason = fmt::format("the process ended with code {} and no answer",
                             WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    }
    const std::string words = last_words(said);
    return words.empty() ? reason : fmt::format("{}: {}", reason, words);
}

TaskOutcome finish(Worker& worker) {
    int status = 0;
    struct rusage usage {};
    while (::wait4(worker.process, &status, 0, &usage) < 0 && errno == EINTR) {
    }
    TaskOutcome outcome;
    outcome.finished = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    outcome.peak_rss_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
    if (outcome.finished) {
        outcome.answer = std::move(worker.text);
    } else {
        outcome.reason = reason_of(status, worker.said);
    }
    ::close(worker.answer);
    ::close(worker.said);
    return outcome;
}

// Everything that is there; true at the end.
bool read_some(Worker& worker) {
    std::array<char, 65536> buffer; // NOLINT(cppcoreguidelines-pro-type-member-init)
    const ssize_t got = ::read(worker.answer, buffer.data(), buffer.size());
    if (got > 0) worker.text.append(buffer.data(), static_cast<std::size_t>(got));
    return got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN);
}

// Kills what still runs, also if an exception passes.
class Workers {
  public:
    Workers() = default;
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;
    ~Workers() {
        for (const Worker& worker : all) ::kill(worker.process, SIGKILL);
        for (Worker& worker : all) (void)finish(worker);
    }
    std::vector<Worker> all;
};

} // namespace

int run_in_processes(std::size_t tasks, const PoolOptions& options,
                     const std::function<std::string(std::size_t)>& work,
                     const std::function<void(std::size_t, const TaskOutcome&)>& done,
                     const std::function<void(std::size_t)>& progress) {
    StopSignals signals;
    Workers workers;
    std::uint64_t largest = options.largest_bytes;
    std::size_t next = 0;
    const auto may_start = [&] {
        const std::size_t running = workers.all.size();
        if (next == tasks || running >= std::max(options.jobs, 1U)) return false;
        return running == 0 || options.memory_bytes == 0 || (running + 1) * largest <= options.memory_bytes;
    };
    while (stop_signal == 0 && (next < tasks || !workers.all.empty())) {
        while (stop_signal == 0 && may_start()) workers.all.push_back(start(next++, signals, work));
        std::vector<pollfd> waits;
        for (const Worker& worker : workers.all) waits.push_back({worker.answer, POLLIN, 0});
        const timespec quarter{0, 250'000'000};
        const int ready = ::ppoll(waits.data(), waits.size(), &quarter, signals.mask_while_waiting());
        if (ready < 0 && errno != EINTR) fail("wait for processes");
        if (stop_signal != 0) break;
        for (std::size_t i = waits.size(); i-- > 0 && ready > 0;) {
            if (waits[i].revents == 0 || !read_some(workers.all[i])) continue;
            Worker worker = std::move(workers.all[i]);
            workers.all.erase(workers.all.begin() + static_cast<std::ptrdiff_t>(i));
            const TaskOutcome outcome = finish(worker);
            largest = std::max(largest, outcome.peak_rss_bytes);
            done(worker.task, outcome);
        }
        progress(workers.all.size());
    }
    return stop_signal;
}

} // namespace orrery
