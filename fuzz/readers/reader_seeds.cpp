// fuzz_reader_seeds CORPUS SEEDS: what is checked in under CORPUS, in every form that a reader
// takes, as SEEDS/case_file, SEEDS/npy and SEEDS/network.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/network/npy.hpp"

namespace {
using namespace ulpfuzz;
namespace fs = std::filesystem;

constexpr std::size_t most_bytes = 8192;  // longer seeds make a fuzzer slow and nothing else

std::string bytes_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class Seeds {
 public:
  explicit Seeds(fs::path folder) : folder_(std::move(folder)) {
    for (const char* reader : {"case_file", "npy", "network"})
      fs::create_directories(folder_ / reader);
  }
  void add(const char* reader, std::string_view bytes) {
    if (bytes.size() > most_bytes) return;
    write_file_atomically(folder_ / reader / fmt::format("{}", count_++), bytes);
  }
  void add_case(const fs::path& path) {
    const CaseFile file = read_case(path);
    add("case_file", bytes_of(path));
    add("case_file", to_text(file));
    const auto binary = to_bytes(file);
    add("case_file", {reinterpret_cast<const char*>(binary.data()), binary.size()});
    add("network", to_text(NetworkFile{file.value.network, file.value.parameters}));
    for (const Tensor& t : file.value.inputs)
      add("npy", to_npy(std::vector<std::size_t>{t.rows, t.cols}, t.data));
  }
  void add_network(const fs::path& path) {
    add("network", bytes_of(path));
    add("network", to_text(read_network(path)));
  }

 private:
  fs::path folder_;
  int count_ = 0;
};

// Words of the forms that no checked-in file has.
constexpr std::string_view layers[] = {
    R"({"ulpfuzz_network":1,"layers":["linear w.npy","gelu_tanh","softmax"]})",
    R"({"ulpfuzz_network":1,"layers":["linear 'w.npy' transposed","leaky_relu 0.1"]})",
    R"({"ulpfuzz_network":1,"layers":["mul w.npy","add w.npy","layer_norm 1e-5"]})",
    R"({"ulpfuzz_network":1,"input":[2,3],"layers":["reshape 3 2","rms_norm","elu 0x1p+0"]})"};

// Of the files of corpus/public/jax-vmap.
constexpr std::string_view cases[] = {
    R"({"ulpfuzz_case":1,"network":{"file":"network.json"},"inputs":[{"npy":"x.npy"}]})",
    R"({"ulpfuzz_case":1,"network":{"layers":["linear layer1.weight.npy layer1.bias.npy","relu"]},
"inputs":[{"npy":"x.npy"}],"split":[{"rows":"0-4,9"},{"rows":"8,7","padding":2}]})"};

void add_layers(Seeds& seeds) {
  for (const std::string_view text : cases) seeds.add("case_file", text);
  const float numbers[6] = {1, -2, 0.5f, 0, 3, 1e-40f};
  for (const auto& shape : {std::vector<std::size_t>{2, 3}, {1, 6}, {6}, {}}) {
    const std::string npy = to_npy(shape, std::span(numbers, shape.empty() ? 1 : 6));
    seeds.add("npy", npy);
    for (const std::string_view text : layers)
      seeds.add("network", std::string(text).append(1, '\0').append(npy));
  }
}

void add_all(const fs::path& corpus, Seeds& seeds) {
  for (const auto& entry : fs::recursive_directory_iterator(corpus)) {
    const std::string name = entry.path().filename().string();
    if (entry.path().string().find("/readers/") != std::string::npos) continue;
    if (name.ends_with(".case.json")) seeds.add_case(entry.path());
    if (name.ends_with("network.json")) seeds.add_network(entry.path());
    if (name.ends_with(".npy")) seeds.add("npy", bytes_of(entry.path()));
  }
  add_layers(seeds);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: fuzz_reader_seeds CORPUS SEEDS\n");
    return 2;
  }
  try {
    Seeds seeds(argv[2]);
    add_all(argv[1], seeds);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
  return 0;
}
