/// Which tensor of one dump corresponds to which tensor of the other, when
/// names, counters, classes or prefixes differ and modules are missing, extra
/// or fused on one side.
#pragma once

#include "assay/tensor/Tensor.h"
#include "assay/trace/DumpName.h"
#include "assay/trace/NameMap.h"

#include <memory>
#include <vector>

namespace assay::trace {

/// The facts that the alignment knows about a tensor.
struct AlignItem {
  DumpName name;
  tensor::TensorType type;
  std::string hash; ///< empty when unknown
};

/// A part of one side's tensor that is the whole of the other's.
struct TensorPart {
  bool ofTarget = false; ///< whose tensor is cut
  int64_t axis = 0;
  /// The dimension consists of this many blocks, and the part has its share of
  /// each (projections interleaved by heads); 0: the number that fits best.
  int64_t blocks = 0;
  int64_t begin = 0, size = 0; ///< along the axis, as if there were one block
  int64_t number = 0;          ///< the part's number

  tensor::Shape shapeOf(llvm::ArrayRef<int64_t> whole) const;
  /// The numbers of blocks that fit, fewest first.
  std::vector<int64_t> blocksFor(llvm::ArrayRef<int64_t> whole) const;
  /// Writes the part's elements.
  void cut(llvm::ArrayRef<int64_t> whole, int64_t elementBytes,
           const std::byte *in, std::byte *out) const;
};

/// Tensors of one element that a module gives on parts of a batch (a loss), and the one
/// that it gives on the whole, which is their mean or their sum.
struct MeanOfCalls {
  bool ofTarget = false;       ///< whose calls
  std::vector<int64_t> items;  ///< of the calls
  std::vector<double> weights; ///< shares of the batch; their sum is 1
  int64_t whole = -1;          ///< of the other side
  /// Gradients have the tensors that they belong to here: those of a mean are summed.
  std::shared_ptr<const MeanOfCalls> forward = nullptr;
};

/// A row of the comparison: indices into the two lists; -1: no counterpart.
struct AlignedPair {
  int64_t target = -1, bench = -1;
  double confidence = 0; ///< 1: the names are equal, or a map says so
  std::string how;       ///< "exact", "map", "order", "counter", "prefix",
                         ///< "group", "similar"; empty without a counterpart
  std::optional<TensorPart> part =
      std::nullopt; ///< of a group: one of several rows
  std::shared_ptr<const MeanOfCalls> mean =
      nullptr; ///< of all rows of its group
};

/// A rename that the alignment found in several modules.
struct Rename {
  std::string kind; ///< "prefix" or "class"
  std::string target, bench;
  int64_t modules = 0;
};

struct Alignment {
  std::vector<AlignedPair> pairs; ///< in the target's order; unpaired bench
                                  ///< tensors follow their predecessors
  std::vector<Rename> renames;
};

/// Aligns step by step (steps with equal numbers; if none are equal, in order).
/// Calls of modules are aligned first, then their tensors by kind and item:
///   1. names in the map;
///   2. calls that only have a number for a name (operators, operations of a
///   program): by class, shapes, data and order, as 8; their number does not
///   count;
///   3. calls of a module on parts of its input that the other side gives it at once
///   (Groups.h); where those are all calls of the model, 2 is left out;
///   4. equal module, class and counter;
///   5. equal module and ordinal of the call within it: the class or the way of
///      counting differs;
///   6. several modules that are one module of the other side (Groups.h);
///   7. a prefix of the path that many modules exchange for the same other one
///      (votes of modules with equal shapes);
///   8. the others, between the pairs found so far, by global alignment: the
///      order-preserving set of pairs with the largest sum of similarity (path,
///      class, shapes, hashes) above a threshold. A module without a good
///      partner stays unpaired and shifts nothing. Modules are separated again
///      where one holds a module whose counterpart the other does not hold.
/// Source: Needleman and Wunsch (1970) for 8, longest increasing subsequence of
/// certain pairs for its anchors
Alignment alignNames(llvm::ArrayRef<AlignItem> target,
                     llvm::ArrayRef<AlignItem> bench, const NameMap &map = {});

} // namespace assay::trace
