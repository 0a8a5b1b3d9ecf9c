#include "tools/cosim/server.h"

#include "engine/error.h"
#include "engine/units.h"
#include "tools/cosim/session.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <optional>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace orrery {

namespace {

constexpr std::size_t longest_line = 4096;
constexpr std::size_t read_size = std::size_t{64} << 10;

[[noreturn]] void refuse(const CosimServerOptions& options, const char* what) {
    throw InputError(
        fmt::format("cannot {} {}:{}: {}", what, options.address, options.port, std::strerror(errno)));
}

sockaddr_in address_of(const CosimServerOptions& options) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(options.port);
    if (::inet_pton(AF_INET, options.address.c_str(), &address.sin_addr) != 1) {
        throw UsageError(
            fmt::format("--address {}: expected a numeric IPv4 address, such as 127.0.0.1", options.address));
    }
    return address;
}

std::string words(const CosimFigures& figures, double seconds) {
    std::string text = fmt::format(
        "{} messages ({} by rendezvous), {}, the last delivered at {}; {} rounds in {:.3g} s",
        format_count(figures.messages), format_count(figures.rendezvous), format_bytes(figures.bytes),
        format_time(figures.last), format_count(figures.rounds), seconds);
    if (figures.drifts > 0) text += fmt::format("; {} sent in the past", format_count(figures.drifts));
    return text;
}

using Clock = std::chrono::steady_clock;
using Deadline = Clock::time_point;

Deadline after(std::chrono::milliseconds time) { return Clock::now() + time; }

// Waits until the socket can be read or written, or the server is woken; false if that takes too long.
bool ready(int socket, int wake, short events, Deadline deadline) {
    while (true) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
        if (left.count() <= 0) return false;
        std::array<pollfd, 2> wait{{{socket, events, 0}, {wake, POLLIN, 0}}};
        const int most = std::numeric_limits<int>::max();
        const int found =
            ::poll(wait.data(), wait.size(), left.count() < most ? static_cast<int>(left.count()) : most);
        if (found > 0) return true;
        if (found < 0 && errno != EINTR) throw SessionError(std::strerror(errno));
    }
}

} // namespace

CosimServer::CosimServer(CosimServerOptions options, MakeNetwork make_network, Logger log)
    : options_(std::move(options)), make_network_(std::move(make_network)), log_(std::move(log)) {
    const sockaddr_in address = address_of(options_);
    wake_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (wake_ < 0 || listener_ < 0) refuse(options_, "listen on");
    const int on = 1;
    (void)::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        ::listen(listener_, 64) != 0) {
        refuse(options_, "listen on");
    }
    sockaddr_in bound{};
    socklen_t size = sizeof bound;
    (void)::getsockname(listener_, reinterpret_cast<sockaddr*>(&bound), &size);
    port_ = ntohs(bound.sin_port);
}

CosimServer::~CosimServer() {
    stop();
    for (Client& client : clients_) {
        if (client.thread.joinable()) client.thread.join();
    }
    if (listener_ >= 0) ::close(listener_);
    if (wake_ >= 0) ::close(wake_);
}

void CosimServer::stop() noexcept {
    stopping_.store(true);
    const std::uint64_t one = 1;
    (void)!::write(wake_, &one, sizeof one);
}

void CosimServer::log(Log kind, const std::string& line) {
    const std::lock_guard<std::mutex> lock(logging_);
    log_(kind, line);
}

void CosimServer::run() {
    while (!stopping_) {
        std::array<pollfd, 2> wait{{{listener_, POLLIN, 0}, {wake_, POLLIN, 0}}};
        if (::poll(wait.data(), wait.size(), 1000) < 0 && errno != EINTR) refuse(options_, "wait on");
        join_those_over();
        if ((wait[0].revents & POLLIN) != 0) accept_client();
    }
    for (Client& client : clients_) client.thread.join();
    clients_.clear();
}

void CosimServer::join_those_over() {
    for (auto client = clients_.begin(); client != clients_.end();) {
        if (client->over) {
            client->thread.join();
            client = clients_.erase(client);
        } else {
            ++client;
        }
    }
}

void CosimServer::accept_client() {
    sockaddr_in peer{};
    socklen_t size = sizeof peer;
    const int socket =
        ::accept4(listener_, reinterpret_cast<sockaddr*>(&peer), &size, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (socket < 0) {
        if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
            log(Log::complaint, fmt::format("a client cannot be accepted: {}", std::strerror(errno)));
            std::this_thread::sleep_for(std::chrono::milliseconds(100)); // it stays in the queue
        }
        return;
    }
    std::array<char, INET_ADDRSTRLEN> text{};
    (void)::inet_ntop(AF_INET, &peer.sin_addr, text.data(), text.size());
    const std::uint64_t number = ++accepted_;
    const std::string name = fmt::format("client {} ({}:{})", number, text.data(), ntohs(peer.sin_port));
    if (clients_.size() >= options_.most_clients) {
        log(Log::complaint, fmt::format("{}: refused: {} clients are connected", name, clients_.size()));
        ::close(socket);
        return;
    }
    const int on = 1; // every answer is waited for
    (void)::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    const int answers = 64 << 10; // that nobody has read yet, in bytes
    (void)::setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &answers, sizeof answers);
    try {
        Client& client = clients_.emplace_back();
        client.socket = socket;
        client.name = name;
        client.thread = std::thread([this, &client] { serve(client); });
    } catch (const std::exception& error) { // no thread or no memory: that client only
        if (!clients_.empty() && clients_.back().socket == socket) clients_.pop_back();
        ::close(socket);
        log(Log::complaint, fmt::format("{}: refused: {}", name, error.what()));
    }
}

