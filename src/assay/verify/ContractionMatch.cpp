// From a program back to its contraction: the search goes backwards from the
// result through the rounding, the destination's zero point and scale, the
// post-ops from the last to the first, bias and scales to the product, and from
// there through zero points and conversions to the arguments. The role of an
// addend or a factor is that of the argument that it comes from; without roles
// an addend right after the product is a bias, anything else a binary post-op.
#include "assay/program/Builder.h"
#include "assay/dialect/Stablehlo.h"
#include "assay/program/Types.h"
#include "assay/reference/DotAlgorithm.h"
#include "assay/verify/ContractionProgram.h"
#include "assay/verify/EltwiseMatch.h"

#include <cstdlib>

using namespace assay;
using namespace assay::verify;
using mlir::Operation;
using mlir::Value;
using program::Builder;

static bool isNamed(Operation *op, llvm::StringRef name) {
  return op && op->getName().getStringRef() == ("stablehlo." + name).str();
}

/// The operand of an operation that rearranges or converts; null for others.
static Value through(Value x, std::initializer_list<llvm::StringRef> names) {
  Operation *op = x.getDefiningOp();
  for (llvm::StringRef name : names)
    if (isNamed(op, name))
      return op->getOperand(0);
  return {};
}

static Value strip(Value x, std::initializer_list<llvm::StringRef> names) {
  while (Value inner = through(x, names))
    x = inner;
  return x;
}

/// The argument that a value is a conversion, reshape or repetition of, or -1.
static int argumentOf(Value x) {
  x = strip(x, {"convert", "reshape", "broadcast_in_dim"});
  auto argument = mlir::dyn_cast<mlir::BlockArgument>(x);
  return argument ? static_cast<int>(argument.getArgNumber()) : -1;
}

static llvm::StringRef partOf(Value x) {
  Operation *op = x.getDefiningOp();
  auto location =
      op ? mlir::dyn_cast<mlir::NameLoc>(op->getLoc()) : mlir::NameLoc();
  return location ? location.getName().getValue() : llvm::StringRef();
}

static std::optional<double> splatOf(Value x) {
  Operation *op = x.getDefiningOp();
  auto elements = op ? op->getAttrOfType<mlir::DenseFPElementsAttr>("value")
                     : mlir::DenseFPElementsAttr();
  if (!isNamed(op, "constant") || !elements || !elements.isSplat())
    return std::nullopt;
  llvm::APFloat value = elements.getSplatValue<llvm::APFloat>();
  bool inexact = false;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven,
                &inexact);
  return value.convertToDouble();
}

/// The shortest decimal number that is this float.
static double shortest(double value) {
  char text[40];
  for (int digits = 1; digits <= 9; ++digits) {
    snprintf(text, sizeof text, "%.*g", digits, value);
    if (static_cast<float>(strtod(text, nullptr)) == static_cast<float>(value))
      return strtod(text, nullptr);
  }
  return value;
}

namespace {
class Search {
public:
  explicit Search(const BoundProgram &bound) : bound_(bound) {}
  std::optional<FoundContraction> run(mlir::func::FuncOp function);

private:
  bool isProduct(Value x);
  bool step(Value &x);
  bool scaleOrBias(Value &x);
  bool binary(Value &x);
  bool prelu(Value &x);
  bool sum(Value &x);
  bool eltwise(Value &x);
  bool factors();
  int factor(Value x, const char *argument);
  bool gradient(Value x);
  llvm::StringRef roleOf(int argument) const {
    return argument < 0 ? llvm::StringRef()
                        : llvm::StringRef(bound_.inputs[argument].role);
  }
  ElementType typeOf(int argument) const {
    return Builder::typeOf(block_->getArgument(static_cast<unsigned>(argument)))
        .element;
  }
  void addScale(std::vector<ArgumentValue> &list, const char *argument,
                int from);
  PostOp operandOf(PostOp::Kind kind, std::string name, int argument) const;

  const BoundProgram &bound_;
  mlir::Block *block_ = nullptr;
  FoundContraction found_;
  std::vector<PostOp> postOps_; ///< last one first
};
} // namespace

