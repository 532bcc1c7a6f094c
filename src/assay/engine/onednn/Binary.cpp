// Functions of two tensors, with one scale for each tensor.
#include "assay/engine/onednn/Algorithms.h"
#include "assay/engine/onednn/Attributes.h"

namespace assay::engine::onednn {

static dnnl::primitive_attr attributes(const Problem &problem) {
  if (!problem.zeroPoints.empty())
    throw Unsupported(versionName() + " has no zero points in binary");
  dnnl::primitive_attr attr;
  for (const ValueEntry &entry : problem.scales) {
    if (entry.argument != "src" && entry.argument != "src1")
      throw Unsupported(versionName() + " has no scale of '" + entry.argument +
                        "' in binary");
    if (entry.mask)
      throw Unsupported(versionName() + " has no scale with a mask in binary");
#if DNNL_VERSION_MAJOR >= 3
    attr.set_scales_mask(entry.dnnlArgument(), 0);
#else
    attr.set_scales(entry.dnnlArgument(), 0, {static_cast<float>(entry.value)});
#endif
  }
  attr.set_post_ops(makePostOps(problem));
  return attr;
}

Plan makeBinary(const dnnl::engine &engine, const Problem &problem) {
  auto pd = describe<dnnl::binary>(
      engine, attributes(problem), binaryAlgorithm(problem.algorithm),
      problem.need("src").descriptor(), problem.need("src1").descriptor(),
      problem.need("dst").requested());
  Plan plan{{stepOf<dnnl::binary>(pd, problem,
                                  {{DNNL_ARG_SRC_0, "src"},
                                   {DNNL_ARG_SRC_1, "src1"},
                                   {DNNL_ARG_DST, "dst"}})},
            {}};
#if DNNL_VERSION_MAJOR >= 3
  plan.attributeValues = productValues(engine, problem);
#endif
  return plan;
}

} // namespace assay::engine::onednn
