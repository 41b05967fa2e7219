#include "scene.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "calls.hpp"
#include "place.hpp"
#include "scene_paths.hpp"
#include "ulpfuzz/core/ulp.hpp"

namespace ulpfuzz::repro {
namespace {

Check check_of(FailureClass failure) {
  switch (failure) {
    case FailureClass::beyond_bound:
      return Check::bound;
    case FailureClass::nonfinite_mismatch:
      return Check::number_class;
    case FailureClass::not_bitwise:
      return Check::bits;
    case FailureClass::nondeterministic:
      return Check::repeated;
    case FailureClass::unwritten:
      return Check::unwritten;
    case FailureClass::out_of_bounds:
      return Check::red_zone;
    case FailureClass::fp_environment:
      return Check::environment;
    default:
      return Check::returns;
  }
}

bool runs_here(const Failure& f) { return !f.subject.unavailable() && !f.subject.broken(); }

/// Of the ways to read a path's words the one that gives what the verdict saw; the first where the
/// subject does not run here, or gives none of it.
Path choose(const Failure& f, std::vector<Path> readings, float seen) {
  if (readings.empty()) {
    throw std::invalid_argument(fmt::format(
        "a verdict about \"{}\" that speaks of no path of this case; the case's own verdict would "
        "fit",
        f.verdict.worst.where));
  }
  Caller caller;
  for (Path& path : readings) {
    path.value = seen;
    if (path.route == Route::exact || readings.size() == 1 || !runs_here(f)) return path;
  }
  for (const Path& path : readings) {
    try {
      if (same_bits(evaluate(caller, f.subject, f.value, path), seen)) return path;
    } catch (const SubjectFault&) {  // another reading then
    }
  }
  return readings.front();
}

/// |a - b|, or how far a is from the reference.
double difference_of(const Scene& s) {
  const double b = s.b.route == Route::exact ? s.reference : double{s.b.value};
  return std::fabs(double{s.a.value} - b);
}

void read_element(const Failure& f, Scene& s) {
  const ElementEvidence& e = f.verdict.worst;
  const std::optional<Place> place = place_from(e.where, f.value);
  if (!place) {
    throw std::invalid_argument(
        fmt::format("a verdict about \"{}\", which is no element of this case; the case's own "
                    "verdict would fit",
                    e.where));
  }
  s.where = e.where;
  s.row = place->row;
  s.column = place->column;
  s.wrt = place->wrt;
  s.element = place->element;
  s.reference = e.reference;
  s.bound = s.check == Check::bits ? 0 : e.bound;
  s.a = choose(f, readings(f.value, s.derived.get(), *place, e.path_a), e.a);
  s.b = choose(f, readings(f.value, s.derived.get(), *place, e.path_b), e.b);
  s.difference = difference_of(s);
  if (s.check == Check::bound && !(s.difference > s.bound)) {
    throw std::invalid_argument(
        "a failure beside a kink, where each path has an exact result of its own; one with the "
        "same exact result on both sides would fit");
  }
}

/// Which call shows a failure that names no element: the first that fails so. Where it cannot be
/// asked, or must not, because it would end this process, the one of the whole batch.
void find_call(const Failure& f, Scene& s) {
  const std::vector<Path> calls = all_calls(f.value, s.derived.get());
  s.a = calls.front();
  const bool deadly = f.verdict.failure == FailureClass::crash ||
                      f.verdict.failure == FailureClass::hang ||
                      f.verdict.failure == FailureClass::out_of_memory;
  if (deadly || !runs_here(f)) return;
  Caller caller;
  for (const Path& path : calls) {
    try {
      evaluate(caller, f.subject, f.value, path.calls.front());
    } catch (const SubjectFault& fault) {
      if (fault.failure() != f.verdict.failure) continue;
      s.a = path;
      return;
    }
  }
}

}  // namespace

Scene scene_of(const Failure& f) {
  if (!f.verdict.failed()) {
    throw std::invalid_argument(fmt::format(
        "a verdict that is no failure ({}); a failing one would fit", name(f.verdict.outcome)));
  }
  Scene s(f.value);
  s.check = check_of(f.verdict.failure);
  s.gradient = f.property.needs_gradient;
  if (s.gradient) s.derived = std::make_shared<const DerivedNetworks>(derive(f.value.network));
  if (s.check < Check::unwritten)
    read_element(f, s);
  else
    find_call(f, s);
  return s;
}

}  // namespace ulpfuzz::repro
