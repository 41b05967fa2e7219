#include <atomic>
#include <bit>
#include <chrono>
#include <csignal>
#include <cstring>
#include <stdexcept>
#include <thread>

#include "faults.hpp"

namespace ulpfuzz::faults {
namespace {

constexpr std::size_t batch_limit = 4;

std::size_t size_of_output(const Evaluation& e, std::size_t o) {
  const Node& node = e.network.node(e.network.outputs()[o]);
  return e.network.entries(node, e.batch) * node.shape.size();
}

void nothing(const Evaluation&) {}

void set_flush(const Evaluation&) { FpEnvironment{.ftz = true, .daz = true}.apply(); }
void clear_flush(const Evaluation&) { FpEnvironment{}.apply(); }

void leave_last_unwritten(const Evaluation& e) {
  const std::size_t size = size_of_output(e, 0);
  if (size > 1) e.outputs[0][size - 1] = std::bit_cast<float>(unwritten_bits);
}

void overrun(const Evaluation& e) { e.outputs[0][size_of_output(e, 0)] = 1; }

void throw_above(const Evaluation& e) {
  if (e.batch > batch_limit) throw std::runtime_error("batch too large for the workspace");
}

void crash_above(const Evaluation& e) {
  if (e.batch > batch_limit) std::raise(SIGSEGV);
}

void hang_above(const Evaluation& e) {
  while (e.batch > batch_limit) std::this_thread::sleep_for(std::chrono::milliseconds(100));
}

/// Keeps all of it, touched, so that it is in use.
void allocate_above(const Evaluation& e) {
  constexpr std::size_t some = std::size_t{16} << 20;
  while (e.batch > batch_limit) {
    static char* volatile last = nullptr;
    last = new char[some];
    std::memset(last, 1, some);
  }
}

/// More than any machine has, at once.
void allocate_much_above(const Evaluation& e) {
  if (e.batch <= batch_limit) return;
  static char* volatile huge = nullptr;
  huge = new char[std::size_t{1} << 45];
  std::memset(huge, 1, std::size_t{1} << 45);
}

/// Every other call is off by one part in a thousand.
void waver(const Evaluation& e) {
  static std::atomic<unsigned> calls{0};
  if (calls++ % 2 == 0) return;
  for (std::size_t i = 0; i < size_of_output(e, 0); ++i) e.outputs[0][i] *= 1.001f;
}

}  // namespace

void add_conduct_faults(Subjects& list) {
  const auto add = [&list](std::string_view name, std::string_view description,
                           Aftermath::Deed before, Aftermath::Deed after) {
    list.push_back(std::make_unique<Aftermath>(name, description, before, after));
  };
  add("fault/flushes_subnormals", "computes with subnormals flushed", set_flush, clear_flush);
  add("fault/leaves_ftz_on", "returns with subnormals flushed", nothing, set_flush);
  add("fault/unwritten_tail", "does not write the last element", nothing, leave_last_unwritten);
  add("fault/overruns", "writes one element too many", nothing, overrun);
  add("fault/nondeterministic", "every other call is off by a thousandth", nothing, waver);
  add("fault/throws_above_batch", "throws when the batch is above 4", throw_above, nothing);
  add("fault/crashes_above_batch", "SIGSEGV when the batch is above 4", crash_above, nothing);
  add("fault/hangs_above_batch", "never returns when the batch is above 4", hang_above, nothing);
  add("fault/allocates_above_batch", "takes memory without end when the batch is above 4",
      allocate_above, nothing);
  add("fault/allocates_much_above_batch", "asks for 32 terabytes when the batch is above 4",
      allocate_much_above, nothing);
}

}  // namespace ulpfuzz::faults