/// Products are followed by reshapes (inner products) and transposes (gradients
/// of weights), and by the conversion of integer sums.
bool Search::isProduct(Value x) {
  x = strip(x, {"convert", "reshape", "transpose"});
  Operation *op = x.getDefiningOp();
  if (!isNamed(op, "dot_general") && !isNamed(op, "convolution"))
    return false;
  if (reference::hasAlgorithm(op)) // descriptors cannot express algorithms
    return false;
  found_.product = op;
  return true;
}

void Search::addScale(std::vector<ArgumentValue> &list, const char *argument,
                      int from) {
  const Binding &binding = bound_.inputs[from];
  list.insert(list.begin(), {argument, binding.mask, binding.value,
                             typeOf(from), binding.groups});
}

/// x' * scale, x' + bias, x' / scale_dst, x' + zp_dst, distinguished by the
/// role.
bool Search::scaleOrBias(Value &x) {
  Operation *op = x.getDefiningOp();
  if (!op || op->getNumOperands() != 2)
    return false;
  int argument = argumentOf(op->getOperand(1));
  llvm::StringRef role = roleOf(argument);
  role.consume_front("global_"); // beside a scale of blocks
  Attributes &a = found_.attributes;
  if (role == "bia" && isNamed(op, "add"))
    found_.bias = argument;
  else if (role == "scale_src" && isNamed(op, "multiply"))
    addScale(a.scales, "src", argument);
  else if (role == "scale_wei" && isNamed(op, "multiply"))
    addScale(a.scales, "wei", argument);
  else if (role == "scale_dst" && isNamed(op, "divide"))
    addScale(a.scales, "dst", argument);
  else if (role == "zp_dst" && isNamed(op, "add"))
    addScale(a.zeroPoints, "dst", argument);
  else
    return false;
  x = op->getOperand(0);
  return true;
}

PostOp Search::operandOf(PostOp::Kind kind, std::string name,
                         int argument) const {
  PostOp op;
  op.kind = kind;
  op.name = std::move(name);
  op.mask = bound_.inputs[argument].mask;
  op.tag = bound_.inputs[argument].tag;
  if (kind == PostOp::Kind::Binary)
    op.type = typeOf(argument);
  return op;
}

/// Whether a role is that of a post-op's second operand.
static bool isOperandRole(llvm::StringRef role) {
  return role.empty() || role.starts_with("post_op_");
}

bool Search::binary(Value &x) {
  static constexpr std::pair<const char *, const char *> kNames[] = {
      {"add", "add"},    {"subtract", "sub"}, {"multiply", "mul"},
      {"divide", "div"}, {"maximum", "max"},  {"minimum", "min"}};
  Operation *op = x.getDefiningOp();
  std::string name;
  if (Value compared = through(x, {"convert"});
      compared && isNamed(compared.getDefiningOp(), "compare")) {
    op = compared.getDefiningOp();
    name = stablehlo::stringifyComparisonDirection(
               mlir::cast<stablehlo::CompareOp>(op).getComparisonDirection())
               .lower();
  }
  for (auto [theirs, ours] : kNames)
    if (isNamed(op, theirs))
      name = ours;
  if (name.empty() || op->getNumOperands() != 2)
    return false;
  int argument = argumentOf(op->getOperand(1));
  if (argument < 0 || !isOperandRole(roleOf(argument)))
    return false;
  postOps_.push_back(operandOf(PostOp::Kind::Binary, name, argument));
  x = op->getOperand(0);
  return true;
}

/// select(x > 0, x, x * slopes)
bool Search::prelu(Value &x) {
  Operation *op = x.getDefiningOp();
  if (!isNamed(op, "select"))
    return false;
  Value before = op->getOperand(1);
  Operation *scaled = op->getOperand(2).getDefiningOp();
  if (!isNamed(scaled, "multiply") || scaled->getOperand(0) != before)
    return false;
  int argument = argumentOf(scaled->getOperand(1));
  if (argument < 0 || !isOperandRole(roleOf(argument)))
    return false;
  postOps_.push_back(operandOf(PostOp::Kind::Prelu, "prelu", argument));
  x = before;
  return true;
}

