// Resampling to other spatial sizes, by the nearest element or by linear
// interpolation.
#include "assay/engine/onednn/Algorithms.h"
#include "assay/engine/onednn/Attributes.h"

namespace assay::engine::onednn {

using Forward = dnnl::resampling_forward;
using Backward = dnnl::resampling_backward;

Plan makeResampling(const dnnl::engine &engine, const Problem &problem) {
  dnnl::algorithm algorithm = resamplingAlgorithm(problem.algorithm);
  if (problem.isForward()) {
    auto pd = describe<Forward>(engine, postOpsOnly(problem, "resampling"),
                                problem.forwardKind(), algorithm,
                                problem.need("src").descriptor(),
                                problem.need("dst").descriptor());
    return {{stepOf<Forward>(pd, problem,
                             {{DNNL_ARG_SRC, "src"}, {DNNL_ARG_DST, "dst"}})},
            {}};
  }
  refuseAttributes(problem, "a backward pass");
  Desc diffSrc = problem.need("diff_src").descriptor(),
       diffDst = problem.need("diff_dst").descriptor();
  auto hint = describe<Forward>(engine, dnnl::primitive_attr(),
                                dnnl::prop_kind::forward_training, algorithm,
                                diffSrc, diffDst);
  auto pd = describeBackward<Backward>(engine, requestedAttributes(problem),
                                       hint, algorithm, diffSrc, diffDst);
  return {{stepOf<Backward>(pd, problem,
                            {{DNNL_ARG_DIFF_DST, "diff_dst"},
                             {DNNL_ARG_DIFF_SRC, "diff_src"}})},
          {}};
}

} // namespace assay::engine::onednn
