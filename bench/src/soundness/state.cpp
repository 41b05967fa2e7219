#include "soundness/state.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <stdexcept>

namespace ulpfuzz::bench {

void State::finish(std::uint64_t index) {
  above.insert(index);
  while (!above.empty() && *above.begin() == below) {
    above.erase(above.begin());
    ++below;
  }
}

bool write_file(const std::string& path, const nlohmann::json& j) {
  const std::string temporary = path + ".new", text = j.dump(1) + "\n";
  const int file = open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) return false;
  bool good = true;
  for (std::size_t at = 0; good && at < text.size();) {
    const ssize_t n = write(file, text.data() + at, text.size() - at);
    good = n > 0;
    at += good ? static_cast<std::size_t>(n) : 0;
  }
  good = fsync(file) == 0 && good;
  good = close(file) == 0 && good;
  return good && std::rename(temporary.c_str(), path.c_str()) == 0;
}

bool save(const State& s, const std::string& path) {
  return write_file(path, {{"seed", s.seed},
                           {"families", s.families},
                           {"below", s.below},
                           {"above", s.above},
                           {"seconds", s.seconds},
                           {"tally", s.tally}});
}

State load_state(const std::string& path) {
  try {
    std::ifstream file(path);
    const nlohmann::json j = nlohmann::json::parse(file);
    State s;
    s.seed = j.at("seed");
    s.families = j.at("families");
    s.below = j.at("below");
    s.above = j.at("above").get<std::set<std::uint64_t>>();
    s.seconds = j.at("seconds");
    s.tally = j.at("tally");
    return s;
  } catch (const nlohmann::json::exception& e) {
    throw std::runtime_error(path + " is no state of bench/soundness: " + e.what());
  }
}

}  // namespace ulpfuzz::bench
