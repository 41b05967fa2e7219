#include "calls.hpp"

#include <algorithm>
#include <cstdint>

namespace ulpfuzz::repro {
namespace {

/// A copy that begins `offset` floats behind a 64-byte boundary.
class Placed {
 public:
  Placed(const std::vector<float>& from, unsigned offset) : memory_(from.size() + 2 * line) {
    const auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
    begin_ = memory_.data() + (line - address / sizeof(float) % line) % line + offset;
    std::copy(from.begin(), from.end(), begin_);
  }
  const float* begin() const { return begin_; }

 private:
  static constexpr std::size_t line = 16;
  std::vector<float> memory_;
  float* begin_ = nullptr;
};

}  // namespace

std::vector<float> cotangents_of(const Case& c, const Call& call) {
  const std::size_t width = c.output_width();
  std::vector<float> result;
  switch (call.cotangents) {
    case Cotangents::none:
      break;
    case Cotangents::unit:
      result.resize(width);
      result[call.column] = 1;
      break;
    case Cotangents::all:
      result.resize(call.rows.size() * width * width);
      for (std::size_t i = 0; i < call.rows.size() * width; ++i) result[i * width + i % width] = 1;
      break;
    case Cotangents::given:
      return rows_of(c.cotangents, call);
  }
  return result;
}

std::vector<float> rows_of(const Tensor& input, const Call& call) {
  std::vector<float> result;
  for (const std::uint32_t row : call.rows) {
    const auto from = input.row(row);
    result.insert(result.end(), from.begin(), from.end());
  }
  result.resize(call.batch() * input.cols);
  return result;
}

float evaluate(Caller& caller, const Subject& subject, const Case& c, const Call& call) {
  std::vector<Placed> placed;
  placed.reserve(c.inputs.size() + 1);
  for (const Tensor& input : c.inputs) placed.emplace_back(rows_of(input, call), call.offset);
  if (call.cotangents != Cotangents::none) placed.emplace_back(cotangents_of(c, call), call.offset);
  std::vector<const float*> inputs;
  for (const Placed& p : placed) inputs.push_back(p.begin());
  const Outputs out =
      caller.run(subject, *call.network, c.parameters, call.batch(), inputs, call.offset);
  const std::span<const float> values = out.values[call.output];
  return call.index < values.size() ? values[call.index] : 0;
}

float evaluate(Caller& caller, const Subject& subject, const Case& c, const Path& path) {
  if (path.route != Route::micro) return evaluate(caller, subject, c, path.calls.front());
  double sum = 0;
  for (const Call& call : path.calls) sum += double{evaluate(caller, subject, c, call)};
  return static_cast<float>(sum);
}

}  // namespace ulpfuzz::repro
