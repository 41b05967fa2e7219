#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

/// Texts that become parts of a page. Whatever comes from a night (reasons, names, paths) passes
/// through here, so that none of it is ever read as markup.
namespace ulpfuzz::report::page {

/// Text between tags or in a quoted attribute. Bytes that are not UTF-8, and control characters
/// that HTML has no place for, become U+FFFD.
std::string escape(std::string_view text);

/// <code>, escaped.
std::string code(std::string_view text);

/// JSON inside a script element: no `<`, `>` or `&`, so that nothing in it ends the element.
std::string script_json(const nlohmann::json& value);

/// URL of a file relative to the page: never a scheme, a host or an absolute path.
std::string link(const std::filesystem::path& relative);

/// `skeleton` with each {{name}} replaced by the text of that name; what is put in is not looked at
/// again. std::invalid_argument for a place that has no text, and a text that has no place.
std::string fill(std::string_view skeleton, const std::map<std::string, std::string>& texts);

/// Base 64 of bytes given in hex: what a Content-Security-Policy calls a script by.
std::string base64_of_hex(std::string_view hex);

}  // namespace ulpfuzz::report::page
