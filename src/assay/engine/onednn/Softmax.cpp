// Softmax and logarithmic softmax along an axis. Both scales apply to the
// result: dst = softmax(src) * scale_src / scale_dst. 2.x has one scale for the
// two.
#include "assay/engine/onednn/Algorithms.h"
#include "assay/engine/onednn/Attributes.h"

namespace assay::engine::onednn {

static dnnl::primitive_attr attributes(const Problem &problem) {
#if DNNL_VERSION_MAJOR >= 3
  if (!problem.zeroPoints.empty())
    throw Unsupported(versionName() + " has no zero points in softmax");
  return productAttributes(problem);
#else
  if (problem.scales.empty())
    return postOpsOnly(problem, "softmax");
  double scale = 1;
  for (const ValueEntry &entry : problem.scales) {
    bool isDst = entry.argument == "dst";
    if (entry.mask || (isDst && !isPowerOfTwo(entry.value)) ||
        !problem.postOps.empty() || !problem.zeroPoints.empty())
      throw Unsupported("oneDNN 2.x has one scale in softmax, a number, no "
                        "post-ops beside it; the reciprocal of dst's must be "
                        "exact");
    scale = isDst ? scale / entry.value : scale * entry.value;
  }
  dnnl::primitive_attr attr;
  attr.set_output_scales(0, {static_cast<float>(scale)});
  return attr;
#endif
}

Plan makeSoftmax(const dnnl::engine &engine, const Problem &problem) {
  dnnl::algorithm algorithm = softmaxAlgorithm(problem.algorithm);
  int axis = static_cast<int>(problem.integer("axis", 1));
  const Tensor &dst = problem.need("dst");
  if (problem.isForward()) {
    auto pd = describe<SoftmaxForward>(
        engine, attributes(problem), problem.forwardKind(), algorithm,
        problem.need("src").descriptor(), dst.descriptor(), axis);
    Plan plan{{stepOf<SoftmaxForward>(
                  pd, problem, {{DNNL_ARG_SRC, "src"}, {DNNL_ARG_DST, "dst"}})},
              {}};
#if DNNL_VERSION_MAJOR >= 3
    plan.attributeValues = productValues(engine, problem);
#endif
    return plan;
  }
  refuseAttributes(problem, "a backward pass");
  Desc diffDst = problem.need("diff_dst").descriptor(),
       diffSrc = problem.need("diff_src").descriptor();
  auto hint = describe<SoftmaxForward>(
      engine, dnnl::primitive_attr(), dnnl::prop_kind::forward_training,
      algorithm, dst.descriptor(), dst.descriptor(), axis);
  auto pd = describeBackward<SoftmaxBackward>(
      engine, requestedAttributes(problem), hint, algorithm, diffSrc, diffDst,
      dst.descriptor(), axis);
  return {{stepOf<SoftmaxBackward>(pd, problem,
                                   {{DNNL_ARG_DST, "dst"},
                                    {DNNL_ARG_DIFF_DST, "diff_dst"},
                                    {DNNL_ARG_DIFF_SRC, "diff_src"}})},
          {}};
}

} // namespace assay::engine::onednn
