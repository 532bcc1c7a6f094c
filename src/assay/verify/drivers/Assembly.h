/// Builds the program of a driver that is not a contraction: arguments and
/// results with their bindings, scales and post-ops around dst, and the
/// rounding into the type of a result. The location of every operation names
/// its part: "src", "op", "scale_src", "post_op_0", "scale_dst", "store".
#pragma once

#include "assay/program/Builder.h"
#include "assay/verify/Driver.h"
#include "llvm/ADT/StringSet.h"

namespace assay::verify::drivers {

/// The memory layout of a tensor: a tag, or strides where they are given.
struct Layout {
  std::string tag = "any";
  Dims strides;
};

class Assembly {
public:
  /// Computes in f64 where `type` is f64, else in f32.
  Assembly(const Problem &problem, ElementType type);

  program::Builder &builder() { return b_; }
  ElementType wide() const { return wide_; }

  /// Adds an argument in its own type. Errors are kept for finish().
  mlir::Value argument(llvm::StringRef role, ElementType type, const Dims &dims,
                       const Layout &layout = {});
  /// Adds an argument and converts it to the type that the driver computes in.
  mlir::Value input(llvm::StringRef role, ElementType type, const Dims &dims,
                    const Layout &layout = {});
  /// The binding of the last argument.
  Binding &lastInput() { return bound_.inputs.back(); }

  /// x times the scale of `argument` (divided by it), or x plus (less) its zero
  /// point, where --attr-scales or --attr-zero-points gives one; x otherwise.
  /// One value, or one for each index of the dimensions in its mask. The tensor
  /// is the argument "scale_ARGUMENT" or "zp_ARGUMENT".
  mlir::Value scale(llvm::StringRef argument, mlir::Value x,
                    bool divides = false);
  mlir::Value zeroPoint(llvm::StringRef argument, mlir::Value x, bool adds);

  /// Adds a result: x rounded into `type` (integers: to even, saturated) in the
  /// shape `dims`.
  void result(llvm::StringRef role, mlir::Value x, ElementType type,
              const Dims &dims, const Layout &layout = {});
  /// As result("dst"), after the problem's scale of src (unless it was applied
  /// before), post-ops, and scale and zero point of dst. Scales and zero points
  /// of other arguments that were not applied are unsupported.
  void finishDst(mlir::Value x, ElementType type, const Dims &dims,
                 const Layout &layout = {});

  void unsupported(const llvm::Twine &what);
  void invalid(const llvm::Twine &what);
  llvm::Expected<BoundProgram> finish(Direction direction);

private:
  mlir::Value attribute(const std::vector<ArgumentValue> &list,
                        llvm::StringRef prefix, llvm::StringRef argument,
                        mlir::Value x, llvm::StringRef operation);
  mlir::Value operand(size_t index, const Dims &dims);
  mlir::Value postOps(mlir::Value x, ElementType type, const Layout &layout);
  mlir::Value postOp(size_t index, mlir::Value x, mlir::Value other);
  mlir::Value rounded(mlir::Value x, ElementType type);
  Binding binding(llvm::StringRef role, ElementType type, const Dims &dims,
                  const Layout &layout);
  void fail(ErrorCode code, const llvm::Twine &what);
  void shareMemory();

  const Problem &problem_;
  ElementType wide_;
  program::Builder b_;
  BoundProgram bound_;
  llvm::SmallVector<mlir::Value> arguments_, results_;
  llvm::StringSet<> applied_; ///< roles of scales and zero points
  ErrorCode code_{};
  std::string error_;
};

} // namespace assay::verify::drivers
