/// What a product or a convolution takes in of the operations around it.
#pragma once

#include "assay/engine/native/Steps.h"
#include "assay/engine/native/Views.h"

namespace assay::engine {

/// What a product reads: a value, the operand's layout in it, its element type.
struct ProductSource {
  mlir::Value base;
  Layout layout;
  TensorType type;
};

struct ProductGroup {
  mlir::Operation *op;
  ProductSource sources[2];
  mlir::Value bias = {}; ///< null: none
  DotEpilogue epilogue = {};
  tensor::Shape resultStrides = {}; ///< empty: row-major
  llvm::SmallVector<mlir::Operation *, 3> behind = {}; ///< its only readers, in order
  bool takesIn() const;
};

/// A product that a kernel takes, with what is around it in its block; else nullopt.
std::optional<ProductGroup> productAround(mlir::Operation *op);
/// A convolution, likewise; whether a kernel takes it shows in its step.
std::optional<ProductGroup> convolutionAround(mlir::Operation *op);

/// Null where no kernel takes it.
std::unique_ptr<Step> makeProductStep(const std::shared_ptr<NativeContext> &context,
                                      const ProductGroup &product);
std::unique_ptr<Step>
makeViewedConvolution(const std::shared_ptr<NativeContext> &context,
                      const ProductGroup &convolution,
                      const program::NumericOptions &numeric);

} // namespace assay::engine
