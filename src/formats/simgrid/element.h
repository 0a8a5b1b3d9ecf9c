// An element of a platform file, with its place in the file: attributes are read by name, with their units, and
// what is missing, unknown or malformed is named with the line.
#pragma once

#include "engine/error.h"
#include "engine/time.h"

#include <initializer_list>
#include <memory>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::simgrid {

// The whole file, and where its lines begin.
class Document {
  public:
    // Throws InputError for what is not XML.
    Document(std::string_view text, std::string file);
    [[nodiscard]] pugi::xml_node root() const { return document_.document_element(); }
    [[nodiscard]] const std::string& file() const { return file_; }
    [[nodiscard]] std::uint64_t line(std::ptrdiff_t offset) const;

  private:
    std::string file_;
    pugi::xml_document document_;
    std::vector<std::ptrdiff_t> lines_;
};

class Element {
  public:
    Element(pugi::xml_node node, const Document& document) : node_(node), document_(&document) {}

    [[nodiscard]] std::string_view tag() const { return node_.name(); }
    [[nodiscard]] std::uint64_t line() const { return document_->line(node_.offset_debug()); }
    [[nodiscard]] const std::string& file() const { return document_->file(); }
    [[noreturn]] void fail(const std::string& reason) const;
    [[nodiscard]] std::vector<Element> children() const; // elements only

    // Throws InputError for an attribute that is not among these, with "did you mean".
    void allow(std::initializer_list<std::string_view> attributes) const;
    [[nodiscard]] bool has(const char* attribute) const;         // and it is not empty
    [[nodiscard]] std::string text(const char* attribute) const; // required
    [[nodiscard]] std::string text(const char* attribute, std::string_view otherwise) const;
    [[nodiscard]] double bandwidth(const char* attribute) const; // more than zero
    [[nodiscard]] Time time(const char* attribute) const;
    [[nodiscard]] double speed(const char* attribute, std::size_t state) const; // the state-th of a list
    [[nodiscard]] std::uint32_t count(const char* attribute, std::uint32_t otherwise) const;
    // One of `words`, by its position; upper and lower case are the same.
    [[nodiscard]] std::size_t choice(const char* attribute, std::initializer_list<std::string_view> words,
                                     std::size_t otherwise) const;
    // Turns the UsageError of `parse(text of the attribute)` into an InputError with this line.
    template <typename Parse> auto parse(const char* attribute, Parse&& parse) const {
        try {
            return parse(text(attribute));
        } catch (const UsageError& error) {
            fail(std::string(attribute) + ": " + error.what());
        }
    }

  private:
    pugi::xml_node node_;
    const Document* document_;
};

} // namespace orrery::simgrid
