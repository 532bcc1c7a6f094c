/// The kernels that a command uses, with the engine that runs them.
#pragma once

#include "Tune.h"
#include "assay/engine/native/ConvolutionContest.h"

namespace assay::tools {

/// The kernels of one process. All of them use one registry, which lives as
/// long as this object.
class KernelSets {
public:
  explicit KernelSets(const kernels::Registry::Options &options = {})
      : native_(std::make_shared<engine::NativeContext>(options)) {}
  kernels::Registry &registry() { return native_->registry; }
  select::SpaceContext context() { return engine::spacesOf(native_); }
  /// The model's kernels; products if it has no kernels of ours, which opening
  /// then reports. Errors: those of loadDescription
  llvm::Expected<std::unique_ptr<select::KernelSet>>
  ofModel(llvm::StringRef folder);

private:
  std::shared_ptr<engine::NativeContext> native_;
};

} // namespace assay::tools
