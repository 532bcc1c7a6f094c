/// The native engine: the reference's plan with its heavy steps replaced.
/// Products become kernels (transposes and broadcasts folded into strides),
/// convolutions become products, chains of elementwise operations become one
/// loop over blocks that stay in the cache; all other operations stay the
/// reference's steps.
#pragma once

#include "assay/engine/Engine.h"
#include "assay/engine/native/PanelMemory.h"
#include "assay/select/spaces/Conv.h"

#include <atomic>

namespace assay::engine {

class SharedPanels; // PackedWeight.h
std::shared_ptr<SharedPanels> makeSharedPanels();

/// What the native engine's steps share: kernels and their choice (by the
/// learned model of these types, this layout and this machine where one is
/// installed, else by the analytic model). Threads: any.
struct NativeContext {
  NativeContext() = default;
  explicit NativeContext(kernels::Registry::Options options)
      : registry(std::move(options)) {}
  kernels::Registry registry;
  std::unique_ptr<kernels::Selector> selector =
      std::make_unique<select::LearnedSelector>(registry);
  std::unique_ptr<select::ConvSelector> convolutions =
      std::make_unique<select::ConvSelector>(registry);
  /// How many times weights were packed so far.
  std::atomic<int64_t> packings{0};
  /// The packed weights that steps share.
  std::shared_ptr<SharedPanels> panels = makeSharedPanels();
  PanelMemory panelMemory; ///< holds them
};

struct NativeOptions {
  /// Products with fewer multiply-adds stay with the reference (its sums are
  /// exact): 0 for the engine itself, more where the reference may only be made
  /// fast.
  double minimumWork = 0;
  /// Rewrite the program: layouts, transposes folded, elementwise
  /// chains fused.
  bool fuse = true;
  /// A folder for the program after each pass, as text; empty: none.
  std::string dumpPasses;
};

/// One per process is enough: its kernels are made once.
class NativeEngine final : public Engine {
public:
  NativeEngine(std::string name,
               std::shared_ptr<const program::StepCompiler> rest,
               NativeOptions options = {})
      : Engine(std::move(name), std::move(rest)), options_(std::move(options)) {}

  /// Products (read through any layout), convolutions, pooling by maximum or
  /// minimum. Refuses shadows and --accumulate=step: those are the reference's.
  llvm::Expected<Compiled>
  compile(const OperationRequest &request) const override;

  /// The passes of ProgramPasses.def come first.
  llvm::Expected<std::unique_ptr<program::Plan>>
  makePlan(std::shared_ptr<const program::Program> program,
           const PlanRequest &request) const override;

  const std::shared_ptr<NativeContext> &context() const { return context_; }

private:
  std::shared_ptr<NativeContext> context_ = std::make_shared<NativeContext>();
  NativeOptions options_;
};

} // namespace assay::engine
