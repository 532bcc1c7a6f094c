// A walk over the operations in order. For each value it keeps the arguments
// that it was made of, each with a word per dimension of the value: which
// dimensions of the argument vary along it. An operation that folds a dimension
// of the value folds those of the argument.
#include "assay/judge/program/ArgumentUses.h"
#include "assay/dialect/Stablehlo.h"
#include "assay/judge/program/CommonForms.h"
#include "assay/judge/program/ErrorTracker.h"
#include "assay/numerics/FloatFormats.h"
#include "assay/program/Types.h"
#include "assay/support/Math.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>

using namespace assay;
using namespace assay::judge;

static constexpr int kMostCalls = 64;
static constexpr size_t kMostTraces = 8;

namespace {
/// An argument in a value: per dimension of the value, the argument's dimensions
/// that vary along it, as bits.
struct Trace {
  int argument;
  llvm::SmallVector<uint32_t, 4> along;
  bool isSum = false; ///< the value sums products of it and another argument
  bool isTotal = false; ///< the value is a sum of it along some dimension
};
using Traces = llvm::SmallVector<Trace, 2>;

class UseFinder {
public:
  explicit UseFinder(mlir::func::FuncOp function);
  std::vector<ArgumentUse> uses;

private:
  void visit(mlir::Block &block);
  void visit(mlir::Operation &op);
  void enter(mlir::Block &block, mlir::ValueRange operands);
  void leave(mlir::Block &block, mlir::ValueRange results);
  void setResults(mlir::Operation &op);
  void contract(stablehlo::DotGeneralOp dot);
  void noteConversion(mlir::Operation &op);
  void noteRounding(mlir::Value rounded);
  void noteConvolution(mlir::Operation &op);
  void noteFunction(mlir::Operation &op);
  void noteQuestion(stablehlo::ReduceOp reduce);
  void noteWeights(mlir::Operation &op);
  void noteOpenings(mlir::Operation &op);
  void noteIntegers(mlir::Operation &op);
  void noteCentre(mlir::Operation &op);
  void steer(mlir::ValueRange values);
  /// `note(use, trace)` for every argument in a value.
  template <typename Note> void each(mlir::Value value, Note note);
  void fold(mlir::Value value, llvm::ArrayRef<int64_t> dimensions);
  void add(mlir::Value to, Trace trace);

  mlir::func::FuncOp function_;
  llvm::DenseMap<mlir::Value, Traces> traces_;
  int calls_ = 0;
  int64_t mostElements_ = 0; ///< of an argument
};
} // namespace

static llvm::ArrayRef<int64_t> shapeOf(mlir::Value value) {
  auto shaped = mlir::dyn_cast<mlir::ShapedType>(value.getType());
  return shaped && shaped.hasRank() ? shaped.getShape()
                                    : llvm::ArrayRef<int64_t>();
}

static int64_t elementsOf(mlir::Value value) {
  return product(shapeOf(value));
}

/// The number that a constant repeats.
static std::optional<double> constantOf(mlir::Value value) {
  mlir::Operation *op = value.getDefiningOp();
  while (op && op->getNumOperands() == 1 &&
         (op->getName().stripDialect() == "broadcast_in_dim" ||
          op->getName().stripDialect() == "reshape" ||
          op->getName().stripDialect() == "convert"))
    op = op->getOperand(0).getDefiningOp();
  auto elements =
      op ? op->getAttrOfType<mlir::DenseElementsAttr>("value") : nullptr;
  if (!elements || !elements.isSplat())
    return std::nullopt;
  if (mlir::isa<mlir::FloatType>(elements.getElementType()))
    return elements.getSplatValue<llvm::APFloat>().convertToDouble();
  if (elements.getElementType().isInteger())
    return static_cast<double>(
        elements.getSplatValue<llvm::APInt>().getSExtValue());
  return std::nullopt;
}

static uint32_t allOf(const Trace &trace) {
  uint32_t bits = 0;
  for (uint32_t along : trace.along)
    bits |= along;
  return bits;
}

template <typename Note> void UseFinder::each(mlir::Value value, Note note) {
  auto found = traces_.find(value);
  if (found != traces_.end())
    for (const Trace &trace : found->second)
      note(uses[static_cast<size_t>(trace.argument)], trace);
}

