/// benchdnn's letters of normalisation flags as oneDNN's.
#pragma once

#include "assay/engine/onednn/Attributes.h"

namespace assay::engine::onednn {

/// G: statistics are inputs; C: scale; H: shift; R: a ReLU after it.
/// Throws Unsupported for A (adds a second tensor) and M (root mean square).
inline dnnl::normalization_flags normalizationFlags(const Problem &problem) {
  using Flags = dnnl::normalization_flags;
  Flags flags = Flags::none;
  if (problem.flag('A'))
    throw Unsupported("the adapter of oneDNN has no normalization that adds a "
                      "second tensor");
  if (problem.flag('M'))
    throw Unsupported(versionName() + " has no root mean square normalization");
  if (problem.flag('G'))
    flags = flags | Flags::use_global_stats;
  if (problem.flag('C'))
    flags = flags | Flags::use_scale;
  if (problem.flag('H'))
    flags = flags | Flags::use_shift;
  if (problem.flag('R'))
    flags = flags | Flags::fuse_norm_relu;
  return flags;
}

/// A backward pass with or without the gradients of scale and shift.
inline dnnl::prop_kind backwardKind(const Problem &problem) {
  return problem.direction == "BWD_D" ? dnnl::prop_kind::backward_data
                                      : dnnl::prop_kind::backward;
}

} // namespace assay::engine::onednn
