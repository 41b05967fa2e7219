#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "tool_run.hpp"
#include "ulpfuzz/network/npy.hpp"

namespace ulpfuzz {

using mutants::Scratch;

/// A folder with a network.json of linear(3 -> 2)+bias and relu, w.npy, b.npy, x.npy of 4 rows, and
/// y.npy, what plain fp32 gives; all of its outputs are positive.
class Files {
 public:
  Files() {
    save("w.npy", {2, 3}, weight_);
    save("b.npy", {2}, {0.3f, 0.7f});
    save("x.npy", {4, 3}, x_);
    save("y.npy", {4, 2}, y());
    text("network.json", R"({"ulpfuzz_network": 1, "layers": ["linear w.npy b.npy", "relu"]})");
  }

  std::string operator/(const std::string& name) const { return (scratch_ / name).string(); }
  void save(const std::string& name, std::vector<std::size_t> shape,
            const std::vector<float>& data) const {
    write_npy(scratch_ / name, shape, data);
  }
  void text(const std::string& name, const std::string& content) const {
    std::ofstream(scratch_ / name, std::ios::binary) << content;
  }
  /// A .npy file of another dtype, shape (4, 2), all bytes 0.
  void save_zeros(const std::string& name, const std::string& dtype, std::size_t size) const {
    const std::string header =
        fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': (4, 2)}}\n", dtype);
    std::string bytes("\x93NUMPY\1\0", 8);
    bytes += static_cast<char>(header.size());
    bytes += '\0';
    text(name, bytes + header + std::string(8 * size, '\0'));
  }
  const Scratch& scratch() const { return scratch_; }
  const std::vector<float>& x() const { return x_; }

  /// `explain` of the network and x.npy.
  Result explain(const std::string& arguments) const {
    return run(scratch_, "explain --network " + *this / "network.json" + " --input " +
                             *this / "x.npy" + " " + arguments);
  }
  std::string pair(const std::string& a, const std::string& b) const {
    return "--a " + *this / a + " --b " + *this / b;
  }

  std::vector<float> y() const {
    std::vector<float> y;
    for (std::size_t r = 0; r < 4; ++r)
      for (std::size_t i = 0; i < 2; ++i) {
        float sum = 0;
        for (std::size_t k = 0; k < 3; ++k) sum += x_[3 * r + k] * weight_[3 * i + k];
        y.push_back(std::max(sum + (i == 0 ? 0.3f : 0.7f), 0.0f));
      }
    return y;
  }
  /// With respect to w.npy [4, 2, 2, 3] and b.npy [4, 2, 2]: all masks are 1.
  std::pair<std::vector<float>, std::vector<float>> jacobian() const {
    std::vector<float> w(48), b(16);
    for (std::size_t r = 0; r < 4; ++r)
      for (std::size_t i = 0; i < 2; ++i) {
        for (std::size_t k = 0; k < 3; ++k) w[((r * 2 + i) * 2 + i) * 3 + k] = x_[3 * r + k];
        b[(r * 2 + i) * 2 + i] = 1;
      }
    return {w, b};
  }

 private:
  Scratch scratch_;
  std::vector<float> weight_{0.1f, 0.7f, -0.3f, 1.1f, 0.2f, 0.9f};
  std::vector<float> x_{0.5f, 1.25f, 0.1f, 0.9f, 0.3f, 0.2f, 1.7f, 0.6f, 0.4f, 0.2f, 2.3f, 0.8f};
};

}  // namespace ulpfuzz
