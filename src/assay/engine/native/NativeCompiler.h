/// The native engine: the reference's plan with its heavy steps replaced.
/// Products become kernels (transposes and broadcasts folded into strides),
/// convolutions become products, chains of elementwise operations become one
/// loop over blocks that stay in the cache; what has nothing of its own stays
/// the reference's step.
#pragma once

#include "assay/program/PlanBuilder.h"
#include "assay/reference/Reference.h"
#include "assay/select/LearnedSelector.h"

#include <functional>
#include <memory>

namespace assay::engine {

/// What the native engine's steps share: kernels and their choice (by the
/// learned model of these types, this layout and this machine where one is
/// installed, else by the analytic model). One per process is enough. Threads:
/// any.
struct NativeContext {
  kernels::Registry registry;
  std::unique_ptr<kernels::Selector> selector =
      std::make_unique<select::LearnedSelector>(registry);
};

struct NativeOptions {
  /// Products with fewer multiply-adds stay with the reference (its sums are
  /// exact): 0 for the engine itself, more where the reference may only be made
  /// fast.
  double minimumWork = 0;
  /// Rewrite the plan: fold transposes, fuse elementwise chains. An observer
  /// that wants every value turns this off.
  bool fuse = true;
};

class NativeCompiler final : public program::StepCompiler {
public:
  explicit NativeCompiler(std::shared_ptr<NativeContext> context,
                          NativeOptions options = {})
      : context_(std::move(context)), options_(options) {}
  llvm::Expected<std::unique_ptr<program::Step>>
  compile(const program::StepSpec &spec) const override;
  std::unique_ptr<program::LaneFunction>
  compileLanes(mlir::Region &region, bool withShadow) const override;

  const std::shared_ptr<NativeContext> &context() const { return context_; }
  const NativeOptions &options() const { return options_; }

private:
  std::shared_ptr<NativeContext> context_;
  NativeOptions options_;
  reference::ReferenceCompiler reference_;
};

/// A plan of the native engine. `wanted` tells which operations' results an
/// observer must see (null: none); those are materialised. Errors: those of
/// buildPlan.
llvm::Expected<std::unique_ptr<program::Plan>>
buildNativePlan(std::shared_ptr<const program::Program> program,
                const NativeCompiler &compiler,
                const program::PlanOptions &options,
                std::function<bool(mlir::Operation *)> wanted = nullptr);

} // namespace assay::engine
