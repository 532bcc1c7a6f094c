/// Elements that the second program need not compute: the first program
/// had the same step on the same operands. Two programs around a
/// compiler's pass are mostly the same.
#pragma once

#include "assay/program/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <optional>
#include <unordered_map>
#include <vector>

namespace mlir {
class Operation;
}

namespace assay::judge {

/// Hashes of an operation without its operands: name, attributes, types and
/// bodies; equal in any context. Kept for all runs of a program.
class OperationHashes {
public:
  /// 0: its bodies read from outside, or a value is too long to compare.
  uint64_t of(mlir::Operation *op);

private:
  llvm::DenseMap<mlir::Operation *, uint64_t> known_;
};

/// Steps shared for one draw and one choice of laws. Shadows are distinguished by their
/// addresses, so those that are named here are kept.
class SharedSteps {
public:
  explicit SharedSteps(OperationHashes &hashes) : hashes_(hashes) {}

  /// The key of a step with these operands; nullopt: it cannot be shared.
  std::optional<uint64_t> keyOf(mlir::Operation *op,
                                llvm::ArrayRef<program::Value> operands);
  static uint64_t keyOfArgument(unsigned number,
                                const tensor::TensorType &type);
  /// Gives the results their shadows; false: the step is not known.
  bool find(std::optional<uint64_t> key,
            llvm::MutableArrayRef<program::Value> results) const;
  void keep(std::optional<uint64_t> key,
            llvm::ArrayRef<program::Value> results);

private:
  std::optional<uint64_t> wordOf(const program::Value &operand) const;

  OperationHashes &hashes_;
  std::unordered_map<uint64_t, std::vector<tensor::Tensor>> steps_;
  llvm::DenseSet<const void *> kept_;
  int64_t bytes_ = 0;
};

} // namespace assay::judge
