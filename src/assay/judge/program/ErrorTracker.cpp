// Finds each operation's rule, passes it the errors of its operands and
// keeps the result. Also the helpers that all rules share: exact values as
// doubles, tensors for WideOp, units in the last place.
#include "assay/judge/program/ErrorTracker.h"
#include "assay/judge/SumBounds.h"
#include "assay/judge/Types.h"
#include "assay/judge/program/AllowedForms.h"
#include "assay/judge/program/CommonForms.h"
#include "assay/judge/program/OtherOrders.h"
#include "assay/judge/program/ProcessBounds.h"
#include "assay/numerics/Convert.h"
#include "assay/numerics/FloatFormats.h"
#include "assay/numerics/Ulp.h"
#include "assay/program/Plan.h"
#include "assay/program/Types.h"
#include "assay/reference/custom/CustomCalls.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <mutex>

using namespace assay;
using namespace assay::judge;
using numerics::ElementType;
using numerics::FloatFormat;
using program::Observer;
using program::Value;
using tensor::Tensor;

static constexpr OpBound kBounds[] = {
#define ASSAY_OP_BOUND(name, kind, ulp) {name, BoundKind::kind, ulp},
#include "assay/judge/program/OpBounds.def"
};

const OpBound *judge::findOpBound(llvm::StringRef operation) {
  for (const OpBound &row : kBounds)
    if (operation == row.name)
      return &row;
  // chlo.broadcast_X is X of stablehlo or chlo with operands repeated.
  if (!operation.consume_front("chlo.broadcast_"))
    return nullptr;
  const OpBound *row = findOpBound(("stablehlo." + operation).str());
  return row ? row : findOpBound(("chlo." + operation).str());
}

bool judge::sumsTerms(const OpBound &rule, mlir::Operation *op) {
  return rule.kind == BoundKind::Contraction || rule.kind == BoundKind::Fft ||
         rule.kind == BoundKind::Solve || rule.kind == BoundKind::Factor ||
         (rule.kind == BoundKind::Region && !onlyChooses(op));
}

bool BoundRequest::allExact() const {
  return llvm::all_of(operandErrors,
                      [](const Errors &errors) { return errors == nullptr; });
}

llvm::Expected<std::vector<double>>
BoundRequest::evaluate(llvm::ArrayRef<tensor::Tensor> tensors) const {
  llvm::Expected<std::vector<tensor::Tensor>> result = wide->run(tensors, pool);
  if (!result)
    return result.takeError();
  return elementsOf(result->front());
}

bool judge::isFloating(const Value &value) {
  ElementType type = value.tensor().elementType();
  return type.isFloat() || type.isComplex();
}

ElementType judge::wideType(ElementType type) {
  return type.isComplex() ? ElementType::complex(FloatFormat::F64)
                          : ElementType::floating(FloatFormat::F64);
}

std::vector<double> judge::exactValues(const Value &value) {
  const Tensor &source = value.shadowOrTensor();
  ElementType type = source.elementType();
  int64_t parts = type.isComplex() ? 2 : 1;
  std::vector<double> out(static_cast<size_t>(source.size() * parts));
  if (source.isSplat()) {
    double one[2];
    numerics::convertArray(type, source.bytes(), wideType(type), one, 1);
    for (size_t i = 0; i < out.size(); ++i)
      out[i] = one[parts == 2 ? i % 2 : 0];
    return out;
  }
  numerics::convertArray(type, source.bytes(), wideType(type), out.data(),
                         source.size());
  return out;
}

llvm::Expected<Tensor> judge::wideTensor(const Value &value) {
  if (!isFloating(value))
    return value.tensor().dense();
  llvm::Expected<Tensor> result = Tensor::allocate(
      {wideType(value.tensor().elementType()), value.tensor().type().shape});
  if (!result)
    return result;
  std::vector<double> values = exactValues(value);
  std::copy(values.begin(), values.end(), result->mutableData<double>());
  return result;
}

llvm::Expected<Tensor> judge::wideFrom(const Value &value,
                                       llvm::ArrayRef<double> elements,
                                       bool bothParts) {
  ElementType type = wideType(value.tensor().elementType());
  llvm::Expected<Tensor> result =
      Tensor::allocate({type, value.tensor().type().shape});
  if (!result)
    return result;
  auto *out = result->mutableData<double>();
  for (size_t i = 0; i < elements.size(); ++i) {
    if (!type.isComplex()) {
      out[i] = elements[i];
      continue;
    }
    out[2 * i] = elements[i];
    out[2 * i + 1] = bothParts ? elements[i] : 0;
  }
  return result;
}

