// Post-ops, scales and zero points. oneDNN 3.x uses the scales of src, weights
// and dst unchanged. 2.x has one output scale, which it applies to the sum with
// the bias, so the bias is divided by it here, and dst's own scale becomes a
// last linear post-op. Both are exact for powers of two; Limits.cpp refuses the
// others.
#include "assay/engine/onednn/Attributes.h"
#include "assay/engine/onednn/Algorithms.h"

#include <cmath>

using namespace assay::engine::onednn;

bool assay::engine::onednn::isPowerOfTwo(double value) {
  int exponent = 0;
  return value > 0 && std::isfinite(value) &&
         std::frexp(value, &exponent) == 0.5;
}

dnnl::memory assay::engine::onednn::valuesMemory(const dnnl::engine &engine,
                                                 DataType type, int64_t count,
                                                 void *data) {
  return dnnl::memory({{count}, type, dnnl::memory::format_tag::a}, engine,
                      data);
}

// ---- post-ops ----

static void appendEltwise(dnnl::post_ops &ops, const std::string &name,
                          float alpha, float beta) {
  Eltwise f = eltwiseAlgorithm(name, alpha, beta);
#if DNNL_VERSION_MAJOR >= 3
  ops.append_eltwise(f.algorithm, f.alpha, f.beta);
#else
  ops.append_eltwise(1.0f, f.algorithm, f.alpha, f.beta);
#endif
}

static void appendPostOp(dnnl::post_ops &ops, const Problem &problem,
                         const PostOp &op, size_t index) {
  if (op.kind == "sum") {
    if (op.zeroPoint)
      ops.append_sum(op.scale, op.zeroPoint, op.type);
    else
#if DNNL_VERSION_MAJOR >= 3
      ops.append_sum(op.scale, 0, op.type);
#else
      ops.append_sum(op.scale, op.type);
#endif
  } else if (op.kind == "eltwise") {
    appendEltwise(ops, op.name, op.alpha, op.beta);
  } else if (op.kind == "prelu") {
    ops.append_prelu(op.mask);
  } else if (op.kind == "binary") {
    ops.append_binary(
        binaryAlgorithm(op.name),
        problem.need("post_op_" + std::to_string(index)).descriptor());
  } else {
    throw Unsupported("the adapter of oneDNN has no post-op '" + op.kind + "'");
  }
}

#if DNNL_VERSION_MAJOR < 3
/// The divisor of dst, 1 when there is none.
static float dstScale(const Problem &problem) {
  for (const ValueEntry &entry : problem.scales)
    if (entry.argument == "dst" && !entry.mask)
      return static_cast<float>(entry.value);
  return 1;
}

/// Divides by dst's scale with a last linear post-op. If the problem ends in
/// one, divides its numbers instead. 2.x gives a second linear post-op the
/// numbers of the first, so there may be no other.
static std::vector<PostOp> withDivision(const Problem &problem) {
  std::vector<PostOp> ops = problem.postOps;
  float scale = dstScale(problem);
  if (scale == 1)
    return ops;
  if (ops.empty() || ops.back().name != "linear") {
    PostOp division;
    division.kind = "eltwise", division.name = "linear", division.alpha = 1;
    ops.push_back(division);
  }
  for (size_t i = 0; i + 1 < ops.size(); ++i)
    if (ops[i].name == "linear")
      throw Unsupported("oneDNN 2.x has no scale of the destination, and gives "
                        "a second linear post-op the numbers of the first");
  ops.back().alpha /= scale, ops.back().beta /= scale;
  return ops;
}

dnnl::post_ops assay::engine::onednn::makePostOps(const Problem &problem) {
  dnnl::post_ops ops;
  std::vector<PostOp> list = withDivision(problem);
  for (size_t i = 0; i < list.size(); ++i) {
    // 2.6 makes such a primitive and then cannot execute it.
    if (list[i].kind == "prelu" && problem.driver != "conv" &&
        problem.driver != "deconv")
      throw Unsupported("oneDNN 2.6 can't execute prelu after a product");
    appendPostOp(ops, problem, list[i], i);
  }
  return ops;
}
#else
dnnl::post_ops assay::engine::onednn::makePostOps(const Problem &problem) {
  dnnl::post_ops ops;
  for (size_t i = 0; i < problem.postOps.size(); ++i)
    appendPostOp(ops, problem, problem.postOps[i], i);
  return ops;
}
#endif

