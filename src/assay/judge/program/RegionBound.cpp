// Reductions, windows, scatters and maps, by the computation in the body of
// their region: a sum or a product of many terms has the bound of a dot product
// (depth and sum of absolute values, found by evaluating the operation on ones
// and on absolute values); a choice (maximum, minimum, comparisons and selects)
// returns one of its operands.
#include "assay/judge/SumBounds.h"
#include "assay/judge/program/CommonForms.h"
#include "assay/judge/program/ErrorTracker.h"
#include "assay/numerics/FloatFormats.h"
#include "assay/program/Inlining.h"
#include "assay/program/Types.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <unordered_set>

using namespace assay;
using namespace assay::judge;
using program::Value;
using tensor::Tensor;

/// Adds a body's operations, those of a called function in place of the call.
static void addOperations(mlir::Block &block,
                          llvm::SmallVectorImpl<mlir::Operation *> &all) {
  for (mlir::Operation &op : block.without_terminator()) {
    auto call = mlir::dyn_cast<mlir::func::CallOp>(op);
    auto callee = call ? program::inlinableCallee(call, call)
                       : mlir::func::FuncOp();
    if (callee)
      addOperations(callee.getBody().front(), all);
    else
      all.push_back(&op);
  }
}

Body judge::bodyOf(mlir::Region &region) {
  llvm::SmallVector<mlir::Operation *> operations;
  addOperations(region.front(), operations);
  size_t count = operations.size();
  bool onlyChoices = true;
  mlir::Operation *single = count == 0 ? nullptr : operations.back();
  for (mlir::Operation *op : operations) {
    const OpBound *rule = findOpBound(op->getName().getStringRef());
    onlyChoices &=
        rule &&
        (rule->kind == BoundKind::Pick || rule->kind == BoundKind::Compare ||
         rule->kind == BoundKind::Select || rule->kind == BoundKind::Exact ||
         rule->kind == BoundKind::Move);
  }
  bool integers = true;
  for (mlir::Operation *op : operations)
    for (mlir::Type type : op->getResultTypes()) {
      mlir::Type element = mlir::getElementTypeOrSelf(type);
      integers &= !mlir::isa<mlir::FloatType, mlir::ComplexType>(element);
    }
  if (count == 0)
    return Body::Replace;
  if (integers || onlyChoices)
    return Body::Choice;
  llvm::StringRef name = single->getName().getStringRef();
  if (count == 1 && region.getNumArguments() == 2 && name == "stablehlo.add")
    return Body::Sum;
  if (count == 1 && region.getNumArguments() == 2 &&
      name == "stablehlo.multiply")
    return Body::Product;
  return Body::Other;
}

bool judge::onlyChooses(mlir::Operation *op) {
  unsigned region = op->getName().stripDialect() == "select_and_scatter";
  Body body = bodyOf(op->getRegion(region));
  return body == Body::Choice || body == Body::Replace;
}

/// The operation on other numbers: `numbers` of each float operand from number
/// `keep` on; all others stay as they are.
static llvm::Expected<std::vector<double>>
evaluateOn(BoundRequest &r, size_t keep,
           llvm::function_ref<std::vector<double>(size_t operand)> numbers) {
  std::vector<Tensor> operands;
  for (size_t i = 0; i < r.operands.size(); ++i) {
    const Value &value = *r.operands[i];
    bool isKept = !isFloating(value) || i < keep;
    llvm::Expected<Tensor> operand =
        isKept ? wideTensor(value) : wideFrom(value, numbers(i), false);
    if (!operand)
      return operand.takeError();
    operands.push_back(std::move(*operand));
  }
  return r.evaluate(operands);
}

/// The operation on magnitudes, with or without the errors, infinite ones as 0
/// or as they are.
static llvm::Expected<std::vector<double>>
onMagnitudes(BoundRequest &r, bool withErrors, size_t keep,
             bool finiteOnly = false) {
  return evaluateOn(r, keep, [&](size_t i) {
    std::vector<double> sizes = magnitudes(
        *r.operands[i], withErrors ? r.operandErrors[i] : nullptr);
    for (double &x : sizes)
      x = finiteOnly && !std::isfinite(x) ? 0 : x;
    return sizes;
  });
}

