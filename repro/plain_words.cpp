#include "plain_words.hpp"

#include <algorithm>
#include <stdexcept>
#include <string_view>

namespace ulpfuzz::repro {
namespace {

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("._-+/,:@%").find(c) != std::string_view::npos;
}

}  // namespace

std::string shell_word(const std::string& name) {
  if (name.empty() || std::any_of(name.begin(), name.end(), is_control))
    throw std::invalid_argument(
        "the name of a program is empty or has control characters; repro.cpp would fit");
  const std::string file = name.front() == '-' ? "./" + name : name;
  if (std::all_of(file.begin(), file.end(), is_plain)) return file;
  std::string word = "'";
  for (const char c : file) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

std::string one_line(std::string text) {
  std::replace_if(text.begin(), text.end(), is_control, ' ');
  return text;
}

}  // namespace ulpfuzz::repro
