// Fortran units per rank. The run-time library has one table of units for the process; the numbers that a rank
// uses are moved into a range of its own. Units 0, 5 and 6, those that NEWUNIT gives (negative, and different
// anyway) and numbers beyond the range stay as they are. The first rank's numbers are not moved.
#include "emulate/program/libc_tables.h"
#include "emulate/program/program.h"
#include "emulate/rank.h"

#include <cstdint>
#include <dlfcn.h>

namespace orrery::emulate {

namespace {

// What each statement's parameters begin with.
struct Statement {
    std::int32_t flags;
    std::int32_t unit;
};

std::int32_t moved(std::int32_t unit) {
    const std::int32_t range = Program::active->ranks() <= 20'000 ? 100'000 : 1000;
    if (unit <= 0 || unit == 5 || unit == 6 || unit >= range) return unit;
    const std::int64_t far = unit + std::int64_t{range} * self().index;
    return far > INT32_MAX ? unit : static_cast<std::int32_t>(far);
}

template <typename F> F* unit_function(const char* name) {
    return reinterpret_cast<F*>(dlsym(RTLD_DEFAULT, name));
}

template <const char* name> void own_statement(Statement* statement) {
    static auto* const call = unit_function<void(Statement*)>(name);
    statement->unit = moved(statement->unit);
    call(statement);
}
template <const char* name, typename Integer> void own_flush(const Integer* unit) {
    static auto* const call = unit_function<void(const Integer*)>(name);
    if (unit == nullptr) return call(nullptr);
    const Integer mine = moved(static_cast<std::int32_t>(*unit));
    call(&mine);
}

constexpr char st_open[] = "_gfortran_st_open";
constexpr char st_close[] = "_gfortran_st_close";
constexpr char st_read[] = "_gfortran_st_read";
constexpr char st_write[] = "_gfortran_st_write";
constexpr char st_inquire[] = "_gfortran_st_inquire";
constexpr char st_rewind[] = "_gfortran_st_rewind";
constexpr char st_backspace[] = "_gfortran_st_backspace";
constexpr char st_endfile[] = "_gfortran_st_endfile";
constexpr char st_flush[] = "_gfortran_st_flush";
constexpr char flush_i4[] = "_gfortran_flush_i4";
constexpr char flush_i8[] = "_gfortran_flush_i8";

} // namespace

std::span<const Symbol> fortran_unit_symbols() {
    static const Symbol all[] = {
        bound(st_open, own_statement<st_open>),
        bound(st_close, own_statement<st_close>),
        bound(st_read, own_statement<st_read>),
        bound(st_write, own_statement<st_write>),
        bound(st_inquire, own_statement<st_inquire>),
        bound(st_rewind, own_statement<st_rewind>),
        bound(st_backspace, own_statement<st_backspace>),
        bound(st_endfile, own_statement<st_endfile>),
        bound(st_flush, own_statement<st_flush>),
        bound(flush_i4, own_flush<flush_i4, std::int32_t>),
        bound(flush_i8, own_flush<flush_i8, std::int64_t>),
    };
    return all;
}

} // namespace orrery::emulate