/// The number of terms in each element of the result.
static llvm::Expected<std::vector<double>> countTerms(BoundRequest &r,
                                                      size_t keep) {
  // Padding of zeros is no term: adding it changes nothing.
  bool isWindowed = r.op->hasAttr("window_dimensions");
  return evaluateOn(r, keep, [&](size_t i) {
    auto size = static_cast<size_t>(r.operands[i]->tensor().size());
    bool isZero = isWindowed && size == 1 &&
                  magnitudes(*r.operands[i], r.operandErrors[i])[0] == 0;
    return std::vector<double>(size, isZero ? 0.0 : 1.0);
  });
}

/// Fibonacci hashing (Knuth, "The Art of Computer Programming" 3, section 6.4).
static uint64_t hashOf(double x) {
  return (std::bit_cast<uint64_t>(x) * 0x9E3779B97F4A7C15u) >> 32;
}

/// Whether values repeat so often that the roundings of their sums are not
/// independent: equal terms are rounded in one direction. In a large operand
/// only values with certain hashes are examined, each with all of its
/// repetitions.
static bool repeats(const BoundRequest &r, size_t keep) {
  constexpr size_t kLooked = 1 << 16;
  for (size_t i = keep; i < r.operands.size(); ++i) {
    if (!isFloating(*r.operands[i]) || r.operands[i]->tensor().size() < 64)
      continue;
    std::vector<double> values = exactValues(*r.operands[i]);
    size_t share = std::max<size_t>(values.size() / kLooked, 1), numbers = 0;
    std::unordered_set<double> distinct;
    for (double x : values) {
      // A NaN differs from all others, and a set would compare them.
      numbers += !std::isnan(x);
      if (!std::isnan(x) && hashOf(x) % share == 0)
        distinct.insert(x);
    }
    if (distinct.size() <= numbers / share / 4)
      return true;
  }
  return false;
}

/// Which sums are of terms that are equal, or nearly.
static llvm::Expected<std::vector<bool>>
haveEqualTerms(BoundRequest &r, size_t keep, llvm::ArrayRef<double> terms,
               llvm::ArrayRef<double> sums, double unit) {
  std::vector<bool> equal(sums.size(), repeats(r, keep));
  if (r.demands.drawnApart || llvm::is_contained(equal, true) ||
      llvm::none_of(terms, [&](double n) { return isDeep(n, unit); }))
    return equal;
  auto evaluateEach = [&](double (*of)(double)) {
    return evaluateOn(r, keep, [&](size_t i) {
      std::vector<double> values = magnitudes(*r.operands[i], nullptr);
      llvm::transform(values, values.begin(), of);
      return values;
    });
  };
  return haveNearlyEqualTerms(sums, unit, evaluateEach);
}

/// Which sums have an open term. Magnitudes do not show it where terms are NaN.
static llvm::Expected<std::vector<bool>> haveOpenTerms(BoundRequest &r,
                                                       size_t keep,
                                                       size_t count) {
  std::vector<bool> open(count, false);
  auto isOpen = [](double error) { return std::isinf(error); };
  bool any = false;
  for (size_t i = keep; i < r.operands.size(); ++i)
    any |= isFloating(*r.operands[i]) && r.operandErrors[i] &&
           llvm::any_of(*r.operandErrors[i], isOpen);
  if (!any)
    return open;
  llvm::Expected<std::vector<double>> sums = evaluateOn(r, keep, [&](size_t i) {
    std::vector<double> marks(
        static_cast<size_t>(r.operands[i]->tensor().size()), 0.0);
    for (size_t k = 0; r.operandErrors[i] && k < marks.size(); ++k)
      marks[k] = isOpen((*r.operandErrors[i])[k]);
    return marks;
  });
  if (!sums)
    return sums.takeError();
  for (size_t k = 0; k < count; ++k)
    open[k] = (*sums)[k] > 0;
  return open;
}

