// A checksum for each result of a study: rotten bytes are found when the database is opened, and never averaged
// in.
#pragma once

#include "tools/sweep/sqlite.h"

#include <string>

namespace orrery {

// The table, empty; with the checksums of the results that are there (a database of an older layout has none).
void make_result_checksums(Sqlite& database);
// Of the result and the cost of this point, as the database now has them; in the transaction that stores them.
void store_result_checksum(Sqlite& database, const std::string& point);
// Throws InputError that names the first result that is not what was stored.
void check_results(Sqlite& database);

} // namespace orrery
