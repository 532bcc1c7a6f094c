// The table of drivers, looked up by name.
#include "assay/engine/onednn/Primitive.h"

namespace assay::engine::onednn {
#define ASSAY_ONEDNN_MAKER(driver, function)                                   \
  Plan function(const dnnl::engine &engine, const Problem &problem);
#define ASSAY_ONEDNN_NONE(driver, what)
#include "assay/engine/onednn/Makers.def"
#undef ASSAY_ONEDNN_MAKER
#undef ASSAY_ONEDNN_NONE
} // namespace assay::engine::onednn

using namespace assay::engine::onednn;

/// Adds the operands of post-ops to the arguments of the last step.
static void addPostOpOperands(const Problem &problem, Step &step) {
  for (size_t i = 0; i < problem.postOps.size(); ++i) {
    std::string role = "post_op_" + std::to_string(i);
    const Tensor *operand = problem.tensor(role);
    if (!operand)
      continue;
    int number = DNNL_ARG_ATTR_MULTIPLE_POST_OP(static_cast<int>(i)) |
                 (problem.postOps[i].kind == "prelu" ? DNNL_ARG_WEIGHTS
                                                     : DNNL_ARG_SRC_1);
    step.add(number, role, operand->descriptor());
  }
}

static Plan make(const dnnl::engine &engine, const Problem &problem) {
#define ASSAY_ONEDNN_MAKER(name, function)                                     \
  if (problem.driver == name)                                                  \
    return function(engine, problem);
#define ASSAY_ONEDNN_NONE(name, what)                                          \
  if (problem.driver == name)                                                  \
    throw Unsupported(versionName() + " has " what);
#include "assay/engine/onednn/Makers.def"
#undef ASSAY_ONEDNN_MAKER
#undef ASSAY_ONEDNN_NONE
  throw Unsupported("the adapter of oneDNN has no driver '" + problem.driver +
                    "'");
}

Plan assay::engine::onednn::makePlan(const dnnl::engine &engine,
                                     const Problem &problem) {
  Plan plan = make(engine, problem);
  addPostOpOperands(problem, plan.steps.back());
  for (const Tensor &tensor : problem.tensors) {
    bool written = !tensor.isOutput;
    for (const Argument &argument : plan.steps.back().arguments)
      written |= argument.role == tensor.role;
    if (!written)
      throw Unsupported("oneDNN does not compute '" + tensor.role + "' here");
  }
  return plan;
}