/// Where a sum is infinite because exact operands are, whatever its order, as
/// the finite terms stay within the type.
static llvm::Expected<std::vector<bool>>
surelyInfinite(BoundRequest &r, size_t keep, llvm::ArrayRef<double> sums,
               double largest) {
  std::vector<bool> surely(sums.size(), false);
  if (!r.allExact() || r.results[0].tensor().elementType().isComplex() ||
      llvm::none_of(sums, [](double x) { return std::isinf(x); }))
    return surely;
  llvm::Expected<std::vector<double>> finite =
      onMagnitudes(r, false, keep, /*finiteOnly=*/true);
  if (!finite)
    return finite.takeError();
  for (size_t k = 0; k < sums.size(); ++k)
    surely[k] = std::isinf(sums[k]) && (*finite)[k] < largest / 2;
  return surely;
}

/// Whether terms of both signs may leave the type on the way to a sum that does
/// not, or on the other side of zero, in some order of adding them.
static bool mayOverflowOnTheWay(double sizes, double exact, double terms,
                                numerics::ElementType type) {
  double largest = numerics::maxFinite(type.format);
  double size = std::fabs(exact);
  return terms > 1 && std::isfinite(sizes) && sizes > largest &&
         (size < (type.isComplex() ? sizes : largest) ||
          sizes - size > 2 * largest);
}

/// The type that the body's results are kept in: its own, or a narrower one that the
/// operation declares.
static numerics::ElementType keptType(const BoundRequest &r) {
  return declaredSums(r.op).value_or(r.results[0].tensor().elementType());
}

/// Whether a sum that is kept in a narrower type is used in the wider one,
/// perhaps after moves: it may leave the narrow type where the results computed
/// from it do not.
static bool goesOnWider(mlir::Value sum, numerics::ElementType kept) {
  return llvm::any_of(sum.getUsers(), [&](mlir::Operation *user) {
    llvm::StringRef name = user->getName().stripDialect();
    if (name == "reshape")
      return goesOnWider(user->getResult(0), kept);
    return name != "convert" ||
           program::elementTypeOf(mlir::getElementTypeOrSelf(
               user->getResult(0).getType())) != kept;
  });
}

static BoundResult sumBound(BoundRequest &r, size_t keep) {
  llvm::Expected<std::vector<double>> exactSums = onMagnitudes(r, false, keep),
                                      terms = countTerms(r, keep);
  if (!exactSums)
    return llvm::joinErrors(exactSums.takeError(), terms.takeError());
  if (!terms)
    return terms.takeError();
  std::vector<double> sums = *exactSums, moved(sums.size(), 0.0);
  if (!r.allExact()) {
    llvm::Expected<std::vector<double>> wider = onMagnitudes(r, true, keep);
    if (!wider)
      return wider.takeError();
    for (size_t k = 0; k < sums.size(); ++k)
      moved[k] = (*wider)[k] - sums[k];
    sums = std::move(*wider);
  }
  numerics::ElementType type = r.results[0].tensor().elementType(),
                        kept = keptType(r);
  // The body adds in its own type: an engine may round every step to it.
  double unit = std::ldexp(1.0, -numerics::formatInfo(kept.format).precision()),
         smallest = INFINITY;
  for (size_t i = keep; i < r.operands.size(); ++i)
    if (isFloating(*r.operands[i]))
      smallest = std::min(smallest, quantum(exactValues(*r.operands[i])));
  std::vector<double> exact = exactValues(r.results[0]);
  auto out = std::make_shared<std::vector<double>>(sums.size());
  size_t parts = type.isComplex() ? 2 : 1;
  bool isSum = !r.op->hasAttr(kMeanAttribute),
       goesOn = kept != type && goesOnWider(r.op->getResult(0), kept);
  llvm::Expected<std::vector<bool>> surely = surelyInfinite(
                                        r, keep, sums,
                                        numerics::maxFinite(kept.format)),
                                    open = haveOpenTerms(r, keep, sums.size()),
                                    equal = haveEqualTerms(r, keep, *terms, *exactSums, unit);
  if (!surely || !open || !equal)
    return llvm::joinErrors(
        llvm::joinErrors(surely.takeError(), open.takeError()),
        equal.takeError());
  for (size_t k = 0; k < sums.size(); ++k) {
    bool everyOrderExact =
        isSum && r.allExact() && sums[k] <= smallest / (2 * unit);
    double depth = (*terms)[k] + 1,
           relative = (*equal)[k] ? theoremBound(depth, unit)
                               : likelyBound(depth, unit, FillKind::Heavy);
    double bound = everyOrderExact
                       ? 0
                       : moved[k] + relative * sums[k] + halfUlp(sums[k], type);
    bool overflows = mayOverflowOnTheWay(
        sums[k], goesOn ? 0 : exact[k * parts], (*terms)[k], kept);
    (*out)[k] = (*open)[k] || overflows ? INFINITY
                : (*surely)[k]          ? 0
                : std::isnan(bound) ? (std::isfinite(exact[k * parts]) ? INFINITY : 0)
                                    : bound;
  }
  return std::vector<Errors>{out};
}

