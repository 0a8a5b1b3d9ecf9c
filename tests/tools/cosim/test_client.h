// A client of the co-simulation that behaves as Dimemas does: one line after the other, then reads at most 500
// bytes at a time until it finds END, without putting lines together.
#pragma once

#include <arpa/inet.h>
#include <array>
#include <cstdint>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

namespace orrery::test {

class TestClient {
  public:
    explicit TestClient(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        const timeval patience{20, 0}; // a server that does not answer is a failure, not a test that hangs
        (void)::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        const int on = 1; // as Dimemas does: its lines are short and wait for an answer
        (void)::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        connected_ = ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    }
    TestClient(const TestClient&) = delete;
    TestClient& operator=(const TestClient&) = delete;
    ~TestClient() { hang_up(); }

    [[nodiscard]] bool connected() const { return connected_; }
    void hang_up() {
        if (socket_ >= 0) ::close(socket_);
        socket_ = -1;
    }

    void close_own_side() const { (void)::shutdown(socket_, SHUT_WR); }

    bool say(const std::string& text) const {
        return ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
    }
    // What one recv() gives; empty if the server has closed the connection.
    [[nodiscard]] std::string hear() const {
        std::array<char, 500> buffer{};
        const ssize_t got = ::recv(socket_, buffer.data(), buffer.size(), 0);
        return got <= 0 ? std::string() : std::string(buffer.data(), static_cast<std::size_t>(got));
    }
    // A turn: STOP, END, and the answer, which must come in one piece.
    std::string turn(const std::string& stop) const {
        return say("STOP " + stop + "\n") && say("END\n") ? hear() : std::string("not sent");
    }
    // Until the server closes; how much it said.
    [[nodiscard]] std::size_t hear_the_end() const {
        std::size_t heard = 0;
        for (std::string text; !(text = hear()).empty();) heard += text.size();
        return heard;
    }

  private:
    int socket_;
    bool connected_ = false;
};

} // namespace orrery::test
