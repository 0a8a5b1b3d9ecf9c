// Whatever a co-simulation client says: an answer of less than 500 bytes that ends in END, or a SessionError.
#include "tools/cosim/session.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

using namespace orrery;

namespace {

// Everything takes a microsecond, and a nanosecond per byte.
class PlainNetwork final : public Network {
  public:
    void start(TransferId transfer, HostId /*from*/, HostId /*to*/, Bytes bytes, Time now) override {
        if (now < now_) __builtin_trap(); // time runs back
        now_ = now;
        under_way_.emplace(now + Time::us(1) + Time::ns(static_cast<std::int64_t>(bytes)), transfer);
    }
    Time next() override { return under_way_.empty() ? Time::max() : under_way_.begin()->first; }
    void advance(Time now, std::vector<TransferId>& arrived) override {
        if (now < now_ || now > next()) __builtin_trap();
        now_ = now;
        while (!under_way_.empty() && under_way_.begin()->first <= now) {
            arrived.push_back(under_way_.begin()->second);
            under_way_.erase(under_way_.begin());
        }
    }
    Time latency(HostId /*from*/, HostId /*to*/) override { return Time::us(1); }
    [[nodiscard]] std::string validity() const override { return {}; }

  private:
    Time now_;
    std::multimap<Time, TransferId> under_way_;
};

void talk(std::string_view text, Bytes control_bytes) {
    PlainNetwork network;
    CosimOptions options;
    options.nodes = {HostId{0}, HostId{1}, HostId{2}};
    options.control_bytes = control_bytes;
    options.most_messages = 50;
    CosimSession session(network, options);
    try {
        while (!text.empty() && !session.finished()) {
            const std::size_t end = std::min(text.find('\n'), text.size());
            const std::string_view line = text.substr(0, end);
            text.remove_prefix(std::min(end + 1, text.size()));
            const std::string answer = session.take(line);
            if (answer.size() >= 500 || (!answer.empty() && !answer.ends_with("END\n"))) __builtin_trap();
        }
    } catch (const SessionError& error) {
        for (const char c : std::string_view(error.what())) {
            if (c < ' ' || c > '~') __builtin_trap(); // one line of a log
        }
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    talk(text, 0);
    talk(text, 64);
    return 0;
}
