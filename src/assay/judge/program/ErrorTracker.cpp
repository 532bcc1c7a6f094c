// Finds each operation's rule, hands it the errors of its operands and keeps
// what comes back. Also the helpers that all rules share: exact values as
// doubles, tensors for WideOp, units in the last place.
#include "assay/judge/program/ErrorTracker.h"
#include "assay/numerics/Convert.h"
#include "assay/numerics/FloatFormats.h"
#include "assay/numerics/Ulp.h"
#include "assay/program/Plan.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cmath>

using namespace assay;
using namespace assay::judge;
using numerics::ElementType;
using numerics::FloatFormat;
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

static ElementType wideType(ElementType type) {
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
  return std::isfinite(x) ? 0.5 * numerics::ulpOf(x, type.format) : 0;
}

double judge::sumUnit(ElementType type) {
  return type.format == FloatFormat::F64 ? 0x1p-53 : 0x1p-24;
}

Errors judge::undecided(const Value &value) {
  return std::make_shared<std::vector<double>>(
      static_cast<size_t>(value.tensor().size()), INFINITY);
}

double judge::quantum(llvm::ArrayRef<double> values) {
  int lowest = 2000;
  for (double x : values) {
    if (x == 0 || !std::isfinite(x))
      continue;
    int exponent = 0;
    auto mantissa = static_cast<int64_t>(
        std::ldexp(std::fabs(std::frexp(x, &exponent)), 53));
    lowest =
        std::min(lowest, exponent - 53 +
                             __builtin_ctzll(static_cast<uint64_t>(mantissa)));
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

/// A value that left the range of its type while the exact one did not: nothing
/// that depends on it can be told.
static Errors withOverflow(const Value &value, Errors errors) {
  if (!isFloating(value) || !value.shadow().valid())
    return errors;
  Value plain(value.tensor());
  std::vector<double> own = exactValues(plain), exact = exactValues(value);
  size_t parts = value.tensor().elementType().isComplex() ? 2 : 1;
  for (size_t i = 0; i < own.size(); ++i)
    if (std::isfinite(own[i]) != std::isfinite(exact[i])) {
      errors =
          errors
              ? std::make_shared<std::vector<double>>(*errors)
              : std::make_shared<std::vector<double>>(own.size() / parts, 0.0);
      (*errors)[i / parts] = INFINITY;
    }
  return errors;
}

static bool needsWide(const BoundRequest &r) {
  switch (r.rule->kind) {
  case BoundKind::Contraction:
  case BoundKind::Region:
    return isFloating(r.results[0]);
  case BoundKind::Ulp:
  case BoundKind::Rough:
  case BoundKind::Pick:
  case BoundKind::Move:
  case BoundKind::Select:
    return !r.allExact() && isFloating(r.results[0]);
  default:
    return false;
  }
}

ErrorTracker::ErrorTracker(ThreadPool &pool, mlir::Operation *function)
    : pool_(pool) {
  function->walk([&](mlir::Operation *op) {
    llvm::StringRef name = op->getName().getStringRef();
    bool isControl = name == "stablehlo.while" || name == "stablehlo.if" ||
                     name == "stablehlo.case" || name == "func.call" ||
                     name == "stablehlo.composite";
    if (isControl && noBound_.empty())
      noBound_ = ("operation " + name).str();
  });
}

void ErrorTracker::beforeStep(const program::StepNode &node,
                              llvm::ArrayRef<Value *> operands) {
  if (!noBound_.empty())
    return;
  std::vector<Value> &kept = operands_[node.op];
  kept.clear();
  for (const Value *operand : operands)
    kept.push_back(*operand);
}

void ErrorTracker::onStep(const program::StepNode &node,
                          llvm::ArrayRef<Value *>,
                          llvm::ArrayRef<Value> results, int64_t) {
  std::vector<Value> kept;
  if (auto found = operands_.find(node.op); found != operands_.end()) {
    kept = std::move(found->second);
    operands_.erase(found);
  }
  std::vector<Value *> pointers;
  for (Value &value : kept)
    pointers.push_back(&value);
  llvm::ArrayRef<Value *> operands = pointers;
  bool inRegion = !mlir::isa<mlir::func::FuncOp>(node.op->getParentOp());
  if (!noBound_.empty() || inRegion ||
      node.control == program::StepNode::Control::Constant || results.empty())
    return;
  const OpBound *rule = findOpBound(node.name);
  auto isTensor = [](const Value &value) { return value.isTensor(); };
  if (!rule || !llvm::all_of(results, isTensor) ||
      !llvm::all_of(operands, [](Value *value) { return value->isTensor(); })) {
    noBound_ = ("operation " + node.name).str();
    return;
  }
  if (rule->kind == BoundKind::Exact && operands.empty())
    return;
  BoundRequest request{node.op, operands, results, {}, rule, nullptr, pool_};
  for (size_t i = 0; i < operands.size(); ++i)
    request.operandErrors.push_back(withOverflow(
        *operands[i], errorsOf(node.op->getOperand(static_cast<unsigned>(i)))));
  if (needsWide(request)) {
    llvm::Expected<const WideOp *> wide = wideFor(node.op);
    if (!wide) {
      noBound_ = ("operation " + node.name + ": " +
                  takeError(wide.takeError()).message)
                     .str();
      return;
    }
    request.wide = *wide;
  }
  BoundResult bound = rule->kind == BoundKind::Region ? regionBound(request)
                      : rule->kind == BoundKind::Contraction ||
                              rule->kind == BoundKind::Sort ||
                              rule->kind == BoundKind::Fft
                          ? structuredBound(request)
                          : elementwiseBound(request);
  if (!bound) {
    noBound_ =
        ("operation " + node.name + ": " + takeError(bound.takeError()).message)
            .str();
    return;
  }
  for (size_t i = 0; i < bound->size(); ++i)
    errors_[node.op->getResult(static_cast<unsigned>(i))] = (*bound)[i];
}