void UseFinder::fold(mlir::Value value, llvm::ArrayRef<int64_t> dimensions) {
  each(value, [&](ArgumentUse &use, const Trace &trace) {
    uint32_t bits = 0;
    for (int64_t d : dimensions)
      if (static_cast<size_t>(d) < trace.along.size())
        bits |= trace.along[static_cast<size_t>(d)];
    use.foldedFirst = use.foldedFirst ? use.foldedFirst : bits;
    use.folded |= bits;
  });
}

void UseFinder::add(mlir::Value to, Trace trace) {
  Traces &traces = traces_[to];
  for (Trace &known : traces)
    if (known.argument == trace.argument &&
        known.along.size() == trace.along.size()) {
      for (size_t d = 0; d < known.along.size(); ++d)
        known.along[d] |= trace.along[d];
      known.isSum &= trace.isSum;
      known.isTotal &= trace.isTotal;
      return;
    }
  if (traces.size() < kMostTraces)
    traces.push_back(std::move(trace));
}

/// The value before conversions and reshapes.
static mlir::Value behindMoves(mlir::Value value) {
  mlir::Operation *op = value.getDefiningOp();
  while (op && mlir::isa<stablehlo::ConvertOp, stablehlo::ReshapeOp>(op)) {
    value = op->getOperand(0);
    op = value.getDefiningOp();
  }
  return value;
}

/// Notes a reduction that tests whether any or all elements of a line are true.
void UseFinder::noteQuestion(stablehlo::ReduceOp reduce) {
  mlir::Block &body = reduce.getBody().front();
  bool isLogic = llvm::hasSingleElement(body.without_terminator()) &&
                 (mlir::isa<stablehlo::AndOp, stablehlo::OrOp>(body.front()));
  mlir::Value input = reduce.getInputs().front();
  if (!isLogic ||
      !mlir::getElementTypeOrSelf(input.getType()).isInteger(1))
    return;
  mlir::Value asked = behindMoves(input);
  if (mlir::isa<mlir::BlockArgument>(asked))
    each(asked, [](ArgumentUse &use, const Trace &) { use.asked = 1; });
  auto compare = asked.getDefiningOp<stablehlo::CompareOp>();
  std::optional<double> constant =
      compare ? constantOf(compare.getRhs()) : std::nullopt;
  using Direction = stablehlo::ComparisonDirection;
  if (constant && (compare.getComparisonDirection() == Direction::EQ ||
                   compare.getComparisonDirection() == Direction::NE) &&
      mlir::isa<mlir::BlockArgument>(behindMoves(compare.getLhs())))
    each(compare.getLhs(),
         [&](ArgumentUse &use, const Trace &) { use.asked = constant; });
}

/// Which dimensions of a reshape's result vary with each of its operand: both
/// are cut into the shortest runs of equal size.
static llvm::SmallVector<uint32_t, 4> reshaped(const Trace &trace,
                                               llvm::ArrayRef<int64_t> from,
                                               llvm::ArrayRef<int64_t> to) {
  llvm::SmallVector<uint32_t, 4> along(to.size(), 0);
  size_t i = 0, k = 0;
  while (i < from.size() || k < to.size()) {
    size_t firstFrom = i, firstTo = k;
    int64_t a = i < from.size() ? from[i++] : 1,
            b = k < to.size() ? to[k++] : 1;
    while (a != b && (a < b ? i < from.size() : k < to.size()))
      a < b ? a *= from[i++] : b *= to[k++];
    uint32_t bits = 0;
    for (size_t d = firstFrom; d < i; ++d)
      bits |= trace.along[d];
    for (size_t d = firstTo; d < k; ++d)
      along[d] |= to[d] == 1 ? 0 : bits;
  }
  return along;
}

