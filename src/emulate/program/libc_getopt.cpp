// getopt, getopt_long and getopt_long_only with a state per rank, as the C library's manual describes them:
// arguments that are no options move behind, unless the list of letters starts with '+' or '-'.
#include "emulate/program/libc_state.h"
#include "emulate/program/libc_tables.h"
#include "emulate/rank.h"

#include <algorithm>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <getopt.h>

namespace orrery::emulate {

namespace {

enum class Order { permute, stop, return_all };

class Options {
  public:
    Options(int count, char** arguments, const char* letters, const option* longs, int* found, bool only)
        : state_(*self().libc), v_(state_.variables), count_(count), arguments_(arguments), letters_(letters),
          longs_(longs), found_(found), only_(only) {}

    int next() {
        if (count_ < 1) return -1;
        v_.argument = nullptr;
        if (v_.index == 0) { // the caller starts anew
            v_.index = state_.first_skipped = state_.last_skipped = 1;
            state_.cluster = nullptr;
        }
        order_ = std::getenv("POSIXLY_CORRECT") != nullptr ? Order::stop : Order::permute;
        if (*letters_ == '+' || *letters_ == '-') order_ = *letters_++ == '+' ? Order::stop : Order::return_all;
        quiet_ = *letters_ == ':' || v_.errors == 0;
        if (state_.cluster == nullptr || *state_.cluster == '\0') {
            int result = 0;
            if (!find_option(result)) return result;
        }
        return letter();
    }

  private:
    [[nodiscard]] bool plain(int i) const { return arguments_[i][0] != '-' || arguments_[i][1] == '\0'; }

    __attribute__((format(printf, 2, 3))) void complain(const char* form, ...) const {
        if (quiet_) return;
        std::fprintf(v_.err, "%s: ", arguments_[0]);
        va_list values;
        va_start(values, form);
        std::vfprintf(v_.err, form, values);
        va_end(values);
        std::fputc('\n', v_.err);
    }

    // Moves the arguments that were skipped behind the options since then.
    void move_skipped() {
        int& first = state_.first_skipped;
        int& last = state_.last_skipped;
        std::rotate(arguments_ + first, arguments_ + last, arguments_ + v_.index);
        first += v_.index - last;
        last = v_.index;
    }

    // To the next argument with an option. False: `result` is to be returned at once.
    bool find_option(int& result) {
        int& first = state_.first_skipped;
        int& last = state_.last_skipped;
        last = std::min(last, v_.index);
        first = std::min(first, v_.index);
        if (order_ == Order::permute) {
            if (first != last && last != v_.index)
                move_skipped();
            else if (last != v_.index)
                first = v_.index;
            while (v_.index < count_ && plain(v_.index)) ++v_.index;
            last = v_.index;
        }
        if (v_.index < count_ && std::strcmp(arguments_[v_.index], "--") == 0) {
            ++v_.index;
            if (first != last && last != v_.index)
                move_skipped();
            else if (first == last)
                first = v_.index;
            last = v_.index = count_;
        }
        result = -1;
        if (v_.index >= count_) {
            if (first != last) v_.index = first;
            return false;
        }
        char* const text = arguments_[v_.index];
        if (plain(v_.index)) {
            if (order_ == Order::stop) return false;
            v_.argument = text;
            ++v_.index;
            result = 1;
            return false;
        }
        if (longs_ != nullptr && text[1] == '-') {
            result = long_option(text + 2, "--");
            return false;
        }
        if (longs_ != nullptr && only_ && (text[2] != '\0' || std::strchr(letters_, text[1]) == nullptr)) {
            result = long_option(text + 1, "-");
            if (result != -1) return false;
        }
        state_.cluster = text + 1;
        return true;
    }

    int letter() {
        char*& rest = state_.cluster;
        const int c = static_cast<unsigned char>(*rest++);
        const char* known = c == ':' || c == ';' ? nullptr : std::strchr(letters_, c);
        if (*rest == '\0') ++v_.index;
        if (known == nullptr) {
            complain("invalid option -- '%c'", c);
            v_.option = c;
            return '?';
        }
        if (known[1] != ':') return c;
        int result = c;
        if (*rest != '\0') {
            v_.argument = rest;
            ++v_.index;
        } else if (known[2] != ':') {
            if (v_.index < count_)
                v_.argument = arguments_[v_.index++];
            else
                result = missing(c);
        }
        rest = nullptr;
        return result;
    }

    int missing(int c) {
        complain("option requires an argument -- '%c'", c);
        v_.option = c;
        return *letters_ == ':' ? ':' : '?';
    }

    // The option whose name, or whose name alone, starts with this. -1: none, -2: several that differ.
    [[nodiscard]] int match(const char* name, std::size_t length) const {
        int best = -1;
        for (int i = 0; longs_[i].name != nullptr; ++i) {
            if (std::strncmp(longs_[i].name, name, length) != 0) continue;
            if (std::strlen(longs_[i].name) == length) return i;
            if (best == -1)
                best = i;
            else if (best == -2 || only_ || longs_[best].has_arg != longs_[i].has_arg ||
                     longs_[best].flag != longs_[i].flag || longs_[best].val != longs_[i].val)
                best = -2;
        }
        return best;
    }

    int long_option(char* name, const char* prefix) {
        char* const equals = std::strchr(name, '=');
        const std::size_t length =
            equals == nullptr ? std::strlen(name) : static_cast<std::size_t>(equals - name);
        const int i = match(name, length);
        if (i == -1 && only_ && prefix[1] == '\0' && std::strchr(letters_, *name) != nullptr) return -1;
        state_.cluster = nullptr;
        ++v_.index;
        if (i < 0) {
            complain(i == -1 ? "unrecognized option '%s%s'" : "option '%s%s' is ambiguous", prefix, name);
            v_.option = 0;
            return '?';
        }
        const option& o = longs_[i];
        if (equals != nullptr && o.has_arg == no_argument) {
            complain("option '%s%s' doesn't allow an argument", prefix, o.name);
            v_.option = o.val;
            return '?';
        }
        if (equals != nullptr) {
            v_.argument = equals + 1;
        } else if (o.has_arg == required_argument) {
            if (v_.index >= count_) {
                complain("option '%s%s' requires an argument", prefix, o.name);
                v_.option = o.val;
                return *letters_ == ':' ? ':' : '?';
            }
            v_.argument = arguments_[v_.index++];
        }
        if (found_ != nullptr) *found_ = i;
        if (o.flag == nullptr) return o.val;
        *o.flag = o.val;
        return 0;
    }

    LibcState& state_;
    LibcVariables& v_;
    int count_;
    char** arguments_;
    const char* letters_;
    const option* longs_;
    int* found_;
    bool only_;
    Order order_ = Order::permute;
    bool quiet_ = false;
};

int own_getopt(int count, char* const* arguments, const char* letters) {
    return Options(count, const_cast<char**>(arguments), letters, nullptr, nullptr, false).next();
}
int own_getopt_long(int count, char* const* arguments, const char* letters, const option* longs, int* found) {
    return Options(count, const_cast<char**>(arguments), letters, longs, found, false).next();
}
int own_getopt_long_only(int count, char* const* arguments, const char* letters, const option* longs,
                         int* found) {
    return Options(count, const_cast<char**>(arguments), letters, longs, found, true).next();
}

} // namespace

std::span<const Symbol> getopt_symbols() {
    static const Symbol all[] = {
        bound("getopt", own_getopt),
        bound("__posix_getopt", own_getopt),
        bound("getopt_long", own_getopt_long),
        bound("getopt_long_only", own_getopt_long_only),
    };
    return all;
}

} // namespace orrery::emulate
