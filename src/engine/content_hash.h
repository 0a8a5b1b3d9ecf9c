// A hash over the content of files and texts, by which two of them are told apart: XXH3 of 128 bits.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace orrery {

// For what comes in pieces.
class Hasher {
  public:
    Hasher();
    ~Hasher();
    Hasher(Hasher&&) = delete;

    void add(std::string_view bytes);
    // With its length, so that two texts in a row are not mistaken for two others.
    void add_field(std::string_view text);
    // 32 hexadecimal digits.
    [[nodiscard]] std::string get() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

// Of a whole text.
std::string content_hash(std::string_view bytes);

} // namespace orrery
