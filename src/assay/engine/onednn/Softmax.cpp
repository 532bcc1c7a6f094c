// Softmax and logarithmic softmax along an axis. 2.x has an output scale: the
// scale of dst where its reciprocal is exact.
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
  const ValueEntry &entry = problem.scales[0];
  if (problem.scales.size() > 1 || entry.argument != "dst" || entry.mask ||
      !isPowerOfTwo(entry.value) || !problem.postOps.empty() ||
      !problem.zeroPoints.empty())
    throw Unsupported("oneDNN 2.x has one scale in softmax, that of the "
                      "output");
  dnnl::primitive_attr attr;
  attr.set_output_scales(0, {static_cast<float>(1 / entry.value)});
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
  auto pd = describeBackward<SoftmaxBackward>(engine, hint, algorithm, diffSrc,
                                              diffDst, dst.descriptor(), axis);
  return {{stepOf<SoftmaxBackward>(pd, problem,
                                   {{DNNL_ARG_DST, "dst"},
                                    {DNNL_ARG_DIFF_DST, "diff_dst"},
                                    {DNNL_ARG_DIFF_SRC, "diff_src"}})},
          {}};
}

} // namespace assay::engine::onednn
