// Reductions over the dimensions that have size 1 in the output.
#include "assay/engine/onednn/Algorithms.h"
#include "assay/engine/onednn/Attributes.h"

namespace assay::engine::onednn {

Plan makeReduction(const dnnl::engine &engine, const Problem &problem) {
  auto pd = describe<dnnl::reduction>(
      engine, postOpsOnly(problem, "reduction"),
      reductionAlgorithm(problem.algorithm), problem.need("src").descriptor(),
      problem.need("dst").descriptor(), problem.number("p", 1),
      problem.number("eps"));
  return {{stepOf<dnnl::reduction>(
              pd, problem, {{DNNL_ARG_SRC, "src"}, {DNNL_ARG_DST, "dst"}})},
          {}};
}

} // namespace assay::engine::onednn
