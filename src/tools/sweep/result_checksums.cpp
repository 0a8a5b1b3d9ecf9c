#include "tools/sweep/result_checksums.h"

#include "engine/content_hash.h"
#include "engine/error.h"

#include <fmt/format.h>
#include <vector>

namespace orrery {

namespace {

// All columns of a result and its cost, those of `checksum` last.
constexpr std::string_view stored_results = "SELECT result.*, cost.simulation_seconds, cost.peak_rss_bytes, "
                                            "cost.finished_at, checksum.hash FROM result "
                                            "LEFT JOIN cost USING (point) LEFT JOIN checksum USING (point)";

// Each value with its kind, so that no two rows read the same. Leaves the last column to be read.
std::string hash_of_row(SqliteStatement& row) {
    std::string bytes;
    for (int column = row.columns(); column > 1; --column) row.append_raw(bytes);
    return content_hash(bytes);
}

} // namespace

void make_result_checksums(Sqlite& database) {
    database.execute("CREATE TABLE checksum (point TEXT PRIMARY KEY, hash TEXT NOT NULL) WITHOUT ROWID");
    std::vector<std::string> points;
    SqliteStatement each(database, "SELECT point FROM result");
    while (each.step()) points.push_back(each.text());
    for (const std::string& point : points) store_result_checksum(database, point);
}

void store_result_checksum(Sqlite& database, const std::string& point) {
    SqliteStatement row(database, fmt::format("{} WHERE point = ?", stored_results));
    row.bind(point);
    if (!row.step()) return;
    SqliteStatement checksum(database, "INSERT OR REPLACE INTO checksum VALUES (?, ?)");
    checksum.bind(point).bind(hash_of_row(row)).run();
}

void check_results(Sqlite& database) {
    SqliteStatement row(database, stored_results);
    while (row.step()) {
        const std::string hash = hash_of_row(row);
        if (row.text() == hash) continue;
        row.rewind();
        const std::string point = row.text();
        throw InputError(
            Error{database.file(), 0, 0,
                  fmt::format(
                      "the database is damaged: the result of point {} is not what was stored. Take a copy of "
                      "the file, or remove this result (DELETE FROM result WHERE point = '{}'): then it is "
                      "computed again",
                      point, point)});
    }
}

} // namespace orrery
