/// What a driver's maker returns: the primitives that compute the problem, each
/// with its arguments by the tensor's role and in the layout that it expects.
/// Tensors in another layout are reordered before or after the primitives. A
/// role that the problem lacks (a workspace, the result of a forward pass
/// inside a backward problem) gets memory of its own. Makers.def is the table
/// of drivers.
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
  std::string implementation;

  Step &add(int number, std::string role, const Desc &layout) {
    if (layout != Desc())
      arguments.push_back({number, std::move(role), layout});
    return *this;
  }
};

/// Steps in order. The last one is the problem itself: it is timed, and has the
/// post-ops and the values of attributes.
struct Plan {
  std::vector<Step> steps;
  AttributeValues attributeValues;
};

struct Named {
  int number;
  const char *role;
};

/// Whether --impl and --skip-impl allow this implementation.
bool isAllowed(const Problem &problem, const std::string &implementation);

/// Advances to the next implementation, in oneDNN's order, that the problem's
/// filters allow. Throws Unsupported when there is none.
template <typename Pd> void filter(Pd &pd, const Problem &problem) {
  std::string first = pd.impl_info_str();
  if constexpr (requires { pd.next_impl(); })
    while (!isAllowed(problem, pd.impl_info_str()))
      if (!pd.next_impl())
        throw Unsupported("every implementation is skipped by --impl or "
                          "--skip-impl; the first is " +
                          first);
  // Descriptors without next_impl() have only one implementation.
  if (!isAllowed(problem, pd.impl_info_str()))
    throw Unsupported("the implementation " + first +
                      " is skipped by --impl or --skip-impl");
}

/// A step whose arguments are those of the named tensors that the problem has
/// and the primitive uses, in the layouts of the primitive descriptor. Advances
/// the descriptor to an implementation that the problem's filters allow.
template <typename Primitive, typename Pd>
Step stepOf(Pd &pd, const Problem &problem,
            std::initializer_list<Named> names) {
  filter(pd, problem);
  Step step{Primitive(pd), {}, pd.impl_info_str()};
  if (dnnl::memory::desc scratch = pd.scratchpad_desc();
      problem.request("scratchpad") == "user" && scratch.get_size() > 0)
    step.add(DNNL_ARG_SCRATCHPAD, "scratchpad", scratch);
  for (auto [number, role] : names)
    if (problem.tensor(role))
      step.add(number, role, pd.query_md(dnnl::query::exec_arg_md, number));
  return step;
}

/// Attributes that control how oneDNN works: who owns the scratchpad, whether
/// less exact arithmetic is allowed.
dnnl::primitive_attr requestedAttributes(const Problem &problem);

/// Applies --cpu-isa-hints, which the library accepts once per process.
void hintIsa(const Problem &problem);

/// Makes the primitives of the problem. Throws Unsupported, dnnl::error.
Plan makePlan(const dnnl::engine &engine, const Problem &problem);

} // namespace assay::engine::onednn