/// x + scale * (before - zero)
bool Search::sum(Value &x) {
  Operation *op = x.getDefiningOp();
  if (!isNamed(op, "add"))
    return false;
  Operation *scaled = op->getOperand(1).getDefiningOp();
  if (!isNamed(scaled, "multiply"))
    return false;
  std::optional<double> scale = splatOf(scaled->getOperand(0));
  Operation *shifted = scaled->getOperand(1).getDefiningOp();
  if (!scale || !isNamed(shifted, "subtract"))
    return false;
  std::optional<double> zero = splatOf(shifted->getOperand(1));
  int argument = argumentOf(shifted->getOperand(0));
  if (!zero || roleOf(argument) != "before")
    return false;
  PostOp post;
  post.kind = PostOp::Kind::Sum;
  post.name = "sum";
  post.sumScale = shortest(*scale);
  post.sumZeroPoint = static_cast<int64_t>(*zero);
  post.type = bound_.inputs[argument].readAs;
  postOps_.push_back(std::move(post));
  x = op->getOperand(0);
  return true;
}

/// Among several functions that end here, finds the one whose operations are
/// exactly those of this part of the program.
bool Search::eltwise(Value &x) {
  llvm::StringRef part = partOf(x);
  for (const EltwiseMatch &match : matchEltwise(x, /*backward=*/false)) {
    if (!match.data || match.function.usesDst() ||
        (!part.empty() && partOf(match.data) == part))
      continue;
    PostOp post;
    post.kind = PostOp::Kind::Eltwise;
    post.name = match.function.name;
    post.alpha = shortest(match.function.alpha);
    post.beta = shortest(match.function.beta);
    postOps_.push_back(std::move(post));
    x = match.data;
    return true;
  }
  return false;
}

bool Search::step(Value &x) {
  return scaleOrBias(x) || sum(x) || binary(x) || prelu(x) || eltwise(x);
}

/// The argument that a factor comes from; notes block scales and a zero point
/// that is subtracted.
int Search::factor(Value x, const char *argument) {
  x = strip(x, {"reshape", "transpose", "reverse", "broadcast_in_dim"});
  if (isNamed(x.getDefiningOp(), "multiply")) {
    int scale = argumentOf(x.getDefiningOp()->getOperand(1));
    if (roleOf(scale) != std::string("scale_") + argument)
      return -1;
    addScale(found_.attributes.scales, argument, scale);
    x = x.getDefiningOp()->getOperand(0);
  }
  if (isNamed(x.getDefiningOp(), "subtract")) {
    int zero = argumentOf(x.getDefiningOp()->getOperand(1));
    if (roleOf(zero) != std::string("zp_") + argument)
      return -1;
    addScale(found_.attributes.zeroPoints, argument, zero);
    x = x.getDefiningOp()->getOperand(0);
  }
  x = strip(x, {"convert"});
  auto block = mlir::dyn_cast<mlir::BlockArgument>(x);
  return block ? static_cast<int>(block.getArgNumber()) : -1;
}

bool Search::factors() {
  found_.b = factor(found_.product->getOperand(1), "wei");
  found_.a = factor(found_.product->getOperand(0), "src");
  return found_.a >= 0 && found_.b >= 0;
}

/// The bias gradient: diff_dst summed over all but its channels.
bool Search::gradient(Value x) {
  x = strip(x, {"convert"});
  Operation *op = x.getDefiningOp();
  return isNamed(op, "reduce") &&
         roleOf(argumentOf(op->getOperand(0))) == "diff_dst";
}

std::optional<FoundContraction> Search::run(mlir::func::FuncOp function) {
  block_ = &function.getBody().front();
  Operation *end = block_->getTerminator();
  if (end->getNumOperands() == 0 || end->getNumOperands() > 2)
    return std::nullopt;
  if (end->getNumOperands() == 2) {
    if (!gradient(end->getOperand(1)))
      return std::nullopt;
    found_.biasGradient = 1;
  }
  Value x = end->getOperand(0);
  if (Builder::typeOf(x).element.isInteger() && !isProduct(x)) {
    x = strip(x, {"convert"});
    if (isNamed(x.getDefiningOp(), "clamp"))
      x = x.getDefiningOp()->getOperand(1);
    x = strip(x, {"round_nearest_even"});
  } else if (Value wide = through(x, {"convert"});
             wide && !isProduct(x) && Builder::typeOf(wide).element.isFloat()) {
    x = wide;
  }
  while (!isProduct(x))
    if (!step(x))
      return std::nullopt;
  if (!factors())
    return std::nullopt;
  found_.attributes.postOps.assign(postOps_.rbegin(), postOps_.rend());
  llvm::stable_sort(found_.attributes.scales,
                    [](const ArgumentValue &x, const ArgumentValue &y) {
                      return x.argument == "src" && y.argument != "src";
                    });
  return found_;
}

