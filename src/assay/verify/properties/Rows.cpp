// From the results back: where a result's rows are in dimension d, each
// operation determines where they must be in its operands, or that an operand
// must not depend on rows at all. An argument that would need both, or a row
// that an operation mixes with others, refutes d. The analysis works on a copy,
// which can be cut to another number of rows: every value with rows gets
// another size there; constants that are used both with rows and without are
// copied for each use.
#include "assay/verify/properties/Rows.h"
#include "assay/dialect/Stablehlo.h"
#include "assay/judge/program/ErrorTracker.h"
#include "assay/support/Error.h"
#include "assay/support/Math.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/DenseMap.h"

using namespace assay;
using namespace assay::verify;
using mlir::Operation;
using mlir::Value;

static constexpr int kShared = -1; ///< the value does not depend on rows

static llvm::ArrayRef<int64_t> shapeOf(Value value) {
  auto type = mlir::dyn_cast<mlir::RankedTensorType>(value.getType());
  return type ? type.getShape() : llvm::ArrayRef<int64_t>();
}

namespace {
/// The facts about each value for one guess of the rows.
class RowAnalysis {
public:
  explicit RowAnalysis(int64_t rows) : rows_(rows) {}
  /// Requires the value's rows in `dim`, with the consequences for the values it
  /// is computed from; false: an operation prevents it (why()).
  bool need(Value value, int dim);
  const llvm::DenseMap<Value, int> &found() const { return found_; }
  const std::string &why() const { return why_; }

private:
  bool refuse(Operation *op, const char *what) {
    why_ = (op->getName().getStringRef() + " " + what).str();
    return false;
  }
  bool operands(Operation *op, int dim);
  bool same(Operation *op, int dim);
  bool broadcast(stablehlo::BroadcastInDimOp op, int dim);
  bool reshape(stablehlo::ReshapeOp op, int dim);
  bool reduce(stablehlo::ReduceOp op, int dim);
  bool window(stablehlo::ReduceWindowOp op, int dim);
  bool dot(stablehlo::DotGeneralOp op, int dim);
  bool convolution(stablehlo::ConvolutionOp op, int dim);
  bool shared(Operation *op);

  int64_t rows_;
  llvm::DenseMap<Value, int> found_;
  std::string why_;
};
} // namespace

bool RowAnalysis::need(Value value, int dim) {
  if (dim != kShared && (dim >= static_cast<int>(shapeOf(value).size()) ||
                         shapeOf(value)[static_cast<size_t>(dim)] != rows_)) {
    why_ = "a value has another number of rows";
    return false;
  }
  auto [at, isNew] = found_.try_emplace(value, dim);
  if (!isNew) {
    if (at->second != dim)
      why_ = "one value is used by rows and across them";
    return at->second == dim;
  }
  Operation *op = value.getDefiningOp();
  if (!op)
    return true; // an argument
  if (dim == kShared)
    return shared(op);
  for (Value result : op->getResults())
    if (result != value && !need(result, dim))
      return false;
  return operands(op, dim);
}

bool RowAnalysis::shared(Operation *op) {
  for (Value operand : op->getOperands())
    if (!need(operand, kShared))
      return false;
  return true;
}

/// Operands with the result's rank have its rows; scalars apply to all rows.
bool RowAnalysis::same(Operation *op, int dim) {
  size_t rank = shapeOf(op->getResult(0)).size();
  for (Value operand : op->getOperands())
    if (!need(operand, shapeOf(operand).size() == rank ? dim : kShared))
      return false;
  return true;
}

bool RowAnalysis::broadcast(stablehlo::BroadcastInDimOp op, int dim) {
  for (auto [from, to] : llvm::enumerate(op.getBroadcastDimensions()))
    if (to == dim && shapeOf(op.getOperand())[from] == rows_)
      return need(op.getOperand(), static_cast<int>(from));
  return need(op.getOperand(), kShared);
}

/// Rows remain rows where the dimensions before them have the same number of
/// elements on both sides.
bool RowAnalysis::reshape(stablehlo::ReshapeOp op, int dim) {
  llvm::ArrayRef<int64_t> from = shapeOf(op.getOperand()),
                          to = shapeOf(op.getResult());
  int64_t before = product(to.take_front(static_cast<size_t>(dim)));
  for (size_t d = 0; d < from.size(); ++d)
    if (from[d] == rows_ && product(from.take_front(d)) == before)
      return need(op.getOperand(), static_cast<int>(d));
  return refuse(op, "puts rows together with other dimensions");
}

