// The stages of a session, each tested by itself: bytes that belong to no element,
// verdicts from several rounds, the engines that may compute the expected sums, and
// the plan and data of one case.
#include "assay/verify/TestProblem.h"
#include "assay/verify/properties/Ask.h"
#include "assay/verify/session/ContractionTrial.h"
#include "assay/verify/session/Plan.h"
#include "assay/verify/session/ProgramTrial.h"
#include "assay/verify/session/Running.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>

using namespace assay;
using namespace assay::verify;
using engine::Unwritten;

namespace {
/// A result in its own region, filled as before a run.
struct Region {
  std::vector<std::byte> bytes;
  std::vector<int64_t> dims, strides;
  engine::Placement place;
  ResultMemory result;
  Unwritten unwritten;

  Region(ElementType type, std::vector<int64_t> sizes,
         std::vector<int64_t> steps, int64_t spanBytes, Unwritten how)
      : bytes(256), dims(std::move(sizes)), strides(std::move(steps)),
        place{0, 256, 32},
        result{"dst", type, dims, strides, spanBytes, &place}, unwritten(how) {
    engine::fillUnwritten(bytes.data(), 256, how, isSpoiltAsFloat(type));
  }
  /// Changes a byte counted from the first element.
  void change(int64_t at) { bytes[static_cast<size_t>(32 + at)] ^= std::byte{1}; }
  bool isIntact(Outcome *outcome = nullptr) {
    Outcome unused;
    return areGapsIntact(result, bytes.data(), unwritten,
                         outcome ? *outcome : unused);
  }
};
} // namespace

TEST(Stages, GapsAreTheBytesThatBelongToNoElement) {
  // Rows of 3 floats that are 5 apart: elements at 0..2 and 5..7.
  for (Unwritten how : {Unwritten::Marks, Unwritten::Garbage,
                        Unwritten::OtherGarbage})
    for (int64_t at = -32; at < 224; ++at) {
      Region region(types::F32, {2, 3}, {5, 1}, 32, how);
      region.change(at);
      bool isElement = at >= 0 && at < 32 && at / 4 % 5 < 3;
      EXPECT_EQ(region.isIntact(), isElement) << at;
    }
}

TEST(Stages, GapsBetweenElementsThatShareBytes) {
  // Rows of 2 elements of 4 bits, 6 apart: bytes 0 and 3.
  ElementType s4 = *parseDataType("s4");
  for (int64_t at = -32; at < 224; ++at) {
    Region region(s4, {2, 2}, {6, 1}, 4, Unwritten::Marks);
    region.change(at);
    EXPECT_EQ(region.isIntact(), at == 0 || at == 3) << at;
  }
}

TEST(Stages, GapsOfPermutedResultsAreAroundThem) {
  for (int64_t at = -32; at < 224; ++at) {
    Region region(types::S8, {2, 3}, {1, 2}, 6, Unwritten::Garbage);
    region.change(at);
    EXPECT_EQ(region.isIntact(), at >= 0 && at < 6) << at;
  }
}

TEST(Stages, GapsNameTheResultAndTheByte) {
  Region region(types::F32, {2, 3}, {5, 1}, 32, Unwritten::Marks);
  region.change(13);
  Outcome outcome;
  EXPECT_FALSE(region.isIntact(&outcome));
  EXPECT_EQ(outcome.reason, "the engine wrote outside of 'dst'");
  ASSERT_EQ(outcome.after.size(), 1u);
  EXPECT_NE(outcome.after[0].find("byte 13"), std::string::npos);
}

