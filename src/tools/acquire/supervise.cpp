#include "tools/acquire/supervise.h"
#include "engine/error.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <set>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace orrery {

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto grace = std::chrono::seconds(10);           // between SIGTERM and SIGKILL
constexpr auto stragglers_grace = std::chrono::seconds(1); // for ranks that outlive their mpirun

// Blocks the signals that the loop waits for; then all is as before.
class WaitedSignals {
  public:
    WaitedSignals() {
        sigemptyset(&set_);
        for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) sigaddset(&set_, number);
        sigprocmask(SIG_BLOCK, &set_, &mask_);
        struct sigaction plain {};
        plain.sa_handler = SIG_DFL; // a parent may have left it ignored; then nothing could be waited for
        sigaction(SIGCHLD, &plain, &child_);
    }
    WaitedSignals(const WaitedSignals&) = delete;
    WaitedSignals& operator=(const WaitedSignals&) = delete;
    ~WaitedSignals() { restore(); }
    void restore() {
        sigaction(SIGCHLD, &child_, nullptr);
        sigprocmask(SIG_SETMASK, &mask_, nullptr);
    }
    // The next one, or 0 if none came in time.
    int wait(std::chrono::nanoseconds time, siginfo_t& info) {
        const auto whole = std::chrono::duration_cast<std::chrono::seconds>(time);
        const timespec most{whole.count(), (time - whole).count()};
        const int number = sigtimedwait(&set_, &info, &most);
        return number > 0 ? number : 0;
    }

  private:
    sigset_t set_{};
    sigset_t mask_{};
    struct sigaction child_ {};
};

class Subreaper {
  public:
    Subreaper() {
        ::prctl(PR_GET_CHILD_SUBREAPER, &before_);
        ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    }
    Subreaper(const Subreaper&) = delete;
    Subreaper& operator=(const Subreaper&) = delete;
    ~Subreaper() { ::prctl(PR_SET_CHILD_SUBREAPER, before_); }

  private:
    int before_ = 0;
};

// (process, parent) of all processes; those that are dead but not yet waited for too.
std::vector<std::pair<pid_t, pid_t>> all_processes() {
    std::vector<std::pair<pid_t, pid_t>> out;
    std::error_code failed;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", failed)) {
        const std::string name = entry.path().filename().string();
        pid_t process = 0;
        if (std::from_chars(name.data(), name.data() + name.size(), process).ec != std::errc{}) continue;
        std::ifstream file(entry.path() / "stat");
        std::string line;
        std::getline(file, line);
        const std::size_t close = line.rfind(')'); // the name before it may hold anything
        if (close == std::string::npos || close + 4 >= line.size()) continue;
        pid_t parent = 0;
        std::from_chars(line.data() + close + 4, line.data() + line.size(), parent);
        out.emplace_back(process, parent);
    }
    return out;
}

std::set<pid_t> children_of_this() {
    std::set<pid_t> out;
    for (const auto& [process, parent] : all_processes()) {
        if (parent == ::getpid()) out.insert(process);
    }
    return out;
}

// Everything that descends from this process, but for the children that it had before.
std::set<pid_t> descendants(const std::set<pid_t>& before) {
    std::set<pid_t> found;
    const auto processes = all_processes();
    for (bool more = true; more;) {
        more = false;
        for (const auto& [process, parent] : processes) {
            const bool ours = parent == ::getpid() ? !before.contains(process) : found.contains(parent);
            if (ours && found.insert(process).second) more = true;
        }
    }
    return found;
}

void reap(const std::set<pid_t>& processes) {
    for (const pid_t process : processes) ::waitpid(process, nullptr, WNOHANG);
}

// Lets them end by themselves, asks them to, then kills them. Gives up on what not even SIGKILL ends (a hanging
// file system).
void end_all(const std::set<pid_t>& before, std::chrono::nanoseconds patience) {
    const auto began = Clock::now();
    const auto ask_from = began + patience / 10;
    bool asked = patience.count() == 0;
    for (auto now = began; now < began + patience + grace; now = Clock::now()) {
        const std::set<pid_t> left = descendants(before);
        reap(left);
        if (left.empty()) return;
        const bool ask = !asked && now >= ask_from;
        const bool force = now >= began + patience;
        for (const pid_t process : left) {
            if (ask || force) ::kill(process, force ? SIGKILL : SIGTERM);
        }
        asked = asked || ask;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
}

void raise_limit_of_files(std::uint64_t files) {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= files) return;
    limit.rlim_cur = std::min<rlim_t>(files, limit.rlim_max);
    ::setrlimit(RLIMIT_NOFILE, &limit);
}