/// Traces of a result from one operand's.
static llvm::SmallVector<uint32_t, 4> moved(mlir::Operation &op,
                                            const Trace &trace,
                                            llvm::ArrayRef<int64_t> from,
                                            llvm::ArrayRef<int64_t> to) {
  llvm::SmallVector<uint32_t, 4> along(to.size(), 0);
  if (auto turn = mlir::dyn_cast<stablehlo::TransposeOp>(op)) {
    for (auto [d, source] : llvm::enumerate(turn.getPermutation()))
      along[d] = trace.along[static_cast<size_t>(source)];
    return along;
  }
  if (auto spread = mlir::dyn_cast<stablehlo::BroadcastInDimOp>(op)) {
    for (auto [d, target] : llvm::enumerate(spread.getBroadcastDimensions()))
      along[static_cast<size_t>(target)] = trace.along[d];
    return along;
  }
  if (auto reduce = mlir::dyn_cast<stablehlo::ReduceOp>(op)) {
    size_t next = 0;
    for (size_t d = 0; d < from.size() && next < along.size(); ++d)
      if (!llvm::is_contained(reduce.getDimensions(), static_cast<int64_t>(d)))
        along[next++] = trace.along[d];
    return along;
  }
  if (mlir::isa<stablehlo::ReshapeOp>(op))
    return reshaped(trace, from, to);
  if (from.size() == to.size())
    return trace.along;
  for (uint32_t &bits : along) // its layout is not known
    bits = allOf(trace);
  return along;
}

/// Whether the operation sums its operand.
static bool isSummation(mlir::Operation &op) {
  auto reduce = mlir::dyn_cast<stablehlo::ReduceOp>(op);
  return reduce && op.getNumResults() == 1 &&
         bodyOf(reduce.getBody()) == Body::Sum;
}

void UseFinder::setResults(mlir::Operation &op) {
  bool isTotal = isSummation(op);
  for (mlir::Value result : op.getResults())
    for (mlir::Value operand : op.getOperands()) {
      auto found = traces_.find(operand);
      if (found == traces_.end())
        continue;
      Traces copies = found->second; // add() may move the map's entries
      for (const Trace &trace : copies)
        add(result, {trace.argument,
                     moved(op, trace, shapeOf(operand), shapeOf(result)),
                     trace.isSum, isTotal || trace.isTotal});
    }
}

void UseFinder::contract(stablehlo::DotGeneralOp dot) {
  auto numbers = dot.getDotDimensionNumbers();
  size_t next = numbers.getLhsBatchingDimensions().size(),
         rank = shapeOf(dot.getResult()).size();
  bool areBothGiven =
      traces_.contains(dot.getLhs()) && traces_.contains(dot.getRhs());
  // A sum of products that is a factor: (a b) c may be computed as a (b c).
  bool isChain = false;
  for (mlir::Value factor : dot->getOperands())
    each(factor, [&](ArgumentUse &use, const Trace &trace) {
      isChain |= trace.isSum && !use.isCurved;
    });
  for (mlir::Value factor : dot->getOperands())
    each(factor, [&](ArgumentUse &use, const Trace &) {
      use.isChained |= isChain;
    });
  auto side = [&](mlir::Value value, llvm::ArrayRef<int64_t> batch,
                  llvm::ArrayRef<int64_t> contracted) {
    fold(value, contracted);
    each(value, [](ArgumentUse &use, const Trace &) { use.isFactor = true; });
    llvm::SmallVector<int64_t, 4> free;
    for (size_t d = 0; d < shapeOf(value).size(); ++d)
      if (!llvm::is_contained(batch, static_cast<int64_t>(d)) &&
          !llvm::is_contained(contracted, static_cast<int64_t>(d)))
        free.push_back(static_cast<int64_t>(d));
    Traces copies = traces_.lookup(value);
    for (const Trace &trace : copies) {
      llvm::SmallVector<uint32_t, 4> along(rank, 0);
      for (auto [d, source] : llvm::enumerate(batch))
        along[d] = trace.along[static_cast<size_t>(source)];
      for (auto [d, source] : llvm::enumerate(free))
        if (next + d < rank)
          along[next + d] = trace.along[static_cast<size_t>(source)];
      add(dot.getResult(), {trace.argument, along,
                            areBothGiven || trace.isSum, trace.isTotal});
    }
    next += free.size();
  };
  side(dot.getLhs(), numbers.getLhsBatchingDimensions(),
       numbers.getLhsContractingDimensions());
  side(dot.getRhs(), numbers.getRhsBatchingDimensions(),
       numbers.getRhsContractingDimensions());
}

