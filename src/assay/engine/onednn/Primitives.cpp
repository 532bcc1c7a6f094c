// Primitive descriptors of the four kinds in three directions. In 2.x an
// operation descriptor comes first, in 3.x the primitive descriptor takes
// everything; the macro ASSAY_PD hides that.
#include "assay/engine/onednn/Primitives.h"

using namespace assay::engine::onednn;
using dnnl::algorithm;
using dnnl::prop_kind;
using Desc = dnnl::memory::desc;

#if DNNL_VERSION_MAJOR >= 3
#define ASSAY_PD(kind, attr, engine, ...)                                      \
  dnnl::kind::primitive_desc(engine, __VA_ARGS__, attr)
#define ASSAY_PD_HINT(kind, attr, engine, hint, ...)                           \
  dnnl::kind::primitive_desc(engine, __VA_ARGS__, hint, attr)
#else
#define ASSAY_PD(kind, attr, engine, ...)                                      \
  dnnl::kind::primitive_desc(dnnl::kind::desc(__VA_ARGS__), attr, engine)
#define ASSAY_PD_HINT(kind, attr, engine, hint, ...)                           \
  dnnl::kind::primitive_desc(dnnl::kind::desc(__VA_ARGS__), attr, engine, hint)
#endif

static algorithm eltwiseAlgorithm(const std::string &name) {
  static const std::unordered_map<std::string, algorithm> kAlgorithms = {
      {"abs", algorithm::eltwise_abs},
      {"clip", algorithm::eltwise_clip},
      {"clip_v2", algorithm::eltwise_clip_v2},
      {"elu", algorithm::eltwise_elu},
      {"exp", algorithm::eltwise_exp},
      {"gelu_erf", algorithm::eltwise_gelu_erf},
      {"gelu_tanh", algorithm::eltwise_gelu_tanh},
      {"hardswish", algorithm::eltwise_hardswish},
      {"linear", algorithm::eltwise_linear},
      {"log", algorithm::eltwise_log},
      {"logistic", algorithm::eltwise_logistic},
      {"mish", algorithm::eltwise_mish},
      {"pow", algorithm::eltwise_pow},
      {"relu", algorithm::eltwise_relu},
      {"round", algorithm::eltwise_round},
      {"sqrt", algorithm::eltwise_sqrt},
      {"square", algorithm::eltwise_square},
      {"soft_relu", algorithm::eltwise_soft_relu},
      {"swish", algorithm::eltwise_swish},
      {"tanh", algorithm::eltwise_tanh},
#if DNNL_VERSION_MAJOR >= 3
      {"hardsigmoid", algorithm::eltwise_hardsigmoid},
#endif
  };
  auto found = kAlgorithms.find(name);
  if (found == kAlgorithms.end())
    throw Unsupported("oneDNN has no eltwise function '" + name + "'");
  return found->second;
}

static algorithm binaryAlgorithm(const std::string &name) {
  static const std::unordered_map<std::string, algorithm> kAlgorithms = {
      {"add", algorithm::binary_add}, {"sub", algorithm::binary_sub},
      {"mul", algorithm::binary_mul}, {"div", algorithm::binary_div},
      {"min", algorithm::binary_min}, {"max", algorithm::binary_max},
      {"eq", algorithm::binary_eq},   {"ne", algorithm::binary_ne},
      {"ge", algorithm::binary_ge},   {"gt", algorithm::binary_gt},
      {"le", algorithm::binary_le},   {"lt", algorithm::binary_lt}};
  return kAlgorithms.at(name);
}

static void appendEltwise(dnnl::post_ops &ops, const std::string &name,
                          float alpha, float beta) {
#if DNNL_VERSION_MAJOR >= 3
  ops.append_eltwise(eltwiseAlgorithm(name), alpha, beta);
#else
  // 2.x's soft_relu has no alpha: log(1 + exp(x)); alpha 0 and 1 mean that too.
  if (name == "soft_relu" && alpha != 0 && alpha != 1)
    throw Unsupported("oneDNN 2.x has no soft_relu with alpha");
  if (name == "hardswish" &&
      (std::abs(alpha - 1.0f / 6) > 1e-6 || beta != 0.5f))
    throw Unsupported("oneDNN 2.x has no hardswish with alpha and beta");
  ops.append_eltwise(1.0f, eltwiseAlgorithm(name), alpha, beta);
#endif
}

