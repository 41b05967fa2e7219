#include "numpy_helpers.hpp"

#include <algorithm>
#include <cctype>

namespace ulpfuzz::repro {
namespace {

/// Callees first. Sums over rows keep float32; Python's numbers take the type of the array.
constexpr Helper helpers[] = {
    {"erf", "erf = np.vectorize(math.erf, otypes=[np.float32])"},
    {"leaky_relu",
     "def leaky_relu(x, slope):\n"
     "    return np.where(x < 0, slope * x, x)\n"},
    {"sigmoid",
     "def sigmoid(x):\n"
     "    e = np.exp(-np.abs(x))\n"
     "    return np.where(x < 0, e, np.ones_like(e)) / (1 + e)\n"},
    {"silu",
     "def silu(x):\n"
     "    return x * sigmoid(x)\n"},
    {"gelu_erf",
     "def gelu_erf(x):\n"
     "    return 0.5 * x * (1 + erf(x * math.sqrt(0.5)))\n"},
    {"gelu_tanh",
     "def gelu_tanh(x):\n"
     "    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)))\n"},
    {"softplus",
     "def softplus(x):\n"
     "    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))\n"},
    {"elu",
     "def elu(x, alpha):\n"
     "    return np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0)))\n"},
    {"softmax",
     "def softmax(x):\n"
     "    e = np.exp(x - x.max(-1, keepdims=True))\n"
     "    return e / e.sum(-1, keepdims=True)\n"},
    {"layer_norm",
     "def layer_norm(x, eps):\n"
     "    z = x - x.mean(-1, keepdims=True)\n"
     "    return z / np.sqrt((z * z).mean(-1, keepdims=True) + eps)\n"},
    {"rms_norm",
     "def rms_norm(x, eps):\n"
     "    return x / np.sqrt((x * x).mean(-1, keepdims=True) + eps)\n"},
    {"d_relu",
     "def d_relu(x):\n"
     "    return np.heaviside(x, np.float32(0))\n"},
    {"d_leaky_relu",
     "def d_leaky_relu(x, slope):\n"
     "    return np.where(x > 0, 1, slope).astype(np.float32)\n"},
    {"d_tanh",
     "def d_tanh(x):\n"
     "    t = np.tanh(x)\n"
     "    return 1 - t * t\n"},
    {"d_sigmoid",
     "def d_sigmoid(x):\n"
     "    return sigmoid(x) * (1 - sigmoid(x))\n"},
    {"d_silu",
     "def d_silu(x):\n"
     "    return sigmoid(x) * (1 + x * (1 - sigmoid(x)))\n"},
    {"d_gelu_erf",
     "def d_gelu_erf(x):\n"
     "    density = np.exp(-0.5 * x * x) / math.sqrt(2 * math.pi)\n"
     "    return 0.5 * (1 + erf(x * math.sqrt(0.5))) + x * density\n"},
    {"d_gelu_tanh",
     "def d_gelu_tanh(x):\n"
     "    t = np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x))\n"
     "    inner = math.sqrt(2 / math.pi) * (1 + 3 * 0.044715 * x * x)\n"
     "    return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * inner\n"},
    {"d_softplus",
     "def d_softplus(x):\n"
     "    return sigmoid(x)\n"},
    {"d_elu",
     "def d_elu(x, alpha):\n"
     "    return np.where(x > 0, np.ones_like(x), alpha * np.exp(np.minimum(x, 0)))\n"},
    {"softmax_grad",
     "def softmax_grad(v, s):\n"
     "    return s * (v - (s * v).sum(-1, keepdims=True))\n"},
    {"layer_norm_grad",
     "def layer_norm_grad(v, x, eps):\n"
     "    z = x - x.mean(-1, keepdims=True)\n"
     "    r = 1 / np.sqrt((z * z).mean(-1, keepdims=True) + eps)\n"
     "    z = z * r\n"
     "    return r * (v - v.mean(-1, keepdims=True) - z * (v * z).mean(-1, keepdims=True))\n"},
    {"rms_norm_grad",
     "def rms_norm_grad(v, x, eps):\n"
     "    r = 1 / np.sqrt((x * x).mean(-1, keepdims=True) + eps)\n"
     "    z = x * r\n"
     "    return r * (v - z * (v * z).mean(-1, keepdims=True))\n"},
    {"pad",
     "def pad(x, start, columns):\n"
     "    y = np.zeros(x.shape[:-1] + (columns,), np.float32)\n"
     "    y[..., start:start + x.shape[-1]] = x\n"
     "    return y\n"},
    {"outer_sum",
     "def outer_sum(a, b):\n"
     "    return np.matmul(a.reshape(-1, a.shape[-1]).T, b.reshape(-1, b.shape[-1]))\n"},
    {"basis",
     "def basis(batch, count, m, n):\n"
     "    e = np.eye(count, dtype=np.float32).reshape(1, count, -1, n)\n"
     "    return np.broadcast_to(e, (batch, count, m, n))\n"},
    {"unit_tangents",
     "def unit_tangents(x, n):  # of x W^T along each element of W\n"
     "    batch, _, m, k = x.shape\n"
     "    t = np.zeros((batch, n, k, m, n), np.float32)\n"
     "    for i in range(n):\n"
     "        t[:, i, :, :, i] = np.swapaxes(x[:, 0], -1, -2)\n"
     "    return t.reshape(batch, n * k, m, n)\n"},
};

constexpr Helper linear_nd{"linear_nd",
                           "def linear_nd(x, W, bias=0):\n"
                           "    rows = x.reshape(math.prod(x.shape[:-1]), x.shape[-1])\n"
                           "    return linear(rows, W, bias).reshape(x.shape[:-1] + (len(W),))\n"};

bool calls(std::string_view text, std::string_view function) {
  const std::string call = std::string(function) + "(";
  for (auto at = text.find(call); at != text.npos; at = text.find(call, at + 1)) {
    const bool inside = at > 0 && (std::isalnum(static_cast<unsigned char>(text[at - 1])) != 0 ||
                                   text[at - 1] == '_' || text[at - 1] == '.');
    if (!inside) return true;
  }
  return false;
}

}  // namespace

Lines numpy_definitions(std::set<std::string> names, const NumpyModel* model) {
  std::vector<Helper> all(std::begin(helpers), std::end(helpers));
  if (model != nullptr) {
    for (const Helper& own : model->functions) {
      std::erase_if(all, [&own](const Helper& h) { return h.name == own.name; });
      all.push_back(own);
      if (own.name == model->result) names.insert(std::string(own.name));
    }
    all.push_back(linear_nd);
  }
  // A definition may call others: until no name is new.
  for (std::size_t before = 0; before != names.size();) {
    before = names.size();
    for (const Helper& caller : all) {
      if (names.count(std::string(caller.name)) == 0) continue;
      for (const Helper& callee : all)
        if (calls(caller.text, callee.name)) names.insert(std::string(callee.name));
    }
  }
  return definitions(all, names);
}

}  // namespace ulpfuzz::repro