std::vector<double> judge::magnitudes(const Value &value,
                                      const Errors &errors) {
  std::vector<double> values = exactValues(value);
  if (value.tensor().elementType().isComplex()) {
    for (size_t i = 0; i < values.size() / 2; ++i)
      values[i] = std::hypot(values[2 * i], values[2 * i + 1]);
    values.resize(values.size() / 2);
  }
  double perPart =
      value.tensor().elementType().isComplex() ? std::sqrt(2.0) : 1;
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = std::fabs(values[i]) + (errors ? perPart * (*errors)[i] : 0);
  return values;
}

std::vector<double> judge::elementsOf(const Tensor &tensor) {
  std::vector<double> out(static_cast<size_t>(tensor.size()));
  const auto *data = tensor.data<double>();
  bool isComplex = tensor.elementType().isComplex();
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = isComplex
                 ? std::max(std::fabs(data[2 * i]), std::fabs(data[2 * i + 1]))
                 : data[i];
  return out;
}

double judge::halfUlp(double x, ElementType type) {
  const numerics::FormatInfo &info = numerics::formatInfo(type.format);
  auto field = static_cast<int>(std::bit_cast<uint64_t>(x) >> 52 & 0x7ff);
  if (field == 0x7ff)
    return 0;
  int exponent =
      std::clamp(field - 1023, info.minExponent(), info.maxExponent());
  int half = exponent - info.mantissaBits - 1;
  // Without ldexp where 2^half is a normal number: this is called for each
  // element.
  return half >= -1022
             ? std::bit_cast<double>(static_cast<uint64_t>(half + 1023) << 52)
             : std::ldexp(1.0, half);
}

double judge::sumUnit(ElementType type) {
  return type.format == FloatFormat::F64 ? 0x1p-53 : 0x1p-24;
}

std::optional<ElementType> judge::declaredSums(mlir::Operation *op) {
  auto declared = op->getAttrOfType<mlir::TypeAttr>(kAccumulation);
  return declared ? program::elementTypeOf(declared.getValue()) : std::nullopt;
}

Errors judge::undecided(const Value &value) {
  return std::make_shared<std::vector<double>>(
      static_cast<size_t>(value.tensor().size()), INFINITY);
}

double judge::quantum(llvm::ArrayRef<double> values) {
  constexpr uint64_t kMantissa = (uint64_t{1} << 52) - 1;
  int lowest = 2000;
  for (double x : values) {
    auto bits = std::bit_cast<uint64_t>(x);
    auto field = static_cast<int>(bits >> 52 & 0x7ff);
    uint64_t digits = (bits & kMantissa) | (field ? kMantissa + 1 : 0);
    if (digits == 0 || field == 0x7ff) // zero, infinity, NaN
      continue;
    lowest =
        std::min(lowest, std::max(field, 1) - 1075 + std::countr_zero(digits));
  }
  return lowest == 2000 ? 1 : std::ldexp(1.0, lowest);
}

llvm::Expected<const WideOp *> ErrorTracker::wideFor(mlir::Operation *op) {
  std::unique_ptr<WideOp> &wide = wide_[op];
  if (!wide) {
    llvm::Expected<std::unique_ptr<WideOp>> made = WideOp::make(op);
    if (!made)
      return made.takeError();
    wide = std::move(*made);
  }
  return wide.get();
}

/// Elements that are processed together, in memory that fits in the cache.
static constexpr int64_t kChunk = 2048;

void judge::wideElements(const Tensor &tensor, int64_t from, int64_t count,
                         double *out) {
  ElementType type = tensor.elementType();
  if (!tensor.isSplat()) {
    numerics::convertArray(type, tensor.bytes() + from * type.storageBytes(),
                           wideType(type), out, count);
    return;
  }
  int64_t parts = type.isComplex() ? 2 : 1;
  numerics::convertArray(type, tensor.bytes(), wideType(type), out, 1);
  for (int64_t i = parts; i < count * parts; ++i)
    out[i] = out[i - parts];
}