TEST(Stages, EdgesAloneDoNotDecideTheVerdict) {
  auto verdict = [](int64_t decided, judge::Status status) {
    judge::ProgramVerdict verdict;
    verdict.decided = decided;
    verdict.status = status;
    return verdict;
  };
  const Round normal{FillKind::Normal, 0}, range{FillKind::Range, 0};
  Outcome outcome;
  Tally both(Tally::isOnlyEdges({normal, range}));
  both.add(normal, verdict(10, judge::Status::Passed), 10);
  both.add(range, verdict(0, judge::Status::Passed), 10);
  EXPECT_EQ(both.status(outcome), Status::Passed);
  EXPECT_EQ(outcome.facts.getNumber("decided_fraction"), 1.0);

  Tally edges(Tally::isOnlyEdges({range}));
  edges.add(range, verdict(1, judge::Status::Passed), 10);
  EXPECT_EQ(edges.status(outcome), Status::Passed);
  Tally nothing(Tally::isOnlyEdges({range}));
  nothing.add(range, verdict(0, judge::Status::Passed), 10);
  EXPECT_EQ(nothing.status(outcome), Status::Mistrusted);

  Tally few(Tally::isOnlyEdges({normal}));
  few.add(normal, verdict(4, judge::Status::Passed), 10);
  EXPECT_EQ(few.status(outcome), Status::Mistrusted);
  Tally doubtful(Tally::isOnlyEdges({normal}));
  doubtful.add(normal, verdict(10, judge::Status::Mistrusted), 10);
  EXPECT_EQ(doubtful.status(outcome), Status::Mistrusted);
}

TEST(Stages, AnEngineUnderTestIsNoReference) {
  auto trusted = [](llvm::StringRef words, const judge::FillPlan *plan) {
    Problem problem = problemOf(words);
    Lowered c = llvm::cantFail(lower(problem));
    return trustedEngines(c, plan);
  };
  const char *large = "--matmul --engine=native 256x256:256x256";
  for (const auto &[name, type] : trusted(large, nullptr))
    EXPECT_NE(name, "native");
  EXPECT_FALSE(trusted(large, nullptr).empty());
  EXPECT_TRUE(trusted("--matmul --engine=native 8x8:8x8", nullptr).empty());
  EXPECT_TRUE(
      trusted("--matmul --fast-ref=false 256x256:256x256", nullptr).empty());
  // Other engines may lose NaN and infinities.
  judge::FillPlan given;
  given.nonFinite = true;
  EXPECT_TRUE(trusted(large, &given).empty());
  // An engine named by --trust may compute them.
  auto named = trusted(
      "--matmul --engine=native --trust=native 256x256:256x256", nullptr);
  ASSERT_FALSE(named.empty());
  EXPECT_EQ(named[0].first, "native");
}

namespace {
/// The trial of a planned problem, without an engine.
struct Planned {
  Resources resources{{"", 1, 0}};
  Planner planner;
  std::unique_ptr<PlannedProblem> problem;
  std::unique_ptr<Trial> trial;
  explicit Planned(llvm::StringRef words)
      : problem(llvm::cantFail(planner.plan(problemOf(words)))),
        trial(llvm::cantFail(trialOf(*problem, resources))) {}
  /// The first bytes of each argument after a round's Fill and Place.
  std::vector<float> firstValues(const Round &round) {
    llvm::cantFail(resources.makeReady(trial->bytes()));
    llvm::cantFail(trial->fill(round));
    auto places = llvm::cantFail(
        put(*trial, engine::Guard::AtEnd, Unwritten::Marks, resources));
    std::vector<float> values;
    for (const engine::Placement &place : places) {
      float value;
      std::memcpy(&value,
                  resources.memory() + place.fileOffset + place.dataOffset,
                  sizeof value);
      values.push_back(value);
    }
    return values;
  }
};
} // namespace

TEST(Stages, PlanKnowsContractionsFromOtherPrograms) {
  EXPECT_NE(nullptr, dynamic_cast<ContractionTrial *>(
                         Planned("--matmul 4x5:5x6").trial.get()));
  EXPECT_NE(nullptr, dynamic_cast<ProgramTrial *>(
                         Planned("--softmax --axis=1 4x5").trial.get()));
  // An empty sum is tested as a program.
  EXPECT_NE(nullptr, dynamic_cast<ProgramTrial *>(
                         Planned("--matmul 4x0:0x6").trial.get()));
}

TEST(Stages, RoundsRepeatASingleKindAndEndByThemselves) {
  for (const char *words : {"--matmul --fill=normal 4x5:5x6",
                            "--softmax --fill=normal --axis=1 4x5"}) {
    Planned planned(words);
    ASSERT_TRUE(planned.trial->round(0)) << words;
    EXPECT_EQ(planned.trial->round(0)->kind, FillKind::Normal);
    ASSERT_TRUE(planned.trial->round(1)) << words;
    EXPECT_EQ(planned.trial->round(1)->kind, FillKind::Normal);
    EXPECT_FALSE(planned.trial->round(2)) << words;
  }
}

