#include "ulpfuzz/subjects/registry.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>

namespace ulpfuzz {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Named final : public Subject {
 public:
  explicit Named(std::string name) : name_(std::move(name)) {}
  std::string_view name() const override { return name_; }
  void evaluate(const Evaluation&) const override {}

 private:
  std::string name_;
};

Registry registry_of(std::initializer_list<const char*> names) {
  Registry registry;
  for (const char* name : names) registry.add(std::make_unique<Named>(name));
  return registry;
}

std::vector<std::string> selected(const Registry& registry, std::vector<std::string> globs) {
  std::vector<std::string> names;
  for (const Subject* subject : registry.select(globs)) names.emplace_back(subject->name());
  return names;
}

std::string message(const std::function<void()>& action) {
  try {
    action();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(Registry, FindsByName) {
  const Registry registry = registry_of({"a", "b"});
  EXPECT_EQ(registry.find("b")->name(), "b");
  EXPECT_EQ(registry.find("c"), nullptr);
  EXPECT_EQ(registry.find(""), nullptr);
}

TEST(Registry, SelectsByGlobInOrderOfRegistrationWithoutRepeats) {
  const Registry registry = registry_of({"ref/64", "ref/dd", "loops", "open"});
  EXPECT_THAT(selected(registry, {}), ElementsAre("ref/64", "ref/dd", "loops", "open"));
  EXPECT_THAT(selected(registry, {"open", "ref/*"}), ElementsAre("ref/64", "ref/dd", "open"));
  EXPECT_THAT(selected(registry, {"*o*"}), ElementsAre("loops", "open"));
  EXPECT_THAT(selected(registry, {"????"}), ElementsAre("open"));
  EXPECT_THAT(selected(registry, {"*", "loops"}), ElementsAre("ref/64", "ref/dd", "loops", "open"));
  EXPECT_THAT(selected(registry, {"l*s"}), ElementsAre("loops"));
  EXPECT_THAT(selected(registry, {"ref/6*4**"}), ElementsAre("ref/64"));
}

TEST(Registry, RefusesAGlobThatMatchesNothingAndSaysWhatThereIs) {
  const Registry registry = registry_of({"loops", "open"});
  const std::string text = message([&] { selected(registry, {"loops", "blas?"}); });
  EXPECT_THAT(text, HasSubstr("blas?"));
  EXPECT_THAT(text, HasSubstr("loops, open"));
  EXPECT_THAT(message([&] { selected(registry, {"loop"}); }), HasSubstr("\"loop\""));
  EXPECT_THAT(message([&] { selected(registry, {"loopsx"}); }), HasSubstr("\"loopsx\""));
}

TEST(Registry, RefusesEmptyAndTakenNames) {
  Registry registry = registry_of({"loops"});
  EXPECT_THAT(message([&] { registry.add(std::make_unique<Named>("loops")); }),
              HasSubstr("\"loops\" is there already"));
  EXPECT_THAT(message([&] { registry.add(std::make_unique<Named>("")); }),
              HasSubstr("without a name"));
  EXPECT_EQ(registry.all().size(), 1u);
}

TEST(Registry, HoldsTheBuiltInSubjects) {
  const Registry registry = builtin_subjects();
  for (const char* name :
       {"reference/fp64", "reference/dd", "loops", "eigen", "simt/xla-ada", "simt/cublas-fp32",
        "simt/cublas-tf32", "simt/batch-invariant", "simt/atomics"}) {
    const Subject* subject = registry.find(name);
    ASSERT_NE(subject, nullptr) << name;
    EXPECT_FALSE(subject->description().empty()) << name;
    EXPECT_FALSE(subject->unavailable()) << name;
  }
}

TEST(Registry, ReferencesClaimWiderSums) {
  const Registry registry = builtin_subjects();
  EXPECT_EQ(registry.find("reference/fp64")->arithmetic().accumulate, Format::fp64);
  EXPECT_EQ(registry.find("reference/dd")->arithmetic().store, Format::fp32);
  EXPECT_EQ(registry.find("loops")->arithmetic(), Arithmetic{});
}

}  // namespace
}  // namespace ulpfuzz
