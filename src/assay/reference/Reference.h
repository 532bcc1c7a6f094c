/// The reference engine: one readable step per operation, in the operation's
/// own types; sums are kept in a wider type and rounded once. Its results are
/// the expected values for the other engines.
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
