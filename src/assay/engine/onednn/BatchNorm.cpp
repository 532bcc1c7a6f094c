// Normalisation of each channel over all other dimensions. A fused ReLU leaves
// a workspace; a backward pass obtains it from a forward pass of its own, with
// the statistics of the problem.
#include "assay/engine/onednn/Normalization.h"

namespace assay::engine::onednn {

using Forward = dnnl::batch_normalization_forward;
using Backward = dnnl::batch_normalization_backward;

static auto describeForward(const dnnl::engine &engine, const Problem &problem,
                            dnnl::prop_kind kind, const Desc &src,
                            const Desc &dst, dnnl::normalization_flags flags) {
  (void)dst;
  return describe<Forward>(engine, dnnl::primitive_attr(), kind,
                           ASSAY_SRC_DST(src, dst),
                           problem.number("eps", 1.0 / 16), flags);
}

static constexpr std::initializer_list<Named> kForwardArguments = {
    {DNNL_ARG_SRC, "src"},      {DNNL_ARG_MEAN, "mean"},
    {DNNL_ARG_VARIANCE, "var"}, {DNNL_ARG_SCALE, "scale"},
    {DNNL_ARG_SHIFT, "shift"},  {DNNL_ARG_DST, "dst"}};

static Plan backward(const dnnl::engine &engine, const Problem &problem) {
  const Tensor &src = problem.need("src"), &diffSrc = problem.need("diff_src"),
               &diffDst = problem.need("diff_dst");
  needOneType(diffSrc, diffDst, "batch normalization");
  dnnl::normalization_flags flags = normalizationFlags(problem);
  auto kind = dnnl::prop_kind::forward_training;
  auto hint = describeForward(engine, problem, kind, src.descriptor(),
                              diffDst.storedAs(src), flags);
  auto pd = describeBackward<Backward>(
      engine, requestedAttributes(problem), hint, backwardKind(problem),
      ASSAY_SRC_DST(diffSrc.storedAs(src), diffDst.storedAs(src)),
      src.descriptor(), problem.number("eps", 1.0 / 16), flags);
  Step back = stepOf<Backward>(pd, problem,
                               {{DNNL_ARG_SRC, "src"},
                                {DNNL_ARG_MEAN, "mean"},
                                {DNNL_ARG_VARIANCE, "var"},
                                {DNNL_ARG_SCALE, "scale"},
                                {DNNL_ARG_DIFF_DST, "diff_dst"},
                                {DNNL_ARG_DIFF_SRC, "diff_src"},
                                {DNNL_ARG_DIFF_SCALE, "diff_scale"},
                                {DNNL_ARG_DIFF_SHIFT, "diff_shift"}});
#if DNNL_VERSION_MAJOR < 3
  if (problem.flag('H')) // 3.x does not accept it here
    back.add(DNNL_ARG_SHIFT, "shift", channels(problem));
#endif
  if (hint.workspace_desc() == Desc())
    return {{back}, {}};
  if (problem.flag('H'))
    problem.need("shift"); // it decides which elements pass the ReLU
  auto given = describeForward(
      engine, problem, kind, src.descriptor(), diffDst.storedAs(src),
      flags | dnnl::normalization_flags::use_global_stats);
  Step ahead = stepOf<Forward>(given, problem, kForwardArguments);
  ahead.add(DNNL_ARG_DST, "forward dst", given.dst_desc())
      .add(DNNL_ARG_WORKSPACE, "workspace", given.workspace_desc());
  back.add(DNNL_ARG_WORKSPACE, "workspace", hint.workspace_desc());
  return {{ahead, back}, {}};
}

Plan makeBatchNorm(const dnnl::engine &engine, const Problem &problem) {
  refuseAttributes(problem, "batch normalization");
  if (!problem.isForward())
    return backward(engine, problem);
  const Tensor &src = problem.need("src"), &dst = problem.need("dst");
  needOneType(src, dst, "batch normalization");
  auto pd =
      describeForward(engine, problem, problem.forwardKind(), src.descriptor(),
                      dst.descriptor(), normalizationFlags(problem));
  Step step = stepOf<Forward>(pd, problem, kForwardArguments);
  step.add(DNNL_ARG_WORKSPACE, "workspace", pd.workspace_desc());
  return {{step}, {}};
}

} // namespace assay::engine::onednn
