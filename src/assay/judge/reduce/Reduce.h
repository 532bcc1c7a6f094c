/// `assay reduce`: from a failing program to the smallest test that still fails.
/// First the graph (Graph.h), then sizes, attributes and values (Shrink.h),
/// until nothing gets smaller. Deterministic: the same program, subject and
/// data give the same tests; with a journal a killed run continues where it was.
#pragma once

#include "assay/judge/reduce/Graph.h"

namespace assay::judge {

/// The attribute of a @main that `assay test` judges by this rule, instead of
/// `dtype`.
inline constexpr const char *kRuleAttribute = "assay.rule";

/// One fault, reduced as far as possible.
struct ReducedTest {
  TestCase test;
  Finding finding;                 ///< of the smallest test
  std::string operation, location; ///< where the program first fails
  int64_t execution = 0;
  /// "engine plugin:./lib.so gives 3 where 5 is right ...".
  std::string sentence;
  /// The test as text: @main, which `assay test` judges by the derived bound.
  std::string text() const;
};

struct Reduction {
  std::vector<ReducedTest> tests;       ///< one per fault; none: nothing fails
  int64_t operations = 0, elements = 0; ///< of the original program
  int64_t trials = 0;
  bool isComplete = true; ///< false: the budget ended it
  std::string note;
};

struct ReduceRequest {
  std::shared_ptr<const program::Program> program;
  std::string entry;
  std::vector<tensor::Tensor> inputs;
  PlanMaker plan = referencePlan;
};

/// Errors: those of the program on the reference.
llvm::Expected<Reduction> reduce(const ReduceRequest &request, Trial &trial);

/// The cuts after the graph on a test that fails with `part.symptom`.
ReducedTest shrink(FailingPart part, Trial &trial);

/// Writes FILE.mlir and FILE.npz (in0, in1, ..., out0, ... of the reference).
/// Errors: those of writing.
llvm::Error writeTest(const ReducedTest &test, llvm::StringRef path);

} // namespace assay::judge
