/// The epilogue of a sum: scales, bias, post-ops, the destination's scale, zero
/// point and rounding, carried out on (value, error) pairs. `error` bounds how
/// far a correct implementation may be from `value`; 0 means that its result is
/// exact. Each step adds its own rounding only where the exact result is not a
/// float.
#pragma once

#include "assay/judge/contraction/Case.h"

namespace assay::judge {

/// The merged loop nest over an output and the tensors broadcast to it:
/// neighbouring dimensions are merged where every tensor allows it.
struct Walk {
  Dims sizes;                ///< innermost last
  std::vector<Dims> strides; ///< per tensor
  static Walk over(const Dims &dims, const std::vector<Dims> &strides);
  int64_t rows() const;
  int64_t width() const { return sizes.back(); }
  /// Offsets of all tensors at row `row`.
  void at(int64_t row, int64_t *offsets) const;
  int64_t inner(size_t tensor) const { return strides[tensor].back(); }
};

class Epilogue {
public:
  /// `floats[slot]`: the logical values of every input slot of the case (null
  /// where not needed), and of the output's previous content when there is a
  /// sum.
  Epilogue(const Case &c, std::vector<const float *> floats);

  /// Value and error of `n` outputs of one row of the walk, from position
  /// `begin` on; in: the accumulators and their error, out: the value before
  /// the final rounding and its error. `spread`: relative error of the engine's
  /// sums, which also applies to a bias or previous output that it may have put
  /// into its accumulator first.
  void apply(int64_t row, int64_t begin, int64_t n, double *value,
             double *error, double spread = 0) const;
  const Walk &walk() const { return walk_; }
  bool empty() const { return steps_.empty(); }

private:
  enum class Kind : uint8_t { Scale, Add, Eltwise, Sum, Binary, Prelu, Divide };
  struct Step {
    Kind kind;
    int tensor = -1; ///< in the walk
    const float *data = nullptr;
    const PostOp *op = nullptr;
  };
  void addStep(Kind kind, int slot, const PostOp *op,
               std::vector<Dims> &strides);
  void applyStep(const Step &step, const int64_t *offsets, int64_t begin,
                 int64_t n, double *value, double *error, double spread) const;

  const Case &case_;
  std::vector<const float *> floats_;
  std::vector<Step> steps_;
  Walk walk_;
  double zeroPointReach_ = 0; ///< how far a zero point of src may move a sum of
                              ///< integers: addends of that size may be rounded
};

/// y = f(x) and a bound on the error of a good f32 implementation for any x'
/// within `error` of x.
struct Bounded {
  double value, error;
};
Bounded eltwise(const PostOp &op, double x, double error);
/// The part of that bound that does not shrink with |y|.
double eltwiseAbsolute(const PostOp &op);

/// The lowest and highest admissible result in the type for value +- error.
struct Interval {
  double low, high;
};
Interval admissible(ElementType type, double value, double error);

} // namespace assay::judge
