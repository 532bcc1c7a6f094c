// A ReLU whose slope is a tensor, broadcast over the source.
#include "assay/engine/onednn/Attributes.h"

namespace assay::engine::onednn {

Plan makePrelu(const dnnl::engine &engine, const Problem &problem) {
  refuseAttributes(problem, "prelu");
  const Tensor &src = problem.need("src"), &wei = problem.need("wei");
  Desc slopes = wei.withRank(src.dims.size());
  if (problem.isForward()) {
    const Tensor &dst = problem.need("dst");
    needOneType(src, dst, "prelu");
    auto pd = describe<dnnl::prelu_forward>(
        engine, dnnl::primitive_attr(), problem.forwardKind(), src.descriptor(),
        slopes ASSAY_SINCE_3(dst.descriptor()));
    return {{stepOf<dnnl::prelu_forward>(pd, problem,
                                         {{DNNL_ARG_SRC, "src"},
                                          {DNNL_ARG_WEIGHTS, "wei"},
                                          {DNNL_ARG_DST, "dst"}})},
            {}};
  }
  const Tensor &diffSrc = problem.need("diff_src"),
               &diffDst = problem.need("diff_dst");
  needOneType(diffSrc, diffDst, "prelu");
  Tensor diffWei = problem.need("diff_wei");
  diffWei.strides = wei.strides;
  auto hint = describe<dnnl::prelu_forward>(
      engine, dnnl::primitive_attr(), dnnl::prop_kind::forward_training,
      src.descriptor(), slopes ASSAY_SINCE_3(diffDst.storedAs(src)));
  auto pd = describeBackward<dnnl::prelu_backward>(
      engine, requestedAttributes(problem), hint, src.descriptor(), slopes,
      diffSrc.storedAs(src),
      diffWei.withRank(src.dims.size()) ASSAY_SINCE_3(diffDst.storedAs(src)));
  return {{stepOf<dnnl::prelu_backward>(pd, problem,
                                        {{DNNL_ARG_SRC, "src"},
                                         {DNNL_ARG_WEIGHTS, "wei"},
                                         {DNNL_ARG_DIFF_DST, "diff_dst"},
                                         {DNNL_ARG_DIFF_SRC, "diff_src"},
                                         {DNNL_ARG_DIFF_WEIGHTS, "diff_wei"}})},
          {}};
}

} // namespace assay::engine::onednn
