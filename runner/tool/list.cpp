#include <fmt/format.h>

#include <array>
#include <memory>

#include "../say.hpp"
#include "ulpfuzz/network/op.hpp"
#include "verbs.hpp"

namespace ulpfuzz::tool {
namespace {

void line(std::string_view name, std::string_view text) {
  std::string row = fmt::format("  {:<34} {}", name, text);
  row.resize(row.find_last_not_of(' ') + 1);
  answer(stdout, row + "\n");
}

void list_subject(const Subject& s) {
  const auto why = s.unavailable();
  line(s.name(), s.description() + (why ? fmt::format(" [not available: {}]", *why) : ""));
  const std::string environment = why ? "" : s.environment();
  if (!environment.empty()) line("", environment);
}

void list_subjects(bool faults) {
  const Registry registry = all_subjects();
  answer(stdout, faults ? "faults (subjects made wrong on purpose):\n" : "subjects:\n");
  for (const Subject* s : registry.all())
    if (s->name().starts_with("fault/") == faults) list_subject(*s);
}

void list_properties() {
  answer(stdout, "properties:\n");
  for (const Property* p : properties::all())
    line(p->name, fmt::format("{}{}", p->claim, p->supports_bitwise ? " (or --bitwise)" : ""));
}

void list_ops() {
  answer(stdout, "ops:\n");
  for (int i = 0; i < op_count; ++i) {
    const Op op = static_cast<Op>(i);
    line(name(op), is_activation(op)      ? "activation"
                   : op >= Op::derivative ? "of derivative networks only"
                                          : "");
  }
}

}  // namespace

void add_list(CLI::App& app, int& code) {
  auto what = std::make_shared<std::string>();
  CLI::App* verb = app.add_subcommand("list", "Show subjects, properties, ops, faults");
  verb->add_option("what", *what, "subjects, properties, ops or faults (default: all)")
      ->check(CLI::IsMember({"subjects", "properties", "ops", "faults"}));
  verb->footer("Example:\n  ulpfuzz list subjects");
  verb->callback([what, &code] {
    if (what->empty() || *what == "subjects") list_subjects(false);
    if (what->empty() || *what == "properties") list_properties();
    if (what->empty() || *what == "ops") list_ops();
    if (what->empty() || *what == "faults") list_subjects(true);
    code = 0;
  });
}

}  // namespace ulpfuzz::tool