/// Opens values that left the range of their type, or were saturated, while the
/// exact value did not: nothing that depends on them can be judged.
static Errors withOverflow(const Value &value, Errors errors,
                           ThreadPool &pool) {
  if (!isFloating(value) || !value.shadow().valid())
    return errors;
  const Tensor &own = value.tensor(), &exact = value.shadow();
  int64_t parts = own.elementType().isComplex() ? 2 : 1;
  bool saturates = isNarrowFloat(own.elementType());
  double most = maxValue(own.elementType().part());
  std::mutex found;
  std::vector<int64_t> overflows;
  pool.parallelFor(own.size(), kChunk, [&](int64_t begin, int64_t end) {
    double mine[2 * kChunk], due[2 * kChunk];
    for (int64_t from = begin; from < end; from += kChunk) {
      int64_t count = std::min(end - from, kChunk);
      wideElements(own, from, count, mine);
      wideElements(exact, from, count, due);
      for (int64_t i = 0; i < count * parts; ++i)
        if (std::isfinite(mine[i]) != std::isfinite(due[i]) ||
            (saturates && std::fabs(mine[i]) == most &&
             std::fabs(due[i]) > most)) {
          std::lock_guard<std::mutex> alone(found);
          overflows.push_back(from + i / parts);
        }
    }
  });
  if (overflows.empty())
    return errors;
  errors = writableErrors(errors, static_cast<size_t>(own.size()));
  for (int64_t i : overflows)
    (*errors)[static_cast<size_t>(i)] = INFINITY;
  return errors;
}

static bool needsWide(const BoundRequest &r) {
  switch (r.rule->kind) {
  case BoundKind::Contraction:
  case BoundKind::Region:
    return isFloating(r.results[0]);
  case BoundKind::Ulp:
    return !r.allExact() && isFloating(r.results[0]) && !isPolynomial(r);
  case BoundKind::Rough:
  case BoundKind::Pick:
  case BoundKind::Move:
  case BoundKind::Select:
    return !r.allExact() && isFloating(r.results[0]);
  default:
    return false;
  }
}

Errors judge::openErrors() {
  return std::make_shared<std::vector<double>>(1, INFINITY);
}

/// A loop counts as too long after this many bounds inside loops: its results
/// are then open. They take two seconds on an ordinary processor.
static constexpr int64_t kMostLoopSteps = 40000;

/// Whether an operation is in code that runs once per visit, as opposed to
/// the body of a reduction.
static bool isStraight(mlir::Operation *op) {
  mlir::Operation *parent = op->getParentOp();
  llvm::StringRef name = parent->getName().getStringRef();
  return name == "func.func" || name == "stablehlo.while" ||
         name == "stablehlo.if" || name == "stablehlo.case" ||
         name == "stablehlo.async_start" || name == "sdy.manual_computation";
}

bool ErrorTracker::isFollowed(mlir::Operation *op) const {
  return isStraight(op) && (controls_.empty() || (!controls_.back().open &&
                                                  !controls_.back().inLane));
}

std::string judge::nameInWords(mlir::Operation *op) {
  std::string text = "operation " + op->getName().getStringRef().str();
  if (auto target = op->getAttrOfType<mlir::StringAttr>("call_target_name"))
    text += " @" + target.getValue().str();
  return text;
}

/// Why the results of an operation are open, with its place.
static std::shared_ptr<const std::string> reasonOf(mlir::Operation *op,
                                                   llvm::StringRef why) {
  return std::make_shared<const std::string>(
      nameInWords(op) + " at " + program::describeLocation(op->getLoc()) +
      (why.empty() ? "" : ": ") + why.str());
}

static Tracked openBecause(std::shared_ptr<const std::string> why) {
  return {openErrors(), std::move(why), nullptr};
}

ErrorTracker::ErrorTracker(ThreadPool &pool, mlir::Block *entry,
                           Demands demands, WideOps *wide)
    : pool_(pool), entry_(entry), demands_(demands),
      wide_(wide ? *wide : ownWide_),
      orders_(std::make_unique<OtherOrders>()) {}
ErrorTracker::~ErrorTracker() = default;

void ErrorTracker::noteNoBound(mlir::Operation *op, llvm::StringRef why) {
  if (noBound_.empty())
    noBound_ = (nameInWords(op) + (why.empty() ? "" : ": ") + why).str();
}

