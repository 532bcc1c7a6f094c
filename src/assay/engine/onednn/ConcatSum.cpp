// Tensors joined along an axis, and tensors added after multiplication by a
// factor each: src, src1, src2, ...
#include "assay/engine/onednn/Attributes.h"

namespace assay::engine::onednn {

static std::vector<std::string> sourceRoles(const Problem &problem) {
  std::vector<std::string> roles{"src"};
  problem.need("src");
  for (int i = 1; problem.tensor("src" + std::to_string(i)); ++i)
    roles.push_back("src" + std::to_string(i));
  return roles;
}

static std::vector<Desc> descriptors(const Problem &problem,
                                     const std::vector<std::string> &roles) {
  std::vector<Desc> sources;
  for (const std::string &role : roles)
    sources.push_back(problem.need(role).descriptor());
  return sources;
}

template <typename Primitive, typename Pd>
static Plan planOf(const Pd &pd, const Problem &problem,
                   const std::vector<std::string> &roles,
                   const std::vector<Desc> &sources) {
  Step step = stepOf<Primitive>(pd, problem, {{DNNL_ARG_DST, "dst"}});
  for (size_t i = 0; i < roles.size(); ++i)
    step.add(DNNL_ARG_MULTIPLE_SRC + static_cast<int>(i), roles[i], sources[i]);
  return {{step}, {}};
}

Plan makeConcat(const dnnl::engine &engine, const Problem &problem) {
  refuseAttributes(problem, "concat");
  std::vector<std::string> roles = sourceRoles(problem);
  std::vector<Desc> sources = descriptors(problem, roles);
  auto pd =
      describeConcat(engine, problem.need("dst").descriptor(),
                     static_cast<int>(problem.integer("axis", 1)), sources);
  return planOf<dnnl::concat>(pd, problem, roles, sources);
}

Plan makeSum(const dnnl::engine &engine, const Problem &problem) {
  refuseAttributes(problem, "sum");
  std::vector<std::string> roles = sourceRoles(problem);
  std::vector<Desc> sources = descriptors(problem, roles);
  std::vector<float> scales(roles.size(), 1);
  if (const llvm::json::Array *list = problem.json.getArray("input_scales"))
    for (size_t i = 0; i < list->size() && i < scales.size(); ++i)
      scales[i] = static_cast<float>((*list)[i].getAsNumber().value_or(1));
  auto pd =
      describeSum(engine, problem.need("dst").descriptor(), scales, sources);
  return planOf<dnnl::sum>(pd, problem, roles, sources);
}

} // namespace assay::engine::onednn