std::optional<FoundContraction>
verify::findContraction(const BoundProgram &bound) {
  llvm::Expected<mlir::func::FuncOp> function =
      bound.program->function(bound.entry);
  if (!function) {
    llvm::consumeError(function.takeError());
    return std::nullopt;
  }
  return Search(bound).run(*function);
}

Dims verify::dimsOfArgument(const BoundProgram &bound, int argument) {
  mlir::func::FuncOp function =
      llvm::cantFail(bound.program->function(bound.entry));
  auto type = mlir::dyn_cast<mlir::RankedTensorType>(
      function.getArgumentTypes()[static_cast<unsigned>(argument)]);
  return type ? Dims(type.getShape().begin(), type.getShape().end()) : Dims();
}

Dims verify::dimsOfRole(const BoundProgram &bound,
                        std::initializer_list<llvm::StringRef> roles) {
  mlir::func::FuncOp function =
      llvm::cantFail(bound.program->function(bound.entry));
  auto find = [&](llvm::ArrayRef<Binding> bindings,
                  llvm::ArrayRef<mlir::Type> ofType) -> Dims {
    for (size_t i = 0; i < bindings.size(); ++i)
      if (llvm::is_contained(roles, llvm::StringRef(bindings[i].role)))
        if (auto type = mlir::dyn_cast<mlir::RankedTensorType>(ofType[i]))
          return Dims(type.getShape().begin(), type.getShape().end());
    return {};
  };
  Dims dims = find(bound.inputs, function.getArgumentTypes());
  return dims.empty() ? find(bound.outputs, function.getResultTypes()) : dims;
}

Problem verify::sharedParts(const Driver &driver, const BoundProgram &bound,
                            const FoundContraction &found) {
  Problem p;
  p.driver = &driver;
  p.direction = bound.direction;
  p.algorithm = bound.algorithm;
  p.name = bound.name;
  p.attributes = found.attributes;
  mlir::func::FuncOp function =
      llvm::cantFail(bound.program->function(bound.entry));
  static constexpr const char *kRoles[3] = {"src", "wei", "dst"};
  auto take = [&](const Binding &binding, mlir::Type ofType, int which) {
    auto shaped = mlir::cast<mlir::RankedTensorType>(ofType);
    llvm::StringRef role = binding.role;
    if (role == "bia" || role == "diff_bia")
      p.biasType =
          program::elementTypeOf(shaped.getElementType()).value_or(types::None);
    if (role == "bia" && binding.mask.form == Mask::Form::Bits)
      p.biasMask = static_cast<int>(binding.mask.bits);
    role.consume_front("diff_");
    for (int i = 0; i < 3; ++i)
      if (role == kRoles[i] || which == i) {
        p.types[i] = program::elementTypeOf(shaped.getElementType())
                         .value_or(types::None);
        p.tags[i] = binding.tag == "strided" ? "any" : binding.tag;
        if (binding.tag == "strided")
          p.strides[i] = binding.strides;
      }
  };
  for (size_t i = 0; i < bound.inputs.size(); ++i)
    take(bound.inputs[i], function.getArgumentTypes()[i],
         static_cast<int>(i) == found.a
             ? (bound.outputs[0].role == "dst" ? 0 : -1)
         : static_cast<int>(i) == found.b
             ? (bound.outputs[0].role == "dst" ? 1 : -1)
             : -1);
  for (size_t i = 0; i < bound.outputs.size(); ++i)
    take(bound.outputs[i], function.getResultTypes()[i], -1);
  return p;
}
