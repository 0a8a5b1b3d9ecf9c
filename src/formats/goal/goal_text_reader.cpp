#include "formats/goal/goal_text_reader.h"

#include "engine/error.h"
#include "formats/goal/goal_labels.h"
#include "formats/goal/goal_scanner.h"
#include "formats/text/nanoseconds.h"

#include <cstring>
#include <fmt/format.h>
#include <optional>

namespace orrery {

namespace {

bool is_word(const char* p, std::string_view word) { return std::memcmp(p, word.data(), word.size()) == 0; }

class GoalReader {
  public:
    GoalReader(TextInput& input, ScheduleSink& sink) : input_(input), scan_(input), sink_(sink) {}
    void read();

  private:
    const char* num_ranks(const char* p, TextPosition start);
    const char* rank(const char* p);
    const char* body(const char* p);
    const char* statement(const char* p);
    const char* label(const char* p, GoalLabel& label);
    const char* operation(const char* p);
    const char* message(const char* p, OpKind kind);
    const char* computation(const char* p);
    const char* attributes(const char* p, Op& op);
    const char* attribute(const char* p, std::string_view word, bool& given);
    const char* number(const char* p, std::string_view what, std::uint64_t limit, std::uint64_t& value);
    const char* peer(const char* p, Op& op);
    const char* tag(const char* p, Op& op);
    std::uint32_t large_tag(const char* start, const char* end, std::uint64_t value, OpKind kind);
    const char* requires_list(const char* p, std::uint32_t after, bool on_start);
    void define(const GoalLabel& label, TextPosition start);
    void add(const Op& op);
    void resolve_forward_references();
    void check_room(const char* at);
    void finish_rank(const char* closing);

    [[nodiscard]] const std::string& file() const { return input_.name(); }

