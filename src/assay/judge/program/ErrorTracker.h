/// A running error bound beside every value of a program: how far any correct
/// implementation may be from it on the same arguments. It observes the
/// reference's run with a shadow; each operation's rule (OpBounds.def) turns
/// the errors of its operands into those of its results, with the shadow as the
/// exact value.
///
///   error(result) = the effect of the operands' errors + the error that a
///   correct implementation of the operation may add
///
/// Infinite: undecided, or "open" (a comparison whose sides are closer than
/// their errors, an index made of such, the result of an operation without a
/// rule).
#pragma once

#include "assay/judge/FillKind.h"
#include "assay/judge/program/WideOp.h"
#include "assay/program/Observer.h"
#include "assay/support/ThreadPool.h"
#include "assay/tensor/Tensor.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace assay::judge {

/// One bound per element (complex: of each part); null: the value is exact.
using Errors = std::shared_ptr<std::vector<double>>;
/// The error of an integer that the specification leaves open (a quotient by
/// zero): no other measure judges it.
inline constexpr double kLeftOpen = std::numeric_limits<double>::max();
/// A copy that may be written; for null, `count` zeros.
inline Errors writableErrors(const Errors &errors, size_t count) {
  return errors ? std::make_shared<std::vector<double>>(*errors)
                : std::make_shared<std::vector<double>>(count, 0.0);
}

enum class BoundKind : uint8_t {
  Ulp,
  Rough,
  Pick,
  Move,
  Convert,
  Compare,
  Select,
  ReducePrecision,
  Bitcast,
  Contraction,
  Region,
  Sort,
  Fft,
  Solve,
  Factor,
  Quantize,
  Collective,
  Exact
};
struct OpBound {
  const char *name;
  BoundKind kind;
  double ulp;
};
/// nullptr: the operation has no bound.
const OpBound *findOpBound(llvm::StringRef operation);

/// The inputs of a rule: one execution of one operation.
struct BoundRequest {
  mlir::Operation *op;
  llvm::ArrayRef<program::Value *> operands;
  llvm::ArrayRef<program::Value> results;
  std::vector<Errors> operandErrors;
  const OpBound *rule;
  const WideOp *wide; ///< null for rules that evaluate nothing
  ThreadPool &pool;
  Demands demands = {};

  bool allExact() const;
  /// elementsOf the operation's (first) result on these operands.
  llvm::Expected<std::vector<double>>
  evaluate(llvm::ArrayRef<tensor::Tensor> operands) const;
};
using BoundResult = llvm::Expected<std::vector<Errors>>;
BoundResult elementwiseBound(BoundRequest &request);
/// Whether errors pass through the operation by a formula (sums and products of
/// real numbers) so that nothing is evaluated.
bool isPolynomial(const BoundRequest &request);
BoundResult regionBound(BoundRequest &request);
BoundResult structuredBound(BoundRequest &request);
/// From floats to quantised elements and back; no bound between quantised types.
BoundResult quantizeBound(BoundRequest &request);
/// Triangular solves and Cholesky factors, and all of LAPACK's calls that have
/// a bound.
BoundResult linearBound(BoundRequest &request);
/// Singular values and eigenvalues of LAPACK's calls; no bound for other calls.
BoundResult spectrumBound(BoundRequest &request);
/// The kind of computation in the body of a reduction, scatter or collective.
enum class Body : uint8_t { Sum, Product, Replace, Choice, Other };
Body bodyOf(mlir::Region &region);
/// Whether the body of a reduction or scatter returns one of its arguments.
bool onlyChooses(mlir::Operation *op);
/// Whether the operation adds many terms.
bool sumsTerms(const OpBound &rule, mlir::Operation *op);

// ---- shared by the rules ----

/// The exact value (the shadow, else the value itself) as doubles; complex:
/// parts interleaved.
std::vector<double> exactValues(const program::Value &value);
/// f64, or complex numbers of it.
numerics::ElementType wideType(numerics::ElementType type);
/// Some elements of a tensor of floats as doubles; complex: parts interleaved.
void wideElements(const tensor::Tensor &tensor, int64_t from, int64_t count,
                  double *out);
/// The same as an operand of WideOp.
llvm::Expected<tensor::Tensor> wideTensor(const program::Value &value);
/// An operand of WideOp with the value's shape, made from one number per
/// element (complex: in both parts, or only in the real part).
llvm::Expected<tensor::Tensor> wideFrom(const program::Value &value,
                                        llvm::ArrayRef<double> elements,
                                        bool bothParts = true);
/// |x| per element (complex: the modulus) plus the errors.
std::vector<double> magnitudes(const program::Value &value,
                               const Errors &errors);
/// One number per element of a WideOp's result; complex: the magnitude of the
/// larger part.
std::vector<double> elementsOf(const tensor::Tensor &tensor);
/// Half a unit in the last place of x in the format of `type` (complex: of its
/// parts).
double halfUlp(double x, numerics::ElementType type);
/// Relative rounding error of one operation in a type that sums are kept in:
/// 2^-53 for f64, `narrow` for other floats.
double sumUnit(numerics::ElementType type);
/// The type that an operation declares its sums to be kept in (kAccumulation), if it
/// does.
std::optional<numerics::ElementType> declaredSums(mlir::Operation *op);
bool isFloating(const program::Value &value);
Errors undecided(const program::Value &value);
/// The largest power of two of which all finite elements are
/// multiples; 1 if there are none.
double quantum(llvm::ArrayRef<double> values);

