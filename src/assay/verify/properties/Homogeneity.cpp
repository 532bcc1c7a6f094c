// Degrees are propagated from the arguments: a product adds them up, a sum or
// choice needs equal ones, a function without a rule needs 0. Zeros and
// infinities have every degree.
#include "assay/verify/properties/Homogeneity.h"
#include "assay/dialect/Stablehlo.h"
#include "assay/support/Error.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>

using namespace assay;
using namespace assay::verify;
using mlir::Operation;
using mlir::Value;

namespace {
struct Degree {
  bool any = false; ///< zero or infinite: the same whatever the scale
  int value = 0;
};
using Known = std::optional<Degree>;
} // namespace

static bool isFloat(Value value) {
  return mlir::isa<mlir::FloatType>(mlir::getElementTypeOrSelf(value));
}

static Known joined(Known a, Known b) {
  if (!a || !b || (!a->any && !b->any && a->value != b->value))
    return std::nullopt;
  return a->any ? b : a;
}

static Known ofConstant(stablehlo::ConstantOp op) {
  auto values = mlir::dyn_cast<mlir::DenseFPElementsAttr>(op.getValue());
  if (!values || !values.isSplat())
    return Degree{};
  llvm::APFloat x = values.getSplatValue<llvm::APFloat>();
  return Degree{x.isZero() || x.isInfinity(), 0};
}

namespace {
class Degrees {
public:
  Known of(Value value) const {
    auto found = found_.find(value);
    return found == found_.end() ? Known() : found->second;
  }
  void set(Value value, Known degree) { found_[value] = degree; }
  void follow(Operation &op) {
    Known degree = after(op);
    for (Value result : op.getResults())
      set(result, degree);
  }

private:
  /// Requires one degree for all float operands, and degree 0 for those of
  /// other types.
  Known equal(Operation &op, size_t first = 0) const {
    Known all = Degree{true, 0};
    for (Value operand : llvm::drop_begin(op.getOperands(), first))
      if (isFloat(operand))
        all = joined(all, of(operand));
      else if (Known other = of(operand); !other || other->value != 0)
        return std::nullopt;
    return all;
  }
  Known product(Operation &op, int sign) const {
    Known a = of(op.getOperand(0)), b = of(op.getOperand(1));
    if (!a || !b)
      return std::nullopt;
    return Degree{a->any || b->any, a->value + sign * b->value};
  }
  Known after(Operation &op) const;
  llvm::DenseMap<Value, Known> found_;
};
} // namespace

/// The only operation of a reduction's body, or "".
static llvm::StringRef bodyOf(Operation &op) {
  mlir::Block &body = op.getRegion(0).front();
  return llvm::hasSingleElement(body.without_terminator())
             ? body.front().getName().stripDialect()
             : llvm::StringRef();
}

Known Degrees::after(Operation &op) const {
  llvm::StringRef name = op.getName().stripDialect();
  if (auto constant = mlir::dyn_cast<stablehlo::ConstantOp>(&op))
    return ofConstant(constant);
  static constexpr llvm::StringLiteral kSame[] = {"add",
                                                  "subtract",
                                                  "maximum",
                                                  "minimum",
                                                  "negate",
                                                  "abs",
                                                  "clamp",
                                                  "reshape",
                                                  "slice",
                                                  "transpose",
                                                  "reverse",
                                                  "concatenate",
                                                  "pad",
                                                  "gather",
                                                  "dynamic_slice",
                                                  "dynamic_update_slice",
                                                  "broadcast_in_dim"};
  if (llvm::is_contained(kSame, name) && isFloat(op.getResult(0)))
    return equal(op);
  if (name == "select" && isFloat(op.getResult(0))) {
    Known choice = of(op.getOperand(0));
    return choice && choice->value == 0 ? equal(op, 1) : std::nullopt;
  }
  if (name == "compare" && isFloat(op.getOperand(0)))
    return equal(op) ? Known(Degree{}) : std::nullopt;
  if (name == "convert" && isFloat(op.getResult(0)) &&
      isFloat(op.getOperand(0)))
    return of(op.getOperand(0));
  if (isFloat(op.getResult(0)) && op.getNumOperands() == 2 &&
      isFloat(op.getOperand(0)) &&
      (name == "multiply" || name == "dot_general" || name == "dot" ||
       name == "convolution"))
    return product(op, 1);
  if (name == "divide" && isFloat(op.getResult(0)))
    return product(op, -1);
  if (name == "reduce" || name == "reduce_window") {
    llvm::StringRef body = bodyOf(op);
    if (body == "add" || body == "maximum" || body == "minimum")
      return equal(op);
  }
  // Any other operation needs operands of degree 0.
  for (Value operand : op.getOperands())
    if (Known degree = of(operand);
        !degree || (!degree->any && degree->value != 0))
      return std::nullopt;
  return Degree{};
}

static std::optional<ScalePlan> tried(mlir::func::FuncOp function,
                                      unsigned chosen) {
  mlir::Block &block = function.getBody().front();
  ScalePlan plan;
  Degrees degrees;
  for (auto [i, argument] : llvm::enumerate(block.getArguments())) {
    plan.arguments.push_back(chosen >> i & 1);
    degrees.set(argument, Degree{false, plan.arguments.back() ? 1 : 0});
  }
  for (Operation &op : block.without_terminator())
    degrees.follow(op);
  bool grows = false;
  for (Value result : block.getTerminator()->getOperands()) {
    Known degree = degrees.of(result);
    if (!degree || (degree->value != 0 && !isFloat(result)))
      return std::nullopt;
    plan.degrees.push_back(degree->any ? 0 : degree->value);
    grows |= plan.degrees.back() != 0;
  }
  return grows ? std::optional(plan) : std::nullopt;
}

llvm::Expected<ScalePlan> verify::scalePlan(const program::Program &program,
                                            llvm::StringRef entry) {
  llvm::Expected<mlir::func::FuncOp> function = program.function(entry);
  if (!function)
    return function.takeError();
  constexpr unsigned kMostArguments = 8;
  unsigned floats = 0;
  for (auto [i, argument] : llvm::enumerate(function->getArguments()))
    if (i < kMostArguments && isFloat(argument))
      floats |= 1u << i;
  for (int size = 1; size <= llvm::popcount(floats); ++size)
    for (unsigned chosen = 1; chosen <= floats; ++chosen)
      if ((chosen & ~floats) == 0 && llvm::popcount(chosen) == size)
        if (std::optional<ScalePlan> plan = tried(*function, chosen))
          return *plan;
  return makeError(ErrorCode::Unsupported,
                   "the results do not scale with any argument");
}
