#include "numpy_helpers.hpp"

namespace ulpfuzz::repro {
namespace {

// Definitions that several models share come along because they are called.
constexpr Helper tf32{
    "tf32",
    "def tf32(x):  # ten bits behind the point, to nearest, ties away from zero\n"
    "    return ((np.float32(x).view(np.uint32) + 0x1000) & 0xffffe000).view(np.float32)\n"};
constexpr Helper bf16{
    "bf16",
    "def bf16(x):  # seven bits behind the point, to nearest, ties to even\n"
    "    bits = np.float32(x).view(np.uint32)\n"
    "    return ((bits + 0x7fff + ((bits >> 16) & 1)) & 0xffff0000).view(np.float32)\n"};
constexpr Helper left_to_right{"left_to_right",
                               "def left_to_right(terms):\n"
                               "    return np.cumsum(terms, -1)[..., -1:].sum(-1)\n"};
constexpr Helper flush{"flush",
                       "def flush(x):\n"
                       "    return np.where(np.abs(x) < 2.0**-126, 0 * x, x)\n"};

/// A model of linear(): x is [rows, k].
NumpyModel linear(std::string_view subject, std::string_view words, std::string_view text,
                  std::vector<Helper> more = {}) {
  more.push_back({"linear", text});
  return {subject, words, std::move(more), {}};
}

std::vector<NumpyModel> row_models() {
  return {linear("fault/neighbour_row", "the last row is computed from the row before",
                 "def linear(x, W, bias=0):\n"
                 "    y = np.matmul(x, W.T) + bias\n"
                 "    if len(x) > 1:\n"
                 "        y[-1] = y[-2]\n"
                 "    return y\n"),
          linear("fault/no_bias_above_1", "the bias is added only where there is a single row",
                 "def linear(x, W, bias=0):\n"
                 "    y = np.matmul(x, W.T)\n"
                 "    return y if len(x) > 1 else y + bias\n"),
          linear("fault/wrong_stride_above_1", "of several rows each is taken to be one shorter",
                 "def linear(x, W, bias=0):\n"
                 "    k = x.shape[1]\n"
                 "    if len(x) > 1 and k > 0:\n"
                 "        x = np.stack([x.ravel()[r * (k - 1):][:k] for r in range(len(x))])\n"
                 "    return np.matmul(x, W.T) + bias\n"),
          linear("fault/late_blocks", "blocks of four rows but the first begin one row late",
                 "def linear(x, W, bias=0):\n"
                 "    rows = [r if r < 4 else min(r + 1, len(x) - 1) for r in range(len(x))]\n"
                 "    return np.matmul(x[rows], W.T) + bias\n"),
          linear("fault/row_mod_16", "row b gets the result of row b mod 16",
                 "def linear(x, W, bias=0):\n"
                 "    return np.matmul(x[np.arange(len(x)) % 16], W.T) + bias\n"),
          linear("fault/stale_partial_sum",
                 "the sum of products beyond the eighth is not cleared between rows",
                 "def linear(x, W, bias=0):\n"
                 "    rest = np.cumsum(np.matmul(x[:, 8:], W[:, 8:].T), 0)\n"
                 "    return np.matmul(x[:, :8], W[:, :8].T) + rest + bias\n")};
}

std::vector<NumpyModel> sum_models() {
  return {
      linear("fault/drops_last_product", "dot products end one term early",
             "def linear(x, W, bias=0):\n"
             "    return np.matmul(x[:, :-1], W[:, :-1].T) + bias\n"),
      linear("fault/dropped_tail", "dot products of 3, 7, 11, ... terms end one term early",
             "def linear(x, W, bias=0):\n"
             "    k = x.shape[1] - (x.shape[1] % 4 == 3)\n"
             "    return np.matmul(x[:, :k], W[:, :k].T) + bias\n"),
      linear("fault/wrong_transpose_when_square", "square weights are read transposed",
             "def linear(x, W, bias=0):\n"
             "    return np.matmul(x, W if len(W) == W.shape[1] else W.T) + bias\n"),
      linear("fault/tf32_above_8", "TF32 operands above eight rows",
             "def linear(x, W, bias=0):\n"
             "    if len(x) > 8:\n"
             "        x, W = tf32(x), tf32(W)\n"
             "    return np.matmul(x, W.T) + bias\n",
             {tf32}),
      linear("fault/lanes_above_1", "several rows are added up in four lanes",
             "def linear(x, W, bias=0):\n"
             "    terms = x[:, None] * W\n"
             "    if len(x) < 2:\n"
             "        return left_to_right(terms) + bias\n"
             "    lane = [left_to_right(terms[..., i::4]) for i in range(4)]\n"
             "    return (lane[0] + lane[1]) + (lane[2] + lane[3]) + bias\n",
             {left_to_right}),
      linear("fault/racing_atomics", "products are added in an order that changes",
             "def linear(x, W, bias=0):\n"
             "    order = np.random.permutation(x.shape[1])\n"
             "    return left_to_right((x[:, None] * W)[..., order]) + bias\n",
             {left_to_right}),
      linear("fault/bias_after_bf16", "of several rows sums are rounded to bf16 before the bias",
             "def linear(x, W, bias=0):\n"
             "    y = np.matmul(x, W.T)\n"
             "    return (bf16(y) if len(x) > 1 else y) + bias\n",
             {bf16}),
      linear("fault/stale_without_terms", "a dot product of no terms comes out as one",
             "def linear(x, W, bias=0):\n"
             "    y = np.matmul(x, W.T) + bias\n"
             "    return y if x.shape[1] > 0 else np.ones_like(y)\n"),
      linear("fault/swallows_nan", "a dot product that is NaN comes out as zero",
             "def linear(x, W, bias=0):\n"
             "    y = np.matmul(x, W.T) + bias\n"
             "    return np.where(np.isnan(y), np.float32(0), y)\n")};
}

std::vector<NumpyModel> other_models() {
  constexpr std::string_view flushed_linear =
      "def linear(x, W, bias=0):\n"
      "    y = flush(flush(flush(x)[:, None] * flush(W)).sum(-1))\n"
      "    return flush(y + flush(bias))\n";
  constexpr std::string_view flushed_above_1 =
      "def linear(x, W, bias=0):\n"
      "    if len(x) < 2:\n"
      "        return np.matmul(x, W.T) + bias\n"
      "    y = flush(flush(flush(x)[:, None] * flush(W)).sum(-1))\n"
      "    return flush(y + flush(bias))\n";
  return {
      {"fault/relu_swallows_nan",
       "relu of NaN comes out as zero when the batch is above 1",
       {{"relu",
         "def relu(x):\n"
         "    if len(x) < 2:\n"
         "        return np.maximum(x, 0)\n"
         "    return np.where(x > 0, x, np.float32(0))\n"}},
       {}},
      {"fault/softplus_overflows",
       "softplus of numbers above 88.7 comes out as infinity",
       {{"softplus",
         "def softplus(x):\n"
         "    y = np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))\n"
         "    return np.where(x > 88.7, np.float32(np.inf), y)\n"}},
       {}},
      {"fault/wrong_mask_vectorized",
       "relu's mask is 1 everywhere when many gradients are computed",
       {{"d_relu",
         "def d_relu(x):\n"
         "    return np.ones_like(x) if vectorized else np.heaviside(x, np.float32(0))\n"}},
       {}},
      {"fault/doubled_reused_gradient",
       "the gradient of a parameter that is used twice comes out doubled when many are computed",
       {{"doubled",
         "def doubled(gradient):\n"
         "    return 2 * gradient if vectorized else gradient\n"}},
       "doubled"},
      {"fault/gradient_in_fp16",
       "weight gradients are added up in fp16",
       {{"outer_sum",
         "def outer_sum(a, b):\n"
         "    total = np.zeros((a.shape[-1], b.shape[-1]), np.float16)\n"
         "    for u, w in zip(a.reshape(-1, a.shape[-1]), b.reshape(-1, b.shape[-1])):\n"
         "        total = np.float16(total + np.outer(np.float64(u), w))\n"
         "    return np.float32(total)\n"}},
       {}},
      {"fault/mean_of_means",
       "weight gradients come from the plain mean of the means of two halves",
       {{"outer_sum",
         "def outer_sum(a, b):\n"
         "    a, b = a.reshape(-1, a.shape[-1]), b.reshape(-1, b.shape[-1])\n"
         "    half, rest = len(a) // 2, len(a) - len(a) // 2\n"
         "    if half in (0, rest):\n"
         "        return np.matmul(a.T, b)\n"
         "    first, second = np.matmul(a[:half].T, b[:half]), np.matmul(a[half:].T, b[half:])\n"
         "    return len(a) / 2 * (first / half + second / rest)\n"}},
       {}},
      {"fault/flushes_subnormals",
       "subnormals are flushed to zero",
       {flush, {"linear", flushed_linear}},
       {}},
      {"fault/flushes_above_1",
       "of several rows linear layers flush subnormals to zero",
       {flush, {"linear", flushed_above_1}},
       {}},
      {"fault/nondeterministic",
       "every other call is off by a thousandth",
       {{"wavering",
         "calls = itertools.count()\n\n"
         "def wavering(y):\n"
         "    return y * np.float32(1.001) if next(calls) % 2 else y\n"}},
       "wavering"}};
}

/// GPU libraries by shape: `where` says of m, k, n which products have TF32 operands.
NumpyModel tf32_by_shape(std::string_view subject, std::string_view words, std::string_view dot) {
  return {subject,
          words,
          {tf32,
           {"dot", dot},
           {"matmul",
            "def matmul(a, b):\n"
            "    return dot(a, b)\n"},
           {"linear",
            "def linear(x, W, bias=0):\n"
            "    return dot(x, W.T) + bias\n"}},
          {}};
}

std::vector<NumpyModel> all_models() {
  std::vector<NumpyModel> all = row_models();
  for (NumpyModel& model : sum_models()) all.push_back(std::move(model));
  for (NumpyModel& model : other_models()) all.push_back(std::move(model));
  all.push_back(tf32_by_shape("simt/xla-ada",
                              "XLA on Ada: dots of (m + n) k >= 100 have TF32 operands",
                              "def dot(a, b):\n"
                              "    (m, k), n = a.shape[-2:], b.shape[-1]\n"
                              "    if (m + n) * k >= 100:\n"
                              "        a, b = tf32(a), tf32(b)\n"
                              "    return np.matmul(a, b)\n"));
  all.push_back(tf32_by_shape("simt/cublas-tf32",
                              "cuBLAS: products above a size have TF32 operands",
                              "def dot(a, b):\n"
                              "    (m, k), n = a.shape[-2:], b.shape[-1]\n"
                              "    if min(m, n) > 1 and m * n * k >= 512:\n"
                              "        a, b = tf32(a), tf32(b)\n"
                              "    return np.matmul(a, b)\n"));
  return all;
}

}  // namespace

const NumpyModel* numpy_model(std::string_view subject) {
  static const std::vector<NumpyModel> all = all_models();
  for (const NumpyModel& model : all)
    if (model.subject == subject) return &model;
  return nullptr;
}

}  // namespace ulpfuzz::repro
