// A validator of JSON, of as much of JSON Schema as docs/result.schema.json uses; any other keyword is an
// error.
#pragma once

#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace orrery::test {

class JsonSchema {
  public:
    explicit JsonSchema(nlohmann::json schema) : root_(std::move(schema)) {}

    // What is wrong with a value, with the place of each mistake; empty: it is valid.
    [[nodiscard]] std::vector<std::string> mistakes_in(const nlohmann::json& value) const {
        std::vector<std::string> mistakes;
        check(root_, value, "", mistakes);
        return mistakes;
    }

  private:
    using Json = nlohmann::json;
    using Mistakes = std::vector<std::string>;

    static bool is(const Json& value, const std::string& type) {
        if (type == "object") return value.is_object();
        if (type == "array") return value.is_array();
        if (type == "string") return value.is_string();
        if (type == "integer") return value.is_number_integer();
        if (type == "number") return value.is_number();
        if (type == "boolean") return value.is_boolean();
        if (type == "null") return value.is_null();
        throw std::invalid_argument("type " + type);
    }

    static bool is_one_of(const Json& value, const Json& types) {
        if (types.is_string()) return is(value, types);
        return std::any_of(types.begin(), types.end(), [&](const Json& type) { return is(value, type); });
    }

    void check_object(const Json& schema, const Json& value, const std::string& at, Mistakes& mistakes) const {
        for (const Json& key : schema.value("required", Json::array())) {
            if (!value.contains(key)) mistakes.push_back(at + ": no " + key.get<std::string>());
        }
        const Json known = schema.value("properties", Json::object());
        for (const auto& [key, each] : value.items()) {
            const std::string place = at + "/" + key;
            if (known.contains(key)) {
                check(known[key], each, place, mistakes);
            } else if (schema.contains("additionalProperties")) {
                const Json& others = schema["additionalProperties"];
                if (others.is_object())
                    check(others, each, place, mistakes);
                else if (!others.get<bool>())
                    mistakes.push_back(place + ": unknown");
            }
        }
    }

    void check(const Json& schema, const Json& value, const std::string& at, Mistakes& mistakes) const {
        static const std::set<std::string> keywords{"$schema",
                                                    "title",
                                                    "description",
                                                    "$defs",
                                                    "$ref",
                                                    "type",
                                                    "const",
                                                    "enum",
                                                    "minimum",
                                                    "pattern",
                                                    "required",
                                                    "properties",
                                                    "additionalProperties",
                                                    "items"};
        for (const auto& [key, each] : schema.items()) {
            if (!keywords.contains(key)) throw std::invalid_argument("keyword " + key);
        }
        if (schema.contains("$ref"))
            return check(root_.at(Json::json_pointer(schema["$ref"].get<std::string>().substr(1))), value, at,
                         mistakes);
        const auto wrong = [&](const char* keyword) {
            mistakes.push_back(at + ": " + value.dump().substr(0, 40) + " breaks " + keyword);
        };
        if (schema.contains("type") && !is_one_of(value, schema["type"])) return wrong("type");
        if (schema.contains("const") && value != schema["const"]) wrong("const");
        if (schema.contains("enum") &&
            std::find(schema["enum"].begin(), schema["enum"].end(), value) == schema["enum"].end())
            wrong("enum");
        if (schema.contains("minimum") && value.is_number() && value < schema["minimum"]) wrong("minimum");
        if (schema.contains("pattern") && value.is_string() &&
            !std::regex_search(value.get<std::string>(), std::regex(schema["pattern"].get<std::string>())))
            wrong("pattern");
        if (value.is_object()) check_object(schema, value, at, mistakes);
        if (value.is_array() && schema.contains("items")) {
            for (std::size_t i = 0; i < value.size(); ++i)
                check(schema["items"], value[i], at + "/" + std::to_string(i), mistakes);
        }
    }

    Json root_;
};

} // namespace orrery::test
