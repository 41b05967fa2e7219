#include "gather.hpp"

#include <algorithm>
#include <bit>

namespace ulpfuzz::properties {
namespace {

bool all_in_order(std::span<const std::uint32_t> rows, std::size_t batch) {
  if (rows.size() != batch) return false;
  for (std::size_t i = 0; i < batch; ++i) {
    if (rows[i] != i) return false;
  }
  return true;
}

}  // namespace

float* Gather::buffer(std::size_t index, std::size_t size) {
  if (buffers_.size() <= index) buffers_.resize(index + 1);
  buffers_[index].assign(std::max<std::size_t>(size, 1), 0.0f);
  return buffers_[index].data();
}

std::span<const float* const> Gather::rows(const Case& c, std::span<const std::uint32_t> rows,
                                           std::uint32_t padding) {
  pointers_.clear();
  const bool in_place = padding == 0 && (rows.size() == 1 || all_in_order(rows, c.batch()));
  for (std::size_t i = 0; i < c.inputs.size(); ++i) {
    const Tensor& input = c.inputs[i];
    if (in_place && !rows.empty()) {
      pointers_.push_back(input.row(rows.front()).data());
      continue;
    }
    float* to = buffer(i, (rows.size() + padding) * input.cols);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      std::copy_n(input.row(rows[r]).data(), input.cols, to + r * input.cols);
    }
    pointers_.push_back(to);
  }
  return pointers_;
}

std::span<const float* const> Gather::entries(const Case& c, std::span<const Entry> entries) {
  pointers_.clear();
  for (std::size_t i = 0; i < c.inputs.size(); ++i) {
    const Tensor& input = c.inputs[i];
    float* to = buffer(i, entries.size() * input.cols);
    for (std::size_t e = 0; e < entries.size(); ++e) {
      std::copy_n(input.row(entries[e].row).data(), input.cols, to + e * input.cols);
    }
    pointers_.push_back(to);
  }
  const std::size_t width = c.output_width();
  float* cotangents = buffer(c.inputs.size(), entries.size() * width);
  for (std::size_t e = 0; e < entries.size(); ++e) cotangents[e * width + entries[e].column] = 1;
  pointers_.push_back(cotangents);
  return pointers_;
}

std::span<const float* const> Gather::whole(const Case& c) {
  pointers_.clear();
  for (const Tensor& input : c.inputs) pointers_.push_back(input.data.data());
  return pointers_;
}

std::span<const float* const> Gather::unit_cotangents(const Case& c,
                                                      std::span<const std::uint32_t> rows) {
  this->rows(c, rows);
  const std::size_t width = c.output_width();
  float* cotangents = buffer(c.inputs.size(), rows.size() * width * width);
  for (std::size_t e = 0; e < rows.size() * width; ++e) cotangents[e * width + e % width] = 1;
  pointers_.push_back(cotangents);
  return pointers_;
}

std::span<const float* const> Gather::with_cotangents(const Case& c,
                                                      std::span<const std::uint32_t> rows) {
  this->rows(c, rows);
  const std::size_t width = c.cotangents.cols;
  float* to = buffer(c.inputs.size(), rows.size() * width);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::copy_n(c.cotangents.row(rows[r]).data(), width, to + r * width);
  }
  pointers_.push_back(to);
  return pointers_;
}

std::uint64_t fingerprint(const Case& c) {
  std::uint64_t hash = 0x9e3779b97f4a7c15u ^ c.batch();
  const auto mix = [&hash](std::uint64_t x) {
    hash = (hash ^ x) * 0xbf58476d1ce4e5b9u;
    hash ^= hash >> 29;
  };
  for (const Tensor& input : c.inputs) {
    mix(input.cols);
    if (!input.data.empty()) mix(std::bit_cast<std::uint32_t>(input.data.back()));
  }
  for (const Tensor& parameter : c.parameters) {
    if (!parameter.data.empty()) mix(std::bit_cast<std::uint32_t>(parameter.data.front()));
  }
  return hash;
}

}  // namespace ulpfuzz::properties
