#include "html_parts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "html_numbers.hpp"
#include "html_text.hpp"

namespace ulpfuzz::report::page {

std::string section(const std::string& id, const std::string& title, const std::string& body) {
  if (body.empty()) return {};
  return fmt::format(
      "<section id=\"{0}\" aria-labelledby=\"{0}-title\">\n<h2 "
      "id=\"{0}-title\">{1}</h2>\n{2}</section>\n",
      id, escape(title), body);
}

std::string chart(const std::string& id, const std::string& label, const std::string& words,
                  const std::string& controls) {
  return fmt::format(
      "<figure class=\"chart\">\n<div class=\"chart-head\"><h3>{1}</h3>{3}</div>\n<div "
      "class=\"plot\" "
      "hidden><canvas id=\"{0}\" role=\"img\" aria-label=\"{1}. "
      "{2}\"></canvas></div>\n<figcaption>{2}"
      "</figcaption></figure>\n",
      id, escape(label), escape(words), controls);
}

std::string icon(const std::string& name) {
  return "<svg class=\"icon\" aria-hidden=\"true\"><use href=\"#i-" + escape(name) + "\"/></svg>";
}

std::string meter(double part) {
  return fmt::format(
      "<svg class=\"meter\" viewBox=\"0 0 100 8\" preserveAspectRatio=\"none\" "
      "aria-hidden=\"true\"><rect "
      "class=\"all\" width=\"100\" height=\"8\"/><rect class=\"part\" width=\"{}\" "
      "height=\"8\"/></svg>",
      pixels(100 * std::clamp(part, 0.0, 1.0)));
}

}  // namespace ulpfuzz::report::page
