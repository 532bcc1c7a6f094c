/// A right operand that is the same tensor in each run, packed once and kept.
#pragma once

#include "assay/engine/native/KeptResult.h"
#include "assay/engine/native/Steps.h"
#include "assay/kernels/PackedProduct.h"

#include <mutex>
#include <vector>

namespace assay::engine {

/// The panels of a weight, and the products that read them (one per number of
/// rows requested).
struct WeightPanels {
  Tensor memory;
  llvm::SmallVector<std::shared_ptr<const kernels::PackedProduct>, 2> products;
  explicit operator bool() const { return memory.valid(); }
};

/// Panels that steps hold, so that steps with the same weight (an unrolled
/// loop) read one copy. This object does not own them. Threads: any.
class SharedPanels {
public:
  /// The panels that were added for this weight and this layout of panels, if
  /// they still exist; else an invalid tensor.
  Tensor find(const Tensor &weight, llvm::StringRef layout);
  void add(const Tensor &weight, std::string layout, const Tensor &panels);

private:
  struct Entry {
    std::weak_ptr<tensor::Buffer> weight, panels;
    std::string layout;
    TensorType type;
  };
  std::mutex mutex_; // guards the members below
  std::vector<Entry> entries_;
};

class PackedWeight {
public:
  /// The panels of `weight`: those of the last call if it is the same tensor
  /// (with the same numbers of rows), else new ones. Empty if no kernel
  /// supports such a product, or if the memory budget leaves no room; nothing
  /// is kept then. `problems` differ in m only. `arrange` brings the weight
  /// into the order of their B strides; null: it has that order, and other
  /// steps may read the same panels. `vectors`: see PackedProduct::create.
  /// Threads: any. The weight is held, so that its memory is not overwritten.
  WeightPanels find(StepContext &context, NativeContext &native,
                    const Tensor &weight,
                    llvm::ArrayRef<kernels::GemmProblem> problems,
                    int64_t offset,
                    llvm::function_ref<llvm::Expected<Tensor>()> arrange,
                    int vectors = 0);

private:
  KeptResult<WeightPanels> panels_;
};

} // namespace assay::engine
