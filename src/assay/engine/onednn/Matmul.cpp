// Matrix products. With --runtime_dims_masks the primitive is made without the
// sizes of the masked dimensions and receives them at run time.
#include "assay/engine/onednn/Attributes.h"

using namespace assay::engine::onednn;

namespace {
/// Which dimensions of each tensor are known only at run time.
struct RuntimeMasks {
  int64_t src = 0, wei = 0, dst = 0;
};
} // namespace

static RuntimeMasks runtimeMasks(const Problem &problem) {
  auto [src, wei] =
      llvm::StringRef(
          problem.json.getString("runtime_dims_masks").value_or("0:0"))
          .split(':');
  RuntimeMasks masks;
  src.getAsInteger(10, masks.src);
  wei.getAsInteger(10, masks.wei);
  size_t rank = problem.need("dst").dims.size();
  int64_t m = int64_t(1) << (rank - 2), n = int64_t(1) << (rank - 1),
          batch = m - 1;
  masks.dst =
      (masks.src & m) | (masks.wei & n) | ((masks.src | masks.wei) & batch);
  if (masks.src || masks.wei)
    problem.taken.insert("runtime_dims_masks");
  return masks;
}

/// The bias: its sizes other than 1 follow those of dst.
static Desc biasAtRunTime(const Problem &problem, int64_t mask) {
  Desc desc = biasDescriptor(problem);
  if (!mask)
    return desc;
  Tensor bias = problem.need("bia");
  int64_t own = 0;
  for (size_t d = 0; d < bias.dims.size(); ++d)
    own |= bias.dims[d] > 1 ? mask & int64_t(1) << d : 0;
  bias.any = false;
  if (dividesBias(problem))
    bias.type = DataType::f32;
  return bias.atRunTime(own);
}

namespace assay::engine::onednn {

Plan makeMatmul(const dnnl::engine &engine, const Problem &problem) {
  dnnl::primitive_attr attr = productAttributes(problem);
  RuntimeMasks masks = runtimeMasks(problem);
  Desc src = problem.need("src").atRunTime(masks.src),
       wei = problem.need("wei").atRunTime(masks.wei),
       dst = problem.need("dst").atRunTime(masks.dst);
  auto pd = problem.tensor("bia")
                ? describe<dnnl::matmul>(engine, attr, src, wei,
                                         biasAtRunTime(problem, masks.dst), dst)
                : describe<dnnl::matmul>(engine, attr, src, wei, dst);
  Step step = stepOf<dnnl::matmul>(pd, problem,
                                   {{DNNL_ARG_SRC, "src"},
                                    {DNNL_ARG_WEIGHTS, "wei"},
                                    {DNNL_ARG_DST, "dst"}});
  // The sizes of the problem at run time.
  for (Argument &argument : step.arguments) {
    int64_t mask = argument.role == "src"   ? masks.src
                   : argument.role == "wei" ? masks.wei
                   : argument.role == "dst" ? masks.dst
                                            : 0;
    if (mask)
      argument.layout = problem.need(argument.role).plain();
  }
  if (problem.tensor("bia") && !dividesBias(problem))
    step.add(DNNL_ARG_BIAS, "bia", biasDescriptor(problem));
  return {{step}, productValues(engine, problem)};
}

} // namespace assay::engine::onednn
