// A page of SVG: shapes, groups and text, without knowing what they mean. Plain presentation attributes only
// (no style sheets, scripts or outside fonts), so that browsers, Inkscape and LaTeX tools all draw it alike.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace orrery {

// Text as it may stand in XML: escaped, control characters and broken UTF-8 replaced.
std::string xml_text(std::string_view text);

// A coordinate in at most two decimals, without trailing zeros.
std::string svg_number(double value);

class SvgPage {
  public:
    struct Attribute {
        std::string_view name;
        std::string value; // of numbers and names only: not escaped
    };
    using Attributes = std::initializer_list<Attribute>;

    void open(std::string_view element, Attributes attributes = {});
    void close(std::string_view element);
    // An element without content, or with a <title>, which viewers show as a tooltip.
    void shape(std::string_view element, Attributes attributes, std::string_view tooltip = {});
    void text(double x, double y, std::string_view words, Attributes attributes = {});
    void raw(std::string_view xml) { out_ += xml; }

    // The finished document, of this size; title and description are for screen readers.
    std::string take(double width, double height, std::string_view title, std::string_view description);

  private:
    void start(std::string_view element, Attributes attributes);

    std::string out_;
};

} // namespace orrery
