// Normalisation over the last dimension, with separate scale and shift.
#include "assay/engine/onednn/Normalization.h"

namespace assay::engine::onednn {

/// The layout of mean and variance: all dimensions but the last.
static Desc statistics(const Problem &problem) {
  const Tensor &src = problem.need("src");
  if (const Tensor *mean = problem.tensor("mean"))
    return mean->withRank(src.dims.size() - 1);
  dnnl::memory::dims dims(src.dims.begin(), src.dims.end() - 1),
      strides(dims.size(), 1);
  for (size_t d = dims.size(); d-- > 1;)
    strides[d - 1] = strides[d] * dims[d];
  return Desc(dims, DataType::f32, strides);
}

static auto forward(const dnnl::engine &engine, const Problem &problem,
                    dnnl::prop_kind kind, const Desc &dst) {
  Desc src = problem.need("src").descriptor();
  (void)dst;
  return describe<dnnl::layer_normalization_forward>(
      engine, dnnl::primitive_attr(), kind, ASSAY_SRC_DST(src, dst),
      statistics(problem), problem.number("eps", 1.0 / 65536),
      normalizationFlags(problem));
}

static Plan backward(const dnnl::engine &engine, const Problem &problem) {
  const Tensor &src = problem.need("src"), &diffSrc = problem.need("diff_src"),
               &diffDst = problem.need("diff_dst");
  needOneType(diffSrc, diffDst, "layer normalization");
  auto hint = forward(engine, problem, dnnl::prop_kind::forward_training,
                      diffDst.storedAs(src));
  auto pd = describeBackward<dnnl::layer_normalization_backward>(
      engine, requestedAttributes(problem), hint, backwardKind(problem),
      ASSAY_SRC_DST(diffSrc.storedAs(src), diffDst.storedAs(src)),
      src.descriptor(), statistics(problem), problem.number("eps", 1.0 / 65536),
      normalizationFlags(problem));
  Step step = stepOf<dnnl::layer_normalization_backward>(
      pd, problem,
      {{DNNL_ARG_SRC, "src"},
       {DNNL_ARG_MEAN, "mean"},
       {DNNL_ARG_VARIANCE, "var"},
       {DNNL_ARG_SCALE, "scale"},
       {DNNL_ARG_DIFF_DST, "diff_dst"},
       {DNNL_ARG_DIFF_SRC, "diff_src"},
       {DNNL_ARG_DIFF_SCALE, "diff_scale"},
       {DNNL_ARG_DIFF_SHIFT, "diff_shift"}});
  if (problem.flag('H'))
    step.add(DNNL_ARG_SHIFT, "shift", channels(problem));
  return {{step}, {}};
}

Plan makeLayerNorm(const dnnl::engine &engine, const Problem &problem) {
  refuseAttributes(problem, "layer normalization");
  if (!problem.isForward())
    return backward(engine, problem);
  const Tensor &dst = problem.need("dst");
  needOneType(problem.need("src"), dst, "layer normalization");
  auto pd = forward(engine, problem, problem.forwardKind(), dst.descriptor());
  return {
      {stepOf<dnnl::layer_normalization_forward>(pd, problem,
                                                 {{DNNL_ARG_SRC, "src"},
                                                  {DNNL_ARG_MEAN, "mean"},
                                                  {DNNL_ARG_VARIANCE, "var"},
                                                  {DNNL_ARG_SCALE, "scale"},
                                                  {DNNL_ARG_SHIFT, "shift"},
                                                  {DNNL_ARG_DST, "dst"}})},
      {}};
}

} // namespace assay::engine::onednn
