#include "tightness/published.hpp"

#include <map>

namespace ulpfuzz::bench {
namespace {

constexpr std::size_t widths[] = {4, 16, 64, 256, 1024, 4096};

using Row = std::vector<Published>;
using Rows = std::map<std::string, Row>;

const Rows dot_rows{
    {"sequential", {{1.6, 4.4}, {4.4, 6.8}, {12, 9.9}, {62, 25}, {252, 51}, {1141, 117}}},
    {"pairwise", {{2.0, 5.3}, {6.7, 10}, {45, 36}, {274, 111}, {2130, 435}, {18800, 1921}}},
    {"32 lanes FMA", {{2.0, 5.3}, {6.7, 10}, {38, 31}, {304, 123}, {1850, 378}, {7590, 776}}},
    {"split-K 4", {{1.6, 4.4}, {6.3, 9.5}, {30, 24}, {143, 58}, {699, 143}, {2750, 281}}},
    {"adversarial", {{1.6, 4.3}, {4.3, 6.4}, {10, 7.9}, {19, 7.8}, {45, 9.2}, {90, 9.2}}}};

const Rows network_rows{
    {"sequential", {{4.5, 7.3}, {16, 7.7}, {146, 19}, {1411, 34}, {19700, 80}, {9.3e5, 228}}},
    {"sequential FMA", {{3.6, 6.8}, {12, 8.0}, {81, 13}, {1365, 39}, {14100, 94}, {1.4e6, 334}}},
    {"pairwise", {{4.5, 6.1}, {20, 13}, {195, 33}, {3372, 107}, {93600, 527}, {1.4e7, 2220}}},
    {"32 lanes FMA", {{4.5, 6.1}, {20, 13}, {226, 32}, {3977, 126}, {59900, 490}, {4.9e6, 3940}}},
    {"split-K 4", {{4.5, 0}, {20, 0}, {201, 0}, {2190, 0}, {33600, 0}, {3.7e6, 0}}},
    {"adversarial", {{4.5, 7.3}, {14, 6.2}, {66, 9.0}, {236, 12}, {2214, 25}, {5.6e4, 18}}},
    {"TF32 RNA", {{1.1, 3.0}, {3.0, 3.0}, {16, 3.4}, {147, 3.7}, {2945, 5.4}, {1.2e5, 10}}},
    {"TF32 RZ", {{1.2, 2.2}, {2.4, 1.9}, {9.7, 1.5}, {103, 2.0}, {2790, 2.1}, {6.0e4, 4.4}}},
    {"bf16", {{1.1, 3.2}, {3.2, 2.8}, {32, 2.8}, {635, 4.9}, {10070, 5.8}, {2.2e5, 7.6}}}};

const Rows jacobian_rows{
    {"sequential", {{2.0, 12}, {4.2, 12}, {11, 12}, {40, 0}, {383, 0}, {805, 0}}},
    {"TF32 RNA", {{1.0, 6.9}, {1.0, 6.9}, {1.0, 6.9}, {1.0, 6.9}, {1.0, 6.9}, {1.0, 6.9}}},
    {"bf16", {{1.0, 6.6}, {1.0, 6.6}, {1.0, 6.6}, {1.0, 6.6}, {1.0, 6.6}, {1.0, 6.6}}},
    {"tanh TF32 RNA", {{1.3, 0}, {1.9, 0}, {2.6, 0}, {4.5, 0}, {20, 0}, {111, 0}}}};

Published find(const Rows& rows, const std::string& column, std::size_t width) {
  const auto row = rows.find(column);
  if (row == rows.end()) return {};
  for (std::size_t i = 0; i < std::size(widths); ++i)
    if (widths[i] == width) return row->second[i];
  return {};
}

}  // namespace

Published published_dot(const std::string& column, std::size_t width) {
  return find(dot_rows, column, width);
}
Published published_network(const std::string& column, std::size_t width) {
  return find(network_rows, column, width);
}
Published published_jacobian(const std::string& column, std::size_t width) {
  return find(jacobian_rows, column, width);
}
Published nothing_published(const std::string&, std::size_t) { return {}; }

}  // namespace ulpfuzz::bench
