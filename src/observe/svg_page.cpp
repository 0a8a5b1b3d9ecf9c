#include "observe/svg_page.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace orrery {

namespace {

// Length of the UTF-8 sequence that starts at `at`, 0 if it is broken or not a character that XML allows.
std::size_t sequence_length(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char lead = byte(at);
    const std::size_t length = lead < 0x80   ? 1
                               : lead < 0xC2 ? 0
                               : lead < 0xE0 ? 2
                               : lead < 0xF0 ? 3
                               : lead < 0xF5 ? 4
                                             : 0;
    if (length == 0 || at + length > text.size()) return 0;
    if (length == 1) return lead >= 0x20 && lead != 0x7F ? 1 : 0;
    std::uint32_t code = lead & (0xFFU >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(at + i) & 0xC0U) != 0x80U) return 0;
        code = code << 6U | (byte(at + i) & 0x3FU);
    }
    constexpr std::uint32_t shortest[] = {0, 0, 0x80, 0x800, 0x10000};
    const bool surrogate = code >= 0xD800 && code < 0xE000;
    const bool allowed =
        code >= shortest[length] && code <= 0x10FFFF && !surrogate && code != 0xFFFE && code != 0xFFFF;
    return allowed ? length : 0;
}

} // namespace

std::string xml_text(std::string_view text) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const char c = text[at];
        const std::size_t length = c == '\n' ? 1 : sequence_length(text, at);
        if (length == 0) {
            out += '?';
            ++at;
            continue;
        }
        switch (c) {
        case '&': out += "&amp;"; break;
        case '<': out += "&lt;"; break;
        case '>': out += "&gt;"; break;
        case '"': out += "&quot;"; break;
        default: out += text.substr(at, length);
        }
        at += length;
    }
    return out;
}

std::string svg_number(double value) {
    std::string text = fmt::format("{:.2f}", value);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    return text == "-0" ? "0" : text;
}

void SvgPage::start(std::string_view element, Attributes attributes) {
    out_ += '<';
    out_ += element;
    for (const Attribute& attribute : attributes) {
        out_ += fmt::format(" {}=\"{}\"", attribute.name, attribute.value);
    }
}

void SvgPage::open(std::string_view element, Attributes attributes) {
    start(element, attributes);
    out_ += ">\n";
}

void SvgPage::close(std::string_view element) { out_ += fmt::format("</{}>\n", element); }

void SvgPage::shape(std::string_view element, Attributes attributes, std::string_view tooltip) {
    start(element, attributes);
    if (tooltip.empty()) {
        out_ += "/>\n";
    } else {
        out_ += fmt::format("><title>{}</title></{}>\n", xml_text(tooltip), element);
    }
}

void SvgPage::text(double x, double y, std::string_view words, Attributes attributes) {
    out_ += fmt::format("<text x=\"{}\" y=\"{}\"", svg_number(x), svg_number(y));
    for (const Attribute& attribute : attributes) {
        out_ += fmt::format(" {}=\"{}\"", attribute.name, attribute.value);
    }
    out_ += fmt::format(">{}</text>\n", xml_text(words));
}

std::string SvgPage::take(double width, double height, std::string_view title, std::string_view description) {
    const std::string body = std::exchange(out_, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    const std::string w = svg_number(width);
    const std::string h = svg_number(height);
    start("svg", {{"xmlns", "http://www.w3.org/2000/svg"},
                  {"width", w},
                  {"height", h},
                  {"viewBox", "0 0 " + w + " " + h},
                  {"role", "img"},
                  {"font-family", "Helvetica, Arial, sans-serif"},
                  {"font-size", "11"},
                  {"fill", "#222222"}});
    out_ += ">\n<title>" + xml_text(title) + "</title>\n<desc>" + xml_text(description) + "</desc>\n" + body;
    out_ += "</svg>\n";
    return std::move(out_);
}

} // namespace orrery
