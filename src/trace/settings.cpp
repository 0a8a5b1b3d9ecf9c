#include "trace/settings.h"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace orrery::trace {

namespace {

constexpr std::size_t least_buffer = 4096;
constexpr std::size_t most_buffer = std::size_t{1} << 30;

const char* process_environment(const char* name) { return std::getenv(name); }

template <typename Number> bool number_from(std::string_view text, Number& value, int base = 10) {
    const char* const end = text.data() + text.size();
    const auto [stop, failed] = std::from_chars(text.data(), end, value, base);
    return failed == std::errc{} && stop == end;
}

// One variable: whether it is set and fits; otherwise the error says what was expected.
class Variable {
  public:
    Variable(Settings& settings, Environment environment, const char* name)
        : settings_(settings), name_(name), text_(environment(name)) {}
    [[nodiscard]] bool set() const { return text_ != nullptr && *text_ != '\0' && settings_.error.empty(); }
    [[nodiscard]] std::string_view text() const { return text_; }
    void expect(bool fits, const char* expected) {
        if (!fits) {
            settings_.error = std::string(name_) + "=" + text_ + ": expected " + expected;
        }
    }

  private:
    Settings& settings_;
    const char* name_;
    const char* text_;
};

} // namespace

Settings settings_from(Environment environment) {
    if (environment == nullptr) {
        environment = process_environment;
    }
    Settings settings;
    const char* const directory = environment("ORRERY_TRACE_DIR");
    if (directory == nullptr || *directory == '\0') {
        return settings;
    }
    settings.directory = directory;
    if (Variable run(settings, environment, "ORRERY_TRACE_RUN"); run.set()) {
        run.expect(number_from(run.text(), settings.run, 16), "up to 16 hexadecimal digits");
    }
    if (Variable counter(settings, environment, "ORRERY_TRACE_COUNTER"); counter.set()) {
        const std::string_view text = counter.text();
        if (text == "instructions") {
            settings.counter = CounterChoice::instructions;
        } else if (text == "cpu-time") {
            settings.counter = CounterChoice::cpu_time;
        } else {
            counter.expect(text == "auto", "auto, instructions or cpu-time");
        }
    }
    if (Variable timed(settings, environment, "ORRERY_TRACE_TIMED"); timed.set()) {
        settings.timed = timed.text() == "1";
        timed.expect(settings.timed || timed.text() == "0", "0 or 1");
    }
    if (Variable gather(settings, environment, "ORRERY_TRACE_GATHER"); gather.set()) {
        gather.expect(number_from(gather.text(), settings.gather) && settings.gather <= 1024,
                      "a number from 0 to 1024");
    }
    if (Variable mode(settings, environment, "ORRERY_TRACE_MODE"); mode.set()) {
        settings.clock_only = mode.text() == "clock";
        mode.expect(settings.clock_only || mode.text() == "record", "record or clock");
    }
    if (Variable buffer(settings, environment, "ORRERY_TRACE_BUFFER"); buffer.set()) {
        buffer.expect(number_from(buffer.text(), settings.buffer) && settings.buffer >= least_buffer &&
                          settings.buffer <= most_buffer,
                      "a number of bytes from 4096 to 1073741824");
    }
    return settings;
}

} // namespace orrery::trace