[[noreturn]] void become(const std::vector<std::string>& command, int output, int failure, pid_t parent,
                         WaitedSignals& signals, const SupervisedLimits& limits) {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != parent) ::_exit(127); // it died before we asked
    raise_limit_of_files(limits.files);
    if (limits.late_ns > 0) ::prctl(PR_SET_TIMERSLACK, limits.late_ns);
    signals.restore();
    if (output >= 0) {
        ::dup2(output, STDOUT_FILENO);
        ::dup2(output, STDERR_FILENO);
    }
    std::vector<char*> words;
    for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    ::execv(words[0], words.data());
    const int reason = errno;
    if (::write(failure, &reason, sizeof reason) < 0) ::_exit(126);
    ::_exit(127);
}

pid_t start(const std::vector<std::string>& command, const std::string& output, WaitedSignals& signals,
            const SupervisedLimits& limits) {
    int file = -1;
    if (!output.empty()) {
        file = ::open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        if (file < 0)
            throw InputError({output, 0, 0, fmt::format("cannot be written: {}", std::strerror(errno))});
    }
    std::array<int, 2> failure{};
    if (::pipe2(failure.data(), O_CLOEXEC) != 0) {
        throw UsageError(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
    }
    const pid_t parent = ::getpid();
    const pid_t process = ::fork();
    if (process == 0) become(command, file, failure[1], parent, signals, limits);
    int reason = process < 0 ? errno : 0;
    ::close(failure[1]);
    if (file >= 0) ::close(file);
    while (process > 0 && ::read(failure[0], &reason, sizeof reason) < 0 && errno == EINTR) {
    }
    ::close(failure[0]);
    if (reason != 0) {
        if (process > 0) ::waitpid(process, nullptr, 0);
        throw UsageError(fmt::format("cannot start {}: {}", command.front(), std::strerror(reason)));
    }
    return process;
}

// Ends everything also if an exception passes.
class Ended {
  public:
    explicit Ended(std::set<pid_t> before) : before_(std::move(before)) {}
    Ended(const Ended&) = delete;
    Ended& operator=(const Ended&) = delete;
    ~Ended() { end_all(before_, patience); }
    std::chrono::nanoseconds patience = stragglers_grace;

  private:
    std::set<pid_t> before_;
};

} // namespace

Supervised supervise(const std::vector<std::string>& command, const std::string& output, double timeout_seconds,
                     const SupervisedLimits& limits) {
    WaitedSignals signals;
    const Subreaper subreaper;
    Ended ended(children_of_this());
    const auto began = Clock::now();
    const pid_t process = start(command, output, signals, limits);

    Supervised out;
    const bool limited = timeout_seconds > 0;
    auto limit = began + std::chrono::duration_cast<Clock::duration>(
                             std::chrono::duration<double>(limited ? timeout_seconds : 0));
    bool asked = false; // to stop
    int status = 0;
    while (::waitpid(process, &status, WNOHANG) == 0) {
        const auto now = Clock::now();
        const bool counting = limited || asked;
        if (counting && now >= limit) {
            if (asked) { // and did not
                ended.patience = {};
                ::kill(process, SIGKILL);
            } else {
                out.timed_out = true;
                ::kill(process, SIGTERM);
            }
            asked = true;
            limit = now + grace;
        }
        siginfo_t info{};
        const auto most =
            counting ? std::max<Clock::duration>(limit - Clock::now(), {}) : std::chrono::hours(1);
        const int number = signals.wait(most, info);
        if (number == 0 || number == SIGCHLD) continue;
        out.stopped_by = number;
        limit = Clock::now() + (asked ? Clock::duration::zero() : Clock::duration(grace));
        // What the terminal sends (Ctrl-C), it sends to mpirun too.
        if (!asked && info.si_code != SI_KERNEL) ::kill(process, SIGTERM);
        asked = true;
    }
    out.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    out.seconds = std::chrono::duration<double>(Clock::now() - began).count();
    return out;
}

} // namespace orrery
