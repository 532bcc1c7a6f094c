/// benchdnn's letters for normalisation flags as oneDNN's flags.
#pragma once

#include "assay/engine/onednn/Attributes.h"

namespace assay::engine::onednn {

/// G: statistics are inputs; C: scale; H: shift; R: a ReLU after the
/// normalisation. Throws Unsupported for A (adds a second tensor) and M (root
/// mean square).
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

/// The layout of scale and shift. A backward pass has shift among its
/// arguments, although its value does not matter; if the problem has none, it
/// gets memory of its own.
inline Desc channels(const Problem &problem) {
  for (const char *role : {"shift", "scale", "diff_shift", "diff_scale"})
    if (const Tensor *tensor = problem.tensor(role))
      return tensor->withRank(1);
  const Tensor &src = problem.need("src");
  int64_t count = problem.driver == "lnorm" ? src.dims.back() : src.dims.at(1);
  return Desc({count}, DataType::f32, dnnl::memory::dims{1});
}

/// The kind of a backward pass: with or without the gradients of scale and
/// shift.
inline dnnl::prop_kind backwardKind(const Problem &problem) {
  return problem.direction == "BWD_D" ? dnnl::prop_kind::backward_data
                                      : dnnl::prop_kind::backward;
}

} // namespace assay::engine::onednn
