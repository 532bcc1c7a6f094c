/// The kernels that a command is about, with the engine that runs them.
#pragma once

#include "Tune.h"
#include "assay/engine/native/ConvolutionContest.h"

namespace assay::tools {

/// The kernels of one process: all over one registry, which lives as long as this.
class KernelSets {
public:
  explicit KernelSets(const kernels::Registry::Options &options = {})
      : native_(std::make_shared<engine::NativeContext>(options)) {}
  kernels::Registry &registry() { return native_->registry; }
  select::SpaceContext context() { return engine::spacesOf(native_); }
  /// The model's kernels; products where it has no kernels of ours, which
  /// opening reports. Errors: those of loadDescription
  llvm::Expected<std::unique_ptr<select::KernelSet>>
  ofModel(llvm::StringRef folder);

private:
  std::shared_ptr<engine::NativeContext> native_;
};

} // namespace assay::tools