/// The largest number of factors in an element of the result.
static double mostFactors(const BoundRequest &r) {
  if (auto window =
          r.op->getAttrOfType<mlir::DenseI64ArrayAttr>("window_dimensions")) {
    double count = 1;
    for (int64_t size : window.asArrayRef())
      count *= static_cast<double>(size);
    return count;
  }
  double most = 1;
  for (Value *operand : r.operands)
    most = std::max(most, static_cast<double>(operand->tensor().size()));
  bool isReduce = r.op->getName().stripDialect() == "reduce";
  auto results = static_cast<double>(r.results[0].tensor().size());
  return isReduce ? most / std::max(1.0, results) : most;
}

/// Where some order of multiplying can leave the range of the type although the
/// product does not: only the factors above one, or only those below one.
static llvm::Expected<std::vector<bool>> leavesRange(BoundRequest &r) {
  numerics::FormatInfo info = numerics::formatInfo(keptType(r).format);
  double largest = std::ldexp(1.0, info.maxExponent()),
         smallest = std::ldexp(1.0, info.minExponent());
  std::vector<bool> leaves(static_cast<size_t>(r.results[0].tensor().size()),
                           false);
  for (bool above : {true, false}) {
    llvm::Expected<std::vector<double>> product = evaluateOn(r, 0, [&](size_t i) {
      std::vector<double> sizes =
          magnitudes(*r.operands[i], above ? r.operandErrors[i] : nullptr);
      for (double &x : sizes)
        x = above ? std::max(x, 1.0) : x == 0 ? 1.0 : std::min(x, 1.0);
      return sizes;
    });
    if (!product)
      return product.takeError();
    for (size_t k = 0; k < leaves.size(); ++k)
      if (above ? !((*product)[k] < largest) : !((*product)[k] > smallest))
        leaves[k] = true;
  }
  return leaves;
}

static BoundResult productBound(BoundRequest &r) {
  llvm::Expected<std::vector<double>> sizes = onMagnitudes(r, false, 0),
                                      wider = onMagnitudes(r, true, 0);
  if (!sizes || !wider)
    return llvm::joinErrors(sizes.takeError(), wider.takeError());
  numerics::ElementType type = r.results[0].tensor().elementType();
  double unit =
      std::ldexp(1.0, -numerics::formatInfo(keptType(r).format).precision());
  llvm::Expected<std::vector<bool>> leaves = leavesRange(r);
  if (!leaves)
    return leaves.takeError();
  double terms = mostFactors(r) + 1;
  auto out = std::make_shared<std::vector<double>>(sizes->size());
  for (size_t k = 0; k < out->size(); ++k) {
    double bound = (*wider)[k] - (*sizes)[k] +
                   theoremBound(terms, unit) * (*wider)[k] +
                   halfUlp((*wider)[k], type);
    // With a zero or an infinity among the factors nothing is known either.
    (*out)[k] = (*leaves)[k] || std::isnan(bound) ? INFINITY : bound;
  }
  return std::vector<Errors>{out};
}

