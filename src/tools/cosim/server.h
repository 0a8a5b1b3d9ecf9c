// The sockets of the co-simulation: a thread for each client, each with a session of its own.
//
// Nothing that a client does reaches another one: it has its own network, its own thread and bounded memory.
// What is wrong with one closes its connection and is logged in a line. Lines and answers: session.h.
#pragma once

#include "network/network.h"
#include "tools/cosim/session_types.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace orrery {

struct CosimServerOptions {
    std::string address = "127.0.0.1"; // numeric
    std::uint16_t port = 10000;        // 0: any that is free
    std::uint32_t most_clients = 64;
    std::chrono::milliseconds idle_timeout = std::chrono::minutes(5);      // without a line, or without reading
    std::chrono::milliseconds greeting_timeout = std::chrono::seconds(10); // until the first line
    CosimOptions session;
};

class CosimServer {
  public:
    using MakeNetwork = std::function<std::unique_ptr<Network>()>; // called from any thread
    enum class Log : std::uint8_t { note, complaint };
    using Logger = std::function<void(Log, const std::string& line)>; // called from any thread, one at a time

    // Listens. Throws InputError if that is not possible.
    CosimServer(CosimServerOptions options, MakeNetwork make_network, Logger log);
    CosimServer(const CosimServer&) = delete;
    CosimServer& operator=(const CosimServer&) = delete;
    ~CosimServer();

    [[nodiscard]] std::uint16_t port() const { return port_; }
    // Serves until stop(). Clients that are connected then are told nothing: their connection closes, also in
    // the middle of their turn.
    void run();
    // May be called from a signal handler or another thread.
    void stop() noexcept;

  private:
    struct Client {
        int socket = -1;
        std::string name; // "client 3 (127.0.0.1:51234)"
        std::atomic<bool> over = false;
        std::thread thread;
    };
    void accept_client();
    void serve(Client& client);
    void talk(const Client& client, CosimFigures& figures);
    bool write(const Client& client, const std::string& answer) const;
    void look_around(const Client& client, std::string_view unread) const;
    void join_those_over();
    void log(Log kind, const std::string& line);

    CosimServerOptions options_;
    MakeNetwork make_network_;
    Logger log_;
    std::mutex logging_;
    int listener_ = -1;
    int wake_ = -1; // readable once stop() was called
    std::uint16_t port_ = 0;
    std::atomic<bool> stopping_ = false;
    std::list<Client> clients_;
    std::uint64_t accepted_ = 0;
};

} // namespace orrery
