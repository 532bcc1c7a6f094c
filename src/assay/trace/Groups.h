/// Calls of one side that are one call of the other: projections to queries, keys
/// and values that were fused, a gate beside its product, a module that is called
/// on chunks of its input.
#pragma once

#include "assay/trace/Align.h"
#include "assay/trace/AlignCalls.h"

namespace assay::trace {

/// One call, and the calls of the other side whose outputs are adjacent parts
/// of its output; indices into the lists of calls.
struct CallGroup {
  bool manyOfTarget = true;
  std::vector<int64_t> many;
  int64_t one = -1;
  int64_t blocks = 0; ///< see TensorPart; 0: any number that fits
  bool isDivided =
      false; ///< all are calls of one module, on parts of the input
  std::vector<double> weights; ///< of divided calls: their shares; sum 1
};

/// Modules that one side calls on parts of what the other gives them at once: each
/// call's output, or input, is made of those of two or more calls, in their order.
std::vector<CallGroup> findDividedCalls(llvm::ArrayRef<align::Call> target,
                                        llvm::ArrayRef<align::Call> bench,
                                        llvm::ArrayRef<AlignItem> targetItems,
                                        llvm::ArrayRef<AlignItem> benchItems);

/// The groups that the map names, then the common ones (`to_q, to_k, to_v` is
/// `to_qkv`, `gate_proj, up_proj` is `gate_up_proj`, ...) among calls without a
/// partner. A name is a module's path or the end of one; the part of the path
/// before it must be equal on both sides, or calls are taken in order.
std::vector<CallGroup> findGroups(llvm::ArrayRef<align::Call> target,
                                  llvm::ArrayRef<align::Call> bench,
                                  llvm::ArrayRef<AlignItem> targetItems,
                                  llvm::ArrayRef<AlignItem> benchItems,
                                  llvm::ArrayRef<NameMap::Group> named);

/// The pairs of a group's tensors: outputs, parameters and their gradients as
/// parts of the fused tensor, inputs as they are; for divided calls, inputs as
/// parts, parameters and their gradients as they are.
std::vector<AlignedPair> pairsOf(const CallGroup &group,
                                 llvm::ArrayRef<align::Call> target,
                                 llvm::ArrayRef<align::Call> bench,
                                 llvm::ArrayRef<AlignItem> targetItems,
                                 llvm::ArrayRef<AlignItem> benchItems);

} // namespace assay::trace
