// SQLite, as far as a study needs it: a database, a statement, and errors as exceptions.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace orrery {

class Sqlite;

// Bound and read in the order of its parameters and columns.
class SqliteStatement {
  public:
    SqliteStatement(Sqlite& database, std::string_view sql);

    SqliteStatement& bind(std::string_view text);
    SqliteStatement& bind(std::int64_t number);
    SqliteStatement& bind(double number);
    SqliteStatement& bind_nothing();
    bool step(); // true: there is a row
    void run();  // to its end, then ready to be bound again

    std::string text();
    std::int64_t integer();
    double real();
    std::optional<double> maybe_real();
    std::optional<std::int64_t> maybe_integer();
    // The next column as it is stored: its kind, its length and its bytes.
    void append_raw(std::string& bytes);
    [[nodiscard]] int columns() const;
    void rewind() { column_ = 0; } // to the first column of the row

  private:
    void check(int code) const;
    struct Finalize {
        void operator()(sqlite3_stmt* statement) const;
    };

    Sqlite* database_;
    std::unique_ptr<sqlite3_stmt, Finalize> statement_;
    int bound_ = 0;
    int column_ = 0;
};

class Sqlite {
  public:
    // Opens or makes the file, or opens it for reading only. Throws InputError if it is not a database.
    Sqlite(const std::string& file, bool read_only);

    void execute(const std::string& sql);
    [[noreturn]] void fail(std::string_view doing) const;
    // Throws InputError if the structure of the file is damaged.
    void check_structure();
    [[nodiscard]] const std::string& file() const { return file_; }
    [[nodiscard]] sqlite3* handle() const { return handle_.get(); }

  private:
    struct Close {
        void operator()(sqlite3* handle) const;
    };

    std::string file_;
    std::unique_ptr<sqlite3, Close> handle_;
};

// Everything between its making and commit(), or nothing.
class SqliteTransaction {
  public:
    explicit SqliteTransaction(Sqlite& database) : database_(database) { database_.execute("BEGIN IMMEDIATE"); }
    SqliteTransaction(const SqliteTransaction&) = delete;
    SqliteTransaction& operator=(const SqliteTransaction&) = delete;
    ~SqliteTransaction();
    void commit();

  private:
    Sqlite& database_;
    bool open_ = true;
};

} // namespace orrery