#if DNNL_VERSION_MAJOR < 3
static bool endsInLinear(const Problem &problem) {
  return !problem.postOps.empty() && problem.postOps.back().name == "linear";
}

/// The divisor of dst, 1 when there is none.
static float dstScale(const Problem &problem) {
  for (const ValueEntry &entry : problem.scales)
    if (entry.argument == "dst" && !entry.mask)
      return static_cast<float>(entry.value);
  return 1;
}

/// A last linear post-op divides by dst's scale; where the problem ends in one,
/// makePostOps divides its numbers instead. 2.x gives a second linear post-op
/// the numbers of the first, so there may be no other.
static void divideResult(dnnl::post_ops &ops, const Problem &problem,
                         float scale) {
  for (size_t i = 0; i + 1 < problem.postOps.size(); ++i)
    if (problem.postOps[i].name == "linear")
      throw Unsupported("oneDNN 2.x has no scale of the destination, and gives "
                        "a second linear post-op the numbers of the first");
  if (!endsInLinear(problem))
    appendEltwise(ops, "linear", 1 / scale, 0);
}
#endif

static dnnl::post_ops makePostOps(const Problem &problem) {
  dnnl::post_ops ops;
  for (size_t i = 0; i < problem.postOps.size(); ++i) {
    PostOp op = problem.postOps[i];
#if DNNL_VERSION_MAJOR < 3
    if (i + 1 == problem.postOps.size() && op.name == "linear")
      op.alpha /= dstScale(problem), op.beta /= dstScale(problem);
    // 2.6 makes such a primitive and then fails to execute it.
    if (op.kind == "prelu" && problem.driver != "conv" &&
        problem.driver != "deconv")
      throw Unsupported("oneDNN 2.6 can't execute prelu after a product");
#endif
    if (op.kind == "sum") {
      if (op.zeroPoint)
        ops.append_sum(op.scale, op.zeroPoint, op.type);
      else
        ops.append_sum(op.scale, op.type);
    } else if (op.kind == "eltwise") {
      appendEltwise(ops, op.name, op.alpha, op.beta);
    } else if (op.kind == "prelu") {
      ops.append_prelu(op.mask);
    } else {
      ops.append_binary(
          binaryAlgorithm(op.name),
          problem.tensor("post_op_" + std::to_string(i))->descriptor());
    }
  }
#if DNNL_VERSION_MAJOR < 3
  for (const ValueEntry &entry : problem.scales) {
    if (entry.argument != "dst")
      continue;
    if (entry.value != 1)
      divideResult(ops, problem, static_cast<float>(entry.value));
  }
#endif
  return ops;
}

static dnnl::primitive_attr makeAttributes(const Problem &problem) {
  dnnl::primitive_attr attr;
  attr.set_post_ops(makePostOps(problem));
#if DNNL_VERSION_MAJOR >= 3
  for (const ValueEntry &entry : problem.scales)
    attr.set_scales_mask(entry.dnnlArgument(), entry.mask);
  for (const ValueEntry &entry : problem.zeroPoints)
    attr.set_zero_points_mask(entry.dnnlArgument(), entry.mask);
#else
  if (problem.hasOutputScale()) {
    float value = 1;
    for (const ValueEntry &entry : problem.scales)
      if (entry.argument != "dst" && !entry.mask)
        value *= static_cast<float>(entry.value);
    attr.set_output_scales(
        problem.outputScaleMask(),
        {problem.staticOutputScale() ? value : DNNL_RUNTIME_F32_VAL});
  }
  for (const ValueEntry &entry : problem.zeroPoints)
    attr.set_zero_points(entry.dnnlArgument(), entry.mask,
                         {DNNL_RUNTIME_S32_VAL});
#endif
  return attr;
}