TEST(Stages, FillAndPlaceMarkWhatIsNotWritten) {
  for (const char *words : {"--matmul --fill=normal 4x5:5x6",
                            "--softmax --fill=normal --axis=1 4x5"}) {
    Planned planned(words);
    std::vector<float> first = planned.firstValues({FillKind::Normal, 0});
    ASSERT_GE(first.size(), 2u);
    for (size_t i = 0; i + 1 < first.size(); ++i)
      EXPECT_TRUE(std::isfinite(first[i])) << words << i;
    EXPECT_TRUE(std::isnan(first.back())) << words; // the result
    EXPECT_EQ(first[0], planned.firstValues({FillKind::Normal, 0})[0]) << words;
  }
}

TEST(Stages, PropertiesRunByTheStagesOfATrial) {
  Planned planned("--softmax --fill=normal --axis=1 4x5");
  llvm::cantFail(planned.resources.makeReady(1 << 20));
  PropertyRuns runs(*planned.problem, planned.resources);
  ASSERT_FALSE(runs.fill(FillKind::Normal));
  // Where roundings are allowed, the stage Expect says how far results may differ.
  ASSERT_FALSE(runs.allowRoundings());
  size_t size = 20 * sizeof(float);
  Results right{std::vector<std::byte>(size)}, wrong = right;
  EXPECT_EQ(runs.compare(right, wrong, "again").kind, Answer::Kind::Holds);
  float one = 1;
  std::memcpy(wrong[0].data(), &one, sizeof one);
  Answer answer = runs.compare(right, wrong, "again");
  EXPECT_EQ(answer.kind, Answer::Kind::Broken);
  EXPECT_NE(answer.text.find("1 of 20 elements"), std::string::npos);
  // A problem beside the base has arguments and results of its own.
  ProgramTrial &other = runs.with(runs.base());
  other.setInputs(runs.inputs);
  ASSERT_TRUE(bool(put(other, engine::Guard::AtEnd, Unwritten::Marks,
                       planned.resources)));
  Results unwritten = other.denseResults();
  ASSERT_EQ(unwritten[0].size(), size);
  float first;
  std::memcpy(&first, unwritten[0].data(), sizeof first);
  EXPECT_TRUE(std::isnan(first));
}

TEST(Stages, JudgeTellsARightResultFromAWrongOne) {
  Planned planned("--matmul --fill=exact --fast-ref=false 1x3:3x1");
  std::vector<float> unwritten = planned.firstValues({FillKind::Exact, 0});
  EXPECT_TRUE(std::isnan(unwritten.back()));
  Outcome wrong;
  EXPECT_EQ(planned.trial->judge({FillKind::Exact, 0}, wrong), Status::Failed);
  std::vector<ResultMemory> results = planned.trial->results();
  ASSERT_EQ(results.size(), 1u);
  // The right result, computed by hand.
  const std::byte *memory = planned.resources.memory();
  auto at = [&](const engine::Placement &place) {
    return reinterpret_cast<float *>(const_cast<std::byte *>(
        memory + place.fileOffset + place.dataOffset));
  };
  auto places = planned.trial->place(engine::Guard::AtEnd);
  float sum = 0;
  for (int i = 0; i < 3; ++i)
    sum += at(places[0])[i] * at(places[1])[i];
  *at(places[2]) = sum;
  Outcome right;
  EXPECT_NE(planned.trial->judge({FillKind::Exact, 0}, right), Status::Failed);
}

TEST(Stages, RefusalsHaveTheStatusOfTheirCode) {
  auto statusFor = [](ErrorCode code) {
    Outcome outcome;
    refuse(makeError(code, "so"), outcome);
    EXPECT_EQ(outcome.reason, "so");
    return outcome.status;
  };
  EXPECT_EQ(statusFor(ErrorCode::ResourceLimit), Status::Skipped);
  EXPECT_EQ(statusFor(ErrorCode::Unsupported), Status::Unimplemented);
  EXPECT_EQ(statusFor(ErrorCode::InvalidArgument), Status::InvalidArguments);
  Resources small({"", 1, 1 << 20});
  Outcome outcome;
  refuse(small.makeReady(1 << 21), outcome);
  EXPECT_EQ(outcome.status, Status::Skipped);
  EXPECT_EQ(outcome.reason,
            "needs about 2.0 MiB, the limit is 1.0 MiB (--max-memory)");
}
