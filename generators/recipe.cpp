#include <algorithm>

#include "data.hpp"
#include "plain.hpp"
#include "split.hpp"
#include "topology.hpp"
#include "ulpfuzz/generators/generate.hpp"
#include "ulpfuzz/network/case_file.hpp"

namespace ulpfuzz::generators {
namespace {

Layout draw_layout(Source& source) {
  Layout layout;
  if (source.chance(20)) layout.batch_offset = static_cast<std::uint8_t>(source.below(16));
  if (source.chance(20)) layout.slice_offset = static_cast<std::uint8_t>(source.below(16));
  return layout;
}

Case draw_everything(Source& source, const Limits& limits) {
  Plan plan = draw_plan(source, limits);
  const DataPlan data = draw_data_plan(source);
  Case c;
  c.network = std::move(plan.network);
  c.split = draw_split(source, draw_split_kind(source), plan.batch);
  c.layout = draw_layout(source);
  Words words(source.next());
  fill_case(c, plan, data, limits.jacobian > 0, words);
  return c;
}

}  // namespace

Limits gradient_limits() {
  Limits limits;
  limits.depth = 4;
  limits.width = 65;
  limits.batch = 17;
  limits.work = 200'000;
  limits.jacobian = 60'000;
  return limits;
}

Case draw_case(Source& source, const Limits& limits) {
  return limits.kind == Limits::Kind::plain ? draw_plain(source, limits)
                                            : draw_everything(source, limits);
}

Case case_from_seed(std::uint64_t seed, std::uint64_t index, const Limits& limits) {
  SeedSource source(seed, index);
  return draw_case(source, limits);
}

Case case_from_fuzzer(std::span<const std::uint8_t> bytes, const Limits& limits) {
  try {
    Case c = case_from_bytes(bytes, "fuzzer input").value;
    validate(c);
    return c;
  } catch (const FileError&) {
  } catch (const std::invalid_argument&) {
  }
  // Not a case file: choices. Small, so that a fuzzer runs many.
  Limits small = limits;
  small.width = std::min(limits.width, 33u);
  small.batch = std::min(limits.batch, 17u);
  small.work = std::min<std::uint64_t>(limits.work, 50'000);
  ByteSource source(bytes);
  return draw_case(source, small);
}

}  // namespace ulpfuzz::generators
