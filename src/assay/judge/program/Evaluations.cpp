// An observer that moves each step's results by random roundings. How far they
// may move depends on the operation's row in OpBounds.def, and for sums on the
// size of their terms, which is measured before the step runs.
#include "assay/judge/program/Evaluations.h"
#include "assay/dialect/Chlo.h"
#include "assay/judge/program/ErrorTracker.h"
#include "assay/numerics/Convert.h"
#include "assay/numerics/FloatFormats.h"
#include "assay/numerics/Ulp.h"
#include "assay/program/Executor.h"
#include "assay/reference/Reference.h"

#include <cmath>

using namespace assay;
using namespace assay::judge;
using numerics::ElementType;
using numerics::FloatFormat;
using program::Value;
using tensor::Tensor;

static constexpr double kAmplitudes[] = {1, 1, 4, 16, 16};
/// Library functions are mostly much more accurate than their row in
/// OpBounds.def.
static constexpr double kMostUlp = 4;
/// Numbers that use at most this share of their type's digits do not move.
static constexpr double kFewDigits = 0.6;

/// Runs with moved arguments: the largest of this many errors is near the
/// maximum.
static constexpr int kMoves = 6;

namespace {
/// SplitMix64 (Steele, Lea, Flood 2014): fast, and good enough for roundings.
class Noise {
public:
  explicit Noise(uint64_t seed) : state_(seed) {}
  /// Uniform in [-1, 1).
  double next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return static_cast<double>(static_cast<int64_t>(z ^ (z >> 31))) * 0x1p-63;
  }

private:
  uint64_t state_;
};

/// How far a step's results move: `ulps` of the element, and for sums also
/// `relative` times the element or `absolute`, whichever is larger.
struct Movement {
  double ulps = 0, relative = 0, absolute = 0;
  bool sparesFewDigits = true; ///< counters, masks and exact data do not move
};

class Roundings final : public program::Observer {
public:
  Roundings(double amplitude, uint64_t seed)
      : amplitude_(amplitude), noise_(seed) {}

  void beforeStep(const program::StepNode &node,
                  llvm::ArrayRef<Value *> operands) override;
  void amend(const program::StepNode &node,
             llvm::MutableArrayRef<Value> results) override;
  void onStep(const program::StepNode &, llvm::ArrayRef<Value *>,
              llvm::ArrayRef<Value>, int64_t) override {}
  llvm::Expected<Tensor> moved(const Tensor &tensor, const Movement &movement);

private:
  double amplitude_;
  Noise noise_;
  /// The operands of a step in progress: the product of their rms, and the number
  /// of elements.
  struct Terms {
    double rms = 1, count = 0;
  };
  llvm::DenseMap<mlir::Operation *, Terms> terms_;
};
} // namespace

static bool hasFewDigits(double x, int precision) {
  if (x == 0 || !std::isfinite(x))
    return true;
  int exponent = 0;
  auto mantissa = static_cast<uint64_t>(
      std::ldexp(std::fabs(std::frexp(x, &exponent)), 53));
  return 53 - __builtin_ctzll(mantissa) <= kFewDigits * precision;
}

llvm::Expected<Tensor> Roundings::moved(const Tensor &tensor,
                                        const Movement &movement) {
  ElementType type = tensor.elementType(), part = type.part();
  llvm::Expected<Tensor> result = Tensor::allocate(tensor.type());
  if (!result)
    return result;
  std::vector<double> values = exactValues(Value(tensor));
  numerics::FormatInfo info = numerics::formatInfo(part.format);
  for (double &x : values) {
    if (movement.sparesFewDigits && hasFewDigits(x, info.precision()))
      continue;
    double reach =
        movement.ulps * numerics::ulpOf(x, part.format) +
        std::max(movement.relative * std::fabs(x), movement.absolute);
    double to = x + amplitude_ * reach * noise_.next();
    x = std::isfinite(to) ? to : x;
  }
  numerics::convertArray(wideType(type), values.data(), type,
                         result->mutableBytes(), tensor.size());
  return result;
}

/// Whether all operands are factors of the sums.
static bool isProduct(const OpBound *rule, mlir::Operation *op) {
  return rule ? rule->kind == BoundKind::Contraction
              : mlir::isa<chlo::RaggedDotOp>(op);
}

/// Whether the operation sums many terms; assumed of unknown
/// operations.
static bool mayBeSum(const OpBound *rule, mlir::Operation *op) {
  return !rule || sumsTerms(*rule, op);
}

