// Matrix products.
#include "assay/engine/onednn/Attributes.h"

namespace assay::engine::onednn {

Plan makeMatmul(const dnnl::engine &engine, const Problem &problem) {
  dnnl::primitive_attr attr = productAttributes(problem);
  Desc src = problem.need("src").requested(),
       wei = problem.need("wei").requested(),
       dst = problem.need("dst").requested();
  auto pd = problem.tensor("bia")
                ? describe<dnnl::matmul>(engine, attr, src, wei,
                                         biasDescriptor(problem), dst)
                : describe<dnnl::matmul>(engine, attr, src, wei, dst);
  Step step = stepOf<dnnl::matmul>(pd, problem,
                                   {{DNNL_ARG_SRC, "src"},
                                    {DNNL_ARG_WEIGHTS, "wei"},
                                    {DNNL_ARG_DST, "dst"}});
  if (problem.tensor("bia") && !dividesBias(problem))
    step.add(DNNL_ARG_BIAS, "bia", biasDescriptor(problem));
  return {{step}, productValues(engine, problem)};
}

} // namespace assay::engine::onednn