/// Whether the body is one maximum or minimum of its arguments.
static bool isMonotone(mlir::Region &region) {
  mlir::Block &block = region.front();
  llvm::StringRef name = block.front().getName().getStringRef();
  return llvm::hasSingleElement(block.without_terminator()) &&
         (name == "stablehlo.maximum" || name == "stablehlo.minimum");
}

/// The result of a monotone choice is between its results for the lowest and
/// the highest operands: an open element matters only where it can be chosen.
static BoundResult monotoneBound(BoundRequest &r) {
  std::vector<double> exact = exactValues(r.results[0]);
  auto out = std::make_shared<std::vector<double>>(exact.size(), 0.0);
  for (double sign : {-1.0, 1.0}) {
    std::vector<Tensor> operands;
    for (size_t i = 0; i < r.operands.size(); ++i) {
      std::vector<double> values = exactValues(*r.operands[i]);
      if (r.operandErrors[i])
        for (size_t k = 0; k < values.size(); ++k)
          values[k] += sign * (*r.operandErrors[i])[k];
      llvm::Expected<Tensor> operand = wideFrom(*r.operands[i], values);
      if (!operand)
        return operand.takeError();
      operands.push_back(std::move(*operand));
    }
    llvm::Expected<std::vector<double>> end = r.evaluate(operands);
    if (!end)
      return end.takeError();
    for (size_t k = 0; k < exact.size(); ++k) {
      double off = (*end)[k] == exact[k] ? 0 : std::fabs((*end)[k] - exact[k]);
      bool bothNan = std::isnan((*end)[k]) && std::isnan(exact[k]);
      (*out)[k] = std::max((*out)[k], bothNan           ? 0
                                      : std::isnan(off) ? INFINITY
                                                        : off);
    }
  }
  return std::vector<Errors>{out};
}

/// The result is one of the operands: its error is at most the largest of
/// theirs, and 0 when they are exact.
static BoundResult choiceBound(BoundRequest &r, bool isSingle) {
  std::vector<Errors> out(r.results.size());
  if (r.allExact())
    return out;
  double worst = 0;
  for (size_t i = 0; i < r.operands.size(); ++i)
    for (double e :
         r.operandErrors[i] ? *r.operandErrors[i] : std::vector<double>())
      worst = std::max(worst, isFloating(*r.operands[i]) ? e : INFINITY);
  bool isReduction = r.op->getName().stripDialect() == "reduce" ||
                     r.op->getName().stripDialect() == "reduce_window";
  if (std::isinf(worst) && isSingle && isReduction &&
      r.results[0].tensor().elementType().isFloat() &&
      isMonotone(r.op->getRegion(0)))
    return monotoneBound(r);
  for (size_t i = 0; i < r.results.size(); ++i)
    out[i] = isSingle && isFloating(r.results[i])
                 ? std::make_shared<std::vector<double>>(
                       static_cast<size_t>(r.results[i].tensor().size()), worst)
                 : undecided(r.results[i]);
  return out;
}

/// The windows of select_and_scatter in groups without an element in common:
/// each window's group, and how many there are.
static std::pair<std::vector<int64_t>, int64_t>
apartWindows(mlir::Operation *op, const Value &source) {
  auto sizes = op->getAttrOfType<mlir::DenseI64ArrayAttr>("window_dimensions"),
       strides = op->getAttrOfType<mlir::DenseI64ArrayAttr>("window_strides");
  llvm::ArrayRef<int64_t> shape = source.tensor().shape();
  std::vector<int64_t> groups(static_cast<size_t>(source.tensor().size()), 0);
  int64_t count = 1, below = 1; // elements of the dimensions that follow
  for (size_t d = shape.size(); d-- > 0; below *= shape[d]) {
    auto dimension = static_cast<int64_t>(d);
    int64_t stride = strides ? strides[dimension] : 1,
            apart = sizes ? llvm::divideCeil(sizes[dimension], stride) : 1;
    for (size_t k = 0; k < groups.size(); ++k)
      groups[k] += static_cast<int64_t>(k) / below % shape[d] % apart * count;
    count *= apart;
  }
  return {std::move(groups), count};
}

