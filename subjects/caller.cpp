#include <fmt/format.h>
#include <x86intrin.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <new>
#include <vector>

#include "aligned_buffer.hpp"
#include "ulpfuzz/core/clones.hpp"
#include "ulpfuzz/subjects/subject.hpp"

namespace ulpfuzz {
namespace {

constexpr std::size_t red_zone = 16;

// Written so that it vectorises: a sum of 0 and 1, not a search.
ULPFUZZ_CLONES std::size_t count_unwritten(const float* x, std::size_t count) {
  std::uint32_t hits = 0;
  for (std::size_t i = 0; i < count; ++i)
    hits += std::bit_cast<std::uint32_t>(x[i]) == unwritten_bits ? 1u : 0u;
  return hits;
}

ULPFUZZ_CLONES void fill_unwritten(float* x, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) x[i] = std::bit_cast<float>(unwritten_bits);
}

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// "output 1, entry 3, row 0, column 7"
std::string describe_place(const Network& network, std::size_t output, std::size_t element) {
  const Shape shape = network.node(network.outputs()[output]).shape;
  const std::size_t size = std::max<std::size_t>(1, shape.size());
  const std::size_t cols = std::max<std::size_t>(1, shape.cols);
  return fmt::format("output {}, entry {}, row {}, column {}", output, element / size,
                     element % size / cols, element % size % cols);
}

}  // namespace

struct Caller::Impl {
  AlignedBuffer<float> memory;
  std::vector<std::size_t> start;  ///< of each output, in floats from the start of memory
  std::vector<float*> pointers;
  std::vector<std::span<const float>> values;  ///< of all calls, one after the other
  std::size_t used = 0;
  std::size_t each = 0;  ///< outputs of a call
  std::vector<Evaluation> evaluations;
  std::vector<Outputs> outputs;
  std::uint64_t ticks = 0;  ///< of the time stamp counter, inside subjects
  std::uint64_t first_tick = __rdtsc();
  double first_second = steady_seconds();

  void clear(const Network& network);
  void place(const Network& network, std::size_t batch, unsigned offset);
  void fill();
  template <class Evaluate>
  void guarded(const Subject& subject, const Network& network, const Evaluate& evaluate);
  void check_red_zones(const Subject& subject) const;
  [[noreturn]] void fail_red_zone(const Subject& subject, std::size_t o, const float* begin,
                                  const float* end) const;
  void check_written(const Subject& subject, const Network& network) const;
};

void Caller::Impl::clear(const Network& network) {
  start.clear();
  pointers.clear();
  values.clear();
  used = 0;
  each = network.outputs().size();
}

// Every float outside the outputs is red zone, at least 16 on each side.
void Caller::Impl::place(const Network& network, std::size_t batch, unsigned offset) {
  for (const NodeId id : network.outputs()) {
    const Node& node = network.node(id);
    const std::size_t count = network.entries(node, batch) * node.shape.size();
    start.push_back(round_up<float>(used + red_zone) + offset);
    values.emplace_back(static_cast<const float*>(nullptr), count);
    used = start.back() + count;
  }
}

void Caller::Impl::fill() {
  used += red_zone;
  float* base = memory.reserve(used);
  fill_unwritten(base, used);
  for (std::size_t o = 0; o < start.size(); ++o) {
    pointers.push_back(base + start[o]);
    values[o] = {base + start[o], values[o].size()};
  }
}

template <class Evaluate>
void Caller::Impl::guarded(const Subject& subject, const Network& network,
                           const Evaluate& evaluate) {
  const FpGuard guard;
  const std::uint64_t begin = __rdtsc();
  try {
    evaluate();
  } catch (const SubjectFault&) {
    ticks += __rdtsc() - begin;
    throw;
  } catch (const std::bad_array_new_length& error) {  // no lack of memory
    ticks += __rdtsc() - begin;
    throw SubjectFault(FailureClass::exception,
                       fmt::format("{} threw: {}", subject.name(), error.what()));
  } catch (const std::bad_alloc& error) {
    ticks += __rdtsc() - begin;
    throw SubjectFault(FailureClass::out_of_memory, fmt::format("{} could get no more memory: {}",
                                                                subject.name(), error.what()));
  } catch (const std::exception& error) {
    ticks += __rdtsc() - begin;
    throw SubjectFault(FailureClass::exception,
                       fmt::format("{} threw: {}", subject.name(), error.what()));
  } catch (...) {
    ticks += __rdtsc() - begin;
    throw SubjectFault(FailureClass::exception,
                       fmt::format("{} threw something that is no std::exception", subject.name()));
  }
  ticks += __rdtsc() - begin;
  check_red_zones(subject);
  const FpEnvironment left = guard.left_behind();
  if (left != FpEnvironment{})
    throw SubjectFault(FailureClass::fp_environment,
                       fmt::format("{} left the floating-point environment changed: {}",
                                   subject.name(), left.describe()));
  check_written(subject, network);
}

