#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <memory>

#include "../say.hpp"
#include "../unavailable.hpp"
#include "ulpfuzz/core/named_arithmetics.hpp"
#include "ulpfuzz/network/op.hpp"
#include "verbs.hpp"

namespace ulpfuzz::tool {
namespace {

void line(std::string_view name, std::string_view text) {
  std::string row = fmt::format("  {:<34} {}", name, text);
  row.resize(row.find_last_not_of(' ') + 1);
  answer(stdout, row + "\n");
}

/// Why it cannot run, or what it runs on.
std::string state_of(const Subject& s) {
  const auto why = s.unavailable();
  return why ? fmt::format("[not available: {}]", *why) : s.environment();
}

/// What subjects of one kind have in common is said once, below the last of them.
void list_subjects(bool faults) {
  const Registry registry = all_subjects();
  answer(stdout, faults ? "faults (subjects made wrong on purpose):\n" : "subjects:\n");
  const Subject* last = nullptr;
  std::string state;
  const auto end_group = [&] {
    if (!state.empty()) line("", state);
  };
  for (const Subject* s : registry.all()) {
    if (s->name().starts_with("fault/") != faults) continue;
    const std::string next = state_of(*s);
    if (last != nullptr && (kind_of(last->name()) != kind_of(s->name()) || state != next))
      end_group();
    line(s->name(), s->description());
    last = s;
    state = next;
  }
  end_group();
}

void list_arithmetics() {
  answer(stdout, "arithmetics (--claim):\n");
  for (const NamedArithmetic& a : named_arithmetics()) line(a.name, a.description);
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
  CLI::App* verb =
      app.add_subcommand("list", "Show subjects, properties, ops, faults, arithmetics");
  verb->add_option("what", *what, "subjects, properties, ops, faults or arithmetics (default: all)")
      ->check(CLI::IsMember({"subjects", "properties", "ops", "faults", "arithmetics"}));
  verb->footer("Example:\n  ulpfuzz list subjects");
  verb->callback([what, &code] {
    if (what->empty() || *what == "subjects") list_subjects(false);
    if (what->empty() || *what == "properties") list_properties();
    if (what->empty() || *what == "ops") list_ops();
    if (what->empty() || *what == "arithmetics") list_arithmetics();
    if (what->empty() || *what == "faults") list_subjects(true);
    code = 0;
  });
}

}  // namespace ulpfuzz::tool
