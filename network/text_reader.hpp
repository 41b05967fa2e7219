#pragma once

#include <string_view>
#include <vector>

#include "case_text.hpp"
#include "json_view.hpp"
#include "neighbours.hpp"
#include "network_reader.hpp"

namespace ulpfuzz {

/// Refuses at the place of `v`, which must outlive it.
Complain complain_at(const JsonView& v);

/// The document is of the kind that `key` names and of a version this program knows.
void check_version(const JsonView& document, std::string_view key);

/// {"rows": 2, "cols": 1, "data": ["1", "2"]}, or {"npy": "FILE"}.
Tensor read_tensor(const JsonView& v, Neighbours& files);
std::vector<Tensor> read_tensors(const JsonView& v, Neighbours& files);
/// {"nodes": [...], "outputs": [...]}
Network read_network_value(const JsonView& v);

}  // namespace ulpfuzz