bool RowAnalysis::reduce(stablehlo::ReduceOp op, int dim) {
  int from = 0, kept = -1;
  for (auto size = static_cast<int>(shapeOf(op.getInputs()[0]).size());
       from < size; ++from)
    if (!llvm::is_contained(op.getDimensions(), from) && ++kept == dim)
      break;
  for (Value input : op.getInputs())
    if (!need(input, from))
      return false;
  for (Value init : op.getInitValues())
    if (!need(init, kShared))
      return false;
  return true;
}

bool RowAnalysis::window(stablehlo::ReduceWindowOp op, int dim) {
  auto isOne = [&](std::optional<llvm::ArrayRef<int64_t>> sizes) {
    return !sizes || (*sizes)[static_cast<size_t>(dim)] == 1;
  };
  if (!isOne(op.getWindowDimensions()) || !isOne(op.getWindowStrides()) ||
      !isOne(op.getBaseDilations()))
    return refuse(op, "has windows over rows");
  for (Value input : op.getInputs())
    if (!need(input, dim))
      return false;
  for (Value init : op.getInitValues())
    if (!need(init, kShared))
      return false;
  return true;
}

/// The result's dimensions are those of the batch, then the free ones of each
/// side.
bool RowAnalysis::dot(stablehlo::DotGeneralOp op, int dim) {
  auto numbers = op.getDotDimensionNumbers();
  auto batch = static_cast<int>(numbers.getLhsBatchingDimensions().size());
  if (dim < batch) {
    auto at = static_cast<size_t>(dim);
    return need(op.getLhs(),
                static_cast<int>(numbers.getLhsBatchingDimensions()[at])) &&
           need(op.getRhs(),
                static_cast<int>(numbers.getRhsBatchingDimensions()[at]));
  }
  int at = batch;
  auto free = [&](Value side, llvm::ArrayRef<int64_t> batches,
                  llvm::ArrayRef<int64_t> contracted) {
    for (int d = 0; d < static_cast<int>(shapeOf(side).size()); ++d)
      if (!llvm::is_contained(batches, d) &&
          !llvm::is_contained(contracted, d) && at++ == dim)
        return d;
    return kShared;
  };
  int left = free(op.getLhs(), numbers.getLhsBatchingDimensions(),
                  numbers.getLhsContractingDimensions()),
      right = left != kShared
                  ? kShared
                  : free(op.getRhs(), numbers.getRhsBatchingDimensions(),
                         numbers.getRhsContractingDimensions());
  return need(op.getLhs(), left) && need(op.getRhs(), right);
}

bool RowAnalysis::convolution(stablehlo::ConvolutionOp op, int dim) {
  auto numbers = op.getDimensionNumbers();
  if (dim == numbers.getOutputBatchDimension() && op.getBatchGroupCount() == 1)
    return need(op.getLhs(),
                static_cast<int>(numbers.getInputBatchDimension())) &&
           need(op.getRhs(), kShared);
  if (dim == numbers.getOutputFeatureDimension() &&
      op.getBatchGroupCount() == 1 && op.getFeatureGroupCount() == 1)
    return need(op.getRhs(),
                static_cast<int>(numbers.getKernelOutputFeatureDimension())) &&
           need(op.getLhs(), kShared);
  return refuse(op, "has windows over rows");
}

/// Whether a result's element depends only on the operands' elements at the
/// same index.
static bool isElementwise(Operation *op) {
  const judge::OpBound *rule = judge::findOpBound(op->getName().getStringRef());
  using judge::BoundKind;
  if (!rule || op->getNumOperands() == 0 || op->getNumRegions() > 0)
    return false;
  llvm::StringRef name = op->getName().stripDialect();
  if (rule->kind == BoundKind::Move)
    return name == "complex" || name == "real" || name == "imag" ||
           name == "conj" || name == "optimization_barrier";
  if (rule->kind == BoundKind::Exact)
    return op->getNumResults() == 1 && name != "get_dimension_size" &&
           !name.starts_with("rng") && !name.starts_with("dynamic");
  return rule->kind == BoundKind::Ulp || rule->kind == BoundKind::Rough ||
         rule->kind == BoundKind::Pick || rule->kind == BoundKind::Convert ||
         rule->kind == BoundKind::Compare || rule->kind == BoundKind::Select ||
         rule->kind == BoundKind::ReducePrecision;
}