// Whatever happens here ends this client and nothing else.
void CosimServer::serve(Client& client) {
    try {
        log(Log::note, fmt::format("{}: connected", client.name));
        CosimFigures figures;
        const Clock::time_point begin = Clock::now();
        std::string complaint;
        try {
            talk(client, figures);
        } catch (const std::bad_alloc&) {
            complaint = "out of memory";
        } catch (const std::exception& error) {
            complaint = error.what();
        }
        const std::chrono::duration<double> elapsed = Clock::now() - begin;
        const std::string did = words(figures, elapsed.count());
        if (complaint.empty()) {
            log(Log::note, fmt::format("{}: finished: {}", client.name, did));
        } else {
            log(Log::complaint, fmt::format("{}: closed: {} (after {})", client.name, complaint, did));
        }
    } catch (const std::exception&) { // there is no memory even for a line of the log
    }
    ::close(client.socket);
    client.over = true;
}

// While a client waits for its answer: is there still somebody to answer? One that has closed its side has
// gone, unless it has said all that it has to say, with FINISH.
void CosimServer::look_around(const Client& client, std::string_view unread) const {
    if (stopping_) throw SessionError("the server is shutting down");
    pollfd wait{client.socket, POLLRDHUP, 0};
    if (::poll(&wait, 1, 0) <= 0) return;
    if ((wait.revents & (POLLHUP | POLLERR | POLLNVAL)) == 0) {
        std::string rest(unread);
        const std::size_t before = rest.size();
        rest.resize(before + read_size);
        const ssize_t got = ::recv(client.socket, rest.data() + before, read_size, MSG_PEEK | MSG_DONTWAIT);
        rest.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
        if (rest.find("FINISH") != std::string::npos) return;
    }
    throw SessionError("the client went away while it waited for an answer");
}

// Until the client is finished; throws if it ends in another way.
void CosimServer::talk(const Client& client, CosimFigures& figures) {
    std::string_view rest; // of what was read, not yet taken
    CosimOptions options = options_.session;
    options.look_around = [&] { look_around(client, rest); };
    std::unique_ptr<Network> network; // once there is a client that speaks
    std::optional<CosimSession> session;
    std::string text; // the beginning of a line
    std::array<char, read_size> buffer;
    Deadline deadline = after(options_.greeting_timeout);
    while (true) {
        if (!ready(client.socket, wake_, POLLIN, deadline))
            throw SessionError(session ? "nothing was heard of it for too long" : "it said nothing");
        if (stopping_) throw SessionError("the server is shutting down");
        const ssize_t got = ::recv(client.socket, buffer.data(), buffer.size(), 0);
        if (got < 0) {
            if (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK) continue;
            throw SessionError(std::strerror(errno));
        }
        if (got == 0) throw SessionError("the client went away without FINISH");
        rest = std::string_view(buffer.data(), static_cast<std::size_t>(got));
        while (!rest.empty()) {
            const std::size_t end = rest.find('\n');
            text += rest.substr(0, end);
            if (text.size() > longest_line) throw SessionError("a line is too long");
            if (end == std::string_view::npos) break;
            rest.remove_prefix(end + 1);
            if (!session) {
                network = make_network_();
                session.emplace(*network, options);
            }
            const std::string answer = session->take(text);
            figures = session->figures();
            text.clear();
            if (!answer.empty() && !write(client, answer)) throw SessionError("the client does not read");
            if (session->finished()) return;
            deadline = after(options_.idle_timeout);
        }
    }
}

// In one piece: Dimemas does not put together what comes in several.
bool CosimServer::write(const Client& client, const std::string& answer) const {
    std::string_view rest = answer;
    const Deadline deadline = after(options_.idle_timeout);
    while (!rest.empty()) {
        const ssize_t done = ::send(client.socket, rest.data(), rest.size(), MSG_NOSIGNAL);
        if (done >= 0) {
            rest.remove_prefix(static_cast<std::size_t>(done));
            continue;
        }
        if (errno == EINTR) continue;
        if (errno != EAGAIN && errno != EWOULDBLOCK) return false;
        if (!ready(client.socket, wake_, POLLOUT, deadline) || stopping_) return false;
    }
    return true;
}

} // namespace orrery
