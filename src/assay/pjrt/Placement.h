/// The placement of a value of a program for several devices: which part each
/// has. The program itself runs on whole values.
#pragma once

#include "Propagation.h"

#include "assay/support/MemoryBudget.h"
#include "assay/tensor/Tensor.h"
#include "mlir/IR/Operation.h"

#include <memory>
#include <string>
#include <vector>

namespace assay::pjrt {

class Placement {
public:
  /// Reads an argument's or result's attributes: `sdy.sharding`, or
  /// `mhlo.sharding` that says replicated; none: every device has it whole.
  /// Errors: Unsupported for other text, InvalidArgument for sizes that do not
  /// divide.
  static llvm::Expected<Placement> read(mlir::Operation *function,
                                        mlir::DictionaryAttr attributes,
                                        const tensor::TensorType &whole,
                                        int64_t devices);

  /// The placement of a result without attributes; every device has the whole of a result that
  /// cannot be cut this way.
  static Placement of(const Cut &cut, const tensor::TensorType &whole,
                      int64_t devices);

  /// As it is outside: without the leading dimension of sums that are still to
  /// be made (program::spreadSums) and of own values.
  tensor::TensorType part() const;
  bool isReplicated() const { return starts_.empty(); }
  /// Where the part of each device begins; empty: every device has the whole value.
  llvm::ArrayRef<tensor::Shape> starts() const { return starts_; }
  /// Whether devices that have equal values by the program may have values of their
  /// own (keepOwnValues).
  bool isOwn() const { return isOwn_; }
  /// Whether they do.
  bool differ(llvm::ArrayRef<tensor::Tensor> parts) const;

  /// The whole of the parts, one for each device. Errors: ResourceLimit.
  llvm::Expected<tensor::Tensor>
  join(llvm::ArrayRef<tensor::Tensor> parts,
       const std::shared_ptr<MemoryBudget> &budget) const;
  /// The part of each device. Errors: ResourceLimit.
  llvm::Expected<std::vector<tensor::Tensor>>
  cut(const tensor::Tensor &whole,
      const std::shared_ptr<MemoryBudget> &budget) const;

  /// As XLA writes it: `{devices=[4,1,2]0,1,... last_tile_dim_replicate}`.
  std::string text() const;

private:
  tensor::TensorType whole_, part_;
  bool isSum_ = false; ///< with a leading dimension for the terms of a sum
  bool isOwn_ = false; ///< with one for values that devices have of their own
  int64_t devices_ = 1;
  std::vector<tensor::Shape> starts_;
};

} // namespace assay::pjrt