Tracked ErrorTracker::tracked(mlir::Value value) const {
  if (auto found = tracked_.find(value); found != tracked_.end())
    return found->second;
  auto argument = mlir::dyn_cast<mlir::BlockArgument>(value);
  if (argument && argument.getOwner() == entry_)
    return {};
  return openBecause(reasonOf(argument ? argument.getOwner()->getParentOp()
                                       : value.getDefiningOp(),
                              "the errors inside it are not followed"));
}

void ErrorTracker::bind(mlir::ValueRange targets, mlir::ValueRange sources) {
  for (auto [target, source] : llvm::zip(targets, sources))
    if (computed_.contains(source))
      computed_.insert(target);
  // All sources first: a loop may pass its values in another order.
  std::vector<Tracked> found;
  for (mlir::Value source : sources)
    found.push_back(tracked(source));
  for (auto [target, each] : llvm::zip(targets, found))
    tracked_[target] = std::move(each);
}

static bool isInexact(const Tracked &tracked) {
  return tracked.errors &&
         llvm::any_of(*tracked.errors, [](double e) { return e > 0; });
}

/// Why the results of a decision are open, if it is not decided.
static std::shared_ptr<const std::string> undecidedBy(mlir::Operation *op,
                                                      const Tracked &decision) {
  if (!isInexact(decision))
    return nullptr;
  return decision.why ? decision.why
                      : reasonOf(op, "it decides by a value that is not exact");
}

void ErrorTracker::enter(const program::StepNode &node, mlir::Block *block) {
  using Kind = program::StepNode::Control;
  bool isCall = node.control == Kind::Call;
  Control entered{node.op, block};
  entered.inLane =
      !isStraight(node.op) || (!controls_.empty() && controls_.back().inLane);
  if (!controls_.empty())
    entered.open = controls_.back().open;
  bool recurses = block->getParentOp()->isAncestor(node.op);
  for (const Control &outer : controls_)
    recurses |= outer.block == block;
  if (isCall && recurses) {
    noteNoBound(node.op, "it recurses");
    entered.open = reasonOf(node.op, "it recurses");
  }
  if (!entered.open && !entered.inLane) {
    if (isCall || node.control == Kind::While || node.control == Kind::Async)
      bind(block->getArguments(), node.op->getOperands());
    else
      entered.open = undecidedBy(node.op, tracked(node.op->getOperand(0)));
  }
  controls_.push_back(std::move(entered));
}

void ErrorTracker::leave(const program::StepNode &node) {
  using Kind = program::StepNode::Control;
  Control ended = std::move(controls_.back());
  controls_.pop_back();
  mlir::Operation *end = ended.block->getTerminator();
  bool isLoop = node.control == Kind::While;
  // Here the loop has ended because its condition was false.
  if (isLoop && !ended.open)
    ended.open = undecidedBy(node.op, tracked(end->getOperand(0)));
  if (node.control == Kind::Async && !ended.open)
    ended.open = reasonOf(node.op, "the errors of futures are not followed");
  if (ended.open)
    for (mlir::Value result : node.op->getResults())
      tracked_[result] = openBecause(ended.open);
  else
    bind(node.op->getResults(),
         isLoop ? mlir::ValueRange(ended.block->getArguments())
                : mlir::ValueRange(end->getOperands()));
}

void ErrorTracker::onControl(const program::StepNode &node,
                             mlir::Block *block) {
  bool isLoop = node.control == program::StepNode::Control::While;
  bool goesOn = block && isLoop && !controls_.empty() &&
                controls_.back().op == node.op &&
                controls_.back().block != block;
  if (!goesOn)
    return block ? enter(node, block) : leave(node);
  Control &loop = controls_.back();
  bool fromCondition = loop.block == &node.op->getRegion(0).front();
  mlir::Operation *end = loop.block->getTerminator();
  if (!loop.open && !loop.inLane) {
    if (fromCondition)
      loop.open = undecidedBy(node.op, tracked(end->getOperand(0)));
    bind(block->getArguments(),
         fromCondition ? mlir::ValueRange(loop.block->getArguments())
                       : mlir::ValueRange(end->getOperands()));
  }
  loop.block = block;
}

