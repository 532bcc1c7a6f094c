/// From a problem to tensors and arithmetic: which tensors there are, how each
/// is laid out, which of them are the two factors of the sum, and the JSON text
/// that a plugin gets.
#pragma once

#include "assay/engine/Contraction.h"
#include "assay/engine/Worker.h"
#include "assay/verify/Problem.h"
#include "llvm/Support/JSON.h"

namespace assay::verify {

/// One tensor of a case. `dims` are logical, `strides` physical (elements);
/// spanElements covers them.
struct Slot {
  std::string role;
  DataType type = DataType::F32;
  Dims dims, strides;
  bool isOutput = false;
  int64_t elements() const;
  int64_t spanElements() const;
  int64_t spanBytes() const { return spanElements() * info(type).bytes; }
  bool isDense() const; ///< row-major without gaps
};

/// A factor's elements as [outer, depth, inner]: `depth` is the dimension along
/// which exact data is paired.
struct FactorShape {
  int64_t outer = 1, depth = 1, inner = 1;
};

/// A problem made ready: slots (inputs first), the contraction over slots a and
/// b into slot out.
struct Case {
  const Problem *problem = nullptr;
  std::vector<Slot> slots;
  engine::Contraction contraction;
  FactorShape aShape, bShape;
  int a = -1, b = -1, out = -1;
  int bias = -1, diffBias = -1; ///< input bias, output bias gradient
  int sumInput =
      -1; ///< equals `out` when a sum post-op reads the previous content
  std::vector<int> postOpSlots; ///< per post-op: its second operand or -1
  int scaleSlots[3] = {-1, -1, -1},
      zeroPointSlots[3] = {-1, -1, -1}; ///< src, wei, dst
  int64_t scaleMasks[3] = {0, 0, 0}, zeroPointMasks[3] = {0, 0, 0};
  std::string json;

  size_t inputCount() const;
  int64_t bytes() const;
};

/// Errors: InvalidArgument when knobs contradict each other, ResourceLimit when
/// sizes overflow.
llvm::Expected<Case> lower(const Problem &problem);

/// The same contraction as a problem of its own for a fast reference: no
/// attributes, no bias, free formats, the factors in `factorType` and the
/// result in `resultType`.
Case accumulatorCase(const Case &original, DataType factorType,
                     DataType resultType);

/// For the worker.
engine::ProblemDescription describe(const Case &c, int threads);

/// The dimensions of `dims` that a mask keeps; the others are 1.
Dims maskedDims(const Dims &dims, int64_t mask);
/// The bits of a mask of `argument` (src, wei, dst or a post-op's operand
/// "po").
int64_t maskBits(const Mask &mask, const Problem &problem,
                 llvm::StringRef argument);
Dims rowMajor(const Dims &dims);

} // namespace assay::verify