/// Elements of a value that depends on something undecided, whatever its shape:
/// one infinite bound. It counts for every element of the value.
Errors openErrors();

/// The facts about one value of the program.
struct Tracked {
  Errors errors; ///< null: exact
  /// Why an error is infinite, as text; null if none is.
  std::shared_ptr<const std::string> why;
  /// The members of a tuple. Null: the value is exact, or all of it is open.
  std::shared_ptr<const std::vector<Tracked>> parts;
  /// Above 0 for elements that were rounded from half way between two numbers
  /// (Ties.cpp).
  Errors ties = nullptr;
};

class OtherOrders;
class ProcessBounds;

class ErrorTracker final : public program::Observer {
public:
  /// `entry`: the block whose arguments are given exactly.
  /// `wide`: kept by the caller for further runs of the same program; null: for
  /// this run alone.
  ErrorTracker(ThreadPool &pool, mlir::Block *entry, Demands demands = {},
               WideOps *wide = nullptr);
  ~ErrorTracker() override;
  /// Keeps the operands: a step may reuse the memory of operands that nothing
  /// reads later.
  void beforeStep(const program::StepNode &node,
                  llvm::ArrayRef<program::Value *> operands) override;
  void onStep(const program::StepNode &node,
              llvm::ArrayRef<program::Value *> operands,
              llvm::ArrayRef<program::Value> results, int64_t timeNs) override;
  /// Loops, branches and calls: the executed blocks are straight-line code, so
  /// errors follow the values that are passed in and out. A condition or a
  /// branch's index must be decided, or all results are open.
  void onControl(const program::StepNode &node, mlir::Block *block) override;
  /// Each process of a manual computation has its own tracker.
  program::Observer *beginProcess(const program::StepNode &node,
                                  const program::ProcessId &id,
                                  int64_t place) override;
  void endProcesses(const program::StepNode &node) override;

  /// The facts about a value of the program. A value without a rule is open,
  /// never exact.
  Tracked tracked(mlir::Value value) const;
  void set(mlir::Value value, Tracked tracked) {
    tracked_[value] = std::move(tracked);
  }
  /// The first operation without a bound (its results are open), with the
  /// reason; empty when there is none.
  const std::string &noBound() const { return noBound_; }
  void noteNoBound(mlir::Operation *op, llvm::StringRef why = {});

private:
  friend class ProcessBounds;
  /// A call, loop or branch in progress.
  struct Control {
    mlir::Operation *op;
    mlir::Block *block;
    std::shared_ptr<const std::string>
        open;            ///< why the results are open: nothing inside matters
    bool inLane = false; ///< it runs inside a reduction's body: not followed
  };
  bool isFollowed(mlir::Operation *op) const;
  void bind(mlir::ValueRange targets, mlir::ValueRange sources);
  void enter(const program::StepNode &node, mlir::Block *block);
  void leave(const program::StepNode &node);
  llvm::Expected<const WideOp *> wideFor(mlir::Operation *op);
  /// Whether an operand is computed: more than an argument or constant that was
  /// moved.
  bool isOnComputed(mlir::Operation *op) const;
  std::vector<bool> givenNan(mlir::Operation *op,
                             llvm::ArrayRef<program::Value *> operands,
                             size_t elements, size_t parts);
  Errors openWhereNanArose(mlir::Operation *op,
                           llvm::ArrayRef<program::Value *> operands,
                           const program::Value &result, Errors errors);
  void noteComparedNan(mlir::Operation *op,
                       llvm::ArrayRef<program::Value *> operands);
  Errors openWhereNanSelects(mlir::Operation *op,
                             llvm::ArrayRef<program::Value *> operands,
                             const program::Value &result, Errors errors) const;
  Errors openBehindComputedZeros(mlir::Operation *op,
                                 llvm::ArrayRef<program::Value *> operands,
                                 const program::Value &result,
                                 Errors errors) const;
  BoundResult boundOf(const program::StepNode &node,
                      llvm::ArrayRef<program::Value *> operands,
                      llvm::ArrayRef<program::Value> results);
  Errors tiesOf(mlir::Operation *op, llvm::ArrayRef<program::Value *> operands,
                const program::Value &result);
  Errors tiesMoved(mlir::Operation *op,
                   llvm::ArrayRef<program::Value *> operands,
                   const program::Value &result, const OpBound &rule);
  bool follow(const program::StepNode &node);
  void keep(const program::StepNode &node,
            llvm::ArrayRef<program::Value *> operands,
            llvm::ArrayRef<program::Value> results, BoundResult bound);

  ThreadPool &pool_;
  mlir::Block *entry_;
  Demands demands_;
  llvm::DenseSet<mlir::Value> computed_; ///< kept with definedOnly alone
  /// Truth values that a NaN decided; kept only with definedOnly.
  llvm::DenseMap<mlir::Value, std::vector<bool>> byNan_;
  llvm::DenseMap<mlir::Value, Tracked> tracked_;
  llvm::DenseMap<mlir::Operation *, std::vector<program::Value>> operands_;
  WideOps ownWide_;
  WideOps &wide_;
  std::unique_ptr<OtherOrders> orders_;
  std::vector<Control> controls_;
  int64_t loopSteps_ = 0; ///< bounds that were made inside loops
  std::string noBound_;
  ProcessBounds *process_ = nullptr; ///< the group that this run belongs to
  int64_t member_ = 0;               ///< and its number there
  std::unique_ptr<ProcessBounds> processes_; ///< those of a step in progress
};

/// The operation as text: its name, and the target that it calls.
std::string nameInWords(mlir::Operation *op);

} // namespace assay::judge
