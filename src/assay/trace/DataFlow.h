/// One dump as a graph: which operator made each tensor, and which module's
/// call was open when it was recorded.
#pragma once

#include "assay/trace/Align.h"

namespace assay::trace {

/// One call of a module, forward or backward, whose begin and end were recorded.
struct ModuleCall {
  std::string text;   ///< "blocks.0.norm1.LayerNorm.0"
  std::string module; ///< "blocks.0.norm1"
  bool backward = false;
  int64_t parent = -1; ///< index of the call around it
  int64_t before =
      -1; ///< the call in the same parent that ended last before this one
};

class DataFlow {
public:
  explicit DataFlow(llvm::ArrayRef<AlignItem> items);

  /// The last operator's output recorded before this tensor that has its bytes
  /// (for an operator's output: itself); -1: none, or the dump has no hashes.
  int64_t producer(int64_t item) const {
    return producer_[static_cast<size_t>(item)];
  }
  /// The same, followed back to the first output that is not a mere copy
  /// (detach, view).
  int64_t origin(int64_t item) const {
    return origin_[static_cast<size_t>(item)];
  }
  /// The innermost module call that was open at the tensor; nullptr: none.
  const ModuleCall *around(int64_t item) const {
    return at(open_[static_cast<size_t>(item)]);
  }
  const ModuleCall *outer(const ModuleCall &call) const {
    return at(call.parent);
  }
  /// The call within around() that ended last before the tensor; nullptr: none.
  const ModuleCall *before(int64_t item) const {
    return at(before_[static_cast<size_t>(item)]);
  }
  const ModuleCall *before(const ModuleCall &call) const {
    return at(call.before);
  }
  /// The input or output tensors of an operator's call.
  llvm::ArrayRef<int64_t> itemsOf(int64_t item, bool outputs) const;

private:
  const ModuleCall *at(int64_t call) const {
    return call < 0 ? nullptr : &calls_[static_cast<size_t>(call)];
  }
  void findModules();
  void findProducers();

  llvm::ArrayRef<AlignItem> items_;
  std::vector<int64_t> producer_, origin_, open_, before_;
  std::vector<ModuleCall> calls_;
  struct Tensors {
    std::vector<int64_t> inputs, outputs;
  };
  llvm::StringMap<Tensors> ofCall_; // by step and name of an operator's call
};

} // namespace assay::trace
