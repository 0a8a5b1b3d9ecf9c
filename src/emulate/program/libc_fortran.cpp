// Fortran: stop, clocks, random numbers per rank. The run-time library keeps one generator per thread; its
// state is exchanged when another rank comes to use it. A rank that sets no seed gets one that depends on its
// number alone.
#include "emulate/program/fortran.h"
#include "emulate/program/libc_state.h"
#include "emulate/program/libc_tables.h"
#include "emulate/program/libc_time.h"
#include "emulate/program/output.h"
#include "emulate/program/world.h"
#include "emulate/rank.h"

#include <algorithm>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <fmt/format.h>
#include <limits>

namespace orrery::emulate {

namespace {

// An array of rank one as gfortran 8 and later describe it.
struct Array1 {
    void* base;
    std::size_t offset;
    std::size_t element_bytes;
    int version;
    signed char rank, type;
    short attribute;
    std::ptrdiff_t span;
    std::ptrdiff_t stride, lower, upper;
};

template <typename F> F* fortran_function(const char* name) {
    return reinterpret_cast<F*>(dlsym(RTLD_DEFAULT, name));
}

using Seed = void(int*, Array1*, Array1*);
LibcState* owner = nullptr; // whose state the library's generator holds

void exchange(std::vector<int>& words, bool get) {
    static Seed* const seed = fortran_function<Seed>("_gfortran_random_seed_i4");
    Array1 array{words.data(),
                 static_cast<std::size_t>(-1),
                 4,
                 0,
                 1,
                 1,
                 0,
                 4,
                 1,
                 1,
                 static_cast<std::ptrdiff_t>(words.size())};
    seed(nullptr, get ? nullptr : &array, get ? &array : nullptr);
}

void take_generator() {
    LibcState* const mine = self().libc.get();
    if (owner == mine) return;
    static const int size = [] {
        int words = 0;
        fortran_function<Seed>("_gfortran_random_seed_i4")(&words, nullptr, nullptr);
        return words;
    }();
    if (owner != nullptr) exchange(*owner->fortran_seed, true);
    if (mine->fortran_seed == nullptr) {
        mine->fortran_seed = std::make_unique<std::vector<int>>(size);
        std::uint64_t x = self().index;
        for (int& word : *mine->fortran_seed) { // SplitMix64 (Steele, Lea, Flood 2014)
            std::uint64_t z = (x += 0x9e3779b97f4a7c15);
            z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
            z = (z ^ z >> 27) * 0x94d049bb133111eb;
            word = static_cast<int>(z >> 32);
        }
    }
    exchange(*mine->fortran_seed, false);
    owner = mine;
}

template <const char* name> void own_random_array(void* out) {
    take_generator();
    static auto* const call = fortran_function<void(void*)>(name);
    call(out);
}
template <const char* name> void own_random_seed(void* size, void* put, void* get) {
    take_generator();
    static auto* const call = fortran_function<void(void*, void*, void*)>(name);
    call(size, put, get);
}
constexpr char random_r4[] = "_gfortran_random_r4";
constexpr char random_r8[] = "_gfortran_random_r8";
constexpr char arandom_r4[] = "_gfortran_arandom_r4";
constexpr char arandom_r8[] = "_gfortran_arandom_r8";
constexpr char seed_i4[] = "_gfortran_random_seed_i4";
constexpr char seed_i8[] = "_gfortran_random_seed_i8";
// random_init(repeatable, image_distinct): the same start each time is what every run has.
void own_random_init(int, int) {
    take_generator();
    self().libc->fortran_seed.reset();
    owner = nullptr;
}

void say(const char* what, const char* text, std::size_t length) {
    flush_fortran();
    std::fprintf(self().libc->variables.err, "%s %.*s\n", what, static_cast<int>(length), text);
}
void own_stop_string(const char* text, std::size_t length, bool quiet) {
    if (!quiet && text != nullptr) say("STOP", text, length);
    exit_rank(0);
}
void own_stop_numeric(int code, bool quiet) {
    const std::string text = std::to_string(code);
    if (!quiet) say("STOP", text.data(), text.size());
    exit_rank(code);
}
void own_error_stop_string(const char* text, std::size_t length, bool quiet) {
    if (!quiet) say("ERROR STOP", text, text == nullptr ? 0 : length);
    exit_rank(1);
}
void own_error_stop_numeric(int code, bool quiet) {
    const std::string text = std::to_string(code);
    if (!quiet) say("ERROR STOP", text.data(), text.size());
    exit_rank(code);
}
void own_exit_i4(const std::int32_t* code) { exit_rank(code == nullptr ? 0 : *code); }
void own_exit_i8(const std::int64_t* code) { exit_rank(code == nullptr ? 0 : static_cast<int>(*code)); }
void fortran_abort() { world::abort(134, fmt::format("rank {}: abort was called", self().index)); }

template <typename Integer> void own_system_clock(Integer* count, Integer* rate, Integer* largest) {
    constexpr std::int64_t per_second = sizeof(Integer) == 8 ? 1'000'000'000 : 1000;
    const std::int64_t ticks = world::now().whole_ns() / (1'000'000'000 / per_second);
    if (count != nullptr) *count = static_cast<Integer>(ticks & std::numeric_limits<Integer>::max());
    if (rate != nullptr) *rate = static_cast<Integer>(per_second);
    if (largest != nullptr) *largest = std::numeric_limits<Integer>::max();
}
template <typename Real> void own_cpu_time(Real* out) { *out = static_cast<Real>(world::now().seconds()); }
float own_second() { return static_cast<float>(world::now().seconds()); }
std::int64_t fortran_time() { return world::now().whole_ns() / 1'000'000'000; }
template <typename Integer> void fortran_sleep(const Integer* seconds) {
    if (*seconds > 0) world::sleep(duration_of(*seconds, 0));
}

void put_text(char* to, std::size_t room, const std::string& text) {
    if (to == nullptr) return;
    std::memset(to, ' ', room);
    text.copy(to, room); // Fortran's strings end without a zero
}
void own_date_and_time(char* date, char* time, char* zone, Array1* values, std::size_t date_room,
                       std::size_t time_room, std::size_t zone_room) {
    const std::int64_t ns = world::now().whole_ns();
    const std::time_t seconds = ns / 1'000'000'000;
    const int ms = static_cast<int>(ns / 1'000'000 % 1000);
    std::tm t{};
    gmtime_r(&seconds, &t);
    put_text(date, date_room, fmt::format("{:04}{:02}{:02}", t.tm_year + 1900, t.tm_mon + 1, t.tm_mday));
    put_text(time, time_room, fmt::format("{:02}{:02}{:02}.{:03}", t.tm_hour, t.tm_min, t.tm_sec, ms));
    put_text(zone, zone_room, "+0000");
    if (values == nullptr) return;
    const int all[8] = {t.tm_year + 1900, t.tm_mon + 1, t.tm_mday, 0, t.tm_hour, t.tm_min, t.tm_sec, ms};
    auto* at = static_cast<std::byte*>(values->base);
    const std::ptrdiff_t step = std::max<std::ptrdiff_t>(values->stride, 1);
    const auto size = values->element_bytes;
    for (std::ptrdiff_t i = 0; i < 8; ++i) {
        const std::int64_t value = all[i];
        std::memcpy(at + i * step * static_cast<std::ptrdiff_t>(size), &value, std::min<std::size_t>(size, 8));
    }
}

// With tagged output, what a write statement has left in the library goes out under the rank's name.
void own_write_done(void* statement) {
    static auto* const call = fortran_function<void(void*)>("_gfortran_st_write_done");
    call(statement);
    if (self().libc->tagged != nullptr) collect_fortran(self());
}

} // namespace

bool fortran_loaded() { return dlsym(RTLD_DEFAULT, "_gfortran_st_write") != nullptr; }

void flush_fortran() {
    auto* const flush =
        fortran_function<void(const int*)>("_gfortran_flush_i4"); // not kept: it may be loaded later
    const int unit = 6;
    if (flush != nullptr) flush(&unit);
}

void forget_fortran(LibcState* state) {
    if (owner == state) owner = nullptr;
}

std::span<const Symbol> fortran_symbols() {
    static const Symbol all[] = {
        bound("_gfortran_stop_string", own_stop_string),
        bound("_gfortran_stop_numeric", own_stop_numeric),
        bound("_gfortran_error_stop_string", own_error_stop_string),
        bound("_gfortran_error_stop_numeric", own_error_stop_numeric),
        bound("_gfortran_exit_i4", own_exit_i4),
        bound("_gfortran_exit_i8", own_exit_i8),
        bound("_gfortran_abort", fortran_abort),
        bound("_gfortran_system_clock_4", own_system_clock<std::int32_t>),
        bound("_gfortran_system_clock_8", own_system_clock<std::int64_t>),
        bound("_gfortran_cpu_time_4", own_cpu_time<float>),
        bound("_gfortran_cpu_time_8", own_cpu_time<double>),
        bound("_gfortran_second", own_second),
        bound("_gfortran_second_sub", own_cpu_time<float>),
        bound("_gfortran_time_func", fortran_time),
        bound("_gfortran_time8_func", fortran_time),
        bound("_gfortran_sleep_i4_sub", fortran_sleep<std::int32_t>),
        bound("_gfortran_sleep_i8_sub", fortran_sleep<std::int64_t>),
        bound("_gfortran_date_and_time", own_date_and_time),
        bound("_gfortran_random_r4", own_random_array<random_r4>),
        bound("_gfortran_random_r8", own_random_array<random_r8>),
        bound("_gfortran_arandom_r4", own_random_array<arandom_r4>),
        bound("_gfortran_arandom_r8", own_random_array<arandom_r8>),
        bound("_gfortran_random_seed_i4", own_random_seed<seed_i4>),
        bound("_gfortran_random_seed_i8", own_random_seed<seed_i8>),
        bound("_gfortran_random_init", own_random_init),
        bound("_gfortran_st_write_done", own_write_done),
    };
    return all;
}

} // namespace orrery::emulate
