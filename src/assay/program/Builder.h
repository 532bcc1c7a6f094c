/// Builds a program as IR, without writing and parsing text. A builder holds
/// one module with one function `@main`. Its methods append operations at the
/// insertion point (the end of @main, or of a region while its body is built)
/// and return values. A wrong request (shapes that do not fit, an unknown
/// attribute) is remembered, and finish() returns the first such error. The
/// values stay usable until then, so that callers need no checks.
#pragma once

#include "assay/dialect/StablehloAttrs.h"
#include "assay/program/Program.h"
#include "mlir/IR/Builders.h"

#include <functional>
#include <optional>

namespace assay::program {

using tensor::TensorType;
using Dims = llvm::SmallVector<int64_t, 6>;
using DimsRef = llvm::ArrayRef<int64_t>;
/// Low and high padding of each dimension.
using Padding = llvm::SmallVector<std::pair<int64_t, int64_t>, 4>;

/// A region of an operation: the types of its block's arguments, and a function
/// that appends the block's operations and returns the values to be returned.
struct Region {
  llvm::SmallVector<TensorType, 4> arguments;
  std::function<llvm::SmallVector<mlir::Value>(llvm::ArrayRef<mlir::Value>)>
      body;
};

/// The windows and dimension roles of a convolution. Empty lists stand for the
/// defaults of the specification.
struct Convolution {
  Dims strides;
  Padding padding;
  Dims lhsDilation;
  Dims rhsDilation;
  llvm::SmallVector<bool> reversal;
  int64_t inputBatch = 0, inputFeature = 1;
  Dims inputSpatial; ///< empty, like the two below, means 2, 3, ...
  int64_t kernelOutputFeature = 0, kernelInputFeature = 1;
  Dims kernelSpatial;
  int64_t outputBatch = 0, outputFeature = 1;
  Dims outputSpatial;
  int64_t featureGroups = 1, batchGroups = 1;
};

/// The window of a reduce_window. Empty lists stand for the defaults of the
/// specification.
struct Window {
  Dims size; ///< one per dimension of the operand
  Dims strides;
  Dims baseDilation;
  Dims windowDilation;
  Padding padding;
};

class Builder {
public:
  Builder();
  Builder(const Builder &) = delete;
  ~Builder();

  /// MLIR's own builder, for attributes and for operations without a method here.
  mlir::OpBuilder &builder() { return op_; }
  mlir::MLIRContext *context() { return context_.get(); }
  /// The location of the operations that follow.
  void setLocation(mlir::Location location) { location_ = location; }
  void setLocation(llvm::StringRef name);

  /// Appends an argument to @main; the name becomes its location.
  mlir::Value argument(const TensorType &type, llvm::StringRef name = "");
  void setArgumentAttribute(size_t index, llvm::StringRef name,
                            mlir::Attribute attribute);

  /// Any operation with one result. A name without a dot is a stablehlo
  /// operation.
  mlir::Value op(llvm::StringRef name, mlir::ValueRange operands,
                 const TensorType &result,
                 llvm::ArrayRef<mlir::NamedAttribute> attributes = {},
                 llvm::ArrayRef<Region> regions = {});
  /// Any operation with any number of results.
  llvm::SmallVector<mlir::Value>
  opWithResults(llvm::StringRef name, mlir::ValueRange operands,
                llvm::ArrayRef<TensorType> results,
                llvm::ArrayRef<mlir::NamedAttribute> attributes = {},
                llvm::ArrayRef<Region> regions = {});

  // Elementwise. All operands have the same shape; nothing is broadcast.
  mlir::Value unary(llvm::StringRef name, mlir::Value x);
  mlir::Value binary(llvm::StringRef name, mlir::Value a, mlir::Value b);
  /// direction: EQ NE GE GT LE LT
  mlir::Value compare(llvm::StringRef direction, mlir::Value a, mlir::Value b);
  mlir::Value select(mlir::Value condition, mlir::Value yes, mlir::Value no);
  mlir::Value clamp(mlir::Value low, mlir::Value x, mlir::Value high);
  /// Returns x itself where it already has the type.
  mlir::Value convert(mlir::Value x, numerics::ElementType type);

