/// The kernels that `tune auto`, `check` and `compare` choose between, made from a
/// command's flags or from a model's folder.
#pragma once

#include "Tune.h"
#include "assay/engine/native/NativeEngine.h"
#include "assay/select/Choices.h"

namespace assay::tools {

/// Choices of one process: all over one registry, which lives as long as this.
class ChoiceMaker {
public:
  kernels::Registry &registry() { return context_->registry; }
  /// Those of --op, --dtype and --layout. Errors: those of KernelFlags
  llvm::Expected<std::unique_ptr<select::Choices>> of(const KernelFlags &flags);
  /// Those that the model is about; products where it is of no kernels of ours,
  /// whose open() says so. Errors: those of loadDescription
  llvm::Expected<std::unique_ptr<select::Choices>>
  ofModel(llvm::StringRef folder);

private:
  std::unique_ptr<select::Choices> convolutions(kernels::ConvDirection direction);

  std::shared_ptr<engine::NativeContext> context_ =
      std::make_shared<engine::NativeContext>();
};

} // namespace assay::tools
