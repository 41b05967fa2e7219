#include "soundness/machine.hpp"

#include "soundness/moves.hpp"

namespace ulpfuzz::bench {
namespace {

// What is only moved is not rounded once more.
bool computes(Op op) {
  return op != Op::concat && op != Op::reshape && op != Op::slice && op != Op::pad &&
         op != Op::basis && op != Op::unit_tangents;
}

}  // namespace

template <class N>
void Machine<N>::run(const Network& network, std::span<const Tensor> parameters, std::size_t batch,
                     std::span<const float* const> inputs) {
  network_ = &network;
  batch_ = batch;
  if (layered_.everywhere.accumulate != Format::fp64)
    Narrow::format = layered_.everywhere.accumulate;
  values_.resize(network.nodes().size());
  std::size_t p = 0, x = 0;
  for (NodeId id = 0; id < network.nodes().size(); ++id) {
    const Node& n = network.node(id);
    Numbers& y = values_[id];
    y.clear();
    const auto load = [&](const float* from, std::size_t count) {
      for (std::size_t i = 0; i < count; ++i) y.push_back(N(from[i]));
    };
    if (n.op == Op::parameter) {
      load(parameters[p].data.data(), parameters[p].data.size());
      ++p;
    } else if (n.op == Op::input) {
      load(inputs[x++], entries(n) * n.shape.size());
    } else {
      how_ = layered_.at(id);
      plain_ = plain_products(how_);
      constexpr std::array<std::size_t, 4> shares{0, 2, 4, 4};
      plain_share_ = how_.mixed ? shares[pick(random_, shares.size())] : 0;
      y.assign(entries(n) * n.shape.size(), N(0));
      evaluate(id);
      if (computes(n.op)) keep(y);
    }
  }
}

template <class N>
void Machine<N>::evaluate(NodeId id) {
  const Node& n = network_->node(id);
  Numbers& y = values_[id];
  switch (n.op) {
    case Op::linear:
    case Op::matmul:
      return products(n, y);
    case Op::outer_sum:
      return batch_products(n, y);
    case Op::add:
    case Op::mul:
      return binary(n, y);
    case Op::softmax:
    case Op::layer_norm:
    case Op::rms_norm:
    case Op::softmax_grad:
    case Op::layer_norm_grad:
    case Op::rms_norm_grad:
      return rows(n, y);
    case Op::sum_rows:
    case Op::batch_sum:
      return sums(n, y);
    case Op::derivative:
      return activations(n, y);
    default:
      return is_activation(n.op) ? activations(n, y) : moves(n, y);
  }
}

template <class N>
const Arithmetic& Machine<N>::product(bool outer) {
  static const Arithmetic fp32;
  if (outer && !how_.outer_by_matmul) return fp32;
  return plain_share_ > 0 && pick(random_, 4) < plain_share_ ? plain_ : how_;
}

template <class N>
void Machine<N>::products(const Node& n, Numbers& y) {
  const Shape sa = arg(n, 0).shape, sb = arg(n, 1).shape;
  const bool linear = n.op == Op::linear;
  const std::size_t k = n.transpose_a ? sa.rows : sa.cols;
  a_.resize(k), b_.resize(k);
  for (std::size_t e = 0, out = 0; e < entries(n); ++e) {
    const N* a = entry(n, 0, e);
    const N* b = entry(n, 1, e);
    const N* bias = n.arity == 3 ? entry(n, 2, e) : nullptr;
    for (std::size_t r = 0; r < n.shape.rows; ++r)
      for (std::size_t j = 0; j < n.shape.cols; ++j, ++out) {
        for (std::size_t l = 0; l < k; ++l) {
          a_[l] = n.transpose_a ? a[l * sa.cols + r] : a[r * sa.cols + l];
          b_[l] = linear || n.transpose_b ? b[j * sb.cols + l] : b[l * sb.cols + j];
        }
        y[out] = dots_.matmul(a_, b_, bias ? bias + j : nullptr, product(k == 1 && !linear));
      }
  }
}

// Sums over batch rows and feature rows of a^T b.
template <class N>
void Machine<N>::batch_products(const Node& n, Numbers& y) {
  const Shape sa = arg(n, 0).shape, sb = arg(n, 1).shape;
  const std::size_t terms = entries(arg(n, 0)) * sa.rows;
  a_.resize(terms), b_.resize(terms);
  const N* a = values_[n.args[0]].data();
  const N* b = values_[n.args[1]].data();
  for (std::size_t i = 0, out = 0; i < n.shape.rows; ++i)
    for (std::size_t j = 0; j < n.shape.cols; ++j, ++out) {
      for (std::size_t t = 0; t < terms; ++t)
        a_[t] = a[t * sa.cols + i], b_[t] = b[t * sb.cols + j];
      y[out] = dots_.matmul(a_, b_, nullptr, product(terms == 1));
    }
}

template <class N>
void Machine<N>::sums(const Node& n, Numbers& y) {
  const Node& x = arg(n, 0);
  const std::size_t size = n.shape.size();
  const bool over_batch = n.op == Op::batch_sum;
  const std::size_t terms = over_batch ? entries(x) : x.shape.rows;
  for (std::size_t e = 0; e < entries(n); ++e) {
    const N* from = over_batch ? values_[n.args[0]].data() : entry(n, 0, e);
    for (std::size_t i = 0; i < size; ++i) {
      a_.resize(terms);
      for (std::size_t t = 0; t < terms; ++t) a_[t] = from[t * size + i];
      y[e * size + i] = dots_.sum(a_);
    }
  }
}

template <class N>
void Machine<N>::binary(const Node& n, Numbers& y) {
  const std::size_t size = n.shape.size(), cols = n.shape.cols;
  const bool wide_a = arg(n, 0).shape.rows == n.shape.rows;
  const bool wide_b = arg(n, 1).shape.rows == n.shape.rows;
  for (std::size_t e = 0; e < entries(n); ++e) {
    const N* a = entry(n, 0, e);
    const N* b = entry(n, 1, e);
    for (std::size_t i = 0; i < size; ++i) {
      const N p = a[wide_a ? i : i % cols], q = b[wide_b ? i : i % cols];
      y[e * size + i] = n.op == Op::add ? p + q : p * q;
    }
  }
}

// Functions of less than fp32 either round every step or compute in fp32 and round at the end.
template <class N>
void Machine<N>::activations(const Node& n, Numbers& y) {
  const N* x = values_[n.args[0]].data();
  const auto apply = [&](const auto& f, auto z) {
    return n.op == Op::derivative ? f.slope(n.of, n.alpha, z) : f.value(n.op, n.alpha, z);
  };
  const Activations<N> same(style_, how_, random_);
  const Activations<float> inner(style_, how_, random_);
  for (std::size_t i = 0; i < y.size(); ++i) {
    if constexpr (std::is_same_v<N, Narrow>) {
      if (!style_.rounds_inside) {
        y[i] = Narrow::of(apply(inner, x[i].v));
        continue;
      }
    }
    y[i] = apply(same, x[i]);
  }
}

template <class N>
template <class M>
void Machine<N>::rows_in(const Node& n, Dots<M>& dots, Numbers& y) {
  Rows<M> rows(style_, how_, dots, random_);
  const std::size_t cols = n.shape.cols;
  std::vector<M> v(cols), x(cols), result(cols);
  const auto take = [&](const N* from, std::vector<M>& to) {
    for (std::size_t j = 0; j < cols; ++j) to[j] = M(from[j]);
  };
  const bool centred = n.op == Op::layer_norm || n.op == Op::layer_norm_grad;
  for (std::size_t e = 0, out = 0; e < entries(n); ++e)
    for (std::size_t r = 0; r < n.shape.rows; ++r) {
      take(entry(n, 0, e) + r * cols, v);
      if (n.arity == 2) take(entry(n, 1, e) + r * cols, x);
      if (n.op == Op::softmax) {
        rows.softmax(v.data(), cols, result.data());
      } else if (n.op == Op::softmax_grad) {
        rows.softmax_grad(v.data(), x.data(), cols, result.data());
      } else if (n.arity == 1) {
        rows.norm(centred, n.alpha, v.data(), cols, result.data());
      } else {
        rows.norm_grad(centred, n.alpha, v.data(), x.data(), cols, result.data());
      }
      for (std::size_t j = 0; j < cols; ++j, ++out) {
        if constexpr (std::is_same_v<N, M>) {
          y[out] = result[j];
        } else {
          y[out] = N::of(wide(result[j]));
        }
      }
    }
}

template <class N>
void Machine<N>::rows(const Node& n, Numbers& y) {
  if constexpr (std::is_same_v<N, Narrow>) {
    Dots<float> inner(style_);
    if (!style_.rounds_inside) return rows_in(n, inner, y);
  }
  rows_in(n, dots_, y);
}

template <class N>
void Machine<N>::moves(const Node& n, Numbers& y) {
  const auto operand = [&](std::size_t k, std::size_t e) { return entry(n, k, e); };
  for (std::size_t e = 0, out = 0; e < entries(n); ++e)
    for (std::size_t r = 0; r < n.shape.rows; ++r)
      for (std::size_t j = 0; j < n.shape.cols; ++j, ++out)
        y[out] = moved<N>(*network_, n, e, r, j, operand);
}

template <class N>
void Machine<N>::keep(Numbers& y) const {
  if constexpr (is_machine<N>) {
    if (how_.keep == Format::fp64 || how_.keep == Format::fp32) return;
    for (N& v : y) v = N(narrowed(wide(v), how_.keep));
  }
}

template <class N>
double Machine<N>::stored(NodeId id, std::size_t i) const {
  const double v = wide(values_[id][i]);
  return is_machine<N> ? double{narrowed(v, layered_.everywhere.store)} : v;
}

template class Machine<float>;
template class Machine<double>;
template class Machine<long double>;
template class Machine<Narrow>;

}  // namespace ulpfuzz::bench
