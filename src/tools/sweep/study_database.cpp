#include "tools/sweep/study_database.h"

#include "engine/error.h"
#include "tools/sweep/result_checksums.h"

#include <array>
#include <ctime>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

namespace orrery {

namespace {

constexpr std::int64_t application = 0x4F525259; // "ORRY", in the header of the file
// 1 had no checksums: it is read as it is, and gets them when it is next opened for writing.
constexpr std::int64_t database_layout = 2;
constexpr std::int64_t layout_without_checksums = 1;

constexpr std::string_view tables = R"sql(
CREATE TABLE study (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE point (hash TEXT PRIMARY KEY, sets TEXT NOT NULL, program TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE input (point TEXT NOT NULL REFERENCES point, number INTEGER NOT NULL, role TEXT NOT NULL,
  name TEXT NOT NULL, hash TEXT NOT NULL, bytes INTEGER NOT NULL, files INTEGER NOT NULL,
  PRIMARY KEY (point, number)) WITHOUT ROWID;
CREATE TABLE result (point TEXT PRIMARY KEY REFERENCES point, status TEXT NOT NULL, message TEXT NOT NULL,
  predicted_time_ps INTEGER, ranks INTEGER, operations INTEGER, messages INTEGER, bytes INTEGER, events INTEGER,
  mean_compute_ps INTEGER, mean_overhead_ps INTEGER, mean_noise_ps INTEGER,
  mean_call_compute_ps INTEGER, mean_send_ps INTEGER, mean_receive_ps INTEGER, mean_wait_ps INTEGER,
  mean_collective_ps INTEGER, mean_other_ps INTEGER,
  parallel_efficiency REAL, load_balance REAL, communication_efficiency REAL,
  serialisation_efficiency REAL, transfer_efficiency REAL,
  busiest_link TEXT, busiest_link_use REAL) WITHOUT ROWID;
CREATE TABLE cost (point TEXT PRIMARY KEY REFERENCES point, simulation_seconds REAL NOT NULL,
  peak_rss_bytes INTEGER NOT NULL, finished_at TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE grid (place INTEGER PRIMARY KEY, axes TEXT NOT NULL, point TEXT NOT NULL REFERENCES point);
)sql";

std::string now() {
    const std::time_t seconds = std::time(nullptr);
    std::tm parts{};
    gmtime_r(&seconds, &parts);
    std::array<char, 32> text{};
    return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

std::int64_t pragma(Sqlite& database, std::string_view name) {
    SqliteStatement statement(database, fmt::format("PRAGMA {}", name));
    return statement.step() ? statement.integer() : 0;
}

// `text` between quotes of this kind, as SQL wants it.
std::string in_quotes(std::string_view text, char quote) {
    std::string out(1, quote);
    for (const char c : text) {
        if (c == quote) out += c;
        out += c;
    }
    return out + quote;
}

std::string answers_view(const Study& study) {
    std::string sql = "DROP VIEW IF EXISTS answers; CREATE VIEW answers AS SELECT place";
    for (std::size_t axis = 0; axis < study.axes.size(); ++axis) {
        sql += fmt::format(", json_extract(axes, '$[{}]') AS {}", axis, in_quotes(study.axes[axis].name, '"'));
    }
    return sql + ", result.*, simulation_seconds, peak_rss_bytes, finished_at FROM grid LEFT JOIN result USING "
                 "(point) "
                 "LEFT JOIN cost USING (point) ORDER BY place";
}

nlohmann::json sets_of(const Assignments& assignments) {
    nlohmann::json sets = nlohmann::json::object();
    for (const auto& [key, said] : assignments) sets[key] = said.text;
    return sets;
}

std::string dumped(const nlohmann::json& json) {
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

PointStatus parse_status(const std::string& word) {
    for (const PointStatus status : {PointStatus::ok, PointStatus::failed}) {
        if (word == name_of(status)) return status;
    }
    return PointStatus::lost;
}

} // namespace

StudyDatabase::StudyDatabase(const std::string& file, bool read_only) : database_(file, read_only) {
    const bool empty = [&] {
        SqliteStatement statement(database_, "SELECT count(*) FROM sqlite_master");
        return statement.step() && statement.integer() == 0;
    }();
    if (empty && !read_only) {
        make_tables();
    } else if (pragma(database_, "application_id") != application) {
        throw InputError(Error{file, 0, 0, "is a database, but not of a study"});
    } else {
        check(file, read_only);
    }
}

void StudyDatabase::check(const std::string& file, bool read_only) {
    const std::int64_t layout = pragma(database_, "user_version");
    if (layout != database_layout && layout != layout_without_checksums)
        throw InputError(Error{file, 0, 0, "is of another version of orrery; move it away to start anew"});
    database_.check_structure();
    if (layout == database_layout) return check_results(database_);
    if (read_only) return;
    SqliteTransaction all(database_);
    make_result_checksums(database_);
    database_.execute(fmt::format("PRAGMA user_version = {}", database_layout));
    all.commit();
}

void StudyDatabase::make_tables() {
    // Readers do not disturb the one writer, and a killed program leaves every finished transaction behind.
    database_.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;");
    SqliteTransaction all(database_);
    database_.execute(std::string(tables));
    make_result_checksums(database_);
    database_.execute(
        fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {};", application, database_layout));
    all.commit();
}

void StudyDatabase::describe(const Study& study, const std::string& program,
                             const std::vector<StudyPoint>& points) {
    SqliteTransaction all(database_);
    SqliteStatement fact(database_, "INSERT OR REPLACE INTO study VALUES (?, ?)");
    fact.bind("name").bind(study.name).run();
    fact.bind("text").bind(study.text).run();
    fact.bind("program").bind(program).run();
    fact.bind("points").bind(std::to_string(points.size())).run();
    SqliteStatement point(database_, "INSERT OR IGNORE INTO point VALUES (?, ?, ?)");
    SqliteStatement input(database_, "INSERT OR IGNORE INTO input VALUES (?, ?, ?, ?, ?, ?, ?)");
    SqliteStatement place(database_, "INSERT INTO grid VALUES (?, ?, ?)");
    database_.execute("DELETE FROM grid");
    for (std::size_t i = 0; i < points.size(); ++i) {
        const StudyPoint& each = points[i];
        point.bind(each.hash).bind(dumped(sets_of(each.grid.assignments))).bind(program).run();
        for (std::size_t number = 0; number < each.inputs.size(); ++number) {
            const InputFile& file = each.inputs[number];
            input.bind(each.hash).bind(static_cast<std::int64_t>(number)).bind(file.role).bind(file.name);
            input.bind(file.hash)
                .bind(static_cast<std::int64_t>(file.bytes))
                .bind(static_cast<std::int64_t>(file.files))
                .run();
        }
        nlohmann::json labels = nlohmann::json::array();
        for (std::size_t axis = 0; axis < study.axes.size(); ++axis)
            labels.push_back(study.axes[axis].values[each.grid.at[axis]].label);
        place.bind(static_cast<std::int64_t>(i)).bind(dumped(labels)).bind(each.hash).run();
    }
    database_.execute(answers_view(study));
    all.commit();
}

void StudyDatabase::store(const std::string& point, const PointResult& result) {
    SqliteTransaction all(database_);
    SqliteStatement row(
        database_,
        "INSERT OR REPLACE INTO result VALUES (?,?,?, ?,?,?,?,?,?, ?,?,?, ?,?,?,?,?,?, ?,?,?, ?,?, ?,?)");
    // Of a point that has its answer, the message is its warnings, a line each.
    const bool answered = result.status == PointStatus::ok;
    const std::string message = answered ? fmt::format("{}", fmt::join(result.warnings, "\n")) : result.message;
    row.bind(point).bind(name_of(result.status)).bind(message);
    if (result.status == PointStatus::ok) {
        for (const std::uint64_t number : {static_cast<std::uint64_t>(result.time.ps()), result.ranks,
                                           result.operations, result.messages, result.bytes, result.events})
            row.bind(static_cast<std::int64_t>(number));
        for (const Time time : {result.compute, result.overhead, result.noise}) row.bind(time.ps());
        for (std::size_t kind = 0; kind < call_kinds; ++kind) {
            result.calls ? row.bind(result.calls->by_kind[kind].ps()) : row.bind_nothing();
        }
        const Efficiencies each = result.efficiencies.value_or(Efficiencies{});
        for (const double value : {each.parallel, each.load_balance, each.communication})
            result.efficiencies ? row.bind(value) : row.bind_nothing();
        for (const double value : {each.serialisation, each.transfer})
            each.with_ideal ? row.bind(value) : row.bind_nothing();
        if (!result.busiest_link.empty()) row.bind(result.busiest_link).bind(result.busiest_use);
    }
    row.run();
    SqliteStatement cost(database_, "INSERT OR REPLACE INTO cost VALUES (?, ?, ?, ?)");
    cost.bind(point)
        .bind(result.simulation_seconds)
        .bind(static_cast<std::int64_t>(result.peak_rss_bytes))
        .bind(now())
        .run();
    store_result_checksum(database_, point);
    all.commit();
}

std::optional<PointResult> StudyDatabase::find(const std::string& point) {
    SqliteStatement row(
        database_,
        "SELECT result.*, simulation_seconds, peak_rss_bytes FROM result LEFT JOIN cost USING (point) "
        "WHERE point = ?");
    row.bind(point);
    if (!row.step()) return std::nullopt;
    PointResult result;
    (void)row.text(); // the hash
    result.status = parse_status(row.text());
    result.message = row.text();
    if (result.status == PointStatus::ok && !result.message.empty()) {
        std::istringstream lines(std::exchange(result.message, {}));
        for (std::string line; std::getline(lines, line);) result.warnings.push_back(line);
    }
    const auto count = [&] { return static_cast<std::uint64_t>(row.integer()); };
    result.time = Time::ps(row.integer());
    result.ranks = count();
    result.operations = count();
    result.messages = count();
    result.bytes = count();
    result.events = count();
    result.compute = Time::ps(row.integer());
    result.overhead = Time::ps(row.integer());
    result.noise = Time::ps(row.integer());
    CallTimes calls;
    bool known = true;
    for (Time& time : calls.by_kind) {
        const auto value = row.maybe_integer();
        known = known && value.has_value();
        time = Time::ps(value.value_or(0));
    }
    if (known) result.calls = calls;
    Efficiencies each;
    const auto parallel = row.maybe_real();
    each.parallel = parallel.value_or(0);
    each.load_balance = row.real();
    each.communication = row.real();
    const auto serialisation = row.maybe_real();
    each.serialisation = serialisation.value_or(0);
    each.transfer = row.real();
    each.with_ideal = serialisation.has_value();
    if (parallel) result.efficiencies = each;
    result.busiest_link = row.text();
    result.busiest_use = row.real();
    result.simulation_seconds = row.real();
    result.peak_rss_bytes = count();
    return result;
}

std::uint64_t StudyDatabase::largest_peak_rss() {
    SqliteStatement statement(database_, "SELECT max(peak_rss_bytes) FROM cost");
    return statement.step() ? static_cast<std::uint64_t>(statement.integer()) : 0;
}

} // namespace orrery