dnnl::primitive_attr assay::engine::onednn::postOpsOnly(const Problem &problem,
                                                        const char *what) {
  if (!problem.scales.empty() || !problem.zeroPoints.empty())
    throw Unsupported(versionName() + " has no scales or zero points in " +
                      what);
  dnnl::primitive_attr attr = requestedAttributes(problem);
  attr.set_post_ops(makePostOps(problem));
  return attr;
}

void assay::engine::onednn::refuseAttributes(const Problem &problem,
                                             const char *what) {
  if (!problem.postOps.empty())
    throw Unsupported(versionName() + " has no post-ops in " + what);
  postOpsOnly(problem, what);
}

// ---- zero points, scales ----

#if !ASSAY_DNNL_SINCE(3, 5)
/// Before 3.5, all values have one type and belong to whole dimensions.
static void needPlainValues(const ValueEntry &entry, DataType type,
                            const char *what) {
  if (entry.type != type || !entry.groups.empty())
    throw Unsupported(versionName() + " has no " + what +
                      " of another type or by groups");
}
#endif

void assay::engine::onednn::setZeroPoints(dnnl::primitive_attr &attr,
                                          const Problem &problem) {
  for (const ValueEntry &entry : problem.zeroPoints) {
#if ASSAY_DNNL_SINCE(3, 5)
    attr.set_zero_points(entry.dnnlArgument(), entry.mask, entry.groups,
                         entry.type);
#else
    needPlainValues(entry, DataType::s32, "zero points");
#if DNNL_VERSION_MAJOR >= 3
    attr.set_zero_points_mask(entry.dnnlArgument(), entry.mask);
#else
    attr.set_zero_points(entry.dnnlArgument(), entry.mask,
                         {DNNL_RUNTIME_S32_VAL});
#endif
#endif
  }
}

void assay::engine::onednn::addZeroPoints(const dnnl::engine &engine,
                                          const Problem &problem,
                                          const assay_tensor_t *inputs,
                                          ArgumentMap &arguments) {
  for (const ValueEntry &entry : problem.zeroPoints)
    if (const assay_tensor_t *data =
            problem.find("zp_" + entry.argument, inputs))
      arguments[DNNL_ARG_ATTR_ZERO_POINTS | entry.dnnlArgument()] =
          valuesMemory(engine, entry.type, elementCount(*data), data->data);
}

#if DNNL_VERSION_MAJOR >= 3
bool assay::engine::onednn::dividesBias(const Problem &) { return false; }

dnnl::primitive_attr
assay::engine::onednn::productAttributes(const Problem &problem) {
  dnnl::primitive_attr attr = requestedAttributes(problem);
  attr.set_post_ops(makePostOps(problem));
  for (const ValueEntry &entry : problem.scales) {
#if ASSAY_DNNL_SINCE(3, 5)
    attr.set_scales(entry.dnnlArgument(), entry.mask, entry.groups, entry.type);
#else
    needPlainValues(entry, DataType::f32, "scales");
    attr.set_scales_mask(entry.dnnlArgument(), entry.mask);
#endif
  }
  setZeroPoints(attr, problem);
  return attr;
}

AttributeValues assay::engine::onednn::productValues(const dnnl::engine &engine,
                                                     const Problem &problem) {
  return [&engine, &problem](const assay_tensor_t *inputs,
                             ArgumentMap &arguments) {
    addZeroPoints(engine, problem, inputs, arguments);
    for (const ValueEntry &entry : problem.scales)
      if (const assay_tensor_t *data =
              problem.find("scale_" + entry.argument, inputs))
        arguments[DNNL_ARG_ATTR_SCALES | entry.dnnlArgument()] = valuesMemory(
            engine, entry.type, elementCount(*data), data->data);
  };
}
#else
static bool hasOutputScale(const Problem &problem) {
  for (const ValueEntry &entry : problem.scales)
    if (entry.argument != "dst")
      return true;
  return false;
}

