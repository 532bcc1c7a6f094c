/// The interface of a kernel family: one object with these functions per folder
/// of families/, listed in Families.def.
#pragma once

#include "assay/kernels/CostModel.h"
#include "assay/kernels/Registry.h"

namespace assay::kernels {

struct FamilyFunctions {
  /// Appends the family's configurations for these types and this layout, in a
  /// fixed order.
  void (*enumerate)(TypePair types, Layout layout, const Machine &machine,
                    std::vector<GemmConfig> &configs);
  /// Why the configuration cannot compute the problem. The problem itself is
  /// valid.
  std::optional<Refusal> (*supports)(const GemmProblem &problem,
                                     const GemmConfig &config,
                                     const Machine &machine);
  /// Compiles and binds a pair that supports() has accepted.
  llvm::Expected<std::shared_ptr<const PreparedGemm>> (*prepare)(
      const GemmProblem &problem, const GemmConfig &config,
      const Machine &machine, Jit &jit);
  Cost (*estimate)(const GemmProblem &problem, const GemmConfig &config,
                   const Machine &machine);
};

#define ASSAY_FAMILY(id, name, description)                                    \
  extern const FamilyFunctions k##id##Family;
#include "assay/kernels/Families.def"
#undef ASSAY_FAMILY

/// The functions of a family.
const FamilyFunctions &familyFunctions(Family family);

} // namespace assay::kernels
