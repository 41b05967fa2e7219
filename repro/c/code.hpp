#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "../scene.hpp"
#include "ulpfuzz/network/network.hpp"

/// What the programs of C++ and CUDA have in common: a network as statements that call kernels, and
/// kernels as the body of a loop, which a host runs and a device spreads over its threads.
namespace ulpfuzz::repro {

using Lines = std::vector<std::string>;

/// A size: `per_batch` times the batch, plus a constant.
struct Size {
  std::size_t per_batch = 0;
  std::size_t constant = 0;

  std::size_t at(std::size_t batch) const { return per_batch * batch + constant; }
  /// "batch * 3", "batch", "7"
  std::string text() const;
  bool operator==(const Size&) const = default;
};

/// Which function a node needs: all else of the node is an argument.
struct KernelId {
  Op op = Op::linear;
  Op of = Op::relu;   ///< of a derivative
  float alpha = 0;    ///< written into the function
  bool bias = false;  ///< of a linear
  bool each = false;  ///< of a matmul: one product for each entry
  bool transpose_a = false;
  bool transpose_b = false;
  bool spread = false;  ///< not the node's op, but an operand spread out for it

  bool operator==(const KernelId&) const = default;
};

/// A function: the body of a loop over `index` < `count`, which is one of its sizes. It reads
/// `arrays` and writes y.
struct Kernel {
  std::string name;
  std::string comment;              ///< what it computes
  std::vector<std::string> arrays;  ///< names of parameters
  std::vector<std::string> sizes;   ///< of int parameters
  std::string result;               ///< number of elements: "rows * n"
  std::string index, count;         ///< "r", "rows"; empty: a function of one float, map's
  std::vector<std::string> body;    ///< lines
  /// Lines of a whole host function between "Values y(...)" and "return y", in place of the loop.
  std::vector<std::string> call;
  std::vector<std::string> helpers;  ///< functions that stand before it, whole texts
  std::vector<std::string> headers, flags, libraries;  ///< that it needs: "<cblas.h>", "-lopenblas"

  /// Is it a function of one float, for all elements of an array?
  bool maps() const { return index.empty() && call.empty(); }
};

/// result = kernel(arrays, sizes)
struct Statement {
  std::string result;
  KernelId kernel;
  std::vector<std::string> arrays;
  std::vector<Size> sizes;
  Size elements;  ///< of the result
};

/// The part of a network that one of its outputs needs.
struct Code {
  std::string name;                 ///< of the function
  std::vector<std::string> inputs;  ///< names of the inputs that are read, the network's order
  std::vector<std::size_t> input_index;
  std::vector<Statement> statements;
  std::string output;
  const Node* output_node = nullptr;
  std::size_t repeat = 1;
  bool of_parameter = false;         ///< the gradient of one
  bool takes_batch = false;          ///< reads the number of rows
  std::vector<std::size_t> batches;  ///< that it is called with
};

/// Names that all functions of a program agree on.
struct Names {
  std::vector<std::string> inputs;
  std::vector<std::string> parameters;
  std::string cotangents = "upstream";
};
Names names_of(const Network& forward);

/// The code of call.network for call.output. `inputs` of the forward network; one more is the
/// cotangents.
Code code_of(const Network& network, std::size_t output, const Names& names);

/// The plain kernel: sums from left to right, bias last, functions of libm.
Kernel plain_kernel(const KernelId& id);

/// Names of the parameters that some statement reads.
std::vector<std::size_t> parameters_read(const std::vector<Code>& codes, const Names& names);

}  // namespace ulpfuzz::repro
