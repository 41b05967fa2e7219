#include "shrink/peer.hpp"

#include <rapidcheck.h>

#include <chrono>

#include "shrink/plain_case.hpp"

namespace ulpfuzz::bench {
namespace {

using rc::Seq;

/// `shrinks` of one part, as shrinks of the whole.
template <class Part>
Seq<PlainCase> of_part(const PlainCase& whole, Part PlainCase::*part, Seq<Part> shrinks) {
  return rc::seq::map(std::move(shrinks), [whole, part](Part smaller) {
    PlainCase result = whole;
    result.*part = std::move(smaller);
    return result;
  });
}

Seq<std::uint32_t> down_to(std::uint32_t value, std::uint32_t least) {
  return rc::shrink::towards<std::uint32_t>(value, std::min(value, least));
}

Seq<Slice> shrink_slice(const Slice& slice) {
  auto rows = rc::seq::map(rc::shrink::removeChunks(slice.rows), [slice](auto fewer) {
    return Slice{std::move(fewer), slice.padding};
  });
  auto padding = rc::seq::map(down_to(slice.padding, 0), [slice](std::uint32_t less) {
    return Slice{slice.rows, less};
  });
  return rc::seq::concat(std::move(rows), std::move(padding));
}

Seq<Tensor> shrink_numbers(const Tensor& tensor) {
  return rc::seq::map(
      rc::shrink::eachElement(tensor.data, [](float x) { return rc::shrink::real(x); }),
      [rows = tensor.rows, cols = tensor.cols](std::vector<float> data) {
        return Tensor(rows, cols, std::move(data));
      });
}

Seq<PlainCase> shrinks(const PlainCase& c) {
  const auto to_zero = [](std::uint32_t x) { return down_to(x, 0); };
  return rc::seq::concat(
      of_part(c, &PlainCase::layers, rc::shrink::removeChunks(c.layers)),
      of_part(c, &PlainCase::widths, rc::shrink::eachElement(c.widths, to_zero)),
      of_part(c, &PlainCase::batch, down_to(c.batch, 1)),
      of_part(c, &PlainCase::split, rc::shrink::removeChunks(c.split)),
      of_part(c, &PlainCase::split, rc::shrink::eachElement(c.split, shrink_slice)),
      of_part(c, &PlainCase::offsets, rc::shrink::eachElement(c.offsets, to_zero)),
      of_part(c, &PlainCase::numbers, rc::shrink::eachElement(c.numbers, shrink_numbers)));
}

class Loop {
 public:
  Loop(const Judge& judge, const PeerLimits& limits) : judge_(judge), limits_(limits) {}

  Case run(const Case& start, Trial& trial) {
    Case best = start;
    auto current = rc::shrinkable::shrinkRecur(plain_case(start),
                                               [](const PlainCase& c) { return shrinks(c); });
    for (bool found = true; found;) {
      found = false;
      auto children = current.shrinks();
      while (auto child = children.next()) {
        if (trial.evaluations >= limits_.evaluations || seconds() > limits_.seconds) {
          trial.capped = true;
          found = false;
          break;
        }
        std::optional<Case> candidate = make(child->value());
        if (!candidate) continue;
        ++trial.evaluations;
        if (!judge_(*candidate).failed()) continue;
        best = std::move(*candidate);
        current = std::move(*child);
        found = true;
        break;
      }
    }
    trial.seconds = seconds();
    return best;
  }

 private:
  using Clock = std::chrono::steady_clock;
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  const Judge& judge_;
  PeerLimits limits_;
  Clock::time_point start_ = Clock::now();
};

}  // namespace

Trial run_peer(const Planted& planted, const Subject& subject, const Start& start,
               const std::vector<std::uint64_t>& optimum, const PeerLimits& limits) {
  Trial trial;
  const Judge judge = judge_of(planted, subject);
  const Case result = Loop(judge, limits).run(start.failing.value, trial);
  assess(planted, subject, start, result, optimum, trial);
  return trial;
}

}  // namespace ulpfuzz::bench
