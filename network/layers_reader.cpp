#include "layers_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "float_text.hpp"
#include "nearest_op.hpp"
#include "network_reader.hpp"
#include "text_reader.hpp"

namespace ulpfuzz {
namespace {

struct Layer {
  explicit Layer(const JsonView& v) : place(v) {}

  JsonView place;
  Op op = Op::relu;
  std::vector<std::string> files;  ///< of `parameters`
  std::vector<Tensor> parameters;
  bool turned = false;  ///< the weight lies in its file as [inputs, outputs]
  std::optional<float> alpha;
  Shape shape;  ///< reshape
};

std::vector<std::string> words_of(const JsonView& v) {
  std::vector<std::string> words;
  std::string_view rest = v.text();
  for (;;) {
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    if (rest.empty()) return words;
    if (rest.front() == '\'') {  // a file name with spaces
      const std::size_t end = rest.find('\'', 1);
      if (end == rest.npos) v.refuse("a name without its second '", "write 'NAME.npy'");
      words.emplace_back(rest.substr(1, end - 1));
      rest.remove_prefix(end + 1);
      continue;
    }
    words.emplace_back(rest.substr(0, rest.find_first_of(" \t")));
    rest.remove_prefix(words.back().size());
  }
}

bool is_norm(Op op) { return op == Op::layer_norm || op == Op::rms_norm; }
bool has_row(Op op) { return op == Op::mul || op == Op::add; }
// Of one operand, and its shape is that of the operand.
bool is_plain(Op op) { return is_activation(op) || op == Op::softmax || is_norm(op); }

Op layer_op(const JsonView& place, const std::string& word) {
  const auto op = op_from(word);
  if (!op) place.refuse(fmt::format("unknown op \"{:.40}\"", word), op_remedy(word));
  if (*op == Op::linear || *op == Op::reshape || has_row(*op) || is_plain(*op)) return *op;
  if (*op == Op::matmul)
    place.refuse("matmul is no layer", "write linear, which multiplies by a weight");
  place.refuse(fmt::format("{} is no layer of one value", word),
               "write the network as nodes (docs/case-file.md)");
}

Tensor transposed(const Tensor& t) {
  Tensor result(t.cols, t.rows);
  for (std::size_t i = 0; i < t.rows; ++i)
    for (std::size_t j = 0; j < t.cols; ++j) result.row(j)[i] = t.row(i)[j];
  return result;
}

void need_files(const Layer& layer, std::size_t least, std::size_t most, std::string_view form) {
  const std::size_t count = layer.files.size();
  if (count < least || count > most)
    layer.place.refuse(fmt::format("{} with {} files", name(layer.op), count),
                       fmt::format("write \"{}\"", form));
}

float number(const Layer& layer, const std::string& word) {
  const auto x = parse_float(word);
  if (!x) layer.place.refuse(fmt::format("\"{:.40}\" is no float", word), float_spelling);
  return *x;
}

std::uint32_t length(const Layer& layer, const std::string& word) {
  const auto x = parse_float(word);
  const bool whole = x && *x >= 0 && *x <= static_cast<float>(limits::dimension) &&
                     static_cast<float>(static_cast<std::uint32_t>(*x)) == *x;
  if (!whole)
    layer.place.refuse(fmt::format("\"{:.40}\" is no number of rows or columns", word),
                       "write \"reshape ROWS COLUMNS\"");
  return static_cast<std::uint32_t>(*x);
}

void read_arguments(Layer& layer, std::vector<std::string> words, Neighbours& files) {
  const JsonView& place = layer.place;
  if (layer.op == Op::reshape) {
    if (words.size() != 2)
      place.refuse("reshape without its shape", "write \"reshape ROWS COLUMNS\"");
    layer.shape = {length(layer, words[0]), length(layer, words[1])};
    return;
  }
  if (is_plain(layer.op)) {
    const bool takes_alpha = default_alpha(layer.op) != 0;
    if (words.size() > (takes_alpha ? 1 : 0))
      place.refuse(fmt::format("{} with \"{:.40}\"", name(layer.op), words.back()), "drop it");
    if (!words.empty()) layer.alpha = number(layer, words[0]);
    return;
  }
  layer.turned = layer.op == Op::linear && !words.empty() && words.back() == "transposed";
  if (layer.turned) words.pop_back();
  layer.files = std::move(words);
  if (layer.op == Op::linear)
    need_files(layer, 1, 2, "linear WEIGHT.npy BIAS.npy");
  else
    need_files(layer, 1, 1, fmt::format("{} ROW.npy", name(layer.op)));
  for (const auto& file : layer.files) layer.parameters.push_back(files.tensor(place, file));
  if (layer.turned) layer.parameters[0] = transposed(layer.parameters[0]);
}

Layer read_layer(const JsonView& v, Neighbours& files) {
  Layer layer(v);
  std::vector<std::string> words = words_of(v);
  if (words.empty()) v.refuse("names no op", "write \"linear WEIGHT.npy BIAS.npy\" or \"relu\"");
  layer.op = layer_op(v, words.front());
  words.erase(words.begin());
  read_arguments(layer, std::move(words), files);
  return layer;
}

Shape input_shape(const JsonView& v, const std::vector<Layer>& layers) {
  if (const auto input = v.find("input")) {
    if (input->size() != 2) input->refuse("not two numbers", "write [1, COLUMNS]");
    return {input->at(0).number(), input->at(1).number()};
  }
  for (const Layer& layer : layers) {
    if (!layer.parameters.empty()) return {1, layer.parameters[0].cols};
    if (!is_plain(layer.op)) break;
  }
  v.refuse("no layer tells how wide the input is", "add \"input\": [1, COLUMNS]");
}

std::string turn_remedy(const Layer& layer, std::uint32_t cols) {
  if (layer.op != Op::linear || layer.parameters[0].rows != cols)
    return "name the file that fits, or save it as [outputs, inputs]";
  return layer.turned ? "drop transposed: it is kept as [outputs, inputs]"
                      : "write transposed at its end if it is kept as [inputs, outputs]";
}

// What append would refuse as well, in words of files.
void check_chain(const Layer& layer, Shape x, const std::string& giver) {
  const Tensor& weight = layer.parameters[0];
  if (weight.cols == x.cols) return;
  layer.place.refuse(fmt::format("{} {} wants {} columns, {} {}", name(layer.op), layer.files[0],
                                 weight.cols, giver, x.cols),
                     turn_remedy(layer, x.cols));
}

void check_bias(const Layer& layer) {
  if (layer.parameters.size() < 2) return;
  const Tensor &weight = layer.parameters[0], &bias = layer.parameters[1];
  if (bias.rows == 1 && bias.cols == weight.rows) return;
  layer.place.refuse(fmt::format("bias {} is {} x {}, where {} gives {} columns", layer.files[1],
                                 bias.rows, bias.cols, layer.files[0], weight.rows),
                     "name the file that fits");
}

void append_layer(NetworkFile& file, Layer& layer, const std::string& giver) {
  Network& network = file.network;
  const Complain complain = complain_at(layer.place);
  Node node;
  node.op = layer.op;
  node.arity = 1;
  node.args[0] = static_cast<NodeId>(network.nodes().size() - 1);
  node.alpha = layer.alpha.value_or(default_alpha(layer.op));
  node.shape = layer.shape;
  if (!layer.parameters.empty()) {
    check_chain(layer, network.nodes().back().shape, giver);
    check_bias(layer);
  }
  std::size_t file_number = 0;
  for (Tensor& t : layer.parameters) {
    node.args[node.arity++] = static_cast<NodeId>(network.nodes().size());
    append_checked(network, {.op = Op::parameter, .shape = {t.rows, t.cols}, .axis = Axis::shared},
                   complain);
    file.sources.push_back(layer.files[file_number++]);
    file.parameters.push_back(std::move(t));
  }
  append_checked(network, node, complain);
}

}  // namespace

NetworkFile read_layers(const JsonView& v, Neighbours& files) {
  const JsonView list = v.field("layers");
  std::vector<Layer> layers;
  for (std::size_t i = 0, n = list.size(); i < n; ++i)
    layers.push_back(read_layer(list.at(i), files));
  if (layers.empty()) list.refuse("no layers, so the network has no output", "add one");
  NetworkFile file;
  append_checked(file.network, {.op = Op::input, .shape = input_shape(v, layers)}, complain_at(v));
  std::string giver = "the input has";
  for (std::size_t i = 0; i < layers.size(); ++i) {
    append_layer(file, layers[i], giver);
    giver = fmt::format("layers[{}] gives", i);
  }
  output_checked(file.network, static_cast<NodeId>(file.network.nodes().size() - 1),
                 complain_at(list));
  return file;
}

}  // namespace ulpfuzz
