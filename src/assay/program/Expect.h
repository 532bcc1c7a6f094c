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
  std::string rule;
  double maxAbs = 0;   ///< largest finite |got - expected|
  uint64_t maxUlp = 0; ///< largest distance in the tensor's own type; kUlpMax
                       ///< for a non-finite mismatch
  std::string worst;   ///< "[1, 2]", the index of the worst element
  std::string text;    ///< the verdict in words
  /// Rule shadow: the largest error of each side against the shadow, in units
  /// of the RMS of the shadow.
  double errorGot = 0, errorExpected = 0;
};

/// Judges results against members out0, out1, ... of an .npz file. Rule
/// `shadow` needs results with shadows. `bounds`, for rule `bound`: per result
/// the allowed |got - expected| of each element, or one number for all. Errors:
/// a missing or unreadable member, another shape or type.
llvm::Expected<std::vector<ResultVerdict>>
judgeResults(llvm::ArrayRef<Value> results, llvm::StringRef npzPath,
             const numerics::RuleSet &rules,
             llvm::ArrayRef<std::vector<double>> bounds = {});

} // namespace assay::program
