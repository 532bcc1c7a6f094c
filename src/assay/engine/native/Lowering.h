/// From each operation of a program to its step, one to one.
#pragma once

#include "assay/engine/native/Groups.h"
#include "assay/engine/native/Steps.h"

namespace assay::engine {

/// Makes the step of each operation once, for a pass that asks what it would be or for the plan.
/// Operations that were asked for must stay. Threads: one.
class Lowering final : public program::StepCompiler {
public:
  /// `rest` (null only where no plan is made) compiles what the engine refuses.
  Lowering(const NativeEngine &engine, const program::StepCompiler *rest,
           const program::NumericOptions &numeric)
      : engine_(engine), rest_(rest), numeric_(numeric) {}

  /// The engine's own step, which may be taken; null: it has none.
  std::unique_ptr<Step> &stepOf(mlir::Operation *op) const;
  /// The step of a group that a pass has made, which is not made again.
  void keep(mlir::Operation *group, std::unique_ptr<Step> step) {
    steps_[group] = std::move(step);
  }
  const std::shared_ptr<NativeContext> &context() const {
    return engine_.context();
  }
  const program::NumericOptions &numeric() const { return numeric_; }

  llvm::Expected<std::unique_ptr<Step>>
  compile(const StepSpec &spec) const override;
  std::unique_ptr<program::LaneFunction>
  compileLanes(mlir::Region &region, bool withShadow) const override {
    return rest_->compileLanes(region, withShadow);
  }
  std::shared_ptr<const program::StepCompiler> atRunTime() const override {
    return rest_->atRunTime();
  }

private:
  std::unique_ptr<Step> lower(mlir::Operation *group) const;
  llvm::Expected<std::unique_ptr<Step>> make(const StepSpec &spec) const;

  const NativeEngine &engine_;
  const program::StepCompiler *rest_;
  program::NumericOptions numeric_;
  mutable std::map<mlir::Operation *, std::unique_ptr<Step>> steps_;
};

} // namespace assay::engine
