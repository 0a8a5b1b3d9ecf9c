// A server of the co-simulation in a thread, with its log.
#pragma once

#include "tools/cosim/known_network.h"
#include "tools/cosim/server.h"

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace orrery::test {

// A server in a thread, on a port of its own: 1 us and 100 MB/s, 32 nodes.
class TestServer {
  public:
    explicit TestServer(std::uint32_t most_clients = 64) : TestServer(options(most_clients)) {}
    explicit TestServer(
        const CosimServerOptions& options,
        CosimServer::MakeNetwork make_network =
            [] { return std::make_unique<KnownNetwork>(Time::us(1), 10'000); })
        : server_(options, std::move(make_network),
                  [this](CosimServer::Log kind, const std::string& line) {
                      const std::lock_guard<std::mutex> lock(mutex_);
                      (kind == CosimServer::Log::note ? notes_ : complaints_) += line + "\n";
                  }),
          thread_([this] { server_.run(); }) {}
    ~TestServer() {
        server_.stop();
        thread_.join();
    }
    [[nodiscard]] std::uint16_t port() const { return server_.port(); }
    std::string notes() {
        const std::lock_guard<std::mutex> lock(mutex_);
        return notes_;
    }
    std::string complaints() {
        const std::lock_guard<std::mutex> lock(mutex_);
        return complaints_;
    }
    // The log comes from other threads.
    bool complains(const std::string& of) {
        for (int i = 0; i < 12'000; ++i) {
            if (complaints().find(of) != std::string::npos) return true;
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        return false;
    }
    bool notes(const std::string& what) {
        for (int i = 0; i < 12'000; ++i) {
            if (notes().find(what) != std::string::npos) return true;
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        return false;
    }

    static CosimServerOptions options(std::uint32_t most_clients) {
        CosimServerOptions options;
        options.port = 0;
        options.most_clients = most_clients;
        for (std::uint32_t node = 0; node < 32; ++node) options.session.nodes.push_back(HostId{node});
        return options;
    }

  private:
    std::mutex mutex_;
    std::string notes_;
    std::string complaints_;
    CosimServer server_;
    std::thread thread_;
};

} // namespace orrery::test