bool RowAnalysis::operands(Operation *op, int dim) {
  auto at = static_cast<size_t>(dim);
  if (auto constant = mlir::dyn_cast<stablehlo::ConstantOp>(op))
    return constant.getValue().isSplat() ||
           refuse(op, "differs from row to row");
  if (auto iota = mlir::dyn_cast<stablehlo::IotaOp>(op))
    return static_cast<int>(iota.getIotaDimension()) != dim ||
           refuse(op, "numbers the rows");
  if (auto broadcasting = mlir::dyn_cast<stablehlo::BroadcastInDimOp>(op))
    return broadcast(broadcasting, dim);
  if (auto transpose = mlir::dyn_cast<stablehlo::TransposeOp>(op))
    return need(transpose.getOperand(),
                static_cast<int>(transpose.getPermutation()[at]));
  if (auto reshaping = mlir::dyn_cast<stablehlo::ReshapeOp>(op))
    return reshape(reshaping, dim);
  if (auto reverse = mlir::dyn_cast<stablehlo::ReverseOp>(op))
    return !llvm::is_contained(reverse.getDimensions(), dim)
               ? same(op, dim)
               : refuse(op, "turns rows round");
  if (auto slice = mlir::dyn_cast<stablehlo::SliceOp>(op))
    return slice.getStartIndices()[at] == 0 && slice.getStrides()[at] == 1 &&
                   slice.getLimitIndices()[at] == rows_
               ? need(slice.getOperand(), dim)
               : refuse(op, "takes some of the rows");
  if (auto join = mlir::dyn_cast<stablehlo::ConcatenateOp>(op))
    return static_cast<int>(join.getDimension()) != dim
               ? same(op, dim)
               : refuse(op, "joins rows");
  if (auto pad = mlir::dyn_cast<stablehlo::PadOp>(op))
    return pad.getEdgePaddingLow()[at] == 0 &&
                   pad.getEdgePaddingHigh()[at] == 0 &&
                   pad.getInteriorPadding()[at] == 0
               ? need(pad.getOperand(), dim) &&
                     need(pad.getPaddingValue(), kShared)
               : refuse(op, "adds rows");
  if (auto sort = mlir::dyn_cast<stablehlo::SortOp>(op))
    return static_cast<int>(sort.getDimension()) != dim
               ? same(op, dim)
               : refuse(op, "sorts rows");
  if (auto reducing = mlir::dyn_cast<stablehlo::ReduceOp>(op))
    return reduce(reducing, dim);
  if (auto windows = mlir::dyn_cast<stablehlo::ReduceWindowOp>(op))
    return window(windows, dim);
  if (auto product = mlir::dyn_cast<stablehlo::DotGeneralOp>(op))
    return dot(product, dim);
  if (auto conv = mlir::dyn_cast<stablehlo::ConvolutionOp>(op))
    return convolution(conv, dim);
  return isElementwise(op) ? same(op, dim) : refuse(op, "has no rule for rows");
}

/// Copies constants, and values made only of them, once for each use.
static void splitConstants(mlir::Block &block) {
  llvm::DenseSet<Operation *> constant;
  for (Operation &op : block)
    if (op.getNumRegions() == 0 && op.getNumResults() == 1 &&
        llvm::all_of(op.getOperands(), [&](Value operand) {
          Operation *from = operand.getDefiningOp();
          return from && constant.contains(from);
        }))
      constant.insert(&op);
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    if (!constant.contains(&op))
      continue;
    llvm::SmallVector<mlir::OpOperand *> uses;
    for (mlir::OpOperand &use : op.getUses())
      uses.push_back(&use);
    for (mlir::OpOperand *use : llvm::drop_begin(uses, uses.empty() ? 0 : 1)) {
      Operation *copy = op.clone();
      block.getOperations().insert(mlir::Block::iterator(&op), copy);
      use->set(copy->getResult(0));
    }
  }
}

namespace {
/// A copy of the entry function in its own module, and its rows.
struct Analysed {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function;
  RowPlan plan;
  llvm::DenseMap<Value, int> found;
};
} // namespace

static mlir::OwningOpRef<mlir::ModuleOp> copyOf(mlir::func::FuncOp function) {
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::ModuleOp::create(function.getLoc());
  module->push_back(function.clone());
  return module;
}