// The zone before output o, or behind the last one.
void Caller::Impl::fail_red_zone(const Subject& subject, std::size_t o, const float* begin,
                                 const float* end) const {
  const float* changed = std::find_if(
      begin, end, [](float v) { return std::bit_cast<std::uint32_t>(v) != unwritten_bits; });
  const auto after = static_cast<std::size_t>(changed - begin);
  const auto before = static_cast<std::size_t>(end - changed);
  const bool behind = o > 0 && (o == values.size() || after < before);
  throw SubjectFault(FailureClass::out_of_bounds,
                     fmt::format("{} wrote outside output {}: float {} {} it", subject.name(),
                                 (behind ? o - 1 : o) % each, behind ? after + 1 : before,
                                 behind ? "behind the end of" : "before the start of"));
}

void Caller::Impl::check_red_zones(const Subject& subject) const {
  const float* base = values.empty() ? nullptr : values.front().data() - start.front();
  std::size_t from = 0;
  for (std::size_t o = 0; o <= values.size() && base != nullptr; ++o) {
    const std::size_t to = o < values.size() ? start[o] : used;
    const float* zone = base + from;
    if (count_unwritten(zone, to - from) != to - from) fail_red_zone(subject, o, zone, base + to);
    if (o < values.size()) from = to + values[o].size();
  }
}

void Caller::Impl::check_written(const Subject& subject, const Network& network) const {
  for (std::size_t o = 0; o < values.size(); ++o) {
    const std::span<const float> y = values[o];
    const std::size_t unwritten = count_unwritten(y.data(), y.size());
    if (unwritten == 0) continue;
    const auto* first = std::find_if(y.data(), y.data() + y.size(), [](float v) {
      return std::bit_cast<std::uint32_t>(v) == unwritten_bits;
    });
    throw SubjectFault(
        FailureClass::unwritten,
        fmt::format("{} left {} of {} elements unwritten, first {}", subject.name(), unwritten,
                    y.size(),
                    describe_place(network, o % each, static_cast<std::size_t>(first - y.data()))));
  }
}

Caller::Caller() : impl_(std::make_unique<Impl>()) {}
Caller::~Caller() = default;

Outputs Caller::run(const Subject& subject, const Network& network,
                    std::span<const Tensor> parameters, std::size_t batch,
                    std::span<const float* const> inputs, unsigned offset) {
  impl_->clear(network);
  impl_->place(network, batch, offset);
  impl_->fill();
  const Evaluation evaluation{.network = network,
                              .parameters = parameters,
                              .batch = batch,
                              .inputs = inputs,
                              .outputs = impl_->pointers};
  impl_->guarded(subject, network, [&] { subject.evaluate(evaluation); });
  return {impl_->values};
}

std::span<const Outputs> Caller::run_each(const Subject& subject, const Network& network,
                                          std::span<const Tensor> parameters,
                                          std::span<const Call> calls, unsigned offset) {
  Impl& impl = *impl_;
  impl.clear(network);
  for (const Call& call : calls) impl.place(network, call.batch, offset);
  impl.fill();
  impl.evaluations.clear();
  impl.outputs.clear();
  for (std::size_t i = 0; i < calls.size(); ++i) {
    impl.evaluations.push_back(
        {.network = network,
         .parameters = parameters,
         .batch = calls[i].batch,
         .inputs = calls[i].inputs,
         .outputs = std::span(impl.pointers).subspan(i * impl.each, impl.each)});
    impl.outputs.push_back({std::span(impl.values).subspan(i * impl.each, impl.each)});
  }
  impl.guarded(subject, network, [&] { subject.evaluate_each(impl.evaluations); });
  return impl.outputs;
}

double Caller::seconds() const {
  const std::uint64_t now = __rdtsc();
  if (impl_->ticks == 0 || now == impl_->first_tick) return 0;
  const double per_tick =
      (steady_seconds() - impl_->first_second) / static_cast<double>(now - impl_->first_tick);
  return static_cast<double>(impl_->ticks) * per_tick;
}

}  // namespace ulpfuzz
