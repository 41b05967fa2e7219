#include "support/stand_in_queue.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace ulpfuzz::stand_in {

Queue::Queue(unsigned streams, unsigned seed)
    : streams_(std::max(1u, streams)), ranks_(streams_.size()), engine_(seed) {
  for (Stream& stream : streams_) stream.after.assign(streams_.size(), 0);
  std::iota(ranks_.begin(), ranks_.end(), std::size_t{0});
}

void Queue::select(unsigned stream) {
  if (stream >= streams_.size())
    throw std::invalid_argument("stream " + std::to_string(stream) + " of " +
                                std::to_string(streams_.size()));
  current_ = stream;
}

void Queue::fork() {
  for (Stream& stream : streams_)
    stream.after[current_] = std::max(stream.after[current_], streams_[current_].queued);
}

void Queue::join() {
  for (std::size_t s = 0; s < streams_.size(); ++s)
    streams_[current_].after[s] = streams_[s].queued;
}

void Queue::wait(const Mark& mark) {
  std::size_t& after = streams_[current_].after[mark.stream];
  after = std::max(after, mark.count);
}

void Queue::push(Work work) {
  Stream& stream = streams_[current_];
  stream.entries.push_back({std::move(work), stream.after});
  ++stream.queued;
}

bool Queue::empty() const {
  return std::all_of(streams_.begin(), streams_.end(),
                     [](const Stream& s) { return s.entries.empty(); });
}

void Queue::clear() {
  for (Stream& stream : streams_) {
    stream.entries.clear();
    stream.done = stream.queued;
  }
}

bool Queue::rank() {
  std::shuffle(ranks_.begin(), ranks_.end(), engine_);
  return engine_() % 2 == 1;
}

Work* Queue::head() {
  for (const std::size_t s : ranks_) {
    if (streams_[s].entries.empty()) continue;
    const std::vector<std::size_t>& after = streams_[s].entries.front().after;
    bool ready = true;
    for (std::size_t other = 0; other < streams_.size(); ++other)
      ready = ready && (other == s || streams_[other].done >= after[other]);
    if (!ready) continue;
    taken_ = s;
    return &streams_[s].entries.front().work;
  }
  return nullptr;
}

void Queue::pop() {
  streams_[taken_].entries.pop_front();
  ++streams_[taken_].done;
}

}  // namespace ulpfuzz::stand_in
