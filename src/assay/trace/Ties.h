/// Gradients whose place depends on a maximum or a sign. Private to StepReplay.
#pragma once

#include <cstddef>
#include <vector>

namespace assay::trace {

/// A gradient and the values that it belongs to, on both sides.
struct Ties {
  std::vector<double> gradient[2], value[2]; ///< [1]: of the target

  /// Whether the gradients differ only where values nearly tie: a value whose
  /// distance from 0, or from another place's value, is at most that of the two
  /// sides. Between such places, the loss of one is the gain of another: the
  /// whole gradient, its share of a tie of several, or the part of one of the
  /// windows that overlap there. Elsewhere they may differ by `explained`
  /// (relative L2).
  bool decide(double explained) const;

private:
  double moved(size_t i) const;
  bool isNearZero(size_t i) const;
  bool isTie(size_t i, size_t j) const;
  bool isHandedOver(size_t i, const std::vector<size_t> &places) const;
  double change(size_t i) const { return gradient[1][i] - gradient[0][i]; }
};

} // namespace assay::trace
