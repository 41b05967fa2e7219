#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "support/stand_in_memory.hpp"

namespace ulpfuzz::stand_in {

/// Work queued on a stream.
struct Work {
  std::string function;
  std::vector<Range> ranges;
  std::function<void()> run;
  bool fails = false;
};

/// Streams of work, ordered among each other by fork and join alone.
class Queue {
 public:
  Queue(unsigned streams, unsigned seed);

  void select(unsigned stream);
  void fork();
  void join();
  /// A point of a stream: what is queued on it so far.
  struct Mark {
    std::size_t stream = 0, count = 0;
  };
  Mark mark() const { return {current_, streams_[current_].queued}; }
  /// What is queued on the current stream from here on begins after that.
  void wait(const Mark& mark);
  void push(Work work);
  bool empty() const;
  void clear();
  /// Calls run(work) for all of it. Every time, either streams are ranked and each one gets as far
  /// as it can before a lower one gets a turn, or they take turns at random.
  template <class Run>
  void run_all(const Run& run) {
    const bool turns = rank();
    for (Work* next = head(); next != nullptr; next = head()) {
      const Work work = std::move(*next);
      pop();
      run(work);
      if (turns) rank();
    }
  }

 private:
  struct Entry {
    Work work;
    std::vector<std::size_t> after;  // of each stream: so many have to be done first
  };
  struct Stream {
    std::deque<Entry> entries;
    std::vector<std::size_t> after;  // of what is queued next
    std::size_t queued = 0, done = 0;
  };
  bool rank();  // also draws a bit
  Work* head();
  void pop();

  std::vector<Stream> streams_;
  std::vector<std::size_t> ranks_;
  std::size_t current_ = 0, taken_ = 0;
  std::mt19937 engine_;
};

}  // namespace ulpfuzz::stand_in
