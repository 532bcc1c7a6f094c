// Regroups the elements of an axis, by a transposition of groups.
#include "assay/engine/onednn/Attributes.h"

namespace assay::engine::onednn {

using Forward = dnnl::shuffle_forward;
using Backward = dnnl::shuffle_backward;

Plan makeShuffle(const dnnl::engine &engine, const Problem &problem) {
  refuseAttributes(problem, "shuffle");
  int axis = static_cast<int>(problem.integer("axis", 1)),
      group = static_cast<int>(problem.integer("group", 1));
  const Tensor &in = problem.need(problem.isForward() ? "src" : "diff_dst"),
               &out = problem.need(problem.isForward() ? "dst" : "diff_src");
  needOneType(in, out, "shuffle");
  auto kind = problem.isForward() ? problem.forwardKind()
                                  : dnnl::prop_kind::forward_training;
  auto forward = describe<Forward>(
      engine, dnnl::primitive_attr(), kind,
      ASSAY_SRC_DST(in.descriptor(), out.descriptor()), axis, group);
  if (problem.isForward())
    return {{stepOf<Forward>(forward, problem,
                             {{DNNL_ARG_SRC, "src"}, {DNNL_ARG_DST, "dst"}})},
            {}};
  auto pd = describeBackward<Backward>(
      engine, requestedAttributes(problem), forward,
      ASSAY_SRC_DST(out.descriptor(), in.descriptor()), axis, group);
  return {{stepOf<Backward>(pd, problem,
                            {{DNNL_ARG_DIFF_DST, "diff_dst"},
                             {DNNL_ARG_DIFF_SRC, "diff_src"}})},
          {}};
}

} // namespace assay::engine::onednn
