// A network that is read comes back the same from what is written of it. What follows the first NUL
// of the input, which text never holds, is a file beside it: w.npy.
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "reader.hpp"
#include "ulpfuzz/network/case_file.hpp"

namespace ulpfuzz::fuzz {
namespace {
namespace fs = std::filesystem;

// A folder of this process with the .npy files of a public case.
class Scratch {
 public:
  Scratch() : folder_(fs::temp_directory_path() / ("ulpfuzz-network-" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
    std::error_code without;  // the sources: then what names these files is refused
    for (const auto& entry : fs::directory_iterator(ULPFUZZ_READER_FILES, without))
      if (entry.path().extension() == ".npy")
        fs::copy_file(entry, folder_ / entry.path().filename(),
                      fs::copy_options::overwrite_existing);
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  const fs::path& with(std::string_view npy) const {
    std::ofstream(folder_ / "w.npy", std::ios::binary)
        .write(npy.data(), static_cast<std::streamsize>(npy.size()));
    return folder_;
  }

 private:
  fs::path folder_;
};

void round_trips(const NetworkFile& file) {
  const std::string text = to_text(file);
  const NetworkFile again = network_from_text(text, "again", {});
  if (to_text(again) != text) fail("network is not canonical");
  if (again.network != file.network || again.parameters.size() != file.parameters.size())
    fail("network changes");
  for (std::size_t i = 0; i < file.parameters.size(); ++i)
    if (!identical(again.parameters[i], file.parameters[i])) fail("parameters change");
}

}  // namespace
}  // namespace ulpfuzz::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ulpfuzz;
  static const fuzz::Scratch scratch;
  std::string_view text = fuzz::characters({data, size}), npy;
  if (const std::size_t end = text.find('\0'); end != text.npos) {
    npy = text.substr(end + 1);
    text = text.substr(0, end);
  }
  try {
    fuzz::round_trips(network_from_text(text, "input", scratch.with(npy)));
  } catch (const FileError&) {
  }
  return 0;
}
