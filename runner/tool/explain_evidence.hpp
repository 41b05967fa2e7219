#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "ulpfuzz/diagnosis/explanation.hpp"
#include "ulpfuzz/network/case_file.hpp"

namespace ulpfuzz::tool {

/// What `ulpfuzz explain` was asked, as it stands on the command line.
struct Question {
  std::filesystem::path network, case_file;
  std::vector<std::filesystem::path> inputs;
  std::string rows;
  std::vector<std::filesystem::path> a, b;  ///< more than one: a Jacobian, a file a parameter
  std::vector<std::filesystem::path> difference;
  std::optional<double> difference_sum;
  diagnosis::Quantity quantity = diagnosis::Quantity::outputs;
  std::size_t batch_a = 0, batch_b = 0;
  std::string subject;  ///< gives a and b itself, from the first batch_a and batch_b rows
};

/// The files of a question, read and checked; holds what `evidence` points to.
struct Files {
  NetworkFile network;
  std::vector<Tensor> inputs;  ///< the rows in question
  std::size_t rows = 0;
  std::vector<std::uint32_t> selected;  ///< their places in the inputs
  std::vector<Tensor> all_inputs;       ///< every row, if a subject evaluates them
  std::vector<float> a, b;
  std::vector<double> difference;
};

/// Throws FileError, one line with the file or option, the place and what would fit.
Files read_files(const Question& question);

/// `files` and `question` must outlive it, and `inputs` takes what it points to.
diagnosis::Evidence evidence_of(const Question& question, const Files& files,
                                std::vector<const float*>& inputs);

}  // namespace ulpfuzz::tool
