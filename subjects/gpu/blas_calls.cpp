#include "blas_calls.hpp"

#include <algorithm>

namespace ulpfuzz::gpu {
namespace {

using kernels::BlasGemm;
using kernels::BlasGemv;

// Entries from a multiple of it on, so many, each read one entry of every repeated operand, and the
// next one of every other.
std::size_t run_length(const BlasProduct& p) {
  const bool a = p.a.entry != 0 && p.a.repeat > 1, b = p.b.entry != 0 && p.b.repeat > 1;
  if (!a && !b) return p.entries;
  if (a && b) return p.a.repeat == p.b.repeat ? p.a.repeat : 1;
  return a ? p.a.repeat : p.b.repeat;
}

std::size_t stride(const BlasOperand& x) { return x.repeat > 1 ? 0 : x.entry; }

// Does a vector of the operand's elements lie in one line?
bool in_one_line(const BlasOperand& x, bool is_row, std::size_t length) {
  return length <= 1 || x.transposed != is_row || x.ld == 1;
}

}  // namespace

kernels::Product folded(kernels::Product p) {
  const bool shared = p.b_entry == 0 || p.b_repeat >= p.entries;
  const bool dense = p.a_repeat == 1 && p.a_entry == p.m * p.a_row;
  // Of one row an entry, entries are the rows.
  const bool rows = p.m == 1 && p.a_repeat == 1 && p.a_entry != 0;
  if (p.entries <= 1 || !shared || !(dense || rows)) return p;
  if (p.m == 1) p.a_row = p.a_entry;
  p.m *= p.entries;
  p.entries = 1;
  return p;
}

void each_batch(const BlasProduct& p, bool row_major,
                const std::function<void(const BlasGemm&)>& use) {
  const std::size_t length = run_length(p);
  for (std::size_t e = 0; e < p.entries; e += length) {
    BlasGemm g;
    g.row_major = true;
    g.transpose_a = p.a.transposed;
    g.transpose_b = p.b.transposed;
    g.m = p.m;
    g.n = p.n;
    g.k = p.k;
    g.a = p.a.at(e);
    g.lda = p.a.ld;
    g.a_stride = stride(p.a);
    g.b = p.b.at(e);
    g.ldb = p.b.ld;
    g.b_stride = stride(p.b);
    g.beta = p.beta;
    g.c = p.y + e * p.m * p.n;
    g.ldc = p.n;
    g.c_stride = p.m * p.n;
    g.entries = std::min(length, p.entries - e);
    g.operand = p.operand;
    g.mode = p.mode;
    use(row_major ? g : transposed(g));
  }
}

BlasGemm transposed(const BlasGemm& g) {
  BlasGemm t = g;
  t.row_major = !g.row_major;
  t.transpose_a = g.transpose_b;
  t.transpose_b = g.transpose_a;
  t.m = g.n;
  t.n = g.m;
  t.a = g.b;
  t.lda = g.ldb;
  t.a_stride = g.b_stride;
  t.b = g.a;
  t.ldb = g.lda;
  t.b_stride = g.a_stride;
  return t;
}

// Rows that are lines are the columns of a column-major matrix.
std::optional<BlasGemv> as_gemv(const BlasProduct& p) {
  const bool row = p.m == 1;
  if (p.entries != 1 || p.operand != Format::fp32 || !(row || p.n == 1)) return std::nullopt;
  const BlasOperand& vector = row ? p.a : p.b;
  const BlasOperand& matrix = row ? p.b : p.a;
  if (!in_one_line(vector, row, p.k)) return std::nullopt;
  const std::size_t size = row ? p.n : p.m;
  BlasGemv v;
  v.transpose = row == matrix.transposed;
  v.m = v.transpose ? p.k : size;
  v.n = v.transpose ? size : p.k;
  v.a = static_cast<const float*>(matrix.data);
  v.lda = matrix.ld;
  v.x = static_cast<const float*>(vector.data);
  v.beta = p.beta;
  v.y = p.y;
  v.mode = p.mode;
  return v;
}

}  // namespace ulpfuzz::gpu
