// rand, random and drand48 with a state per rank: the same numbers as in a process of its own.
#include "emulate/program/libc_state.h"
#include "emulate/program/libc_tables.h"
#include "emulate/rank.h"

namespace orrery::emulate {

namespace {

RandomState& state() { return self().libc->random_state(); }

long own_random() {
    std::int32_t value = 0;
    random_r(&state().data, &value);
    return value;
}
int own_rand() { return static_cast<int>(own_random()); }
void own_srandom(unsigned int seed) { srandom_r(seed, &state().data); }
char* own_initstate(unsigned int seed, char* words, std::size_t size) {
    RandomState& s = state();
    char* before = reinterpret_cast<char*>(s.data.state) - sizeof(std::int32_t);
    return initstate_r(seed, words, size, &s.data) == 0 ? before : nullptr;
}
char* own_setstate(char* words) {
    RandomState& s = state();
    char* before = reinterpret_cast<char*>(s.data.state) - sizeof(std::int32_t);
    return setstate_r(words, &s.data) == 0 ? before : nullptr;
}

double own_drand48() {
    double value = 0;
    drand48_r(&state().words48, &value);
    return value;
}
double own_erand48(unsigned short words[3]) { // NOLINT: the C signature
    double value = 0;
    erand48_r(words, &state().words48, &value);
    return value;
}
long own_lrand48() {
    long value = 0;
    lrand48_r(&state().words48, &value);
    return value;
}
long own_nrand48(unsigned short words[3]) { // NOLINT
    long value = 0;
    nrand48_r(words, &state().words48, &value);
    return value;
}
long own_mrand48() {
    long value = 0;
    mrand48_r(&state().words48, &value);
    return value;
}
long own_jrand48(unsigned short words[3]) { // NOLINT
    long value = 0;
    jrand48_r(words, &state().words48, &value);
    return value;
}
void own_srand48(long seed) { srand48_r(seed, &state().words48); }
unsigned short* own_seed48(unsigned short words[3]) { // NOLINT
    drand48_data& data = state().words48;
    seed48_r(words, &data);
    return static_cast<unsigned short*>(data.__old_x);
}
void own_lcong48(unsigned short words[7]) { lcong48_r(words, &state().words48); } // NOLINT

} // namespace

std::span<const Symbol> random_symbols() {
    static const Symbol all[] = {
        bound("rand", own_rand),       bound("srand", own_srandom),       bound("random", own_random),
        bound("srandom", own_srandom), bound("initstate", own_initstate), bound("setstate", own_setstate),
        bound("drand48", own_drand48), bound("erand48", own_erand48),     bound("lrand48", own_lrand48),
        bound("nrand48", own_nrand48), bound("mrand48", own_mrand48),     bound("jrand48", own_jrand48),
        bound("srand48", own_srand48), bound("seed48", own_seed48),       bound("lcong48", own_lcong48),
    };
    return all;
}

} // namespace orrery::emulate
