/// A contraction made ready to be filled and judged: its tensors and their
/// layouts, which of them are the two factors, and what happens to the sums
/// before they are stored. The recogniser finds it in a program.
#pragma once

#include "assay/judge/contraction/Attributes.h"
#include "assay/judge/contraction/Contraction.h"
#include "assay/program/ConvolutionAlgorithm.h"

namespace assay::judge {

using Dims = llvm::SmallVector<int64_t, 6>;

using Algorithm = program::ConvolutionAlgorithm;

/// One tensor of a case. `dims` are logical, `strides` physical (elements);
/// spanElements covers them.
struct Slot {
  std::string role;
  ElementType type = types::F32;
  Dims dims, strides;
  bool isOutput = false;
  int64_t elements() const;
  int64_t spanElements() const;
  int64_t spanBytes() const {
    return type == types::None ? 0
                               : numerics::packedBytes(type, spanElements());
  }
  /// The bytes of its elements, without the gaps between them.
  int64_t bytes() const {
    return type == types::None ? 0 : numerics::packedBytes(type, elements());
  }
  bool isDense() const; ///< row-major without gaps
};

/// A factor's elements as [outer, depth, inner]: `depth` is the dimension along
/// which exact data is paired.
struct FactorShape {
  int64_t outer = 1, depth = 1, inner = 1;
};

/// Slots (inputs first), and the contraction over slots a and b into slot out.
struct Case {
  std::vector<Slot> slots;
  Contraction contraction;
  Attributes attributes;
  Algorithm algorithm = Algorithm::Direct;
  FactorShape aShape, bShape;
  int a = -1, b = -1, out = -1;
  int bias = -1, diffBias = -1; ///< input bias, output bias gradient
  int sumInput = -1; ///< equals `out` when a sum post-op reads the previous
                     ///< content
  std::vector<int> postOpSlots; ///< per post-op: its second operand or -1
  int scaleSlots[3] = {-1, -1, -1},
      zeroPointSlots[3] = {-1, -1, -1}; ///< src, wei, dst
  /// Scales of src and wei that vary along the sums: each belongs to a block of
  /// the tensor, whose size is that of the tensor over that of the scale.
  int blockScaleSlots[2] = {-1, -1};
  /// Along `depth` this many neighbours have the same block scales; 0: all.
  int64_t evenDepth = 0;
  /// The dimension of the output that tensors of one dimension run along.
  int channel = 1;
  /// The type that an engine may round f32 factors to (--attr-fpmath); None: it
  /// may not. Exact data is exact in this type.
  ElementType factorRounding = types::None;
  /// Unit roundoff of the accumulator that an engine may sum in; 0: the usual
  /// one (--attr-acc-mode).
  double accumulatorUnit = 0;
  /// Sparse data has benchdnn's ranges for matrices, not for convolutions.
  bool matrixRanges = false;

  size_t inputCount() const;
  bool hasBias() const { return bias >= 0 || diffBias >= 0; }
  /// How many of the factors have block scales.
  int blockScales() const {
    return (blockScaleSlots[0] >= 0) + (blockScaleSlots[1] >= 0);
  }
  /// The factors are not the tensors: zero points, block scales.
  bool changesFactors() const {
    return zeroPointSlots[0] >= 0 || zeroPointSlots[1] >= 0 || blockScales();
  }
  /// The sums are sums of integers, whatever the order exact in 32 bits.
  bool hasIntegerSums() const;
};

/// The dimensions of `dims` that a mask keeps; the others are 1.
Dims maskedDims(const Dims &dims, int64_t mask);
Dims rowMajor(const Dims &dims);

/// Calls visit(element, block, n) for runs of n neighbouring elements of a
/// tensor of sizes `dims` that are in one block; `blocks` has a size for each
/// of its dimensions that divides it.
void forEachBlockRun(
    const Dims &dims, const Dims &blocks,
    llvm::function_ref<void(int64_t element, int64_t block, int64_t n)> visit);

} // namespace assay::judge