/// Adds the error where moves of up to this size may let a window of one group
/// select another element: it does so with the selected elements moved down and
/// all others up.
static llvm::Error addOtherSelections(BoundRequest &r,
                                      llvm::ArrayRef<double> windows,
                                      std::vector<double> values,
                                      llvm::ArrayRef<double> moves,
                                      std::vector<bool> &another) {
  auto selectOn = [&](llvm::ArrayRef<double> numbers) {
    return evaluateOn(r, 0, [&](size_t i) {
      return i == 0   ? numbers.vec()
             : i == 1 ? windows.vec()
                      : std::vector<double>(1, 0.0);
    });
  };
  llvm::Expected<std::vector<double>> selected = selectOn(values);
  if (!selected)
    return selected.takeError();
  for (size_t k = 0; k < values.size(); ++k)
    values[k] += (*selected)[k] == 0 ? moves[k] : -moves[k];
  llvm::Expected<std::vector<double>> now = selectOn(values);
  if (!now)
    return now.takeError();
  for (size_t k = 0; k < values.size(); ++k)
    another[k] = another[k] || (*now)[k] != (*selected)[k];
  return llvm::Error::success();
}

/// select_and_scatter on values that are not exact.
static BoundResult selectionBound(BoundRequest &r) {
  auto [groups, count] = apartWindows(r.op, *r.operands[1]);
  constexpr double kBothSides = 2; // each side has an error
  std::vector<double> values = exactValues(*r.operands[0]),
                      moves = *r.operandErrors[0];
  moves.resize(values.size(), moves.front()); // one for all
  for (double &move : moves)
    move = std::isnan(move) ? INFINITY : kBothSides * move;
  std::vector<bool> another(values.size(), false);
  for (int64_t group = 0; group < count; ++group) {
    std::vector<double> windows(groups.size(), 0.0);
    for (size_t k = 0; k < groups.size(); ++k)
      windows[k] = groups[k] == group ? static_cast<double>(k + 1) : 0;
    if (llvm::Error error = addOtherSelections(r, windows, values, moves, another))
      return error;
  }
  BoundResult sums = sumBound(r, 1);
  if (!sums)
    return sums;
  auto out = std::make_shared<std::vector<double>>(*sums->front());
  for (size_t k = 0; k < out->size(); ++k)
    if (another[k])
      (*out)[k] = INFINITY;
  return std::vector<Errors>{out};
}

BoundResult judge::regionBound(BoundRequest &r) {
  llvm::StringRef name = r.op->getName().stripDialect();
  bool isScatterBySelection = name == "select_and_scatter";
  Body body = bodyOf(r.op->getRegion(isScatterBySelection ? 1 : 0));
  bool isSingle = r.results.size() == 1;
  if (!isFloating(r.results[0]) || body == Body::Choice ||
      body == Body::Replace)
    return choiceBound(r, isSingle);
  if (name == "map" || body == Body::Other || !isSingle)
    return makeError(
        ErrorCode::Unsupported,
        "the body of its region is not a single sum, product or choice");
  if (isScatterBySelection && r.operandErrors[0] && body == Body::Sum)
    return selectionBound(r);
  if (isScatterBySelection && r.operandErrors[0])
    return makeError(ErrorCode::Unsupported,
                     "it selects among values that are not exact");
  return body == Body::Sum ? sumBound(r, isScatterBySelection ? 1 : 0)
                           : productBound(r);
}
