// A tensor in another data type or layout, with scales and zero points. 2.x has
// one output scale in place of those of src and dst.
#include "assay/engine/onednn/Attributes.h"

namespace assay::engine::onednn {

#if DNNL_VERSION_MAJOR >= 3
static dnnl::primitive_attr attributes(const Problem &problem) {
  return productAttributes(problem);
}

static AttributeValues values(const dnnl::engine &engine,
                              const Problem &problem) {
  return productValues(engine, problem);
}
#else
/// scale_src / scale_dst; each is one number or one for each index of `mask`.
struct OutputScale {
  int mask = 0;
  double value = 1; ///< from the scales without a mask
};

static OutputScale outputScale(const Problem &problem) {
  OutputScale scale;
  for (const ValueEntry &entry : problem.scales) {
    bool isDst = entry.argument == "dst";
    if (entry.argument != "src" && !isDst)
      throw Unsupported("oneDNN has no scale of '" + entry.argument +
                        "' in reorder");
    if (entry.mask && scale.mask && entry.mask != scale.mask)
      throw Unsupported("oneDNN 2.x has one scale in reorder; two with "
                        "different masks are not one");
    scale.mask |= entry.mask;
    if (!entry.mask && isDst && !isPowerOfTwo(entry.value))
      throw Unsupported("oneDNN 2.x has one scale in reorder; the reciprocal "
                        "of dst's is not exact");
    if (!entry.mask)
      scale.value = isDst ? scale.value / entry.value
                          : scale.value * static_cast<float>(entry.value);
  }
  return scale;
}

static dnnl::primitive_attr attributes(const Problem &problem) {
  dnnl::primitive_attr attr;
  OutputScale scale = outputScale(problem);
  if (!problem.scales.empty())
    attr.set_output_scales(
        scale.mask,
        {scale.mask ? DNNL_RUNTIME_F32_VAL : static_cast<float>(scale.value)});
  dnnl::post_ops ops;
  for (const PostOp &op : problem.postOps) {
    if (op.kind != "sum" || op.zeroPoint || problem.postOps.size() > 1)
      throw Unsupported("oneDNN 2.x has one post-op in reorder, sum");
    for (const ValueEntry &entry : problem.scales)
      if (entry.argument == "dst")
        throw Unsupported("oneDNN 2.x has no scale of dst beside a sum");
    ops.append_sum(op.scale);
  }
  attr.set_post_ops(ops);
  setZeroPoints(attr, problem);
  return attr;
}

static float quotient(float value, float divisor) {
  if (!isPowerOfTwo(divisor))
    throw Unsupported("oneDNN 2.x has one scale in reorder; the reciprocal of "
                      "dst's is not exact");
  return value / divisor;
}

static std::vector<float> scaleValues(const Problem &problem,
                                      const assay_tensor_t *inputs) {
  std::vector<float> result{1};
  for (const ValueEntry &entry : problem.scales) {
    const assay_tensor_t *data =
        problem.find("scale_" + entry.argument, inputs);
    if (!data)
      throw Unsupported("the scale of '" + entry.argument + "' is not a tensor");
    std::vector<float> own = readFloats(*data);
    result.resize(std::max(own.size(), result.size()), result[0]);
    for (size_t i = 0; i < result.size(); ++i) {
      float scale = own[own.size() == 1 ? 0 : i];
      result[i] = entry.argument == "dst" ? quotient(result[i], scale)
                                          : result[i] * scale;
    }
  }
  return result;
}

static AttributeValues values(const dnnl::engine &engine,
                              const Problem &problem) {
  auto scales = std::make_shared<std::vector<float>>();
  return [&engine, &problem, scales](const assay_tensor_t *inputs,
                                     ArgumentMap &arguments) {
    addZeroPoints(engine, problem, inputs, arguments);
    if (!outputScale(problem).mask)
      return;
    *scales = scaleValues(problem, inputs);
    arguments[DNNL_ARG_ATTR_OUTPUT_SCALES] =
        valuesMemory(engine, DataType::f32,
                     static_cast<int64_t>(scales->size()), scales->data());
  };
}
#endif

Plan makeReorder(const dnnl::engine &engine, const Problem &problem) {
  Desc src = problem.need("src").descriptor(),
       dst = problem.need("dst").descriptor();
  dnnl::reorder::primitive_desc pd(engine, src, engine, dst,
                                   attributes(problem));
  Step step{dnnl::reorder(pd), {}, {}};
  step.add(DNNL_ARG_FROM, "src", src).add(DNNL_ARG_TO, "dst", dst);
  return {{step}, values(engine, problem)};
}

} // namespace assay::engine::onednn