void UseFinder::noteConversion(mlir::Operation &op) {
  llvm::Expected<tensor::TensorType> from = program::tensorTypeOf(
                                         op.getOperand(0).getType()),
                                     to = program::tensorTypeOf(
                                         op.getResult(0).getType());
  if (!from || !to) {
    llvm::consumeError(llvm::joinErrors(from.takeError(), to.takeError()));
    return;
  }
  if (!from->element.isFloat()) {
    if (to->element.isFloat())
      each(op.getOperand(0), [](ArgumentUse &use, const Trace &) {
        use.becomesFloat = true;
      });
    // Sums of integers may have wrapped before they become floats.
    if (to->element.isFloat() &&
        mlir::isa<mlir::BlockArgument>(op.getOperand(0)))
      each(op.getOperand(0),
           [](ArgumentUse &use, const Trace &) { use.isCounted = true; });
    return;
  }
  if (to->element.isInteger() && !to->element.isBool()) {
    double limit = std::ldexp(1.0, to->element.bits - to->element.isSigned());
    noteRounding(op.getOperand(0));
    each(op.getOperand(0), [&](ArgumentUse &use, const Trace &) {
      use.integerLimit =
          use.integerLimit > 0 ? std::min(use.integerLimit, limit) : limit;
    });
  } else if (to->element.isFloat()) {
    int digits = numerics::formatInfo(to->element.format).precision();
    each(op.getOperand(0), [&](ArgumentUse &use, const Trace &) {
      use.digits = use.digits > 0 ? std::min(use.digits, digits) : digits;
    });
  }
}

/// The size of argument numbers that the constants before a rounding bring to 1.
static double unitBefore(mlir::Value value) {
  double unit = 1;
  for (mlir::Operation *op = value.getDefiningOp(); op;
       op = value.getDefiningOp()) {
    llvm::StringRef name = op->getName().stripDialect();
    bool isDivide = name == "divide", isTerm = name == "add" || name == "subtract";
    if (name == "clamp") {
      value = op->getOperand(1);
      continue;
    }
    if (op->getNumOperands() == 1 && mlir::isa<stablehlo::ConvertOp, stablehlo::ReshapeOp,
                                               stablehlo::TransposeOp>(op)) {
      value = op->getOperand(0);
      continue;
    }
    if (name != "multiply" && !isDivide && !isTerm)
      break;
    unsigned own = !isDivide && constantOf(op->getOperand(0)) ? 1 : 0;
    std::optional<double> constant = constantOf(op->getOperand(1 - own));
    if (constant && *constant != 0 && std::isfinite(*constant) && !isTerm)
      unit *= isDivide ? *constant : 1 / *constant;
    value = op->getOperand(own);
  }
  return std::fabs(unit);
}

void UseFinder::noteRounding(mlir::Value rounded) {
  double unit = unitBefore(rounded);
  each(rounded, [&](ArgumentUse &use, const Trace &) {
    use.isRounded = true;
    use.roundedUnit = unit;
  });
}

void UseFinder::noteConvolution(mlir::Operation &op) {
  for (unsigned side = 0; side < 2; ++side)
    each(op.getOperand(side), [&](ArgumentUse &use, const Trace &trace) {
      (side ? use.isFilter : use.isImage) = true;
      use.isFactor = true;
      use.folded |= allOf(trace);
    });
}

void UseFinder::enter(mlir::Block &block, mlir::ValueRange operands) {
  for (auto [argument, operand] : llvm::zip(block.getArguments(), operands)) {
    Traces copies = traces_.lookup(operand);
    for (Trace &trace : copies)
      add(argument, std::move(trace));
  }
  visit(block);
}

void UseFinder::leave(mlir::Block &block, mlir::ValueRange results) {
  for (auto [value, result] :
       llvm::zip(block.getTerminator()->getOperands(), results)) {
    Traces copies = traces_.lookup(value);
    for (Trace &trace : copies)
      if (trace.along.size() == shapeOf(result).size())
        add(result, std::move(trace));
  }
}

static const llvm::StringSet<> &curvedNames() {
  static const llvm::StringSet<> names{"exponential", "exponential_minus_one",
                                       "log",         "log_plus_one",
                                       "logistic",    "power",
                                       "tanh",        "cosh",
                                       "sinh",        "erf",
                                       "erfc"};
  return names;
}

