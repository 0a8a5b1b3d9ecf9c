// The fields of one record of a .cfg, as they come: "text", numbers, lists [n] {a, b}, single signs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::dimemas {

class RecordFields {
  public:
    // `text` is what stands between the outer braces. What is wrong is said with file and line.
    RecordFields(std::string_view text, const std::string& file, std::uint64_t line);

    [[nodiscard]] std::size_t count() const { return fields_.size(); }
    [[nodiscard]] bool quoted(std::size_t index) const { return fields_[index].quoted; }
    // Throws InputError with `what` if there are not exactly, or not at least, so many.
    void expect(std::size_t fields, std::string_view what) const;

    [[nodiscard]] std::string text(std::size_t index) const { return fields_[index].text; }
    [[nodiscard]] double number(std::size_t index, std::string_view what) const; // not negative
    [[nodiscard]] double any_number(std::size_t index, std::string_view what) const;
    [[nodiscard]] std::uint32_t whole(std::size_t index, std::string_view what) const;
    [[nodiscard]] std::uint64_t large(std::size_t index, std::string_view what) const;
    [[nodiscard]] char sign(std::size_t index, std::string_view allowed, std::string_view what) const;
    [[nodiscard]] std::vector<std::int64_t> list(std::size_t index, std::string_view what) const;

    [[noreturn]] void fail(const std::string& reason) const;

  private:
    struct Field {
        std::string text;
        bool quoted = false;
        bool is_list = false;
        std::vector<std::string> items;
    };
    std::vector<Field> fields_;
    std::string file_;
    std::uint64_t line_;
};

} // namespace orrery::dimemas
