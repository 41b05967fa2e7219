#pragma once

#include "body.hpp"

namespace ulpfuzz::repro {

std::string spell_torch(const Spelling& s);
std::string spell_jax(const Spelling& s);
/// Ops of derivative networks too, on arrays [batch, cotangents, m, n].
std::string spell_numpy(const Spelling& s);

/// Definitions of the helpers asked for, a blank line after each.
Lines torch_helpers(const std::set<std::string>& names);
Lines jax_helpers(const std::set<std::string>& names);

/// A function and its text.
struct Helper {
  std::string_view name;
  std::string_view text;
};
/// Texts of those of `all` that are asked for, in the order of `all`, a blank line after each.
Lines definitions(std::span<const Helper> all, const std::set<std::string>& names);

/// Has it an axis of the batch?
bool is_batch_value(const Node& node);

}  // namespace ulpfuzz::repro