static const llvm::StringSet<> &delicateNames() {
  static const llvm::StringSet<> names{
      "atan2", "lgamma",     "digamma", "erf_inv",   "acos",       "asin",  "acosh",
      "atanh", "bessel_i1e", "zeta",    "polygamma", "next_after", "cbrt", "fft"};
  return names;
}

/// Functions besides the curved and periodic ones.
static const llvm::StringSet<> &functionNames() {
  static const llvm::StringSet<> names{"sine",  "cosine", "tan",   "atan2", "acos",
                                       "asin",  "atan",   "acosh", "asinh", "atanh",
                                       "sqrt",  "rsqrt",  "cbrt",  "sign"};
  return names;
}

static bool isPeriod(llvm::StringRef name) {
  return name == "sine" || name == "cosine" || name == "tan";
}

void UseFinder::noteFunction(mlir::Operation &op) {
  llvm::StringRef name = op.getName().stripDialect();
  bool isCurved = curvedNames().contains(name);
  if (isCurved || isPeriod(name) || delicateNames().contains(name))
    for (mlir::Value operand : op.getOperands())
      each(operand, [&](ArgumentUse &use, const Trace &trace) {
        (isCurved         ? use.isCurved
         : isPeriod(name) ? use.isPeriodic
                          : use.isDelicate) = true;
        use.isCurvedItself |= isCurved && !trace.isSum;
        use.hasPoles |= name == "lgamma" || name == "digamma" ||
                        name == "zeta" || name == "polygamma" || name == "fft";
      });
  if (op.getNumOperands() == 0)
    return;
  bool isComplex = mlir::isa<mlir::ComplexType>(
      mlir::getElementTypeOrSelf(op.getOperand(0).getType()));
  each(op.getOperand(0), [&](ArgumentUse &use, const Trace &) {
    use.isSignal |= name == "fft" && !isComplex;
    use.meetsFunction |= isComplex && (isCurved || functionNames().contains(name));
  });
}

/// Whether an operation, or what runs inside it, compares in the total order of all
/// bits, in which NaN have a sign.
static bool comparesAllBits(mlir::Operation &op) {
  auto found = op.walk([](stablehlo::CompareOp compare) {
    return compare.getCompareType() == stablehlo::ComparisonType::TOTALORDER
               ? mlir::WalkResult::interrupt()
               : mlir::WalkResult::advance();
  });
  return found.wasInterrupted();
}

/// Whether a body's result does not depend on the order of its arguments
/// when some are NaN: it is one operation that keeps NaN, or asks for NaN.
static bool ordersNan(mlir::Region &region) {
  mlir::Block &block = region.front();
  if (block.without_terminator().empty())
    return true;
  bool asks = false;
  for (mlir::Operation &op : block.without_terminator())
    if (auto compare = mlir::dyn_cast<stablehlo::CompareOp>(op))
      asks |= compare.getLhs() == compare.getRhs() ||
              compare.getCompareType() ==
                  stablehlo::ComparisonType::TOTALORDER;
  llvm::StringRef name = block.front().getName().stripDialect();
  bool keeps = name == "add" || name == "multiply" || name == "maximum" ||
               name == "minimum" || name == "and" || name == "or";
  return asks ||
         (keeps && llvm::hasSingleElement(block.without_terminator()));
}

/// Values multiplied by weights that are computed only from positions.
void UseFinder::noteWeights(mlir::Operation &op) {
  llvm::StringRef name = op.getName().stripDialect();
  if (name != "multiply" && name != "dot_general")
    return;
  for (unsigned side = 0; side < 2; ++side)
    if (traces_.contains(op.getOperand(side)) &&
        isWeight(op.getOperand(1 - side)))
      each(op.getOperand(side), [&](ArgumentUse &use, const Trace &trace) {
        auto rank = shapeOf(function_.getArgument(
                                static_cast<unsigned>(trace.argument)))
                        .size();
        // All dimensions but batch and channels, if it has that many.
        for (size_t d = std::min<size_t>(2, rank ? rank - 1 : 0);
             d < std::min<size_t>(rank, 32); ++d)
          use.weighed |= uint32_t{1} << d;
      });
}

