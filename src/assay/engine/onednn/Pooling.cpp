// Pooling with dilation. A backward pass of the maximum first runs a forward
// pass of its own, which leaves the positions of the maxima in the workspace.
#include "assay/engine/onednn/Algorithms.h"
#include "assay/engine/onednn/Attributes.h"

namespace assay::engine::onednn {

namespace {
struct Window {
  dnnl::memory::dims strides, kernel, dilation, left, right;
};
} // namespace

static auto forward(const dnnl::engine &engine, const Problem &problem,
                    const dnnl::primitive_attr &attr, dnnl::prop_kind kind,
                    const Desc &src, const Desc &dst, const Window &w) {
  return describe<PoolingForward>(
      engine, attr, kind, poolingAlgorithm(problem.algorithm), src, dst,
      w.strides, w.kernel, w.dilation, w.left, w.right);
}

static Plan backward(const dnnl::engine &engine, const Problem &problem,
                     const Window &w) {
  refuseAttributes(problem, "a backward pass");
  const Tensor &diffSrc = problem.need("diff_src"),
               &diffDst = problem.need("diff_dst");
  auto hint = forward(engine, problem, dnnl::primitive_attr(),
                      dnnl::prop_kind::forward_training, diffSrc.descriptor(),
                      diffDst.descriptor(), w);
  auto pd = describeBackward<PoolingBackward>(
      engine, requestedAttributes(problem), hint,
      poolingAlgorithm(problem.algorithm), diffSrc.descriptor(),
      diffDst.descriptor(), w.strides, w.kernel, w.dilation, w.left, w.right);
  Step back = stepOf<PoolingBackward>(
      pd, problem,
      {{DNNL_ARG_DIFF_DST, "diff_dst"}, {DNNL_ARG_DIFF_SRC, "diff_src"}});
  if (hint.workspace_desc() == Desc())
    return {{back}, {}};
  problem.need("src");
  Step ahead{PoolingForward(hint), {}, {}};
  ahead.add(DNNL_ARG_SRC, "src", hint.src_desc())
      .add(DNNL_ARG_DST, "forward dst", hint.dst_desc())
      .add(DNNL_ARG_WORKSPACE, "workspace", hint.workspace_desc());
  back.add(DNNL_ARG_WORKSPACE, "workspace", hint.workspace_desc());
  return {{ahead, back}, {}};
}

Plan makePooling(const dnnl::engine &engine, const Problem &problem) {
  Window window{problem.spatial("s"), problem.spatial("k"),
                problem.spatial("d"), problem.spatial("p"),
                problem.spatial("p", "_r")};
  if (!problem.isForward())
    return backward(engine, problem, window);
  auto pd = forward(engine, problem, postOpsOnly(problem, "pooling"),
                    problem.forwardKind(), problem.need("src").descriptor(),
                    problem.need("dst").requested(), window);
  Step step = stepOf<PoolingForward>(
      pd, problem, {{DNNL_ARG_SRC, "src"}, {DNNL_ARG_DST, "dst"}});
  step.add(DNNL_ARG_WORKSPACE, "workspace", pd.workspace_desc());
  return {{step}, {}};
}

} // namespace assay::engine::onednn