void ErrorTracker::beforeStep(const program::StepNode &node,
                              llvm::ArrayRef<Value *> operands) {
  if (!isFollowed(node.op))
    return;
  std::vector<Value> &kept = operands_[node.op];
  kept.clear();
  for (const Value *operand : operands)
    kept.push_back(*operand);
  if (process_)
    process_->post(*this, node, kept);
}

/// One error for each of `size` elements; null where all are 0.
static Errors spread(const Errors &errors, int64_t size) {
  if (!errors || llvm::all_of(*errors, [](double e) { return e == 0; }))
    return nullptr;
  if (static_cast<int64_t>(errors->size()) == size)
    return errors;
  return std::make_shared<std::vector<double>>(static_cast<size_t>(size),
                                               errors->front());
}

BoundResult ErrorTracker::boundOf(const program::StepNode &node,
                                  llvm::ArrayRef<Value *> operands,
                                  llvm::ArrayRef<Value> results) {
  const OpBound *rule = findOpBound(node.name);
  // Arithmetic on quantised types has no bound: it may move by a whole scale.
  auto isKnown = [&](const Value &value) {
    return value.isTensor() && (!value.tensor().elementType().quantization ||
                                (rule && rule->kind == BoundKind::Quantize));
  };
  bool isCall = node.name == "stablehlo.custom_call";
  if ((!rule && !isCall) || !llvm::all_of(results, isKnown) ||
      !llvm::all_of(operands, [&](Value *value) { return isKnown(*value); }))
    return makeError(ErrorCode::Unsupported, "");
  if (rule && rule->kind == BoundKind::Collective) {
    if (!process_)
      return makeError(ErrorCode::Unsupported, "");
    return process_->boundOf(*this, node, results);
  }
  if (rule && rule->kind == BoundKind::Exact && operands.empty())
    return std::vector<Errors>(results.size());
  BoundRequest request{node.op, operands, results, {}, rule, nullptr, pool_};
  request.demands = demands_;
  for (size_t i = 0; i < operands.size(); ++i)
    request.operandErrors.push_back(withOverflow(
        *operands[i],
        spread(tracked(node.op->getOperand(static_cast<unsigned>(i))).errors,
               operands[i]->tensor().size()),
        pool_));
  if (isCall)
    return linearBound(request);
  if (needsWide(request)) {
    llvm::Expected<const WideOp *> wide = wideFor(node.op);
    if (!wide)
      return wide.takeError();
    request.wide = *wide;
  }
  switch (rule->kind) {
  case BoundKind::Region:
    return regionBound(request);
  case BoundKind::Contraction:
  case BoundKind::Sort:
  case BoundKind::Fft:
    return structuredBound(request);
  case BoundKind::Solve:
  case BoundKind::Factor:
    return linearBound(request);
  case BoundKind::Quantize:
    return quantizeBound(request);
  default:
    return elementwiseBound(request);
  }
}

/// The one place where a rule's result becomes a bound: a finite number of at
/// least 0, or infinity where the rule has none. Returns whether any is
/// infinite.
static bool settle(Errors &errors) {
  auto isNumber = [](double e) { return e >= 0; };
  if (errors && !llvm::all_of(*errors, isNumber)) {
    auto settled = std::make_shared<std::vector<double>>(*errors);
    for (double &e : *settled)
      e = isNumber(e) ? e : INFINITY;
    errors = std::move(settled);
  }
  return errors &&
         llvm::any_of(*errors, [](double e) { return std::isinf(e); });
}

/// Values that are moved whole: tuples, and calls that annotate a
/// value.
bool ErrorTracker::follow(const program::StepNode &node) {
  mlir::Operation *op = node.op;
  if (node.name == "stablehlo.tuple") {
    auto parts = std::make_shared<std::vector<Tracked>>();
    for (mlir::Value operand : op->getOperands())
      parts->push_back(tracked(operand));
    tracked_[op->getResult(0)] = {nullptr, nullptr, std::move(parts)};
    return true;
  }
  if (node.name == "stablehlo.get_tuple_element") {
    Tracked whole = tracked(op->getOperand(0));
    auto index = static_cast<size_t>(
        op->getAttrOfType<mlir::IntegerAttr>("index").getInt());
    tracked_[op->getResult(0)] = whole.parts ? (*whole.parts)[index] : whole;
    return true;
  }
  if (!reference::isAnnotation(op))
    return false;
  bind(op->getResults(), op->getOperands().take_front(op->getNumResults()));
  return true;
}

