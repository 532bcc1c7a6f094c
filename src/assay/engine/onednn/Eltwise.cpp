// Elementwise functions. 2.x has one data type and layout for both sides.
#include "assay/engine/onednn/Algorithms.h"
#include "assay/engine/onednn/Attributes.h"

namespace assay::engine::onednn {

static Plan backward(const dnnl::engine &engine, const Problem &problem,
                     const Eltwise &f) {
  refuseAttributes(problem, "a backward pass");
  const Tensor &data = problem.need(f.usesDst ? "dst" : "src"),
               &diffDst = problem.need("diff_dst"),
               &diffSrc = problem.need("diff_src");
  needOneType(diffSrc, diffDst, "eltwise");
  Desc layout = data.descriptor();
  auto hint = describe<dnnl::eltwise_forward>(
      engine, dnnl::primitive_attr(), dnnl::prop_kind::forward_training,
      f.algorithm, ASSAY_SRC_DST(layout, layout), f.alpha, f.beta);
  auto pd = describeBackward<dnnl::eltwise_backward>(
      engine, requestedAttributes(problem), hint, f.algorithm,
      ASSAY_SRC_DST(diffSrc.storedAs(data), diffDst.storedAs(data)), layout,
      f.alpha, f.beta);
  return {
      {stepOf<dnnl::eltwise_backward>(
          pd, problem,
          {{f.usesDst ? DNNL_ARG_DST : DNNL_ARG_SRC, f.usesDst ? "dst" : "src"},
           {DNNL_ARG_DIFF_DST, "diff_dst"},
           {DNNL_ARG_DIFF_SRC, "diff_src"}})},
      {}};
}

Plan makeEltwise(const dnnl::engine &engine, const Problem &problem) {
  Eltwise f = eltwiseAlgorithm(problem.algorithm, problem.number("alpha"),
                               problem.number("beta"));
  if (!problem.isForward())
    return backward(engine, problem, f);
  const Tensor &src = problem.need("src"), &dst = problem.need("dst");
  needOneType(src, dst, "eltwise");
  auto pd = describe<dnnl::eltwise_forward>(
      engine, postOpsOnly(problem, "eltwise"), problem.forwardKind(),
      f.algorithm, ASSAY_SRC_DST(src.descriptor(), dst.storedAs(src)), f.alpha,
      f.beta);
  return {{stepOf<dnnl::eltwise_forward>(
              pd, problem, {{DNNL_ARG_SRC, "src"}, {DNNL_ARG_DST, "dst"}})},
          {}};
}

} // namespace assay::engine::onednn
