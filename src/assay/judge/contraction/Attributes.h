/// Scales, zero points and post-ops around a contraction. The meaning (oneDNN
/// 3, also benchdnn's):
///   acc = sum (src - zp_src) * (wei - zp_wei)
///   v   = acc * scale_src * scale_wei[oc] + bias;  post-ops in order;
///   dst = saturate(round(v / scale_dst + zp_dst))
/// Scales of blocks vary along the sum and belong to its factors:
///   acc = sum (src - zp_src) * block_src * (wei - zp_wei) * block_wei
#pragma once

#include "assay/judge/Types.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace assay::judge {

/// Which elements share one value: bit d set = one value for every index of
/// dimension d.
struct Mask {
  enum class Form : uint8_t { None, Policy, Bits } form = Form::None;
  std::string policy; ///< lower case: common, per_oc, per_dim_1, ...
  int64_t bits = 0;   ///< Form::Bits
  std::string text() const;
  bool isSingle() const {
    return form == Form::None || (form == Form::Bits && bits == 0) ||
           policy == "common" || policy == "host_scalar";
  }
};

/// One entry of --attr-scales or --attr-zero-points.
struct ArgumentValue {
  std::string argument; ///< src, wei, dst, src1, msrc0, ...
  Mask mask;
  double value = 1; ///< of a single-valued entry; otherwise the fill chooses
  ElementType type = types::None;
  /// Sizes of the blocks that share a value, of the last dimensions.
  std::vector<int64_t> groups;
  /// A scale that varies along the sum.
  bool isOfBlocks = false;
};

struct PostOp {
  enum class Kind : uint8_t { Sum, Eltwise, Binary, Prelu, Depthwise, Select };
  Kind kind = Kind::Eltwise;
  std::string name;           ///< sum relu tanh add prelu dw ...
  double alpha = 0, beta = 0; ///< eltwise
  double sumScale = 1;        ///< sum
  int64_t sumZeroPoint = 0;
  ElementType type = types::None; ///< of the second operand, or of the
                                  ///< destination read by sum
  Mask mask;
  std::string tag;     ///< of the second operand; empty = any
  std::string strides; ///< of the second operand; empty = dense
};

struct Attributes {
  std::vector<ArgumentValue> scales, zeroPoints;
  std::vector<PostOp> postOps;
  /// Results are rounded up or down at random, so that the mean is right.
  bool isStochastic = false;
  bool empty() const {
    return scales.empty() && zeroPoints.empty() && postOps.empty() &&
           !isStochastic;
  }
  /// The scale of the sums; the scale of the factor's blocks.
  const ArgumentValue *scale(llvm::StringRef argument) const;
  const ArgumentValue *blockScale(llvm::StringRef argument) const;
  const ArgumentValue *zeroPoint(llvm::StringRef argument) const;
  const PostOp *sum() const;
};

} // namespace assay::judge
