/// Leaf modules of well-known classes computed again, in f64, from their own
/// recorded inputs.
#pragma once

#include "assay/tensor/Tensor.h"

#include <optional>
#include <string>

namespace assay::trace {

/// The tensors of one call on one side; those that were not recorded are
/// invalid.
struct LeafCall {
  std::string className;
  tensor::Tensor input, output, weight, bias;
};

struct ReplayResult {
  std::string formula; ///< "gelu (tanh)", "layer norm, eps 1e-06", ...: the one
                       ///< that explains the bench
  std::string targetFormula; ///< another known formula that explains the
                             ///< target; empty if none
  int64_t elements = 0;      ///< looked at, each side
  int64_t targetOff = 0, benchOff = 0; ///< elements beyond the tolerance
  double worstUlp = 0; ///< of the target, in units of its last place
  /// Of steps with roundings inside: the relative L2 distance from the formula
  /// decides instead.
  bool byDeviation = false;
  double targetDeviation = 0, benchDeviation = 0, allowance = 0;
  bool targetWrong() const {
    if (byDeviation)
      return !(targetDeviation <= 2 * benchDeviation + allowance);
    return targetOff > 3 * benchOff + elements / 1000;
  }
};

/// Linear (class names that contain it), LayerNorm, RMSNorm, GELU (tanh, erf,
/// sigmoid), SiLU, ReLU, Sigmoid, Tanh, Softmax over the last dimension,
/// Embedding, Identity and Dropout of evaluation. What the record lacks
/// (epsilon, the GELU's kind) is taken from the bench: the formula that
/// explains its output. At most 64 rows
/// (Linear: 24) are computed: evenly spaced ones, and those that differ most.
/// Tolerance: 4 units in the last place of the output's type, and 2^-20 times
/// the sum of the moduli that were added Returns nullopt when the class is not
/// known, tensors are missing, or no formula explains the bench.
std::optional<ReplayResult> replayLeaf(const LeafCall &target,
                                       const LeafCall &bench);

} // namespace assay::trace
