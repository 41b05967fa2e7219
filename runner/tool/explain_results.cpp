#include "explain_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "ulpfuzz/network/npy.hpp"

namespace ulpfuzz::tool {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& file, const std::vector<std::size_t>& shape,
                         std::string_view problem, std::string_view remedy) {
  throw FileError(
      fmt::format("{}: shape {}: {}; {}", file.string(), npy_shape(shape), problem, remedy));
}

std::string wanted(const Layout& layout) {
  if (layout.parts.empty()) return fmt::format("the network gives {}", layout.outputs);
  return fmt::format("the Jacobian has {} outputs x {}", layout.outputs,
                     layout.width() / std::max<std::size_t>(layout.outputs, 1));
}

void check_width(const fs::path& file, const std::vector<std::size_t>& shape, const Table& table,
                 const Layout& layout) {
  if (table.cols == layout.width()) return;
  const std::string remedy =
      layout.parts.empty()
          ? fmt::format("save [rows, {}], or ask with --jacobian for gradients", layout.outputs)
          : fmt::format("save [rows, outputs, elements], or leave out --jacobian for outputs");
  refuse(file, shape, fmt::format("{} numbers a row, where {}", table.cols, wanted(layout)),
         remedy);
}

// A result of all rows is cut to those asked for.
template <class T>
void cut(std::vector<T>& data, std::size_t width, const Rows& rows) {
  std::vector<T> kept;
  kept.reserve(rows.selected.size() * width);
  for (const std::uint32_t row : rows.selected) {
    const auto at = data.begin() + static_cast<std::ptrdiff_t>(row * width);
    kept.insert(kept.end(), at, at + static_cast<std::ptrdiff_t>(width));
  }
  data = std::move(kept);
}

template <class T>
std::vector<T> read_part(const fs::path& file, const Rows& rows, const Layout& layout) {
  NpyArray<T> array = read_npy<T>(file);
  const Table table = table_of(array.shape, layout.width());
  check_width(file, array.shape, table, layout);
  if (table.rows == rows.selected.size()) return std::move(array.data);
  if (table.rows != rows.all)
    refuse(file, array.shape,
           fmt::format("{} rows, where {} has {}", table.rows, rows.source, rows.selected.size()),
           "say with --rows which rows of the input it belongs to");
  cut(array.data, table.cols, rows);
  return std::move(array.data);
}

}  // namespace

std::string row_list(const std::vector<std::uint32_t>& rows) {
  std::string text;
  for (std::size_t i = 0; i < rows.size();) {
    std::size_t end = i + 1;
    while (end < rows.size() && rows[end] == rows[end - 1] + 1) ++end;
    if (text.size() > 60) return text + ",...";
    if (i > 0) text += ",";
    text += fmt::format("{}", rows[i]);
    if (end - i > 1) text += fmt::format("-{}", rows[end - 1]);
    i = end;
  }
  return text;
}

void check_distinct(const Rows& rows) {
  std::vector<std::uint32_t> sorted = rows.selected;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end())
    throw FileError(
        fmt::format("{}: row {} is named more than once; name it once", rows.source, *twice));
}

std::size_t Layout::width() const {
  if (parts.empty()) return outputs;
  return outputs * std::accumulate(parts.begin(), parts.end(), std::size_t{0});
}

Table table_of(const std::vector<std::size_t>& shape, std::size_t width) {
  const std::size_t count =
      std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
  if (shape.empty()) return {1, 1};
  if (shape.size() == 1 && width != 1) return {1, count};
  const std::size_t cols =
      std::accumulate(shape.begin() + 1, shape.end(), std::size_t{1}, std::multiplies<>());
  if (cols != width && count == width) return {1, count};  // of one row, without its axis
  return {shape[0], cols};
}

template <class T>
std::vector<T> read_results(const std::vector<fs::path>& files, const Rows& rows,
                            const Layout& layout) {
  if (files.size() == 1) return read_part<T>(files[0], rows, layout);
  if (files.size() != layout.parts.size())
    throw FileError(fmt::format(
        "{}: one of {} files of a result; {}", files[0].string(), files.size(),
        layout.parts.empty() ? "give one, or ask with --jacobian for gradients"
                             : fmt::format("give one with all, or {}", layout.parts.size())));
  std::vector<std::vector<T>> read;
  for (std::size_t i = 0; i < files.size(); ++i)
    read.push_back(read_part<T>(files[i], rows, {layout.outputs, {layout.parts[i]}}));
  std::vector<T> all;
  all.reserve(rows.selected.size() * layout.width());
  for (std::size_t r = 0; r < rows.selected.size() * layout.outputs; ++r)
    for (std::size_t i = 0; i < files.size(); ++i) {
      const auto at = read[i].begin() + static_cast<std::ptrdiff_t>(r * layout.parts[i]);
      all.insert(all.end(), at, at + static_cast<std::ptrdiff_t>(layout.parts[i]));
    }
  return all;
}

template std::vector<float> read_results(const std::vector<fs::path>&, const Rows&, const Layout&);
template std::vector<double> read_results(const std::vector<fs::path>&, const Rows&, const Layout&);

}  // namespace ulpfuzz::tool
