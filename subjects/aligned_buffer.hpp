#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace ulpfuzz {

inline constexpr std::size_t cache_line = 64;

/// Elements that one cache line holds.
template <class T>
inline constexpr std::size_t line_count = cache_line / sizeof(T);

/// count rounded up to whole cache lines.
template <class T>
constexpr std::size_t round_up(std::size_t count) {
  return (count + line_count<T> - 1) / line_count<T> * line_count<T>;
}

/// Memory on a 64-byte boundary that is kept between uses and only ever grows. Not initialised.
template <class T>
class AlignedBuffer {
 public:
  /// Room for `count` elements; what was there before is lost when it must grow.
  T* reserve(std::size_t count) {
    if (count > capacity_ || data_ == nullptr) grow(count);
    return data_.get();
  }

 private:
  struct Release {
    void operator()(T* p) const { ::operator delete[](p, std::align_val_t{cache_line}); }
  };

  void grow(std::size_t count) {
    data_.reset();
    capacity_ = 0;
    const std::size_t room = round_up<T>(count + count / 2 + line_count<T>);
    data_.reset(static_cast<T*>(::operator new[](room * sizeof(T), std::align_val_t{cache_line})));
    capacity_ = room;
  }

  std::unique_ptr<T[], Release> data_;
  std::size_t capacity_ = 0;
};

}  // namespace ulpfuzz