int PrimitiveHandle::argument(const Tensor &tensor,
                              const Problem &problem) const {
  static const std::unordered_map<std::string, int> kArguments = {
      {"src", DNNL_ARG_SRC},
      {"wei", DNNL_ARG_WEIGHTS},
      {"bia", DNNL_ARG_BIAS},
      {"dst", DNNL_ARG_DST},
      {"diff_src", DNNL_ARG_DIFF_SRC},
      {"diff_wei", DNNL_ARG_DIFF_WEIGHTS},
      {"diff_bia", DNNL_ARG_DIFF_BIAS},
      {"diff_dst", DNNL_ARG_DIFF_DST}};
  auto found = kArguments.find(tensor.role);
  if (found != kArguments.end()) {
#if DNNL_VERSION_MAJOR < 3
    if (tensor.role == "bia" && problem.hasOutputScale())
      return 0; // passed divided by the scale
#endif
    return found->second;
  }
  llvm::StringRef role = tensor.role;
  int index = 0;
  if (role.consume_front("post_op_") && !role.getAsInteger(10, index))
    return DNNL_ARG_ATTR_MULTIPLE_POST_OP(index) |
           (problem.postOps[index].kind == "prelu" ? DNNL_ARG_WEIGHTS
                                                   : DNNL_ARG_SRC_1);
  return 0;
}

Desc PrimitiveHandle::wanted(int argument, const Tensor &tensor) const {
  if (argument & DNNL_ARG_ATTR_MULTIPLE_POST_OP_BASE ||
      argument == DNNL_ARG_BIAS || argument == DNNL_ARG_DIFF_BIAS)
    return tensor.descriptor();
  return layout(argument);
}

template <typename Pd> static std::function<Desc(int)> layoutOf(const Pd &pd) {
  return [pd](int argument) {
    return pd.query_md(dnnl::query::exec_arg_md, argument);
  };
}

namespace {
/// The tensors of a problem by their forward names, in the layout asked for.
struct Descs {
  Desc src, wei, bia, dst;
  bool hasBias = false;
};
} // namespace

static Descs descsOf(const Problem &problem) {
  Descs d;
  auto get = [&](const char *role) {
    const Tensor *tensor = problem.tensor(role);
    if (!tensor)
      tensor = problem.tensor(std::string("diff_") + role);
    return tensor ? tensor->requested() : Desc();
  };
  d.src = get("src");
  d.wei = get("wei");
  d.dst = get("dst");
  const Tensor *bias = problem.tensor("bia");
  d.hasBias = bias || problem.tensor("diff_bia");
  if (d.hasBias)
    d.bia = problem.tensor("diff_bia")
                ? problem.tensor("diff_bia")->descriptor()
                : bias->descriptor();
#if DNNL_VERSION_MAJOR < 3
  if (bias && problem.hasOutputScale())
    d.bia = problem.scaledBiasDescriptor();
#endif
  return d;
}

template <typename Primitive, typename Pd>
static PrimitiveHandle handleOf(const Pd &pd) {
  return PrimitiveHandle{Primitive(pd), layoutOf(pd)};
}

static PrimitiveHandle makeMatmul(const dnnl::engine &engine,
                                  const Problem &problem,
                                  const dnnl::primitive_attr &attr) {
  Descs d = descsOf(problem);
  if (d.hasBias)
    return handleOf<dnnl::matmul>(
        ASSAY_PD(matmul, attr, engine, d.src, d.wei, d.bia, d.dst));
  return handleOf<dnnl::matmul>(
      ASSAY_PD(matmul, attr, engine, d.src, d.wei, d.dst));
}

static prop_kind forwardKind(const Problem &problem) {
  return problem.direction == "FWD_I" ? prop_kind::forward_inference
                                      : prop_kind::forward_training;
}

