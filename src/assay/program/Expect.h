/// Judging the results of a run against expected ones.
#pragma once

#include "assay/numerics/Rules.h"
#include "assay/program/Value.h"

namespace assay::program {

/// One result judged: a row of `assay run --expect`.
struct ResultVerdict {
  std::string name; ///< out0
  TensorType type;
  bool passed = false;
  /// Nothing is known to be wrong, but too little of it can be judged.
  bool mistrusted = false;
  std::string rule;
  double maxAbs = 0;   ///< largest finite |got - expected|
  uint64_t maxUlp = 0; ///< largest distance in the tensor's own type; kUlpMax
                       ///< for a non-finite mismatch
  std::string worst;   ///< "[1, 2]", the index of the worst element
  double ofBound = 0;  ///< its error as a share of what the rule allows there;
                       ///< infinite where no error is allowed
  std::string text;    ///< the verdict in words
  /// Rule shadow: the largest error of each side against the shadow, in units
  /// of the RMS of the shadow. Rule bound: as a share of its bound.
  double errorGot = 0, errorExpected = 0;
  int64_t elements = 0, failures = 0;
  /// The first of the elements that fail, ascending; with rules shadow and
  /// bound those of a side that fails.
  std::vector<int64_t> failing;
  std::vector<numerics::JudgedPoint> points; ///< the worst of them
  std::string pattern; ///< where they are, in words; set by the caller
};

/// A tensor among results: out0, out1, ...; those of a tuple are out0.0, out0.1.
/// Tokens are left out.
struct NamedValue {
  size_t index; ///< of the result
  std::string name;
  const Value *value; ///< of `results`
};
std::vector<NamedValue> tensorsOf(llvm::ArrayRef<Value> results);

/// A member of the file of expected results, every element stored.
struct ExpectedResult {
  size_t index; ///< of the result
  std::string name;
  const Value *value; ///< the value that it is compared with
  Tensor tensor;
};
/// Members of an .npz file, named as tensorsOf() names them.
/// Errors: a missing or unreadable member, another shape or type.
llvm::Expected<std::vector<ExpectedResult>>
readExpected(llvm::ArrayRef<Value> results, llvm::StringRef npzPath);

/// A verdict with only the differences: largest absolute error, largest
/// distance in ULP.
ResultVerdict compareResult(const Tensor &got, const Tensor &expected,
                            std::string name);

/// Judges results against members out0, out1, ... of an .npz file. Rule
/// `shadow` needs results with shadows, and judges both sides: `trusted` are the
/// reference's own results (with shadows), whose errors say how well the program
/// is conditioned. None: `results` are the reference's. Errors: those of
/// readExpected.
llvm::Expected<std::vector<ResultVerdict>>
judgeResults(llvm::ArrayRef<Value> results, llvm::StringRef npzPath,
             const numerics::RuleSet &rules,
             llvm::ArrayRef<Value> trusted = {});

} // namespace assay::program