void Roundings::beforeStep(const program::StepNode &node,
                           llvm::ArrayRef<Value *> operands) {
  const OpBound *rule = findOpBound(node.name);
  if (!mayBeSum(rule, node.op))
    return;
  bool isFactor = isProduct(rule, node.op);
  Terms terms;
  for (const Value *operand : operands) {
    if (!operand->isTensor() || !isFloating(*operand) ||
        operand->tensor().size() == 0)
      continue;
    double squares = 0;
    for (double x : exactValues(Value(operand->tensor())))
      squares += std::isfinite(x) ? x * x : 0;
    auto size = static_cast<double>(operand->tensor().size());
    if (isFactor || terms.count == 0)
      terms.rms *= std::sqrt(squares / size);
    terms.count = std::max(terms.count, 1.0) * size;
    if (!isFactor)
      break; // the rest are initial values, updates, right-hand sides
  }
  terms_[node.op] = terms;
}

void Roundings::amend(const program::StepNode &node,
                      llvm::MutableArrayRef<Value> results) {
  const OpBound *rule = findOpBound(node.name);
  bool sums = mayBeSum(rule, node.op);
  Terms terms;
  if (auto found = terms_.find(node.op); found != terms_.end())
    terms = found->second;
  bool moves =
      sums || (rule->kind == BoundKind::Ulp || rule->kind == BoundKind::Rough ||
               rule->kind == BoundKind::Convert);
  for (Value &value : results) {
    if (!moves || !value.isTensor() || !isFloating(value) ||
        value.tensor().size() == 0)
      continue;
    Movement movement;
    movement.ulps = rule ? std::clamp(rule->ulp, 1.0, kMostUlp) : 1;
    if (sums) {
      auto size = static_cast<double>(value.tensor().size());
      bool isDot = isProduct(rule, node.op);
      // (M K)(K N) / (M N) = K^2
      double depth = std::max(1.0, isDot ? std::sqrt(terms.count / size)
                                         : terms.count / size);
      ElementType type = value.tensor().elementType();
      double unit =
          isDot || !rule
              ? sumUnit(type)
              : std::ldexp(1.0, -numerics::formatInfo(type.format).precision());
      movement.absolute = 0.5 * unit * depth * terms.rms;
      movement.relative = 0.5 * unit * std::sqrt(depth);
    }
    llvm::Expected<Tensor> tensor = moved(value.tensor(), movement);
    if (tensor)
      value = Value(std::move(*tensor));
    else
      llvm::consumeError(tensor.takeError());
  }
  terms_.erase(node.op);
}

namespace {
/// Replaces every subnormal number in a step's results by 0.
class Flushing final : public program::Observer {
public:
  void amend(const program::StepNode &,
             llvm::MutableArrayRef<Value> results) override {
    for (Value &value : results)
      if (value.isTensor() && isFloating(value))
        if (llvm::Expected<Tensor> made = flushed(value.tensor()))
          value = Value(std::move(*made));
        else
          llvm::consumeError(made.takeError());
  }
  void onStep(const program::StepNode &, llvm::ArrayRef<Value *>,
              llvm::ArrayRef<Value>, int64_t) override {}

  static llvm::Expected<Tensor> flushed(const Tensor &tensor);
};
} // namespace

static bool isSubnormal(double x, ElementType type) {
  return x != 0 && std::fabs(x) < numerics::minNormal(type.format);
}

bool judge::hasSubnormals(const Tensor &tensor) {
  ElementType type = tensor.elementType();
  if (!isFloating(Value(tensor)))
    return false;
  return llvm::any_of(exactValues(Value(tensor)),
                      [&](double x) { return isSubnormal(x, type); });
}

llvm::Expected<Tensor> Flushing::flushed(const Tensor &tensor) {
  ElementType type = tensor.elementType();
  std::vector<double> values = exactValues(Value(tensor));
  for (double &x : values)
    if (isSubnormal(x, type))
      x = std::copysign(0.0, x);
  llvm::Expected<Tensor> result = Tensor::allocate(tensor.type());
  if (result)
    numerics::convertArray(wideType(type), values.data(), type,
                           result->mutableBytes(), tensor.size());
  return result;
}

namespace {
class Unchanged final : public program::Observer {
public:
  void onStep(const program::StepNode &, llvm::ArrayRef<Value *>,
              llvm::ArrayRef<Value>, int64_t) override {}
};
} // namespace

static llvm::Expected<std::unique_ptr<program::Plan>>
referencePlan(std::shared_ptr<const program::Program> program,
              llvm::StringRef entry, bool shadow = false) {
  program::PlanOptions options;
  options.entry = entry.str();
  options.shadow = shadow;
  return program::buildPlan(std::move(program), reference::ReferenceCompiler(),
                            options);
}

