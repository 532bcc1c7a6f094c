/// Which sizes of a straight-line program depend on each other: if a dimension
/// becomes smaller, so do all that must have its size, and sizes that follow by
/// a formula (the windows of a convolution) are computed again.
#pragma once

#include "assay/judge/reduce/TestCase.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

#include <functional>

namespace assay::judge {

class Dimensions {
public:
  /// Reads the operations of @main. An operation without a rule pins all
  /// dimensions of its operands and results.
  explicit Dimensions(mlir::func::FuncOp function);

  size_t count() const { return sizes_.size(); }
  int64_t size(size_t dimension) const { return sizes_[dimension]; }
  /// Whether its size may change: it is not pinned, and no formula determines it.
  bool isFree(size_t dimension) const;
  /// The number of the size that dimension `d` of a value has.
  size_t of(mlir::Value value, int64_t d) const;

  /// All sizes when one of them changes, formulas applied; nullopt where a size
  /// would be below one or a pinned one would change.
  std::optional<std::vector<int64_t>> resized(size_t dimension,
                                              int64_t size) const;
  /// The sizes by the formulas, computed again after an attribute changed.
  std::optional<std::vector<int64_t>> derived() const;
  /// Gives every value of @main the type that belongs to the sizes, and its
  /// operations the attributes that contain sizes.
  void apply(mlir::func::FuncOp function, llvm::ArrayRef<int64_t> sizes) const;

private:
  struct Formula {
    size_t result;
    std::vector<size_t> from;
    std::function<int64_t(llvm::ArrayRef<int64_t> from)> compute;
  };
  void addValue(mlir::Value value);
  void addOperation(mlir::Operation *op);
  void broadcast(mlir::Operation *op);
  void reshape(mlir::Operation *op);
  void product(mlir::Operation *op);
  void convolution(mlir::Operation *op);
  void reduce(mlir::Operation *op);
  void reduceWindow(mlir::Operation *op);
  void concatenate(mlir::Operation *op);
  void sliceOrPad(mlir::Operation *op);
  void sameShape(mlir::Operation *op);
  void pinAll(mlir::Operation *op);
  void pin(mlir::Value value, int64_t d);
  void tie(mlir::Value a, int64_t i, mlir::Value b, int64_t j);
  void derive(mlir::Value value, int64_t d,
              llvm::ArrayRef<std::pair<mlir::Value, int64_t>> from,
              std::function<int64_t(llvm::ArrayRef<int64_t>)> compute);
  void number();
  size_t root(size_t id) const;
  std::optional<std::vector<int64_t>> settle(std::vector<int64_t> sizes) const;

  llvm::DenseMap<mlir::Value, size_t> first_; ///< id of a value's dimension 0
  mutable std::vector<size_t> parent_;        ///< of ids: union-find
  std::vector<int64_t> idSizes_;
  std::vector<bool> idPinned_;
  std::vector<Formula> formulas_; ///< over ids, after number() over numbers
  std::vector<size_t> numbers_;   ///< of ids
  std::vector<int64_t> sizes_;
  std::vector<bool> pinned_, derived_;
};

/// The test with one dimension cut to `size` elements from `start` on,
/// arguments (and recorded results) sliced. Errors: InvalidArgument where the
/// result is not a valid program.
llvm::Expected<TestCase> withSize(const TestCase &test, size_t dimension,
                                  int64_t size, int64_t start);

/// The test with attributes changed by `edit`; sizes follow. Errors: as
/// withSize.
llvm::Expected<TestCase>
withAttributes(const TestCase &test,
               llvm::function_ref<void(mlir::Operation *)> edit);

} // namespace assay::judge