    TextInput& input_;
    GoalScanner scan_;
    ScheduleSink& sink_;
    RankGraph graph_;
    GoalLabels labels_;
    WideTags wide_tags_;
    std::string scratch_;         // a name that the window moved away from
    std::uint32_t ranks_ = 0;     // 0: not known yet
    std::uint32_t next_rank_ = 0; // the rank being read, or to be read next
    std::uint64_t line_ = 0;      // where the statement being read starts
    std::uint64_t operations_ = 0;
};

void GoalReader::read() {
    const char* p = input_.begin();
    if (is_word(p, "\xEF\xBB\xBF")) p += 3; // a byte order mark, as some editors write
    for (;;) {
        p = scan_.skip_to_word(p);
        if (input_.at_end(p)) break;
        if (is_word(p, "num_ranks")) {
            p = num_ranks(p + std::strlen("num_ranks"), scan_.position(p));
        } else if (is_word(p, "rank")) {
            p = rank(p + std::strlen("rank"));
        } else {
            const bool complete = ranks_ != 0 && next_rank_ == ranks_;
            scan_.fail_expected(p, complete ? fmt::format("nothing more after rank {}", ranks_ - 1)
                                            : fmt::format("\"num_ranks\" or \"rank {} {{\"", next_rank_));
        }
    }
    if (ranks_ == 0) scan_.fail(p, "empty schedule: there is no \"num_ranks\" and no rank");
    if (next_rank_ != ranks_) {
        scan_.fail(p, fmt::format("the file ends before rank {}: num_ranks is {}", next_rank_, ranks_));
    }
    if (operations_ == 0) scan_.fail(p, "empty schedule: no rank has an operation");
    sink_.finish();
}

const char* GoalReader::num_ranks(const char* p, TextPosition start) {
    std::uint64_t value = 0;
    p = scan_.skip_to_word(p);
    p = number(p, "num_ranks", max_ranks, value);
    if (value == 0) scan_.fail(start, "empty schedule: num_ranks is 0");
    if (ranks_ != 0 && value != ranks_) {
        scan_.fail(start, fmt::format("num_ranks is {} here, but was {} before", value, ranks_));
    }
    ranks_ = static_cast<std::uint32_t>(value);
    return p;
}

const char* GoalReader::rank(const char* p) {
    std::uint64_t value = 0;
    p = scan_.skip_to_word(p);
    const char* start = p;
    p = number(p, "rank", max_ranks, value);
    if (ranks_ != 0 && value >= ranks_) {
        scan_.fail(start, fmt::format("rank {} does not exist: num_ranks is {}", value, ranks_));
    }
    if (value != next_rank_) {
        scan_.fail(start,
                   fmt::format("expected rank {}, found rank {}: ranks come in order", next_rank_, value));
    }
    p = scan_.skip_to_word(p);
    if (*p != '{') scan_.fail_expected(p, "\"{\"");
    return body(p + 1);
}

const char* GoalReader::body(const char* p) {
    const std::uint64_t opened = scan_.position(p).line;
    for (;;) {
        if (input_.runs_short(p)) p = input_.refill(p);
        p = scan_.skip_blanks(p);
        if (*p == '\n') {
            scan_.count_line(p++);
        } else if (*p == '}') {
            finish_rank(p);
            return p + 1;
        } else if (input_.at_end(p)) {
            scan_.fail(p, fmt::format("the file ends within rank {}, opened in line {}: \"}}\" is missing",
                                      next_rank_, opened));
        } else {
            p = statement(p);
            if (*p != '\n' && *p != '}' && !input_.at_end(p)) scan_.fail_expected(p, "the end of the line");
        }
    }
}

// label: operation | label requires labels | operation
const char* GoalReader::statement(const char* p) {
    if (!GoalScanner::starts_name(*p)) scan_.fail_expected(p, "a label, \"send\", \"recv\", \"calc\" or \"}\"");
    const TextPosition start = scan_.position(p);
    GoalLabel name;
    line_ = start.line;
    p = label(p, name);
    if (*p == ' ') ++p;
    if (GoalScanner::starts_blank(*p)) { // more blanks, or a comment: the window may move
        scratch_ = name.text;
        name.text = scratch_;
        p = scan_.skip_blanks(p);
    }
    if (*p == ':') {
        define(name, start);
        return operation(scan_.skip_blanks(p + 1));
    }
    if (is_word(p, "requires")) return requires_list(p + 8, labels_.refer(name, start), false);
    if (is_word(p, "irequires")) return requires_list(p + 9, labels_.refer(name, start), true);
    if (name.text == "send") return message(p, OpKind::send);
    if (name.text == "recv" || name.text == "rcv") return message(p, OpKind::recv);
    if (name.text == "calc") return computation(p);
    if (name.text == "num_ranks") return num_ranks(p, start);
    if (name.text == "rank") {
        scan_.fail(start, fmt::format("rank {} is not closed: \"}}\" is missing before this", next_rank_));
    }
    scan_.fail_expected(p, fmt::format("\":\", \"requires\" or \"irequires\" after \"{}\"", name.text));
}

const char* GoalReader::label(const char* p, GoalLabel& label) {
    const char* start = p;
    label.numbered = false;
    if (*p == 'l' && GoalScanner::is_digit(p[1])) {
        const char* digits = ++p;
        std::uint64_t value = 0;
        do value = value * 10 + static_cast<std::uint64_t>(*p++ - '0');
        while (GoalScanner::is_digit(*p) && p - digits < 18);
        label.numbered = !GoalScanner::continues_name(*p) && (*digits != '0' || p - digits == 1);
        label.number = value;
    }
    if (!label.numbered) p = scan_.name(start);
    label.text = {start, static_cast<std::size_t>(p - start)};
    return p;
}

void GoalReader::define(const GoalLabel& label, TextPosition start) {
    const auto op = static_cast<std::uint32_t>(graph_.ops.size());
    const std::uint32_t holder = labels_.define(label, op);
    if (holder != op) {
        scan_.fail(start, fmt::format("label \"{}\" is defined twice in rank {}: first in line {}", label.text,
                                      next_rank_, graph_.lines[holder]));
    }
}

const char* GoalReader::operation(const char* p) {
    if (is_word(p, "send")) return message(scan_.skip_blanks(p + 4), OpKind::send);
    if (is_word(p, "recv")) return message(scan_.skip_blanks(p + 4), OpKind::recv);
    if (is_word(p, "rcv")) return message(scan_.skip_blanks(p + 3), OpKind::recv);
    if (is_word(p, "calc")) return computation(scan_.skip_blanks(p + 4));
    scan_.fail_expected(p, "\"send\", \"recv\" or \"calc\"");
}

// size "b" to|from peer [tag] [cpu] [nic]
const char* GoalReader::message(const char* p, OpKind kind) {
    Op op;
    op.kind = kind;
    p = scan_.skip_blanks(number(p, "size", max_op_size, op.size));
    if (*p != 'b') scan_.fail_expected(p, "\"b\" after the size");
    p = scan_.skip_blanks(p + 1);
    const std::string_view word = kind == OpKind::send ? "to" : "from";
    if (!is_word(p, word)) scan_.fail_expected(p, fmt::format("\"{}\"", word));
    p = peer(scan_.skip_blanks(p + word.size()), op);
    p = attributes(p, op);
    add(op);
    return p;
}

const char* GoalReader::computation(const char* p) {
    Op op;
    op.kind = OpKind::calc;
    p = number(p, "calc", max_calc_nanoseconds, op.size);
    op.size *= picoseconds_per_nanosecond;
    p = attributes(p, op);
    add(op);
    return p;
}

const char* GoalReader::peer(const char* p, Op& op) {
    if (*p == '-' && op.kind == OpKind::recv && is_word(p, "-1") && !GoalScanner::is_digit(p[2])) {
        op.peer = any_source;
        return p + 2;
    }
    if (*p == '-') {
        scan_.fail_expected(p,
                            op.kind == OpKind::send ? "the rank to send to" : "a rank, or -1 for any source");
    }
    const char* start = p;
    std::uint64_t value = 0;
    p = number(p, "peer rank", max_ranks, value);
    if (ranks_ != 0 && value >= ranks_) {
        scan_.fail(start, fmt::format("rank {} does not exist: num_ranks is {}", value, ranks_));
    }
    op.peer = static_cast<std::uint32_t>(value);
    return p;
}

const char* GoalReader::tag(const char* p, Op& op) {
    if (*p == '-' && op.kind == OpKind::recv && is_word(p, "-1") && !GoalScanner::is_digit(p[2])) {
        op.tag = any_tag;
        return p + 2;
    }
    if (*p == '-') {
        scan_.fail_expected(p, op.kind == OpKind::send ? "the tag to send with" : "a tag, or -1 for any tag");
    }
    const char* const start = p;
    std::uint64_t value = 0;
    p = number(p, "tag", ~std::uint64_t{0}, value);
    op.tag =
        value < first_numbered_tag ? static_cast<std::uint32_t>(value) : large_tag(start, p, value, op.kind);
    return p;
}

std::uint32_t GoalReader::large_tag(const char* start, const char* end, std::uint64_t value, OpKind kind) {
    if (!WideTags::is_wildcard(value)) return wide_tags_.number_of(value);
    // The scanner says as much of a number that is too large; leading zeros say nothing.
    while (*start == '0') ++start;
    const std::string_view digits(start, static_cast<std::size_t>(end - start));
    constexpr std::string_view largest = "18446744073709551615";
    if (value == ~std::uint64_t{0} && digits != largest)
        scan_.fail(start, fmt::format("tag {} is too large (limit 18446744073709551614)", digits));
    if (kind == OpKind::send)
        scan_.fail(start, fmt::format("tag {} is -1, any tag: a send needs a tag of its own", digits));
    return any_tag;
}

// tag, cpu and nic, each at most once, in any order.
const char* GoalReader::attributes(const char* p, Op& op) {
    const bool is_message = op.kind != OpKind::calc;
    bool has_tag = false;
    bool has_cpu = false;
    bool has_nic = false;
    for (;;) {
        p = scan_.skip_blanks(p);
        std::uint64_t value = 0;
        if (*p == '\n' || *p == '}' || input_.at_end(p)) return p;
        if (is_message && is_word(p, "tag")) {
            p = tag(attribute(p, "tag", has_tag), op);
        } else if (is_word(p, "cpu")) {
            p = number(attribute(p, "cpu", has_cpu), "cpu", max_cpu, value);
            op.cpu = static_cast<std::uint32_t>(value);
        } else if (is_message && is_word(p, "nic")) {
            p = number(attribute(p, "nic", has_nic), "nic", max_nic, value);
            op.nic = static_cast<std::uint32_t>(value);
        } else {
            scan_.fail_expected(p, is_message ? "\"tag\", \"cpu\", \"nic\" or the end of the line"
                                              : "\"cpu\" or the end of the line");
        }
    }
}

const char* GoalReader::attribute(const char* p, std::string_view word, bool& given) {
    if (given) scan_.fail(p, fmt::format("\"{}\" is given twice", word));
    given = true;
    return scan_.skip_blanks(p + word.size());
}

const char* GoalReader::number(const char* p, std::string_view what, std::uint64_t limit,
                               std::uint64_t& value) {
    const char* start = p;
    p = scan_.number(p, value);
    if (value > limit) {
        scan_.fail(start, fmt::format("{} {} is too large (limit {})", what,
                                      std::string_view(start, static_cast<std::size_t>(p - start)), limit));
    }
    return p;
}

const char* GoalReader::requires_list(const char* p, std::uint32_t after, bool on_start) {
    p = scan_.skip_blanks(p);
    for (;;) {
        if (input_.runs_short(p)) p = input_.refill(p); // a list may be of any length
        if (!GoalScanner::starts_name(*p)) scan_.fail_expected(p, "a label");
        GoalLabel name;
        const TextPosition start = scan_.position(p);
        p = label(p, name);
        graph_.dependencies.push_back({labels_.refer(name, start), after, on_start});
        p = scan_.skip_blanks(p);
        if (*p == ',') {
            p = scan_.skip_blanks(p + 1);
        } else if (!GoalScanner::starts_name(*p)) {
            return p;
        }
    }
}

void GoalReader::add(const Op& op) {
    if (graph_.ops.size() == GoalLabels::forward) {
        throw InputError(Error{file(), line_, 0, "too many operations in one rank (limit 2^31)"});
    }
    graph_.ops.push_back(op);
    graph_.lines.push_back(line_);
}

void GoalReader::resolve_forward_references() {
    const auto& forwards = labels_.forwards();
    if (forwards.empty()) return;
    for (const GoalLabels::Forward& use : forwards) {
        if (use.op != GoalLabels::forward) continue;
        const std::string near = labels_.nearest(use.label);
        scan_.fail(use.first_use, fmt::format("rank {} has no label \"{}\"{}", next_rank_, use.label,
                                              near.empty() ? "" : fmt::format(": did you mean \"{}\"?", near)));
    }
    for (Dependency& dependency : graph_.dependencies) {
        for (std::uint32_t* end : {&dependency.before, &dependency.after}) {
            if (*end >= GoalLabels::forward) *end = forwards[*end - GoalLabels::forward].op;
        }
    }
}

// A typing error in num_ranks must not cost memory and disk for ranks that never come.
void GoalReader::check_room(const char* at) {
    constexpr std::uint64_t shortest_rank = 7;  // rank1{}
    constexpr std::uint32_t few_ranks = 65'536; // cost nothing; what is wrong is told where it is found
    const std::optional<std::uint64_t> bytes = input_.bytes();
    if (!bytes || ranks_ <= few_ranks) return;
    const std::uint64_t left = *bytes - input_.offset(at);
    if (left / shortest_rank + 1 >= ranks_) return;
    scan_.fail(at, fmt::format("num_ranks is {}, but the {} bytes from here on have no room for that many",
                               ranks_, left));
}

void GoalReader::finish_rank(const char* closing) {
    if (ranks_ == 0) scan_.fail(closing, "num_ranks is missing: it must come before rank 0 ends");
    resolve_forward_references();
    check_rank(graph_, RankId{next_rank_}, ranks_, file());
    if (next_rank_ == 0) {
        check_room(closing);
        sink_.begin(ranks_);
    }
    for (const WideTag& tag : wide_tags_.take_new()) sink_.wide_tag(tag);
    sink_.rank(RankId{next_rank_}, graph_);
    operations_ += graph_.ops.size();
    ++next_rank_;
    graph_.clear();
    labels_.clear();
}

} // namespace

void read_goal_text(const std::string& path, ScheduleSink& sink) {
    TextInput input = TextInput::from_file(path);
    read_goal_text(input, sink);
}

void read_goal_text(std::string_view text, const std::string& name, ScheduleSink& sink) {
    TextInput input = TextInput::from_memory(text, name);
    read_goal_text(input, sink);
}

void read_goal_text(TextInput& input, ScheduleSink& sink) { GoalReader(input, sink).read(); }

} // namespace orrery
