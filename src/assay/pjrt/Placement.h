/// The placement of a program's value on several devices: the part that each
/// device has. The program itself runs on whole values.
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
  /// Reads an argument's or result's attributes: `sdy.sharding`, or an
  /// `mhlo.sharding` that means replicated. Without either, every device has
  /// the whole value. Errors: Unsupported for other text, InvalidArgument for
  /// sizes that cannot be divided.
  static llvm::Expected<Placement> read(mlir::Operation *function,
                                        mlir::DictionaryAttr attributes,
                                        const tensor::TensorType &whole,
                                        int64_t devices);

  /// The placement of a result without attributes. If the result cannot be cut this way, every device has the whole
  /// of it.
  static Placement of(const Cut &cut, const tensor::TensorType &whole,
                      int64_t devices);

  /// The type outside of the program: without the leading dimension of sums
  /// that are still to be computed (program::spreadSums) and of own values.
  tensor::TensorType part() const;
  bool isReplicated() const { return starts_.empty(); }
  /// The start of each device's part; empty: every device has the whole value.
  llvm::ArrayRef<tensor::Shape> starts() const { return starts_; }
  /// Whether devices may have their own values although the program declares
  /// them equal (keepOwnValues).
  bool isOwn() const { return isOwn_; }
  /// Whether these parts of such a value do differ.
  bool differ(llvm::ArrayRef<tensor::Tensor> parts) const;

  /// Joins the parts, one per device, to the whole value. Errors:
  /// ResourceLimit.
  llvm::Expected<tensor::Tensor>
  join(llvm::ArrayRef<tensor::Tensor> parts,
       const std::shared_ptr<MemoryBudget> &budget) const;
  /// Cuts the whole value into the part of each device. Errors: ResourceLimit.
  llvm::Expected<std::vector<tensor::Tensor>>
  cut(const tensor::Tensor &whole,
      const std::shared_ptr<MemoryBudget> &budget) const;

  /// The placement in XLA's notation: `{devices=[4,1,2]0,1,...
  /// last_tile_dim_replicate}`.
  std::string text() const;

private:
  tensor::TensorType whole_, part_;
  bool isSum_ = false; ///< has a leading dimension for the terms of a sum
  bool isOwn_ = false; ///< has a leading dimension for devices' own values
  int64_t devices_ = 1;
  std::vector<tensor::Shape> starts_;
};

} // namespace assay::pjrt