/// Rows in dimension `dim` of the first result, and in the dimension of the
/// other results that has the same size.
static bool findRows(Analysed &copy, int dim, std::string &why) {
  mlir::Block &block = copy.function.getBody().front();
  auto results = block.getTerminator()->getOperands();
  RowPlan plan;
  plan.rows = shapeOf(results[0])[static_cast<size_t>(dim)];
  RowAnalysis analysis(plan.rows);
  for (auto [i, result] : llvm::enumerate(results)) {
    bool good = false;
    int rank = static_cast<int>(shapeOf(result).size());
    for (int d = i == 0 ? dim : 0; d < (i == 0 ? dim + 1 : rank) && !good;
         ++d) {
      RowAnalysis before = analysis;
      good = analysis.need(result, d);
      if (good)
        plan.results.push_back(d);
      why = analysis.why();
      if (!good)
        analysis = before;
    }
    if (!good)
      return false;
  }
  for (Value argument : block.getArguments()) {
    auto at = analysis.found().find(argument);
    plan.arguments.push_back(at == analysis.found().end() ? kShared
                                                          : at->second);
  }
  if (llvm::all_of(plan.arguments, [](int d) { return d == kShared; })) {
    why = "no argument has rows";
    return false;
  }
  copy.plan = std::move(plan);
  copy.found = analysis.found();
  return true;
}

static llvm::Expected<Analysed> analyse(const program::Program &program,
                                        llvm::StringRef entry) {
  llvm::Expected<mlir::func::FuncOp> function = program.function(entry);
  if (!function)
    return function.takeError();
  if (!llvm::hasSingleElement(function->getBody()))
    return makeError(ErrorCode::Unsupported, "the program has several blocks");
  Analysed copy;
  copy.module = copyOf(*function);
  copy.function = *copy.module->getOps<mlir::func::FuncOp>().begin();
  mlir::Block &block = copy.function.getBody().front();
  std::string why = "the first result has no dimensions", last;
  // Constants are split only where shared ones prevent rows: a driver's words
  // are recognised by their operations.
  for (bool split : {false, true}) {
    if (split)
      splitConstants(block);
    Value first = block.getTerminator()->getOperand(0);
    for (int dim = 0; dim < static_cast<int>(shapeOf(first).size()); ++dim) {
      if (shapeOf(first)[static_cast<size_t>(dim)] < 2) {
        why = dim ? why : "the first result has one row";
        continue;
      }
      if (findRows(copy, dim, last))
        return copy;
      why = last;
    }
  }
  return makeError(ErrorCode::Unsupported, "no rows that stay apart: {0}", why);
}

llvm::Expected<RowPlan> verify::rowPlan(const program::Program &program,
                                        llvm::StringRef entry) {
  llvm::Expected<Analysed> copy = analyse(program, entry);
  if (!copy)
    return copy.takeError();
  return copy->plan;
}

static mlir::RankedTensorType resized(Value value, int dim, int64_t rows) {
  auto type = mlir::cast<mlir::RankedTensorType>(value.getType());
  llvm::SmallVector<int64_t> shape(type.getShape());
  shape[static_cast<size_t>(dim)] = rows;
  return type.clone(shape);
}

llvm::Expected<std::shared_ptr<const program::Program>>
verify::withRows(const program::Program &program, llvm::StringRef entry,
                 int64_t rows) {
  llvm::Expected<Analysed> copy = analyse(program, entry);
  if (!copy)
    return copy.takeError();
  for (auto [value, dim] : copy->found) {
    if (dim == kShared)
      continue;
    value.setType(resized(value, dim, rows));
    Operation *op = value.getDefiningOp();
    if (auto constant = mlir::dyn_cast_or_null<stablehlo::ConstantOp>(op)) {
      auto splat = mlir::cast<mlir::SplatElementsAttr>(constant.getValue());
      constant.setValueAttr(
          splat.resizeSplat(mlir::cast<mlir::ShapedType>(value.getType())));
    } else if (auto slice = mlir::dyn_cast_or_null<stablehlo::SliceOp>(op)) {
      llvm::SmallVector<int64_t> limits(slice.getLimitIndices());
      limits[static_cast<size_t>(dim)] = rows;
      slice.setLimitIndices(limits);
    }
  }
  mlir::Block &block = copy->function.getBody().front();
  copy->function.setFunctionType(mlir::FunctionType::get(
      copy->function.getContext(), block.getArgumentTypes(),
      block.getTerminator()->getOperandTypes()));
  mlir::ScopedDiagnosticHandler quiet(
      copy->function.getContext(),
      [](mlir::Diagnostic &) { return mlir::success(); });
  if (mlir::failed(mlir::verify(*copy->module)))
    return makeError(ErrorCode::Unsupported,
                     "the program cannot be written for {0} rows", rows);
  return program::Program::copyOf(*copy->module, program.name());
}
