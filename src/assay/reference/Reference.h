/// The reference engine: one readable step per operation, in the operation's
/// own types, sums in a wider type with one rounding. Its answers judge the
/// other engines.
#pragma once

#include "assay/program/PlanBuilder.h"

namespace assay::reference {

class ReferenceCompiler final : public program::StepCompiler {
public:
  llvm::Expected<std::unique_ptr<program::Step>>
  compile(const program::StepSpec &spec) const override;
  std::unique_ptr<program::LaneFunction>
  compileLanes(mlir::Region &region, bool withShadow) const override;
  std::shared_ptr<const program::StepCompiler> atRunTime() const override {
    return std::make_shared<ReferenceCompiler>();
  }
};

} // namespace assay::reference
