#include <algorithm>
#include <array>

#include "signature.hpp"

namespace ulpfuzz::diagnosis {
namespace {

constexpr std::array<Signature, 15> all{{
    {"unwritten", "elements were never written", "look at the tail of the launch grid or loop"},
    {"zero", "zero in place of the right value",
     "a detached gradient, or a kernel that did not run"},
    {"doubled", "twice the right value", "a term is added twice: look for a doubled accumulation"},
    {"halved", "half the right value", "a term is missing, or a mean is taken of two halves"},
    {"times batch", "the right value times the batch size",
     "a sum where a mean is meant, or a mean divided out twice"},
    {"divided by batch", "the right value divided by the batch size",
     "a mean where a sum is meant, or a mean of means"},
    {"sign flipped", "the right value with the other sign",
     "a subtraction the wrong way round, or a loss to be maximised"},
    {"row leak", "the value of another row of the batch",
     "look at the batch index and at buffers that rows share"},
    {"row mod n", "the value of the row whose number is the same modulo a block size",
     "rows alias: look at the block size and the stride of the batch axis"},
    {"neighbour element", "the value of the neighbouring element", "an index is off by one"},
    {"transposed weight", "what the transposed weight gives, or the gradient transposed",
     "look at the layout flags of the product: rows and columns are swapped"},
    {"missing bias", "what the network gives without a bias",
     "a bias is not added: look at the epilogue of the product"},
    {"last product dropped", "what is left when each dot product lacks its last term",
     "a loop over the inner dimension stops one short"},
    {"wrong mask", "a gradient passes where it must not, or does not where it must",
     "the mask is not that of this forward pass: look at what is saved for the backward pass"},
    {"activation missing", "what the network gives without an activation",
     "an activation is not applied: look at the epilogue of the product"},
}};

}  // namespace

std::span<const Signature> signatures() { return all; }

const Signature* signature(std::string_view name) {
  const auto* found =
      std::find_if(all.begin(), all.end(), [&](const Signature& s) { return s.name == name; });
  return found == all.end() ? nullptr : found;
}

}  // namespace ulpfuzz::diagnosis
