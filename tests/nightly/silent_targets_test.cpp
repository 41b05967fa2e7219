#include "silent_targets.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include "fuzzer_findings.hpp"
#include "fuzzers.hpp"
#include "short_night.hpp"
#include "stand_in_target.hpp"

namespace ulpfuzz::silent_targets_test {
namespace {

namespace fs = std::filesystem;
using mutants::Scratch;
using nightly::Fuzzers;
using nightly::NightlyOptions;
using nightly::Session;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* runs_nothing = "rm -f $ULPFUZZ_STATISTICS; ";
constexpr const char* runs_some = "echo '{\"executions\": 9}' > $ULPFUZZ_STATISTICS; ";

class SilentTarget : public testing::Test {
 protected:
  SilentTarget() {
    o_.subjects = {"loops"};
    o_.properties.clear();
    o_.fuzzers = scratch_ / "bin";
    o_.jobs = 2;
  }
  void put(const std::string& name, const std::string& does) const {
    put_target(o_.fuzzers, name, {.fuzz = does});
  }
  /// A night by time, for single turns.
  Session by_time() {
    o_.cases = 0;
    o_.seconds = 1000;
    return Session(o_, subjects_);
  }

  const Scratch scratch_;
  const Registry subjects_ = usual_subjects();
  NightlyOptions o_ = short_night(scratch_);
};

TEST_F(SilentTarget, ThatEndsAtOnceIsAnErrorWithTheEndOfItsLogAndTheOthersGoOn) {
  put("batched_vs_sliced", std::string(runs_nothing) + "echo no work today; echo ' '; exit 0");
  put("loop_vs_vectorized", runs_some);
  const report::Night night = nightly::run_nightly(o_, subjects_);
  EXPECT_EQ(night.exit_code, 4);
  EXPECT_THAT(night.errors,
              ElementsAre(AllOf(HasSubstr("libFuzzer: fuzz_batched_vs_sliced ran no input and "
                                          "ended with exit code 0; its log: "),
                                HasSubstr("/log: no work today"))));
  EXPECT_EQ(phase_of(night, "libFuzzer").cases, 9U) << "of the other";
  for (const char* phase : {"random", "search", "libFuzzer", "distil"})
    EXPECT_EQ(phase_of(night, phase).state, report::Phase::State::done) << phase;
  EXPECT_GE(phase_of(night, "search").cases, o_.cases);
}

TEST_F(SilentTarget, ThatCannotBeStartedIsNamedOnceHoweverManyTurnsItHad) {
  put("batched_vs_sliced", runs_some);
  put("npy", runs_some);
  std::ofstream(o_.fuzzers / "fuzz_npy") << "#!/nowhere/interpreter\n";
  o_.jobs = 1;
  Session session = by_time();
  Fuzzers fuzzers(session);
  for (int i = 0; i < 13; ++i) fuzzers.turn(session, 1, 0);  // three of readers
  fuzzers.tell_silent(session);
  EXPECT_THAT(session.night().errors,
              ElementsAre(AllOf(HasSubstr("fuzz_npy ran no input and ended with exit code 127"),
                                HasSubstr("fuzz_npy: cannot be started: No such file"))));
  EXPECT_EQ(session.phase("libFuzzer").cases, 90U) << "nine a turn of the other";
}

TEST_F(SilentTarget, ThatIsBusyWithNothingInAllItsTurnsIsAnErrorAndOneThatRanInAnyIsNone) {
  put("batched_vs_sliced", std::string(runs_nothing) + "echo thinking; exec sleep 60");
  put("loop_vs_vectorized", fmt::format("if [ -e {0} ]; then {1} exec sleep 60; fi; touch {0}; {2}",
                                        (scratch_ / "ran").string(), runs_nothing, runs_some));
  Session session = by_time();
  Fuzzers fuzzers(session);
  fuzzers.turn(session, 1, 0);
  EXPECT_THAT(session.night().errors, ElementsAre());
  fuzzers.tell_silent(session);
  EXPECT_THAT(session.night().errors, ElementsAre()) << "one turn tells nothing";
  for (int i = 0; i < 2; ++i) fuzzers.turn(session, 4.5, 0);
  fuzzers.tell_silent(session);
  EXPECT_THAT(session.night().errors,
              ElementsAre(AllOf(HasSubstr("libFuzzer: fuzz_batched_vs_sliced ran no input in "),
                                HasSubstr("/log: thinking"))));
}

TEST_F(SilentTarget, MayBeSlowToBeginOnceForAMinute) {
  const struct {
    std::vector<double> turns;
    bool told;
  } table[] = {{{59}, false}, {{61}, true}, {{5, 4.5}, false}, {{5, 5.5}, true}, {{59, 1}, true}};
  Session session = by_time();
  const nightly::FuzzTarget target{"fuzz_npy", "npy", true};
  for (const auto& [turns, told] : table) {
    session.night().errors.clear();
    nightly::SilentTargets silent;
    for (const double seconds : turns)
      EXPECT_FALSE(silent.note_turn(session, target, {nightly::ProgramEnding::How::stopped, 0}, 0,
                                    seconds, scratch_.path()));
    silent.tell(session);
    EXPECT_EQ(session.night().errors.size(), told ? 1 : 0) << turns.front();
  }
}

TEST_F(SilentTarget, WhoseTurnTheNightEndedIsNone) {
  put("batched_vs_sliced", fmt::format("{} kill -TERM {}; exec sleep 60", runs_nothing, getpid()));
  Session session = by_time();
  Fuzzers fuzzers(session);
  fuzzers.turn(session, 30, 0);
  ASSERT_TRUE(session.stopping());
  EXPECT_THAT(session.night().errors, ElementsAre());
}

TEST_F(SilentTarget, IsNoneWhoseLogSaysThatItRan) {
  put("npy", std::string(runs_nothing) + "printf '#4096\\tpulse  corp: 7/9b\\n#12 0x5581 in f\\n'");
  put("batched_vs_sliced", runs_some);
  const report::Night night = nightly::run_nightly(o_, subjects_);
  EXPECT_EQ(night.exit_code, 0);
  EXPECT_THAT(phase_of(night, "libFuzzer").note, HasSubstr("4096 inputs"));
}

TEST_F(SilentTarget, CountsWhatLibFuzzerSaysAndNoOtherLine) {
  const std::pair<const char*, unsigned> table[] = {{"#7\tINITED cov: 3 ft: 4", 7},
                                                    {"#8\tNEW    cov: 3", 8},
                                                    {"#9\tREDUCE cov: 3", 9},
                                                    {"#16\tpulse  cov: 3", 16},
                                                    {"#17\tDONE   cov: 3", 17},
                                                    {"#18\tRELOAD cov: 3", 18},
                                                    {"#19\tREAD units: 5", 19},
                                                    {"#20\tLOADED", 20},
                                                    {"#7 0x55 in main", 0},
                                                    {"#7 pulse", 0},
                                                    {"#7\tother", 0},
                                                    {"#\tpulse", 0},
                                                    {"#7x\tpulse", 0},
                                                    {" #7\tpulse", 0},
                                                    {"###### Recommended", 0},
                                                    {"#99 bottles", 0},
                                                    {"#", 0},
                                                    {"#7", 0},
                                                    {"stat::number_of_executed_units: 21", 21}};
  for (const auto& [line, executions] : table) {
    std::ofstream(scratch_ / "log") << line << "\n";
    EXPECT_EQ(nightly::executions_of(scratch_.path()), executions) << line;
  }
}

}  // namespace
}  // namespace ulpfuzz::silent_targets_test
