#include "evaluation_size.hpp"

#include <fmt/format.h>

#include "ulpfuzz/network/case_file.hpp"

namespace ulpfuzz {
namespace {

double rows_of(const Case& c) {
  auto rows = static_cast<double>(c.batch());
  for (const Slice& s : c.split) rows += static_cast<double>(s.rows.size()) + s.padding;
  return rows;
}

}  // namespace

// In double: a file of few bytes can ask for more than 64 bits count.
double evaluation_size(const Case& c, const Property& property) {
  double parameters = 0;  // elements
  double sources = 0;     // elements of parameters and inputs: one tangent each
  double values = 0;      // elements of a row, over all nodes
  for (const Node& node : c.network.nodes()) {
    const auto size = static_cast<double>(node.shape.size());
    if (node.op == Op::parameter) parameters += size;
    if (node.op == Op::parameter || node.op == Op::input) sources += size;
    if (node.op != Op::parameter) values += size;
  }
  const double forward = rows_of(c) * values + parameters;
  if (!property.needs_gradient) return forward;
  const auto batch = static_cast<double>(c.batch());
  const double cotangents = static_cast<double>(c.output_width()) * (values + parameters);
  return forward + batch * (cotangents + sources * values);
}

void check_evaluation_size(const std::string& file, const Case& c, const Property& property) {
  const double size = evaluation_size(c, property);
  if (size <= most_floats) return;
  throw FileError(
      fmt::format("{}: {} would compute about {:.3g} floats, more than the {:.3g} that fit; "
                  "use fewer rows, less padding or smaller layers",
                  file, property.name, size, most_floats));
}

}  // namespace ulpfuzz
