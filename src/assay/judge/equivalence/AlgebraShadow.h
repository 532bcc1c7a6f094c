/// Carries elements (Algebra.h) beside the floats of a reference run: an
/// observer that adds to each result its shadow, a tensor of elements, which
/// the executor passes through calls, loops, branches and tuples. A float
/// without a shadow is the number that its value is.
///
/// Operations that move elements, and those with a region, are the reference's
/// own steps, run a second time on the numbers of elements; sums of products
/// and elementwise operations have exact loops here. Operations without a rule
/// are named.
#pragma once

#include "assay/judge/equivalence/Algebra.h"
#include "assay/judge/equivalence/Reached.h"
#include "assay/judge/equivalence/SharedSteps.h"
#include "assay/program/Executor.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

#include <limits>
#include <set>

namespace assay::judge {

/// The reasons for undecided values, each once, in the order in which they arose.
using Reasons = llvm::SetVector<std::string, std::vector<std::string>,
                                std::set<std::string>>;

/// The results of one execution of an operation, for --map.
struct MadeValue {
  mlir::Operation *op; ///< null: argument number `result`
  unsigned result;
  uint64_t fingerprint;
  uint64_t exact; ///< the same with the signs of zeros
};

class AlgebraShadow final : public program::Observer {
public:
  /// `shared`: steps of the other program's run with the same algebra, and
  /// where this run's are kept; or null.
  /// `reached`: the operations that read the program's arguments.
  AlgebraShadow(Algebra &algebra, ThreadPool &pool, bool fingerprints,
                const OperationSet &reached, SharedSteps *shared = nullptr)
      : algebra_(algebra), run_(pool), fingerprints_(fingerprints),
        reached_(reached), shared_(shared) {}

  /// An argument with its elements. `given`: the other program's argument in
  /// another float type, whose numbers it gets.
  llvm::Expected<program::Value> argument(const tensor::Tensor &value,
                                          const tensor::Tensor &given,
                                          unsigned number);
  /// The elements of a tensor, a complex number's parts interleaved. Errors: memory.
  llvm::Expected<std::vector<Element>> elementsOf(const program::Value &) const;

  void beforeStep(const program::StepNode &node,
                  llvm::ArrayRef<program::Value *> operands) override;
  void amend(const program::StepNode &node,
             llvm::MutableArrayRef<program::Value> results) override;
  void onStep(const program::StepNode &node,
              llvm::ArrayRef<program::Value *> operands,
              llvm::ArrayRef<program::Value> results, int64_t timeNs) override;
  program::Observer *beginProcess(const program::StepNode &node,
                                  const program::ProcessId &,
                                  int64_t) override {
    notDecided(node.op, "several processes");
    return this;
  }

  /// Ends the run, by its interrupt, after `most` steps.
  void limitSteps(int64_t most, Interrupt &interrupt) {
    mostSteps_ = most;
    interrupt_ = &interrupt;
  }
  int64_t stepsTaken() const { return taken_; }
  bool isOverLimit() const { return taken_ >= mostSteps_; }

  /// Operations without a rule, with the reason; empty: all have one.
  const Reasons &undecided() const { return undecided_; }
  /// Operations that are one function of all their operands.
  const llvm::StringSet<> &opaque() const { return opaque_; }
  const std::vector<MadeValue> &made() const { return made_; }

private:
  friend class AlgebraLanes;
  using Values = llvm::MutableArrayRef<program::Value>;
  void notDecided(mlir::Operation *op, llvm::StringRef why = {});
  bool isFollowed(mlir::Operation *op) const;
  bool isFolded(mlir::Operation *op, llvm::ArrayRef<program::Value> operands) const;
  void countTies(mlir::Operation *op, Values operands, Values results);
  llvm::Error give(mlir::Operation *op, Values operands, Values results);
  llvm::Error compute(mlir::Operation *op, Values operands, Values results);
  /// The results' elements are the numbers that their values are.
  llvm::Error asValues(Values results) const;
  llvm::Error elementwise(mlir::Operation *op, Values operands, Values results);
  llvm::Expected<std::vector<program::Value>>
  numbered(Values operands, std::vector<Element> &table) const;
  llvm::Expected<tensor::Tensor> emptyShadow(int64_t elements) const;
  llvm::Expected<tensor::Tensor> shadowOf(llvm::ArrayRef<Element>) const;
  llvm::Error move(mlir::Operation *op, Values operands, Values results);
  /// The short paths. False: the operation has none.
  llvm::Expected<bool> moveByStrides(mlir::Operation *op, Values operands,
                                     Values results);
  llvm::Expected<bool> reduceInPlace(mlir::Operation *op, Values operands,
                                     Values results);
  llvm::Error numberOperands(Values operands, std::vector<Element> &arena,
                             program::StepContext &context);
  llvm::Error region(mlir::Operation *op, Values operands, Values results);
  llvm::Error opaqueFunction(mlir::Operation *op, Values operands,
                             Values results);
  llvm::Error product(mlir::Operation *op, Values operands, Values results);
  llvm::Error convolution(mlir::Operation *op, Values operands, Values results);
  /// Gives a result its elements; where values are not finite, the elements are
  /// the values themselves.
  llvm::Error set(program::Value &result, std::vector<Element> elements) const;
  void record(mlir::Operation *op, unsigned result,
              const program::Value &value);
  const program::Step *stepFor(mlir::Operation *op, Values operands,
                               Values results, bool onIds);

  Algebra &algebra_;
  mutable program::RunContext run_;
  bool fingerprints_;
  const OperationSet &reached_;
  SharedSteps *shared_;
  llvm::DenseMap<mlir::Operation *, std::vector<program::Value>> operands_;
  llvm::DenseMap<mlir::Operation *, std::unique_ptr<program::Step>> steps_;
  Reasons undecided_;
  llvm::StringSet<> opaque_;
  std::vector<MadeValue> made_;
  int64_t taken_ = 0, mostSteps_ = std::numeric_limits<int64_t>::max();
  Interrupt *interrupt_ = nullptr;
};

/// Whether a tensor's elements are floats or complex numbers of them.
inline bool hasElements(const program::Value &value) {
  return value.isTensor() && (value.tensor().elementType().isFloat() ||
                              value.tensor().elementType().isComplex());
}
/// Numbers in an element: 2 for complex.
inline int64_t partsOf(numerics::ElementType type) {
  return type.isComplex() ? 2 : 1;
}
/// All values of a tensor as f64 (complex: parts interleaved); for a splat those of
/// one element.
std::vector<double> valuesOf(const tensor::Tensor &tensor);

} // namespace assay::judge