  // Constants.
  /// Every element is `value`, rounded to the type (complex: real part).
  mlir::Value constant(double value, const TensorType &type);
  /// As above, exact for integers of 64 bits.
  mlir::Value integerConstant(int64_t value, const TensorType &type);
  mlir::Value constant(DimsRef values);                    ///< tensor<nxi64>
  mlir::Value realConstant(llvm::ArrayRef<double> values); ///< tensor<nxf64>
  mlir::Value constant(const tensor::Tensor &values);
  mlir::Value iota(const TensorType &type, int64_t axis);
  /// The neutral element of add, multiply, maximum, minimum, and, or, as a
  /// scalar.
  mlir::Value neutral(llvm::StringRef name, numerics::ElementType type);

  // Data movement.
  mlir::Value broadcast(mlir::Value x, DimsRef shape,
                        DimsRef broadcastDimensions);
  mlir::Value reshape(mlir::Value x, DimsRef shape); ///< returns x itself where
                                                     ///< the shape is the same
  mlir::Value transpose(mlir::Value x, DimsRef permutation);
  mlir::Value reverse(mlir::Value x, DimsRef axes);
  mlir::Value slice(mlir::Value x, DimsRef starts, DimsRef limits,
                    DimsRef strides);
  mlir::Value concatenate(llvm::ArrayRef<mlir::Value> parts, int64_t axis);
  mlir::Value pad(mlir::Value x, mlir::Value filler, DimsRef low, DimsRef high,
                  DimsRef interior);

  // Contractions and reductions.
  /// Reduces x along `axes`, which the result no longer has. name: as
  /// neutral().
  mlir::Value reduce(llvm::StringRef name, mlir::Value x, DimsRef axes);
  mlir::Value reduceWindow(llvm::StringRef name, mlir::Value x,
                           const Window &window);
  /// dot_general; the result's element type is a's unless given.
  mlir::Value dot(mlir::Value a, mlir::Value b, DimsRef batchA, DimsRef batchB,
                  DimsRef contractA, DimsRef contractB,
                  std::optional<numerics::ElementType> result = std::nullopt);
  mlir::Value
  convolution(mlir::Value input, mlir::Value kernel, const Convolution &options,
              std::optional<numerics::ElementType> result = std::nullopt);

  /// The block that combines two scalars: (a, b) -> name(a, b).
  Region combiner(llvm::StringRef name, numerics::ElementType type);
  /// The block that compares two scalars, for select_and_scatter and sort.
  Region comparator(llvm::StringRef direction, numerics::ElementType type);

  // Attributes.
  mlir::Attribute array(DimsRef values);    ///< array<i64: ...>
  mlir::Attribute integer(int64_t value);   ///< value : i64
  mlir::Attribute pairs(const Padding &of); ///< dense<...> : tensor<nx2xi64>
  mlir::NamedAttribute named(llvm::StringRef name, mlir::Attribute value);

  /// The type of a value that a method returned.
  static TensorType typeOf(mlir::Value value);

  /// Remembers an error for finish(); later ones are ignored.
  void fail(const llvm::Twine &message);

  /// Ends @main with these results, verifies the module and returns it. The
  /// builder cannot be used afterwards.
  /// Errors: InvalidArgument with the verifier's messages or the first fail().
  llvm::Expected<std::shared_ptr<const Program>>
  finish(llvm::ArrayRef<mlir::Value> results, llvm::StringRef name);

private:
  mlir::Operation *create(llvm::StringRef name, mlir::ValueRange operands,
                          llvm::ArrayRef<TensorType> results,
                          llvm::ArrayRef<mlir::NamedAttribute> attributes,
                          llvm::ArrayRef<Region> regions);
  mlir::Value
  inferred(mlir::Value otherwise,
           llvm::function_ref<mlir::FailureOr<llvm::SmallVector<int64_t>>(
               llvm::function_ref<mlir::InFlightDiagnostic()>)>
               infer,
           llvm::function_ref<mlir::Value(DimsRef)> emit);
  mlir::Value splat(mlir::Attribute element, const TensorType &type);

  std::unique_ptr<mlir::MLIRContext> context_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
  mlir::func::FuncOp main_;
  mlir::OpBuilder op_;
  mlir::Location location_;
  std::string error_;
};

} // namespace assay::program
