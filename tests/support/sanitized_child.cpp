// Built with sanitizers by sanitizer_test: does in a child what the argument names and prints the
// word and the description of the child's end.
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "ulpfuzz/runner/process.hpp"

namespace {

using namespace ulpfuzz::process;

void deed(const std::string& what) {
  volatile std::size_t n = 7;
  if (what == "overflow") {
    volatile char* p = new char[n];
    p[n] = 1;
  } else if (what == "freed") {
    volatile char* p = new char[n];
    delete[] p;
    p[0] = 1;
  } else if (what == "signed") {
    volatile int x = INT_MAX;
    x = x + 1;
  } else if (what == "index") {
    int a[4] = {};
    a[n] = 1;
    std::printf("%d", a[n]);
  } else if (what == "much") {
    static char* volatile p;
    p = new char[n << 42];
  } else if (what == "segv") {
    raise(SIGSEGV);
  } else if (what == "chatter") {
    std::fputs("hello\n", stderr);
  }
}

}  // namespace

int main(int, char** arguments) {
  for (char** a = arguments + 1; *a != nullptr; ++a) {
    const Ending e = run_isolated([a](int) { deed(*a); }, 20, [](std::string_view) {});
    std::printf("%s|%s|%d\n", word(e).c_str(), describe(e).c_str(), e.report.empty() ? 0 : 1);
  }
}
