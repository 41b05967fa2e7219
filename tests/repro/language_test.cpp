#include <gtest/gtest.h>

#include "ulpfuzz/repro/repro.hpp"

namespace ulpfuzz::repro {
namespace {

TEST(Language, HasANameThatFindsIt) {
  for (const Language l :
       {Language::cpp, Language::cuda, Language::torch, Language::jax, Language::numpy})
    EXPECT_EQ(language_from(name(l)), l) << name(l);
  EXPECT_EQ(language_from("fortran"), std::nullopt);
}

}  // namespace
}  // namespace ulpfuzz::repro