/// Notes results that the operation leaves open, and arguments whose bits it
/// reads in another way.
void UseFinder::noteOpenings(mlir::Operation &op) {
  llvm::StringRef name = op.getName().stripDialect();
  bool hides = name == "top_k";
  // A comparison of a value that was selected: a chain of choices.
  if (name == "compare" && op.getOperand(0) != op.getOperand(1))
    for (mlir::Value operand : op.getOperands())
      hides |= operand.getDefiningOp<stablehlo::SelectOp>() != nullptr;
  if (name == "reduce" || name == "reduce_window" || name == "sort" ||
      name == "scatter" || name == "select_and_scatter")
    for (mlir::Region &region : op.getRegions())
      hides |= !ordersNan(region);
  bool readsSigns = comparesAllBits(op);
  for (mlir::Value operand : op.getOperands())
    each(operand, [&](ArgumentUse &use, const Trace &) {
      use.hidesNan |= hides;
      use.isTotallyOrdered |= readsSigns;
      use.isWindowed |= name == "reduce_window" || name == "pad" ||
                        name == "select_and_scatter";
      use.isBits |= name == "bitcast_convert";
      use.isPower |= name == "power";
    });
  if (name == "multiply" && traces_.contains(op.getOperand(0)) &&
      traces_.contains(op.getOperand(1)))
    for (mlir::Value operand : op.getOperands())
      each(operand,
           [](ArgumentUse &use, const Trace &) { use.isMultiplied = true; });
}

void UseFinder::steer(mlir::ValueRange values) {
  for (mlir::Value value : values)
    each(value,
         [](ArgumentUse &use, const Trace &) { use.isSteering = true; });
}

/// The first operand of an operation from which on integers are indices or
/// counts.
static unsigned firstSteering(mlir::Operation &op) {
  return llvm::StringSwitch<unsigned>(op.getName().stripDialect())
      .Cases({"gather", "dynamic_gather", "torch_index_select", "dynamic_slice",
              "real_dynamic_slice", "dynamic_reshape", "dynamic_pad",
              "dynamic_broadcast_in_dim", "dynamic_conv", "ragged_dot"},
             1)
      .Case("dynamic_update_slice", 2)
      .Case("scatter", (op.getNumOperands() - 1) / 2)
      .Cases({"while", "if", "case", "dynamic_iota", "custom_call", "composite",
              "rng", "rng_bit_generator"},
             0)
      .Default(op.getNumOperands());
}

/// How integers are used: as numbers of any size, or as counts and indices.
void UseFinder::noteIntegers(mlir::Operation &op) {
  auto element = [](mlir::Value value) {
    return mlir::getElementTypeOrSelf(value.getType());
  };
  if (op.getNumOperands() == 0)
    return;
  llvm::StringRef name = op.getName().stripDialect();
  bool ofIntegers = element(op.getOperand(0)).isInteger();
  unsigned last = name == "scatter" ? op.getNumOperands() / 2 + 1
                                    : op.getNumOperands();
  for (unsigned i = firstSteering(op); i < last; ++i)
    steer(op.getOperand(i));
  // An integer that is compared with positions is an index.
  if (name == "compare" && ofIntegers)
    for (unsigned side = 0; side < 2; ++side)
      if (!traces_.contains(op.getOperand(1 - side)) &&
          !isConstant(op.getOperand(1 - side)))
        steer(op.getOperand(side));
  if ((name == "divide" || name == "remainder") && ofIntegers)
    for (unsigned side = 0; side < 2; ++side)
      each(op.getOperand(side), [&](ArgumentUse &use, const Trace &) {
        (side ? use.isDivisor : use.isDividend) = true;
      });
  bool makesFloats = llvm::any_of(op.getResultTypes(), [](mlir::Type type) {
    return mlir::isa<mlir::FloatType>(mlir::getElementTypeOrSelf(type));
  });
  if (ofIntegers && makesFloats && name != "select")
    each(op.getOperand(0),
         [](ArgumentUse &use, const Trace &) { use.becomesFloat = true; });
}