/// Whether the scales are known when the primitive is made.
static bool isStatic(const Problem &problem) {
  for (const ValueEntry &entry : problem.scales)
    if (entry.argument != "dst" && entry.mask)
      return false;
  return true;
}

bool assay::engine::onednn::dividesBias(const Problem &problem) {
  return hasOutputScale(problem) && problem.tensor("bia");
}

dnnl::primitive_attr
assay::engine::onednn::productAttributes(const Problem &problem) {
  if (std::string why = whyInexact(problem); !why.empty())
    throw Unsupported(why);
  dnnl::primitive_attr attr = requestedAttributes(problem);
  attr.set_post_ops(makePostOps(problem));
  if (hasOutputScale(problem)) {
    // The scale varies along dst's channel: bit 1, or the last dimension of a
    // matmul.
    int channel = problem.driver == "matmul"
                      ? 1 << (problem.need("dst").dims.size() - 1)
                      : 2;
    float value = 1;
    for (const ValueEntry &entry : problem.scales)
      if (entry.argument != "dst" && !entry.mask)
        value *= static_cast<float>(entry.value);
    bool known = isStatic(problem);
    attr.set_output_scales(known ? 0 : channel,
                           {known ? value : DNNL_RUNTIME_F32_VAL});
  }
  setZeroPoints(attr, problem);
  return attr;
}

static std::vector<float> outputScales(const Problem &problem,
                                       const assay_tensor_t *inputs) {
  std::vector<float> result{1};
  for (const ValueEntry &entry : problem.scales) {
    const assay_tensor_t *data =
        entry.argument == "dst"
            ? nullptr
            : problem.find("scale_" + entry.argument, inputs);
    if (!data)
      continue;
    std::vector<float> values = readFloats(*data);
    if (values.size() > result.size())
      result.resize(values.size(), result[0]);
    for (size_t i = 0; i < result.size(); ++i) {
      double exact =
          static_cast<double>(result[i]) * values[values.size() == 1 ? 0 : i];
      result[i] = static_cast<float>(exact);
      if (result[i] != exact)
        throw Unsupported("oneDNN 2.x has one scale; a product of two is not "
                          "exact");
    }
  }
  return result;
}

static std::vector<float> dividedBias(const assay_tensor_t &bias,
                                      const std::vector<float> &scales) {
  std::vector<float> values = readFloats(bias);
  for (size_t i = 0; i < values.size(); ++i) {
    float scale = scales[scales.size() == 1 ? 0 : i % scales.size()];
    if (!isPowerOfTwo(scale))
      throw Unsupported("oneDNN 2.x multiplies the bias by the scale too; a "
                        "bias divided by such a scale is not exact");
    values[i] /= scale;
  }
  return values;
}

namespace {
struct ProductBuffers {
  std::vector<float> scales, bias;
};
} // namespace

AttributeValues assay::engine::onednn::productValues(const dnnl::engine &engine,
                                                     const Problem &problem) {
  auto buffers = std::make_shared<ProductBuffers>();
  return [&engine, &problem, buffers](const assay_tensor_t *inputs,
                                      ArgumentMap &arguments) {
    addZeroPoints(engine, problem, inputs, arguments);
    if (!hasOutputScale(problem))
      return;
    std::vector<float> &scales = buffers->scales;
    scales = outputScales(problem, inputs);
    if (!isStatic(problem))
      arguments[DNNL_ARG_ATTR_OUTPUT_SCALES] =
          valuesMemory(engine, DataType::f32,
                       static_cast<int64_t>(scales.size()), scales.data());
    if (const assay_tensor_t *bias = problem.find("bia", inputs)) {
      buffers->bias = dividedBias(*bias, scales);
      arguments[DNNL_ARG_BIAS] =
          dnnl::memory(biasDescriptor(problem), engine, buffers->bias.data());
    }
  };
}
#endif

Desc assay::engine::onednn::biasDescriptor(const Problem &problem) {
  const Tensor *bias = problem.tensor("bia");
  if (bias && dividesBias(problem))
    return Desc(bias->dims, DataType::f32, bias->strides);
  return (bias ? *bias : problem.need("diff_bia")).descriptor();
}
