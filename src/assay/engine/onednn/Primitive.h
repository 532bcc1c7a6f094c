/// What a driver's maker returns: the primitives that compute the problem, each
/// with its arguments by the tensor's role and in the layout that it wants.
/// Tensors whose layout is another one are reordered around the primitives;
/// a role that the problem does not have (a workspace, the result of a forward
/// pass inside a backward problem) gets a memory of its own. Makers.def is the
/// table of drivers.
#pragma once

#include "assay/engine/onednn/Problem.h"

#include <functional>
#include <unordered_map>

namespace assay::engine::onednn {

using ArgumentMap = std::unordered_map<int, dnnl::memory>;

/// Adds the arguments that are values of attributes: scales, zero points, a
/// bias divided by the scale. Called for each run with the caller's inputs.
using AttributeValues =
    std::function<void(const assay_tensor_t *inputs, ArgumentMap &arguments)>;

struct Argument {
  int number = 0; ///< DNNL_ARG_...
  std::string role;
  Desc layout;
};

struct Step {
  dnnl::primitive primitive;
  std::vector<Argument> arguments;

  Step &add(int number, std::string role, const Desc &layout) {
    if (layout != Desc())
      arguments.push_back({number, std::move(role), layout});
    return *this;
  }
};

/// Steps in order; the last one is the problem itself: the one that is timed
/// and that takes the post-ops and the values of attributes.
struct Plan {
  std::vector<Step> steps;
  AttributeValues attributeValues;
};

struct Named {
  int number;
  const char *role;
};

/// A step whose arguments are those of the named tensors that the problem has
/// and the primitive takes, in the layouts of the primitive descriptor.
template <typename Primitive, typename Pd>
Step stepOf(const Pd &pd, const Problem &problem,
            std::initializer_list<Named> names) {
  Step step{Primitive(pd), {}};
  for (auto [number, role] : names)
    if (problem.tensor(role))
      step.add(number, role, pd.query_md(dnnl::query::exec_arg_md, number));
  return step;
}

/// Makes the primitives of the problem. Throws Unsupported, dnnl::error.
Plan makePlan(const dnnl::engine &engine, const Problem &problem);

} // namespace assay::engine::onednn
