#include "layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "../calls.hpp"

namespace ulpfuzz::repro {
namespace {

constexpr std::size_t margin = 100;

class Builder {
 public:
  Builder(const Scene& scene, const Dialect& dialect, bool device)
      : s_(scene), dialect_(dialect), device_(device) {
    layout_.names = names_of(s_.value.network);
  }

  Layout build() {
    layout_.a = calls(s_.a);
    layout_.b = calls(s_.b);
    layout_.shifts = shifts();
    choose_kernels();
    for (Code& code : layout_.codes) code.takes_batch = takes_batch(code);
    for (auto* path : {&layout_.a, &layout_.b})
      for (CallText& text : *path) write_arguments(text);
    write_data();
    return std::move(layout_);
  }

 private:
  std::vector<CallText> calls(const Path& path) {
    std::vector<CallText> texts;
    for (const Call& call : path.calls) {
      CallText text;
      text.code = code(call, path.route);
      text.call = &call;
      layout_.codes[text.code].batches.push_back(call.batch());
      texts.push_back(std::move(text));
    }
    return texts;
  }

  std::size_t code(const Call& call, Route route) {
    Code made = code_of(*call.network, call.output, layout_.names);
    for (std::size_t i = 0; i < networks_.size(); ++i)
      if (*networks_[i] == *call.network && outputs_[i] == call.output) return i;
    made.of_parameter =
        s_.gradient && route != Route::forward && call.output >= s_.value.inputs.size();
    made.name = function_name(route);
    networks_.push_back(call.network);
    outputs_.push_back(call.output);
    layout_.codes.push_back(std::move(made));
    return layout_.codes.size() - 1;
  }

  static std::string function_name(Route route) {
    switch (route) {
      case Route::loop:
        return "one_gradient";
      case Route::reverse:
        return "all_gradients";
      case Route::forward:
        return "all_tangents";
      case Route::whole:
      case Route::micro:
        return "summed_gradient";
      default:
        return "evaluate";
    }
  }

  bool takes_batch(const Code& code) const {
    const auto mention = [&](const auto& lines_of) {
      if (!lines_of) return false;
      const std::vector<std::string> lines = lines_of(code);
      return std::any_of(lines.begin(), lines.end(), [](const std::string& line) {
        return line.find("batch ") != std::string::npos;
      });
    };
    const auto reads = [&](const Statement& s) {
      if (!device_ && layout_.kernel(s.kernel).maps()) return false;
      return std::any_of(s.sizes.begin(), s.sizes.end(),
                         [](const Size& size) { return size.per_batch != 0; });
    };
    return mention(dialect_.before) || mention(dialect_.after) ||
           std::any_of(code.statements.begin(), code.statements.end(), reads);
  }

  /// Is some buffer to begin elsewhere than on a 64-byte boundary?
  bool shifts() const {
    for (const Path* path : {&s_.a, &s_.b})
      for (const Call& call : path->calls)
        if (call.offset != 0) return true;
    return false;
  }

  void write_arguments(CallText& text) {
    const Code& code = layout_.codes[text.code];
    const Case& c = s_.value;
    for (const std::size_t i : code.input_index) {
      if (i >= c.inputs.size()) {
        text.arguments.push_back(cotangents(*text.call));
        continue;
      }
      const std::string& name = layout_.names.inputs[i];
      const RowsText rows = rows_text(name, c.inputs[i], *text.call);
      if (rows.text.find(name) != std::string::npos) inputs_read_.insert(i);
      needs_rows_ |= rows.helper;
      text.arguments.push_back(shifts() && rows.text == name ? "Values(" + name + ")" : rows.text);
    }
    if (code.takes_batch) text.arguments.push_back(std::to_string(text.call->batch()));
  }

  std::string cotangents(const Call& call) {
    const std::size_t width = s_.value.output_width();
    if (call.cotangents == Cotangents::given) {
      const RowsText rows = rows_text(layout_.names.cotangents, s_.value.cotangents, call);
      given_ |= rows.text.find(layout_.names.cotangents) != std::string::npos;
      needs_rows_ |= rows.helper;
      return rows.text;
    }
    if (call.cotangents == Cotangents::unit) {
      unnamed_.push_back(pattern_of(cotangents_of(s_.value, call), width));
      return values_text(unnamed_.back(), width);
    }
    if (width == 1) return fmt::format("Values({}, 1.0f)", call.rows.size());
    needs_identity_ = true;
    return fmt::format("unit_rows({}, {})", call.rows.size(), width);
  }