void ErrorTracker::keep(const program::StepNode &node,
                        llvm::ArrayRef<Value *> operands,
                        llvm::ArrayRef<Value> results, BoundResult bound) {
  std::shared_ptr<const std::string> why;
  for (mlir::Value operand : node.op->getOperands())
    if (!why)
      why = tracked(operand).why;
  if (!bound) {
    std::string text = takeError(bound.takeError()).message;
    noteNoBound(node.op, text);
    why = reasonOf(node.op, text);
    bound = std::vector<Errors>(results.size(), openErrors());
  }
  noteComparedNan(node.op, operands);
  for (size_t i = 0; i < bound->size(); ++i) {
    Tracked &made = tracked_[node.op->getResult(static_cast<unsigned>(i))];
    Errors errors = allowForms(node.op, operands, results[i], (*bound)[i]);
    errors = orders_->add(node.op, operands, results[i], errors);
    errors = openBehindComputedZeros(node.op, operands, results[i], errors);
    errors = openWhereNanSelects(node.op, operands, results[i], errors);
    made = {openWhereNanArose(node.op, operands, results[i], errors), nullptr,
            nullptr, tiesOf(node.op, operands, results[i])};
    if (settle(made.errors))
      made.why = why ? why
                     : reasonOf(node.op, "it decides among values that are not "
                                         "exact, or may leave the range of its "
                                         "type");
  }
}

/// How far a constant is from the number that it was rounded from.
static Errors roundingOf(mlir::Operation *op, const Value &constant) {
  auto number = op->getAttrOfType<mlir::FloatAttr>(kNumber);
  if (!number || !constant.isTensor() || !isFloating(constant))
    return nullptr;
  std::vector<double> errors = exactValues(constant);
  for (double &x : errors)
    x = std::fabs(x - number.getValueAsDouble());
  return std::make_shared<std::vector<double>>(std::move(errors));
}

void ErrorTracker::onStep(const program::StepNode &node,
                          llvm::ArrayRef<Value *>,
                          llvm::ArrayRef<Value> results, int64_t) {
  std::vector<Value> kept;
  if (auto found = operands_.find(node.op); found != operands_.end()) {
    kept = std::move(found->second);
    operands_.erase(found);
  }
  if (!isFollowed(node.op) || results.empty())
    return;
  if (node.control == program::StepNode::Control::Constant) {
    for (auto [value, result] : llvm::zip(results, node.op->getResults()))
      tracked_[result] = {roundingOf(node.op, value), nullptr, nullptr};
    return;
  }
  bool inLoop = llvm::any_of(controls_, [](const Control &control) {
    return control.op->getName().getStringRef() == "stablehlo.while";
  });
  if (inLoop && ++loopSteps_ > kMostLoopSteps) {
    auto loop = llvm::find_if(controls_, [](const Control &control) {
      return control.op->getName().getStringRef() == "stablehlo.while";
    });
    noteNoBound(loop->op, "it runs too long");
    for (Control &control : controls_)
      control.open = reasonOf(loop->op, "it runs too long");
    return;
  }
  if (follow(node))
    return;
  std::vector<Value *> operands;
  for (Value &value : kept)
    operands.push_back(&value);
  keep(node, operands, results, boundOf(node, operands, results));
  const OpBound *rule = demands_.definedOnly ? findOpBound(node.name) : nullptr;
  bool moves = rule && (rule->kind == BoundKind::Move ||
                        rule->kind == BoundKind::Convert);
  if (demands_.definedOnly && (!moves || isOnComputed(node.op)))
    for (mlir::Value result : node.op->getResults())
      computed_.insert(result);
}

Observer *ErrorTracker::beginProcess(const program::StepNode &node,
                                     const program::ProcessId &id,
                                     int64_t place) {
  if (!isFollowed(node.op) || place < 0)
    return nullptr;
  if (!processes_) {
    auto made = ProcessBounds::make(*this, node.op, pool_);
    if (!made) { // the step fails by itself
      llvm::consumeError(made.takeError());
      return nullptr;
    }
    processes_ = std::move(*made);
  }
  return processes_->add(*this, id, place);
}

void ErrorTracker::endProcesses(const program::StepNode &node) {
  if (processes_)
    processes_->join(*this);
  processes_.reset();
}
