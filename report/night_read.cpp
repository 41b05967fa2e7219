#include "night_schema.hpp"
#include "ulpfuzz/report/members.hpp"
#include "ulpfuzz/report/reports.hpp"
#include "ulpfuzz/runner/member_read.hpp"

namespace ulpfuzz::report {

Night night_from_json(std::string_view text, const std::string& name) {
  const auto all =
      parsed_json(text, name, "a summary of a night is JSON as `ulpfuzz nightly` writes it");
  const Place top(name, Place::Unknown::refused);
  expect_kind(all, top, night_kind,
              "no summary of a night; name the summary.json of `ulpfuzz nightly` or "
              "`ulpfuzz merge`");
  expect_schema(all, top, night_schema);
  Night night;
  from_object(all, night, top, {"schema", "kind", "headline", "states", "cases_per_second"});
  return night;
}

}  // namespace ulpfuzz::report
