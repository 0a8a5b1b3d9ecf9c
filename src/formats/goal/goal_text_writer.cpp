#include "formats/goal/goal_text_writer.h"

#include "formats/text/nanoseconds.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace orrery {

namespace {

constexpr std::size_t flush_bytes = std::size_t{64} << 10; // a rank may be of any size

void append(std::string& text, std::string_view words, std::uint64_t value) {
    char digits[20];
    const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    text.append(words).append(digits, static_cast<std::size_t>(end - digits));
}

} // namespace

GoalTextWriter::GoalTextWriter(const std::string& path) : path_(path), file_(path) {}

void GoalTextWriter::begin(std::uint32_t ranks) {
    append(text_, "num_ranks ", ranks);
    text_ += "\n";
}

void GoalTextWriter::rank(RankId rank, const RankGraph& graph) {
    append(text_, "\nrank ", rank.value);
    text_ += " {\n";
    // Each dependency as early as the order of dependencies and the definition of its labels allow.
    auto next = graph.dependencies.begin();
    for (std::uint32_t index = 0; index < graph.ops.size(); ++index) {
        operation(rank, graph, index);
        for (; next != graph.dependencies.end() && std::max(next->before, next->after) <= index; ++next) {
            dependency(*next);
        }
    }
    text_ += "}\n";
    end_line();
}

void GoalTextWriter::end_line() {
    if (text_.size() < flush_bytes) return;
    file_.write(text_);
    text_.clear();
}

void GoalTextWriter::operation(RankId rank, const RankGraph& graph, std::uint32_t index) {
    const Op& op = graph.ops[index];
    append(text_, "l", std::uint64_t{index} + 1);
    if (op.kind == OpKind::calc) {
        append(text_, ": calc ", whole_nanoseconds(rank, graph, index, path_));
    } else {
        append(text_, op.kind == OpKind::send ? ": send " : ": recv ", op.size);
        text_ += op.kind == OpKind::send ? "b to " : "b from ";
        if (op.kind == OpKind::recv && op.peer == any_source) {
            text_ += "-1";
        } else {
            append(text_, {}, op.peer);
        }
        if (op.kind == OpKind::recv && op.tag == any_tag) {
            text_ += " tag -1";
        } else {
            append(text_, " tag ", written_tags_.of(op.tag));
        }
    }
    if (op.cpu != 0) append(text_, " cpu ", op.cpu);
    if (op.nic != 0 && op.kind != OpKind::calc) append(text_, " nic ", op.nic);
    text_ += '\n';
    end_line();
}

void GoalTextWriter::dependency(const Dependency& dependency) {
    append(text_, "l", std::uint64_t{dependency.after} + 1);
    append(text_, dependency.on_start ? " irequires l" : " requires l", std::uint64_t{dependency.before} + 1);
    text_ += '\n';
    end_line();
}

void GoalTextWriter::finish() {
    file_.write(text_);
    file_.commit();
}

} // namespace orrery
