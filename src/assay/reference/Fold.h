/// Folds values with one simple operation (add, multiply, maximum, minimum,
/// and, or, xor) in a wide type. reduce, reduce_window, scatter and
/// select_and_scatter use it when their body is such an operation; any other
/// body is evaluated in lanes.
///   floats of 32 bits or fewer   f64, one rounding at the end
///   f64                          double-double for add, f64 for the others
///   integers                     64-bit, wrapping; i1 like integers
#pragma once

#include "assay/numerics/ElementType.h"

#include <cstdint>
#include <optional>

namespace mlir {
class Operation;
}

namespace assay::reference {

class Fold {
public:
  /// For the body's single operation on elements of `type`; nullopt where there
  /// is no wide fold (complex multiply, ...).
  static std::optional<Fold> make(mlir::Operation *operation,
                                  numerics::ElementType type);

  /// The type that values are converted to before they are folded: f64, i64,
  /// ui64 or binary128.
  numerics::ElementType computeType() const { return compute_; }
  int64_t accumulatorBytes() const { return accumulatorBytes_; }

  /// accumulators[i] = values[i]
  void start(void *accumulators, const void *values, int64_t count) const {
    start_(accumulators, values, count);
  }
  /// accumulators[i] = accumulators[i] op values[i]
  void lanes(void *accumulators, const void *values, int64_t count) const {
    lanes_(accumulators, values, count);
  }
  /// *accumulator = *accumulator op values[0] op values[1] ...
  void row(void *accumulator, const void *values, int64_t count) const {
    row_(accumulator, values, count);
  }
  /// values[i] = accumulators[i], rounded to the compute type
  void finish(const void *accumulators, void *values, int64_t count) const {
    finish_(accumulators, values, count);
  }

private:
  using Function = void (*)(void *, const void *, int64_t);
  using Finish = void (*)(const void *, void *, int64_t);
  numerics::ElementType compute_;
  int64_t accumulatorBytes_ = 0;
  Function start_ = nullptr, lanes_ = nullptr, row_ = nullptr;
  Finish finish_ = nullptr;

  template <typename Rule> static Fold of(numerics::ElementType compute);
};

} // namespace assay::reference
