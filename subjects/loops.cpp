#include "factories.hpp"
#include "ulpfuzz/subjects/kernel_subject.hpp"

namespace ulpfuzz {
namespace {

class Loops final : public KernelSubject {
 public:
  std::string_view name() const override { return "loops"; }
  std::string description() const override {
    return "plain fp32 loops: sums from left to right, bias last, libm functions; the same bits "
           "for "
           "a row whatever the batch";
  }
};

}  // namespace

std::unique_ptr<const Subject> make_loops() { return std::make_unique<Loops>(); }

}  // namespace ulpfuzz
