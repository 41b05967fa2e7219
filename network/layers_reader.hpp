#pragma once

#include "neighbours.hpp"
#include "ulpfuzz/network/case_file.hpp"

namespace ulpfuzz {

/// A network with one value after the other, as a list of layers with their .npy files:
///   "layers": ["linear w1.npy b1.npy", "relu", "leaky_relu 0.1", "linear w2.npy", "softmax"]
///   "input": [rows, cols]   needed only where no layer tells how wide it is
/// linear takes a weight [outputs, inputs], or [inputs, outputs] with the word `transposed` at the
/// end; mul and add take a row. A name with spaces stands between apostrophes. Parameters are
/// numbered in the order of the files. The caller checks the other fields of `v`.
NetworkFile read_layers(const JsonView& v, Neighbours& files);

}  // namespace ulpfuzz