/// One more run of the reference, changed by an observer.
static llvm::Expected<std::vector<Value>>
runWatched(const program::Plan &plan, llvm::ArrayRef<Tensor> arguments,
           program::Observer &observer, ThreadPool &pool, double maxSeconds,
           bool shadow = false) {
  program::RunContext context(pool);
  context.shadow = shadow;
  std::string printed; // once is enough: the first run has printed it
  llvm::raw_string_ostream sink(printed);
  context.printStream = &sink;
  if (maxSeconds > 0)
    context.interrupt.setTimeLimit(maxSeconds);
  context.observers.push_back(&observer);
  return program::execute(plan, arguments, context);
}

llvm::Expected<std::vector<Value>>
judge::evaluateOnce(std::shared_ptr<const program::Program> program,
                    llvm::StringRef entry, llvm::ArrayRef<Tensor> inputs,
                    ThreadPool &pool, double maxSeconds) {
  llvm::Expected<std::unique_ptr<program::Plan>> plan =
      referencePlan(std::move(program), entry);
  if (!plan)
    return plan.takeError();
  Unchanged unchanged;
  return runWatched(**plan, inputs, unchanged, pool, maxSeconds);
}

llvm::Expected<std::vector<Value>>
judge::evaluateFlushed(std::shared_ptr<const program::Program> program,
                       llvm::StringRef entry, llvm::ArrayRef<Tensor> inputs,
                       ThreadPool &pool, double maxSeconds) {
  llvm::Expected<std::unique_ptr<program::Plan>> plan =
      referencePlan(std::move(program), entry);
  if (!plan)
    return plan.takeError();
  std::vector<Tensor> arguments(inputs.begin(), inputs.end());
  for (Tensor &argument : arguments)
    if (isFloating(Value(argument)))
      if (llvm::Error error = Flushing::flushed(argument).moveInto(argument))
        return error;
  Flushing flushing;
  return runWatched(**plan, arguments, flushing, pool, maxSeconds);
}

llvm::Expected<std::vector<Evaluation>>
judge::evaluateInOtherWays(std::shared_ptr<const program::Program> program,
                           llvm::StringRef entry, llvm::ArrayRef<Tensor> inputs,
                           ThreadPool &pool, double maxSeconds) {
  llvm::Expected<std::unique_ptr<program::Plan>> plan =
      referencePlan(std::move(program), entry);
  if (!plan)
    return plan.takeError();
  std::vector<Evaluation> evaluations;
  for (double amplitude : kAmplitudes) {
    Roundings roundings(amplitude, evaluations.size() + 1);
    std::vector<Tensor> arguments;
    for (const Tensor &input : inputs) {
      arguments.push_back(input);
      if (!isFloating(Value(input)))
        continue;
      llvm::Expected<Tensor> moved = roundings.moved(input, {1, 0, 0});
      if (!moved)
        return moved.takeError();
      arguments.back() = std::move(*moved);
    }
    llvm::Expected<std::vector<Value>> results =
        runWatched(**plan, arguments, roundings, pool, maxSeconds);
    if (!results)
      return results.takeError();
    evaluations.push_back({amplitude, std::move(*results)});
  }
  return evaluations;
}

llvm::Expected<std::vector<std::vector<double>>>
judge::movesWithArguments(std::shared_ptr<const program::Program> program,
                          llvm::StringRef entry, llvm::ArrayRef<Tensor> inputs,
                          ThreadPool &pool, double maxSeconds) {
  llvm::Expected<std::unique_ptr<program::Plan>> plan =
      referencePlan(std::move(program), entry, /*shadow=*/true);
  if (!plan)
    return plan.takeError();
  std::vector<std::vector<double>> first, moves;
  Unchanged observer;
  for (int run = 0; run <= kMoves; ++run) {
    Roundings roundings(1, static_cast<uint64_t>(run) + 1);
    std::vector<Tensor> arguments(inputs.begin(), inputs.end());
    for (Tensor &argument : arguments)
      if (run > 0 && isFloating(Value(argument)))
        if (llvm::Error error =
                roundings.moved(argument, {1, 0, 0, false}).moveInto(argument))
          return error;
    llvm::Expected<std::vector<Value>> results =
        runWatched(**plan, arguments, observer, pool, maxSeconds, true);
    if (!results)
      return results.takeError();
    for (size_t i = 0; i < results->size(); ++i) {
      std::vector<double> values = (*results)[i].isTensor()
                                       ? exactValues((*results)[i])
                                       : std::vector<double>();
      if (run == 0) {
        moves.emplace_back(values.size(), 0.0);
        first.push_back(std::move(values));
        continue;
      }
      for (size_t k = 0; k < values.size(); ++k)
        moves[i][k] = std::max(moves[i][k], std::fabs(values[k] - first[i][k]));
    }
  }
  return moves;
}