/// Types of the forward pass behind a backward one; oneDNN wants its descriptor
/// as a hint.
#define ASSAY_CONVOLUTION(NAME, PREFIX)                                        \
  static PrimitiveHandle make##NAME(const dnnl::engine &engine,                \
                                    const Problem &problem,                    \
                                    const dnnl::primitive_attr &attr) {        \
    Descs d = descsOf(problem);                                                \
    algorithm alg = algorithm::PREFIX##_direct;                                \
    if (problem.algorithm == "wino")                                           \
      alg = algorithm::PREFIX##_winograd;                                      \
    if (problem.algorithm == "auto")                                           \
      alg = ASSAY_AUTO_##NAME;                                                 \
    const auto &s = problem.strides, &k = problem.dilations,                   \
               &l = problem.padLeft, &r = problem.padRight;                    \
    if (problem.direction[0] == 'F') {                                         \
      if (d.hasBias)                                                           \
        return handleOf<dnnl::PREFIX##_forward>(                               \
            ASSAY_PD(PREFIX##_forward, attr, engine, forwardKind(problem),     \
                     alg, d.src, d.wei, d.bia, d.dst, s, k, l, r));            \
      return handleOf<dnnl::PREFIX##_forward>(                                 \
          ASSAY_PD(PREFIX##_forward, attr, engine, forwardKind(problem), alg,  \
                   d.src, d.wei, d.dst, s, k, l, r));                          \
    }                                                                          \
    auto hint = ASSAY_PD(PREFIX##_forward, dnnl::primitive_attr(), engine,     \
                         prop_kind::forward_training, alg, d.src, d.wei,       \
                         d.dst, s, k, l, r);                                   \
    if (problem.direction == "BWD_D")                                          \
      return handleOf<dnnl::PREFIX##_backward_data>(                           \
          ASSAY_PD_HINT(PREFIX##_backward_data, attr, engine, hint, alg,       \
                        d.src, d.wei, d.dst, s, k, l, r));                     \
    if (d.hasBias)                                                             \
      return handleOf<dnnl::PREFIX##_backward_weights>(                        \
          ASSAY_PD_HINT(PREFIX##_backward_weights, attr, engine, hint, alg,    \
                        d.src, d.wei, d.bia, d.dst, s, k, l, r));              \
    return handleOf<dnnl::PREFIX##_backward_weights>(                          \
        ASSAY_PD_HINT(PREFIX##_backward_weights, attr, engine, hint, alg,      \
                      d.src, d.wei, d.dst, s, k, l, r));                       \
  }
#define ASSAY_AUTO_Convolution algorithm::convolution_auto
#define ASSAY_AUTO_Deconvolution algorithm::deconvolution_direct
ASSAY_CONVOLUTION(Convolution, convolution)
ASSAY_CONVOLUTION(Deconvolution, deconvolution)

static PrimitiveHandle makeInnerProduct(const dnnl::engine &engine,
                                        const Problem &problem,
                                        const dnnl::primitive_attr &attr) {
  Descs d = descsOf(problem);
  if (problem.direction[0] == 'F') {
    if (d.hasBias)
      return handleOf<dnnl::inner_product_forward>(
          ASSAY_PD(inner_product_forward, attr, engine, forwardKind(problem),
                   d.src, d.wei, d.bia, d.dst));
    return handleOf<dnnl::inner_product_forward>(
        ASSAY_PD(inner_product_forward, attr, engine, forwardKind(problem),
                 d.src, d.wei, d.dst));
  }
  auto hint = ASSAY_PD(inner_product_forward, dnnl::primitive_attr(), engine,
                       prop_kind::forward_training, d.src, d.wei, d.dst);
  if (problem.direction == "BWD_D")
    return handleOf<dnnl::inner_product_backward_data>(ASSAY_PD_HINT(
        inner_product_backward_data, attr, engine, hint, d.src, d.wei, d.dst));
  if (d.hasBias)
    return handleOf<dnnl::inner_product_backward_weights>(
        ASSAY_PD_HINT(inner_product_backward_weights, attr, engine, hint, d.src,
                      d.wei, d.bia, d.dst));
  return handleOf<dnnl::inner_product_backward_weights>(ASSAY_PD_HINT(
      inner_product_backward_weights, attr, engine, hint, d.src, d.wei, d.dst));
}

PrimitiveHandle assay::engine::onednn::makePrimitive(const dnnl::engine &engine,
                                                     const Problem &problem) {
  dnnl::primitive_attr attr = makeAttributes(problem);
  if (problem.driver == "matmul")
    return makeMatmul(engine, problem, attr);
  if (problem.driver == "conv")
    return makeConvolution(engine, problem, attr);
  if (problem.driver == "deconv")
    return makeDeconvolution(engine, problem, attr);
  if (problem.driver == "ip")
    return makeInnerProduct(engine, problem, attr);
  throw Unsupported("the adapter of oneDNN has no driver '" + problem.driver +
                    "'");
}
