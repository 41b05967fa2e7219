#include "subjects/trials.hpp"
#include "ulpfuzz/core/ulp.hpp"
#include "ulpfuzz/kernels/dense.hpp"

namespace ulpfuzz {
namespace {

using trials::Trial;

using trials::loops;

void expect_equal_bits(const std::vector<float>& a, const std::vector<float>& b,
                       const std::string& what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  for (std::size_t i = 0; i < a.size(); ++i)
    ASSERT_TRUE(same_bits(a[i], b[i])) << what << " [" << i << "] " << a[i] << " " << b[i];
}

Network product(bool ta, bool tb, std::uint32_t m, std::uint32_t k, std::uint32_t n, int shared) {
  Network net;
  const Shape a = ta ? Shape{k, m} : Shape{m, k};
  const Shape b = tb ? Shape{n, k} : Shape{k, n};
  const NodeId left = shared == 0 ? net.parameter(a.rows, a.cols) : net.input(a);
  const NodeId right = shared == 1 ? net.parameter(b.rows, b.cols) : net.input(b);
  net.output(net.matmul(left, right, ta, tb));
  return net;
}

TEST(Loops, LinearIsTheKernelWrittenOutElementByElement) {
  for (const std::uint32_t k : {0u, 1u, 2u, 7u, 16u, 33u})
    for (const std::uint32_t n : {1u, 2u, 7u, 8u, 9u, 16u, 24u, 37u})
      for (const std::size_t rows : {1u, 2u, 3u, 4u, 5u, 8u, 11u}) {
        const Trial trial(trials::mlp({k, n}, Op::relu), rows, k + n);
        std::vector<float> expected;
        for (std::size_t r = 0; r < rows; ++r)
          for (std::size_t j = 0; j < n; ++j)
            expected.push_back(kernels::linear_element(trial.inputs[0].data.data(),
                                                       trial.parameters[0].data.data(),
                                                       trial.parameters[1].data.data(), k, r, j));
        expect_equal_bits(trial.run(loops())[0], expected, std::to_string(k));
      }
}

TEST(Loops, MatmulIsTheKernelWrittenOutElementByElement) {
  constexpr std::size_t batch = 3;
  for (int variant = 0; variant < 12; ++variant)
    for (const std::uint32_t m : {1u, 3u, 4u, 9u})
      for (const std::uint32_t k : {1u, 2u, 11u})
        for (const std::uint32_t n : {1u, 8u, 19u}) {
          const bool ta = (variant & 1) != 0;
          const bool tb = (variant & 2) != 0;
          const int shared = variant / 4;
          const Trial trial(product(ta, tb, m, k, n, shared), batch, m + k + n);
          const Tensor& left = shared == 0 ? trial.parameters[0] : trial.inputs[0];
          const Tensor& right =
              shared == 1 ? trial.parameters[0] : trial.inputs[shared == 0 ? 0 : 1];
          std::vector<float> expected;
          for (std::size_t e = 0; e < batch; ++e)
            for (std::size_t i = 0; i < m; ++i)
              for (std::size_t j = 0; j < n; ++j)
                expected.push_back(kernels::matmul_element(
                    left.data.data() + (shared == 0 ? 0 : e * m * k),
                    right.data.data() + (shared == 1 ? 0 : e * k * n), ta, tb, m, k, n, i, j));
          expect_equal_bits(trial.run(loops())[0], expected, std::to_string(variant));
        }
}

Case rows_of(const Case& c, std::size_t first, std::size_t count) {
  Case part = c;
  for (Tensor& input : part.inputs) {
    const auto begin = input.data.begin() + static_cast<std::ptrdiff_t>(first * input.cols);
    input.data = {begin, begin + static_cast<std::ptrdiff_t>(count * input.cols)};
    input.rows = static_cast<std::uint32_t>(count);
  }
  return part;
}

TEST(Loops, GiveARowTheSameBitsWhateverItsBatch) {
  Caller caller;
  for (const examples::Example& example : examples::all()) {
    const Case c = trials::make_case(example.network, 13, 7);
    const auto whole = forward_batched(caller, loops(), c);
    for (std::size_t first = 0; first < 13; ++first)
      for (std::size_t count = 1; first + count <= 13; count += 3) {
        const auto part = forward_batched(caller, loops(), rows_of(c, first, count));
        const auto begin = whole.begin() + static_cast<std::ptrdiff_t>(first * c.output_width());
        expect_equal_bits(part, {begin, begin + static_cast<std::ptrdiff_t>(part.size())},
                          example.name);
      }
  }
}

TEST(Loops, GiveGradientsTheSameBitsByLoopAndVectorizedReverse) {
  Caller caller;
  for (const examples::Example& example : examples::all()) {
    const Case c = trials::make_case(example.network, 5, 8);
    const DerivedNetworks derived = derive(c.network);
    const Jacobian one = jacobian_loop(caller, loops(), c, derived);
    const Jacobian all = jacobian_reverse(caller, loops(), c, derived);
    ASSERT_EQ(one.blocks.size(), c.inputs.size() + c.parameters.size());
    for (std::size_t w = 0; w < one.blocks.size(); ++w)
      expect_equal_bits(one.blocks[w], all.blocks[w], example.name);
  }
}

}  // namespace
}  // namespace ulpfuzz
