#include <fmt/format.h>

#include <bit>

#include "launches.hpp"

namespace ulpfuzz::kernels::testing_support {
namespace {

constexpr Phi all_phi[] = {Phi::identity, Phi::relu, Phi::leaky_relu, Phi::tanh,
                           Phi::sigmoid,  Phi::silu, Phi::gelu_erf,   Phi::gelu_tanh,
                           Phi::softplus, Phi::elu};

bool is_exact(Phi phi) {
  return phi == Phi::identity || phi == Phi::relu || phi == Phi::leaky_relu;
}

Map& add_map(std::vector<Problem>& problems, std::string name, std::size_t count,
             std::mt19937& random, Values values) {
  Problem& problem = problems.emplace_back(std::move(name));
  Map map;
  map.count = count;
  map.x = problem.array(count, random, values);
  map.z = problem.array(count, random, values);
  map.y = problem.output(count);
  problem.launch = map;
  return std::get<Map>(problem.launch);
}

Move columns_of(Problem& problem, std::size_t width, std::mt19937& random, Values values) {
  Move move;
  move.kind = Move::Kind::columns;
  move.entries = 6;
  move.rows = 5;
  move.columns = width + 7;
  move.repeat = 2;
  move.x_rows = random() % 2 ? 1 : 5;
  move.x_columns = width + 3;
  move.x_entry = random() % 2 ? 0 : move.x_rows * move.x_columns;
  move.x_start = 2;
  move.start = 4;
  move.width = width;
  move.x = problem.array(3 * move.x_rows * move.x_columns, random, values);
  return move;
}

}  // namespace

// Functions are each side's, within a few ulps; the worst case is a derivative of gelu_tanh, which
// takes 35 times an error of tanh near 1.
std::vector<Problem> map_problems(Values values) {
  std::mt19937 random(31);
  std::vector<Problem> problems;
  for (const auto kind : {Map::Kind::activation, Map::Kind::derivative})
    for (const Phi phi : all_phi)
      for (const bool fast : {false, true}) {
        Map& map = add_map(problems,
                           fmt::format("map: kind {}, phi {}, fast {}", static_cast<int>(kind),
                                       static_cast<int>(phi), fast),
                           1000, random, values);
        map.kind = kind;
        map.phi = phi;
        map.alpha = 0.7f;
        map.fast = fast;
        if (!is_exact(phi)) problems.back().claim = {.absolute = 64, .relative = 64};
      }
  for (const auto kind : {Map::Kind::add, Map::Kind::multiply, Map::Kind::fill})
    for (const std::size_t count : {1, 256, 777}) {
      Map& map = add_map(problems, fmt::format("map: kind {}", static_cast<int>(kind)), count,
                         random, values);
      map.kind = kind;
      map.bits = 0x7fc00123;
    }
  return problems;
}

std::vector<Problem> move_problems(Values values) {
  std::mt19937 random(32);
  std::vector<Problem> problems;
  for (const std::size_t width : {1, 5, 9, 60, 128, 300}) {
    Problem& problem = problems.emplace_back(fmt::format("columns of width {}", width));
    Move move = columns_of(problem, width, random, values);
    move.y = problem.output(move.entries * move.rows * move.columns);
    problem.launch = move;
  }
  for (const std::size_t width : {1, 6, 40}) {
    Problem& problem = problems.emplace_back(fmt::format("unit tangents of width {}", width));
    Move move = columns_of(problem, width, random, values);
    move.kind = Move::Kind::unit_tangents;
    move.columns = 4;
    move.entries = 2 * move.columns * width;
    move.y = problem.output(move.entries * move.rows * move.columns);
    problem.launch = move;
  }
  for (const std::size_t columns : {1, 7, 150}) {
    Problem& problem = problems.emplace_back(fmt::format("basis of {} columns", columns));
    Move move;
    move.kind = Move::Kind::basis;
    move.rows = 3;
    move.columns = columns;
    move.period = 3 * columns;
    move.entries = 2 * move.period;
    move.y = problem.output(move.entries * move.rows * columns);
    problem.launch = move;
  }
  for (const Format to : {Format::fp32, Format::fp16, Format::bf16}) {
    Problem& problem = problems.emplace_back(fmt::format("pack to {}", static_cast<int>(to)));
    Pack pack{.x_row = 1, .x_column = 17, .x_entry = 400, .repeat = 2};
    pack.entries = 4;
    pack.rows = 16;
    pack.columns = 22;
    pack.x = problem.array(800, random, values);
    pack.to = to;
    pack.y = problem.output(pack.entries * pack.rows * pack.columns);
    problem.launch = pack;
  }
  for (const std::uint32_t zone : {1u, 64u}) {
    Problem& problem = problems.emplace_back(fmt::format("zones of {}", zone));
    CheckZones check{.zones = 40, .zone = zone, .bits = 0x7fb1b1b2};
    std::vector<float> base(check.zones * 100, std::bit_cast<float>(check.bits));
    for (float& v : base)
      if (random() % 50 == 0) v = 1;
    check.base = problem.array(base);
    std::vector<float> starts(2 * check.zones, 0.0f);  // 64 bits each, little-endian
    for (std::size_t z = 0; z < check.zones; ++z)
      starts[2 * z] = std::bit_cast<float>(static_cast<std::uint32_t>(z * 100));
    check.starts = reinterpret_cast<const std::uint64_t*>(problem.array(starts));
    check.first = reinterpret_cast<std::uint32_t*>(problem.output(check.zones));
    problem.launch = check;
  }
  return problems;
}

std::vector<Problem> empty_problems() {
  std::vector<Problem> problems;
  const auto add = [&](const char* name, const Launch& launch) {
    problems.emplace_back(name).launch = launch;
  };
  Product product{.m = 3, .n = 0, .k = 5};
  add("gemm", Gemm{product});
  add("gemv", Gemv{product});
  add("unit", UnitGemm{product});
  add("softmax", Softmax{.rows = 0, .n = 4});
  add("norm", Norm{.rows = 4, .n = 0});
  add("gradient", RowGradient{.rows = 0, .n = 4});
  add("column sum", ColumnSum{.rows = 4, .n = 0});
  add("map", Map{});
  add("move", Move{.rows = 3, .columns = 4});
  add("zones", CheckZones{});
  add("pack", Pack{.rows = 0, .columns = 3});
  return problems;
}

}  // namespace ulpfuzz::kernels::testing_support
