/// What convolutions, deconvolutions and inner products have in common: their
/// tensors under the forward names, and three directions with or without a
/// bias.
#pragma once

#include "assay/engine/onednn/Attributes.h"

#include <tuple>
#include <type_traits>

namespace assay::engine::onednn {

/// The tensors under their forward names, in the requested layout.
struct ContractionDescs {
  Desc src, wei, bia, dst;
  bool hasBias = false;
};

ContractionDescs contractionDescs(const Problem &problem);

/// The step whose arguments are src, wei, dst or their gradients, and the bias.
template <typename Primitive, typename Pd>
Plan contractionPlan(const dnnl::engine &engine, const Problem &problem,
                     Pd pd) {
  Step step = stepOf<Primitive>(pd, problem,
                                {{DNNL_ARG_SRC, "src"},
                                 {DNNL_ARG_WEIGHTS, "wei"},
                                 {DNNL_ARG_DST, "dst"},
                                 {DNNL_ARG_DIFF_SRC, "diff_src"},
                                 {DNNL_ARG_DIFF_WEIGHTS, "diff_wei"},
                                 {DNNL_ARG_DIFF_DST, "diff_dst"}});
  if (problem.tensor("bia") && !dividesBias(problem))
    step.add(DNNL_ARG_BIAS, "bia", biasDescriptor(problem));
  if (problem.tensor("diff_bia"))
    step.add(DNNL_ARG_DIFF_BIAS, "diff_bia", biasDescriptor(problem));
  return {{step}, productValues(engine, problem)};
}

/// The plan for the problem's direction. `before` are the arguments before the
/// tensors (an algorithm, or none), `after` the sizes after them.
template <typename Forward, typename BackwardData, typename BackwardWeights,
          typename Before, typename After>
Plan contraction(const dnnl::engine &engine, const Problem &problem,
                 const Before &before, const After &after) {
  ContractionDescs d = contractionDescs(problem);
  auto joined = [&](const auto &...descs) {
    return std::tuple_cat(before, std::make_tuple(descs...), after);
  };
  auto forward = [&](dnnl::prop_kind kind, const dnnl::primitive_attr &attr,
                     const auto &...descs) {
    return std::apply(
        [&](const auto &...all) {
          return describe<Forward>(engine, attr, kind, all...);
        },
        joined(descs...));
  };
  if (problem.isForward()) {
    dnnl::primitive_attr attr = productAttributes(problem);
    dnnl::prop_kind kind = problem.forwardKind();
    auto pd = d.hasBias ? forward(kind, attr, d.src, d.wei, d.bia, d.dst)
                        : forward(kind, attr, d.src, d.wei, d.dst);
    return contractionPlan<Forward>(engine, problem, pd);
  }
  refuseAttributes(problem, "a backward pass");
  dnnl::primitive_attr attr = requestedAttributes(problem);
  auto hint =
      forward(dnnl::prop_kind::forward_training, attr, d.src, d.wei, d.dst);
  auto backward = [&]<typename Primitive>(std::type_identity<Primitive>,
                                          const auto &...descs) {
    return std::apply(
        [&](const auto &...all) {
          return describeBackward<Primitive>(engine, attr, hint, all...);
        },
        joined(descs...));
  };
  if (problem.direction == "BWD_D")
    return contractionPlan<BackwardData>(
        engine, problem,
        backward(std::type_identity<BackwardData>(), d.src, d.wei, d.dst));
  std::type_identity<BackwardWeights> weights;
  auto pd = d.hasBias ? backward(weights, d.src, d.wei, d.bia, d.dst)
                      : backward(weights, d.src, d.wei, d.dst);
  return contractionPlan<BackwardWeights>(engine, problem, pd);
}

} // namespace assay::engine::onednn