  void choose_kernels() {
    std::vector<std::pair<KernelId, Uses>> used;
    for (const Code& code : layout_.codes) {
      for (const Statement& s : code.statements) {
        auto found = std::find_if(used.begin(), used.end(),
                                  [&](const auto& u) { return u.first == s.kernel; });
        if (found == used.end()) found = used.insert(used.end(), {s.kernel, {}});
        for (const std::size_t batch : code.batches) {
          std::vector<std::size_t> sizes;
          for (const Size& size : s.sizes) sizes.push_back(size.at(batch));
          found->second.push_back(std::move(sizes));
        }
      }
    }
    std::set<std::string> taken;
    for (const auto& [id, uses] : used) {
      Kernel kernel = plain_kernel(id);
      if (dialect_.adapt) dialect_.adapt(kernel, id, uses);
      const std::string name = kernel.name;
      // Functions of one name differ in their arrays (with and without a bias).
      const auto key = [&] { return fmt::format("{}/{}", kernel.name, kernel.arrays.size()); };
      for (int i = 2; !taken.insert(key()).second; ++i) kernel.name = fmt::format("{}{}", name, i);
      layout_.kernels.emplace_back(id, std::move(kernel));
    }
  }

  void write_data() {
    const Case& c = s_.value;
    std::vector<Pattern> patterns;
    const auto add = [&](const std::string& name, const Tensor& t) {
      patterns.push_back(pattern_of(t.data, t.cols));
      layout_.data.emplace_back(name, values_text(patterns.back(), t.cols));
      layout_.shapes.push_back(fmt::format("[{},{}]", t.rows, t.cols));
    };
    for (const std::size_t i : parameters_read(layout_.codes, layout_.names))
      add(layout_.names.parameters[i], c.parameters[i]);
    for (const std::size_t i : inputs_read_) add(layout_.names.inputs[i], c.inputs[i]);
    if (given_) add(layout_.names.cotangents, c.cotangents);
    check_size(patterns);
    patterns.insert(patterns.end(), unnamed_.begin(), unnamed_.end());
    layout_.helpers = data_helpers(patterns, needs_rows_);
    if (needs_identity_)
      layout_.helpers.push_back(R"(// All unit cotangents of each row.
Values unit_rows(int rows, int n) {
  Values all(rows * n * n);
  for (int i = 0; i < rows * n; ++i) all[i * n + i % n] = 1;
  return all;
})");
  }

  const Scene& s_;
  const Dialect& dialect_;
  bool device_;
  Layout layout_;
  std::vector<const Network*> networks_;
  std::vector<std::size_t> outputs_;
  std::set<std::size_t> inputs_read_;
  std::vector<Pattern> unnamed_;  ///< in arguments
  bool given_ = false;
  bool needs_rows_ = false;
  bool needs_identity_ = false;
};

}  // namespace

const Kernel& Layout::kernel(const KernelId& id) const {
  const auto found =
      std::find_if(kernels.begin(), kernels.end(), [&](const auto& k) { return k.first == id; });
  return found->second;
}

Layout layout_of(const Scene& scene, const Dialect& dialect, bool device) {
  return Builder(scene, dialect, device).build();
}

std::string wrapped(const std::string& line, std::size_t indent) {
  indent += std::min(line.find_first_not_of(' '), line.size());
  std::string rest(indent, ' ');
  rest.append(line, std::min(line.find_first_not_of(' '), line.size()));
  std::string result;
  while (rest.size() > margin) {
    std::size_t at = rest.rfind(", ", margin - 1);
    std::size_t keep = 1;
    if (at == std::string::npos || at < indent + 8) {
      at = rest.rfind(" ", margin - 1);
      keep = 0;
    }
    if (at == std::string::npos || at < indent + 8) break;
    result += rest.substr(0, at + keep) + "\n";
    rest = std::string(indent + 4, ' ').append(rest, at + keep + 1);
  }
  return result + rest + "\n";
}

}  // namespace ulpfuzz::repro
