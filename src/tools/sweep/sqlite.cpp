#include "tools/sweep/sqlite.h"

#include "engine/error.h"

#include <fmt/format.h>
#include <sqlite3.h>

namespace orrery {

void Sqlite::Close::operator()(sqlite3* handle) const { sqlite3_close(handle); }
void SqliteStatement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

Sqlite::Sqlite(const std::string& file, bool read_only) : file_(file) {
    sqlite3* opened = nullptr;
    const int flags = read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    const int code = sqlite3_open_v2(file.c_str(), &opened, flags, nullptr);
    handle_.reset(opened);
    if (code != SQLITE_OK) fail("cannot be opened");
    sqlite3_busy_timeout(opened, 10'000); // somebody may be looking at it
}

void Sqlite::fail(std::string_view doing) const {
    throw InputError(Error{file_, 0, 0, fmt::format("{}: {}", doing, sqlite3_errmsg(handle_.get()))});
}

void Sqlite::execute(const std::string& sql) {
    if (sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
        fail("the database refuses");
}

void Sqlite::check_structure() {
    SqliteStatement check(*this, "PRAGMA quick_check(1)");
    if (!check.step()) return;
    if (const std::string found = check.text(); found != "ok")
        throw InputError(Error{file_, 0, 0, "the database is damaged: " + found});
}

SqliteStatement::SqliteStatement(Sqlite& database, std::string_view sql) : database_(&database) {
    sqlite3_stmt* made = nullptr;
    check(sqlite3_prepare_v2(database.handle(), sql.data(), static_cast<int>(sql.size()), &made, nullptr));
    statement_.reset(made);
}

void SqliteStatement::check(int code) const {
    if (code != SQLITE_OK) database_->fail("the database refuses");
}

SqliteStatement& SqliteStatement::bind(std::string_view text) {
    check(sqlite3_bind_text(statement_.get(), ++bound_, text.data(), static_cast<int>(text.size()),
                            SQLITE_TRANSIENT));
    return *this;
}

SqliteStatement& SqliteStatement::bind(std::int64_t number) {
    check(sqlite3_bind_int64(statement_.get(), ++bound_, number));
    return *this;
}

SqliteStatement& SqliteStatement::bind(double number) {
    check(sqlite3_bind_double(statement_.get(), ++bound_, number));
    return *this;
}

SqliteStatement& SqliteStatement::bind_nothing() {
    check(sqlite3_bind_null(statement_.get(), ++bound_));
    return *this;
}

bool SqliteStatement::step() {
    column_ = 0;
    const int code = sqlite3_step(statement_.get());
    if (code == SQLITE_ROW) return true;
    if (code != SQLITE_DONE) database_->fail("the database refuses");
    return false;
}

void SqliteStatement::run() {
    while (step()) {
    }
    check(sqlite3_reset(statement_.get()));
    bound_ = 0;
}

std::string SqliteStatement::text() {
    const int column = column_++;
    const auto* const bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
    return bytes == nullptr
               ? std::string()
               : std::string(bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column)));
}

std::int64_t SqliteStatement::integer() { return sqlite3_column_int64(statement_.get(), column_++); }

double SqliteStatement::real() { return sqlite3_column_double(statement_.get(), column_++); }

std::optional<double> SqliteStatement::maybe_real() {
    if (sqlite3_column_type(statement_.get(), column_) != SQLITE_NULL) return real();
    ++column_;
    return std::nullopt;
}

std::optional<std::int64_t> SqliteStatement::maybe_integer() {
    if (sqlite3_column_type(statement_.get(), column_) != SQLITE_NULL) return integer();
    ++column_;
    return std::nullopt;
}

void SqliteStatement::append_raw(std::string& bytes) {
    const int column = column_++;
    const int kind = sqlite3_column_type(statement_.get(), column);
    const auto append = [&bytes](const auto& value) {
        bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
    };
    append(kind);
    if (kind == SQLITE_INTEGER) return append(sqlite3_column_int64(statement_.get(), column));
    if (kind == SQLITE_FLOAT) return append(sqlite3_column_double(statement_.get(), column));
    const auto* const data = static_cast<const char*>(sqlite3_column_blob(statement_.get(), column));
    const int length = sqlite3_column_bytes(statement_.get(), column);
    append(length);
    if (data != nullptr) bytes.append(data, static_cast<std::size_t>(length));
}

int SqliteStatement::columns() const { return sqlite3_column_count(statement_.get()); }

SqliteTransaction::~SqliteTransaction() {
    if (open_) sqlite3_exec(database_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void SqliteTransaction::commit() {
    database_.execute("COMMIT");
    open_ = false;
}

} // namespace orrery
