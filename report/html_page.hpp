#pragma once

#include <string_view>

namespace ulpfuzz::report::page {

/// A file that is part of the library: its text, as it is, and the SHA-256 of that in hex.
struct Embedded {
  std::string_view text;
  std::string_view sha256;
};

extern const Embedded html;       ///< skeleton with {{places}}: report/page/page.html
extern const Embedded css;        ///< report/page/page.css
extern const Embedded theme_js;   ///< runs before anything is drawn
extern const Embedded page_js;    ///< tabs, copying, sorting
extern const Embedded charts_js;  ///< draws what html_data.hpp gives it
extern const Embedded chart_js;   ///< Chart.js, with its licence

}  // namespace ulpfuzz::report::page
