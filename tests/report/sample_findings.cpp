#include "sample_findings.hpp"

#include <fstream>
#include <numeric>

#include "support/example_networks.hpp"
#include "ulpfuzz/network/case_file.hpp"

namespace ulpfuzz::samples {
namespace {

using examples::build::dense;

void fill(Tensor& t, float first) {
  for (std::size_t i = 0; i < t.data.size(); ++i)
    t.data[i] = first + 0.25f * static_cast<float>(i % 7);
}

std::vector<Slice> cut(const std::vector<std::uint32_t>& sizes) {
  std::vector<Slice> split;
  std::uint32_t row = 0;
  for (const std::uint32_t n : sizes) {
    Slice s;
    for (std::uint32_t i = 0; i < n; ++i) s.rows.push_back(row++);
    split.push_back(s);
  }
  return split;
}

Case with_numbers(Network network, const std::vector<std::uint32_t>& slices) {
  Case c;
  c.network = std::move(network);
  c.split = cut(slices);
  const auto batch = std::accumulate(slices.begin(), slices.end(), 0u);
  for (const NodeId id : c.network.parameters()) {
    c.parameters.emplace_back(c.network.node(id).shape.rows, c.network.node(id).shape.cols);
    fill(c.parameters.back(), 0.5f);
  }
  for (const NodeId id : c.network.inputs()) {
    c.inputs.emplace_back(batch, static_cast<std::uint32_t>(c.network.node(id).shape.size()));
    fill(c.inputs.back(), 1);
  }
  validate(c);
  return c;
}

/// Not synced to the disk, which takes longer than all else here.
void write(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

std::string cpp_program(const std::string& subject) {
  return "// g++ -O2 -std=c++17 -ffp-contract=off repro.cpp -o repro && ./repro\n//\n// " +
         subject +
         ": the two paths differ by more than rounding allows.\n#include <cmath>\n#include "
         "<cstdio>\n"
         "#include <vector>\n\nusing Values = std::vector<float>;\n\nint main() {\n  const float a "
         "= 0, b = 1;\n"
         "  const double difference = std::fabs(a - double(b));\n  const double bound = 0;  // "
         "nothing rounds\n"
         "  std::printf(\"a = %a (%.9g)\\nb = %a (%.9g)\\n\", a, a, b, b);\n"
         "  const bool fails = !(difference <= bound);\n"
         "  std::puts(fails ? \"FAIL: the difference is above the bound\" : \"ok: it is within the "
         "bound\");\n"
         "  return fails;\n}\n";
}

std::string python_program(const std::string& module, const std::string& subject) {
  return "# python3 repro_" + module + ".py\n# " + subject + "\nimport sys\n\nimport " + module +
         "\n\na, b, bound = 0.0, 1.0, 0.0\nprint(f\"a = {a.hex()}\\nb = {b.hex()}\")\n"
         "sys.exit(int(not abs(a - b) <= bound))\n";
}

}  // namespace

Case linear_case() {
  Network n;
  const NodeId x = n.input(1);
  n.output(n.linear(x, n.parameter(1, 1)));
  Case c = with_numbers(std::move(n), {2});
  c.split = {Slice{{1}, 0}};
  return c;
}

Case gated_case() {
  Network n;
  const NodeId x = n.input(12);
  const NodeId gate = n.activation(Op::sigmoid, dense(n, x, 7));
  const NodeId value = n.activation(Op::tanh, dense(n, x, 7));
  n.output(n.mul(gate, value));
  Case c = with_numbers(std::move(n), {5, 4, 3});
  c.split[2].padding = 2;
  return c;
}

Case residual_case() {
  Network n;
  const NodeId x = n.input(16);
  const NodeId h = n.layer_norm(x);
  const NodeId up = n.activation(Op::gelu_erf, dense(n, h, 64));
  const NodeId sum = n.add(x, dense(n, up, 16));
  n.output(n.softmax(dense(n, sum, 10)));
  return with_numbers(std::move(n), std::vector<std::uint32_t>(4, 16));
}

Case long_case() {
  Network n;
  NodeId x = n.input(Shape{3, 8});
  for (int i = 0; i < 15; ++i) x = n.activation(Op::silu, dense(n, x, 8));
  n.output(x);
  return with_numbers(std::move(n), std::vector<std::uint32_t>(30, 3));
}

void write_finding(const std::filesystem::path& folder, report::NightBucket& bucket, const Case& c,
                   const std::string& account, bool programs) {
  const std::filesystem::path relative = std::filesystem::path("findings") / bucket.bucket.id;
  const std::filesystem::path to = folder / relative;
  std::filesystem::create_directories(to);
  bucket.bucket.case_file = relative / "minimal.case.json";
  bucket.minimal = describe(c);
  const CaseFile file{c,
                      {{"property", bucket.bucket.property}, {"subject", bucket.bucket.subject}}};
  write(to / "minimal.case.json", to_text(file));
  write(to / "minimal.txt", account);
  if (!programs) return;
  write(to / "repro.cpp", cpp_program(bucket.bucket.subject));
  write(to / "repro.cu", "// nvcc repro.cu\n" + cpp_program(bucket.bucket.subject));
  for (const std::string module : {"torch", "jax", "numpy"})
    write(to / ("repro_" + module + ".py"), python_program(module, bucket.bucket.subject));
  write(to / "issue.md",
        "# " + bucket.bucket.reason + "\n\n## What happens\n\nThe paths differ.\n");
}

}  // namespace ulpfuzz::samples
