// sample_page DIR: writes a page for each kind of night into DIR/KIND/index.html.
#include <cstdio>
#include <exception>
#include <filesystem>

#include "sample_night.hpp"
#include "ulpfuzz/network/case_file.hpp"

int main(int argc, char** argv) try {
  namespace fs = std::filesystem;
  using namespace ulpfuzz;
  if (argc != 2) {
    std::fputs("usage: sample_page DIR\n", stderr);
    return 2;
  }
  const auto folder = [&](const char* kind) {
    const fs::path path = fs::path(argv[1]) / kind;
    fs::create_directories(path);
    return path;
  };
  const auto write = [&](const char* kind, const report::Night& night) {
    write_file_atomically(folder(kind) / "index.html", report::to_html(night, folder(kind)));
  };
  write("usual", samples::usual_night(folder("usual")));
  write("quiet", samples::quiet_night());
  write("empty", samples::empty_night());
  write("crowded", samples::crowded_night(folder("crowded")));
  write("cut", samples::cut_night());
  write("running", samples::running_night());
  write("hostile", samples::hostile_night(folder("hostile")));
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "sample_page: %s\n", error.what());
  return 1;
}