/// Notes terms of a mean. A running mean of a line with an infinity is NaN
/// where the sum is infinite; a weighted mean has several forms.
void UseFinder::noteCentre(mlir::Operation &op) {
  if (op.getName().stripDialect() == "add" && op.hasAttr(kScaledTerms))
    for (mlir::Value operand : op.getOperands())
      each(operand,
           [](ArgumentUse &use, const Trace &) { use.isBlended = true; });
  if (op.getName().stripDialect() != "subtract" ||
      function_.getNumResults() < 2)
    return;
  for (const Trace &whole : traces_.lookup(op.getOperand(0)))
    for (const Trace &mean : traces_.lookup(op.getOperand(1)))
      if (mean.argument == whole.argument && mean.isTotal && !whole.isTotal)
        uses[static_cast<size_t>(whole.argument)].isCentred = true;
}

void UseFinder::visit(mlir::Operation &op) {
  llvm::StringRef name = op.getName().stripDialect();
  noteIntegers(op);
  noteCentre(op);
  noteFunction(op);
  noteWeights(op);
  noteOpenings(op);
  if (name == "convert" || name == "uniform_quantize")
    noteConversion(op);
  if (mlir::isa<stablehlo::RoundNearestEvenOp, stablehlo::RoundNearestAfzOp>(op))
    noteRounding(op.getOperand(0));
  if (auto reduce = mlir::dyn_cast<stablehlo::ReduceOp>(op)) {
    noteQuestion(reduce);
    for (mlir::Value input : reduce.getInputs())
      fold(input, reduce.getDimensions());
  } else if (auto window = mlir::dyn_cast<stablehlo::ReduceWindowOp>(op)) {
    llvm::SmallVector<int64_t, 4> wide;
    for (auto [d, size] : llvm::enumerate(window.getWindowDimensions()))
      if (size > 1)
        wide.push_back(static_cast<int64_t>(d));
    for (mlir::Value input : window.getInputs())
      fold(input, wide);
  } else if (auto sort = mlir::dyn_cast<stablehlo::SortOp>(op)) {
    for (mlir::Value input : sort.getInputs())
      fold(input, {static_cast<int64_t>(sort.getDimension())});
  } else if (name == "broadcast_in_dim" || name == "broadcast") {
    int64_t from = elementsOf(op.getOperand(0)),
            to = elementsOf(op.getResult(0));
    each(op.getOperand(0), [&](ArgumentUse &use, const Trace &trace) {
      use.isWidened |= from < to && 2 * from <= mostElements_ &&
                       from == elementsOf(function_.getArgument(
                                   static_cast<unsigned>(trace.argument)));
    });
  } else if (name == "convolution" || name == "dynamic_conv") {
    noteConvolution(op);
  } else if (auto dot = mlir::dyn_cast<stablehlo::DotGeneralOp>(op)) {
    return contract(dot);
  } else if (name == "while") {
    for (mlir::Region &region : op.getRegions())
      enter(region.front(), op.getOperands());
    return leave(op.getRegion(1).front(), op.getResults());
  } else if (name == "if" || name == "case") {
    for (mlir::Region &region : op.getRegions()) {
      visit(region.front());
      leave(region.front(), op.getResults());
    }
    return;
  } else if (auto call = mlir::dyn_cast<mlir::func::CallOp>(op)) {
    auto callee =
        mlir::SymbolTable::lookupNearestSymbolFrom<mlir::func::FuncOp>(
            call, call.getCalleeAttr());
    if (callee && !callee.isDeclaration() && ++calls_ <= kMostCalls) {
      enter(callee.getBody().front(), op.getOperands());
      leave(callee.getBody().front(), op.getResults());
    }
    return;
  }
  setResults(op);
}

void UseFinder::visit(mlir::Block &block) {
  for (mlir::Operation &op : block)
    visit(op);
}

UseFinder::UseFinder(mlir::func::FuncOp function)
    : uses(function.getNumArguments()), function_(function) {
  for (mlir::BlockArgument argument : function.getArguments()) {
    mostElements_ = std::max(mostElements_, elementsOf(argument));
    Trace trace{static_cast<int>(argument.getArgNumber()), {}};
    for (size_t d = 0; d < std::min<size_t>(32, shapeOf(argument).size()); ++d)
      trace.along.push_back(uint32_t{1} << d);
    add(argument, std::move(trace));
  }
  visit(function.getBody().front());
}

std::vector<ArgumentUse> judge::usesOfArguments(mlir::func::FuncOp function) {
  return UseFinder(function).uses;
}
