// Local response normalisation, across channels or within one. A backward pass
// first runs a forward pass of its own where the primitive needs a workspace.
#include "assay/engine/onednn/Algorithms.h"
#include "assay/engine/onednn/Attributes.h"

namespace assay::engine::onednn {

using Forward = dnnl::lrn_forward;
using Backward = dnnl::lrn_backward;

static auto describeForward(const dnnl::engine &engine, const Problem &problem,
                            dnnl::prop_kind kind, const Desc &src,
                            const Desc &dst) {
  (void)dst;
  return describe<Forward>(
      engine, dnnl::primitive_attr(), kind, lrnAlgorithm(problem.algorithm),
      ASSAY_SRC_DST(src, dst), problem.integer("ls", 5),
      problem.number("alpha", 1e-4), problem.number("beta", 0.75),
      problem.number("k", 1));
}

static Plan backward(const dnnl::engine &engine, const Problem &problem) {
  const Tensor &src = problem.need("src"), &diffSrc = problem.need("diff_src"),
               &diffDst = problem.need("diff_dst");
  needOneType(diffSrc, diffDst, "local response normalization");
  auto hint =
      describeForward(engine, problem, dnnl::prop_kind::forward_training,
                      src.descriptor(), diffDst.storedAs(src));
  auto pd = describeBackward<Backward>(
      engine, requestedAttributes(problem), hint,
      lrnAlgorithm(problem.algorithm),
      ASSAY_LRN_BACKWARD(src.descriptor(), diffSrc.storedAs(src),
                         diffDst.storedAs(src)),
      problem.integer("ls", 5), problem.number("alpha", 1e-4),
      problem.number("beta", 0.75), problem.number("k", 1));
  Step back = stepOf<Backward>(pd, problem,
                               {{DNNL_ARG_SRC, "src"},
                                {DNNL_ARG_DIFF_DST, "diff_dst"},
                                {DNNL_ARG_DIFF_SRC, "diff_src"}});
  if (pd.workspace_desc() == Desc())
    return {{back}, {}};
  Step ahead = stepOf<Forward>(hint, problem, {{DNNL_ARG_SRC, "src"}});
  ahead.add(DNNL_ARG_DST, "forward dst", hint.dst_desc())
      .add(DNNL_ARG_WORKSPACE, "workspace", hint.workspace_desc());
  back.add(DNNL_ARG_WORKSPACE, "workspace", pd.workspace_desc());
  return {{ahead, back}, {}};
}

Plan makeLrn(const dnnl::engine &engine, const Problem &problem) {
  refuseAttributes(problem, "local response normalization");
  if (!problem.isForward())
    return backward(engine, problem);
  const Tensor &src = problem.need("src"), &dst = problem.need("dst");
  needOneType(src, dst, "local response normalization");
  auto pd = describeForward(engine, problem, problem.forwardKind(),
                            src.descriptor(), dst.descriptor());
  Step step = stepOf<Forward>(pd, problem,
                              {{DNNL_ARG_SRC, "src"}, {DNNL_ARG_DST, "dst"}});
  step.add(DNNL_ARG_WORKSPACE, "workspace", pd.workspace_desc());
  return {{step}, {}};
}

} // namespace assay::engine::onednn
