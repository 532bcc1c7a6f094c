/// Compares the results of a run with expected ones.
#pragma once

#include "assay/numerics/Rules.h"
#include "assay/program/Value.h"

namespace assay::program {

/// The verdict on one result: a row of `assay run --expect`.
struct ResultVerdict {
  std::string name; ///< out0
  TensorType type;
  bool passed = false;
  /// No error was found, but too few elements can be judged.
  bool mistrusted = false;
  std::string rule;
  double maxAbs = 0;   ///< largest finite |got - expected|
  uint64_t maxUlp = 0; ///< largest distance in the tensor's own type; kUlpMax
                       ///< for a non-finite mismatch
  std::string worst;   ///< "[1, 2]", the index of the worst element
  double ofBound = 0;  ///< the worst element's error / the error that the rule
                       ///< allows there; infinite where it allows none
  std::string text;    ///< the verdict in words
  /// Rule shadow: the largest error of each side against the shadow, in units
  /// of the RMS of the shadow. Rule bound: as a share of its bound.
  double errorGot = 0, errorExpected = 0;
  int64_t elements = 0, failures = 0;
  /// The first failing elements, ascending. With rules shadow and bound, the
  /// elements at which either side fails.
  std::vector<int64_t> failing;
  std::vector<numerics::JudgedPoint> points; ///< the worst of the failing
                                             ///< elements
  std::string pattern; ///< where the failing elements are, in words; set by the
                       ///< caller
};

/// A tensor among the results: out0, out1, ...; the elements of a tuple are
/// out0.0, out0.1, ... Tokens are left out.
struct NamedValue {
  size_t index; ///< number of the result that contains it
  std::string name;
  const Value *value; ///< points into `results`
};
std::vector<NamedValue> tensorsOf(llvm::ArrayRef<Value> results);

/// A member of the file of expected results, dense.
struct ExpectedResult {
  size_t index; ///< number of the result that contains it
  std::string name;
  const Value *value; ///< the value that it is compared with
  Tensor tensor;
};
/// Reads the members of an .npz file that have the names of tensorsOf().
/// Errors: a missing or unreadable member, or one with another shape or type.
llvm::Expected<std::vector<ExpectedResult>>
readExpected(llvm::ArrayRef<Value> results, llvm::StringRef npzPath);

/// A verdict that only measures the differences: largest absolute error and
/// largest distance in ULP.
ResultVerdict compareResult(const Tensor &got, const Tensor &expected,
                            std::string name);

/// Judges results against the members out0, out1, ... of an .npz file. Rule
/// `shadow` needs results with shadows, and judges both sides. `trusted` are
/// the reference's own results with shadows, whose errors show how well the
/// program is conditioned; when empty, `results` are those of the reference.
/// Errors: those of readExpected.
llvm::Expected<std::vector<ResultVerdict>>
judgeResults(llvm::ArrayRef<Value> results, llvm::StringRef npzPath,
             const numerics::RuleSet &rules,
             llvm::ArrayRef<Value> trusted = {});

} // namespace assay::program
