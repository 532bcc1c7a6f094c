// Templates: every function is built twice, on an argument x (and a gradient),
// with two pairs of alpha and beta that occur in no formula. A value of a
// program matches a template when the operations that make both agree back to
// the arguments. A constant that is alpha or beta in the template yields its
// value; one that differs between the two builds in another way was computed
// from them and may be any number; all others must be equal.
#include "assay/verify/EltwiseMatch.h"
#include "assay/verify/AccurateEltwise.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace assay;
using namespace assay::formulas;
using namespace assay::verify;
using mlir::Value;
using program::Builder;

namespace {
/// The numbers of one build.
struct Numbers {
  double alpha, beta;
};

struct Template {
  llvm::StringRef name;
  Value results[2]; ///< built with the first and the second numbers
};

class Templates {
public:
  explicit Templates(bool backward);
  llvm::ArrayRef<Template> all() const { return all_; }
  Value x() const { return x_; }
  Value gradient() const { return gradient_; }

  static constexpr Numbers kFirst{0x1.23456p-3, 0x1.6789ap-2},
      kSecond{0x1.3579cp-4, 0x1.2468ap-1};

private:
  void add(llvm::StringRef name, Numbers first, Numbers second);
  Builder builder_;
  Value x_, gradient_;
  std::vector<Template> all_;
};

/// One comparison of a program's value with a template.
class Comparison {
public:
  explicit Comparison(const Templates &templates) : templates_(templates) {}
  bool agree(Value value, Value first, Value second);
  Value x, gradient;
  double alpha = 0, beta = 0;

private:
  bool sameConstant(double value, double first, double second, bool isF32);
  bool bind(Value &argument, Value value) {
    if (!argument)
      argument = value;
    return argument == value;
  }
  const Templates &templates_;
};
} // namespace

void Templates::add(llvm::StringRef name, Numbers first, Numbers second) {
  auto build = [&](Numbers numbers) {
    EltwiseFunction function{name.str(), numbers.alpha, numbers.beta};
    return gradient_ ? accurateEltwiseGradient(builder_, function, x_, gradient_)
                     : accurateEltwise(builder_, function, x_);
  };
  all_.push_back({name, {build(first), build(second)}});
}

Templates::Templates(bool backward) {
  tensor::TensorType type{
      numerics::ElementType::floating(numerics::FloatFormat::F64), {2}};
  x_ = builder_.argument(type);
  gradient_ = backward ? builder_.argument(type) : Value();
  for (llvm::StringRef name : eltwiseNames()) {
    if (name == "srelu" || (backward && name == "round"))
      continue;
    add(name, kFirst, kSecond);
    if (name == "relu" && !backward) // built as a maximum with 0
      add(name, {0, kFirst.beta}, {0, kSecond.beta});
    if (name == "pow" && backward) // built without a power
      add(name, {kFirst.alpha, 0}, {kSecond.alpha, 0});
  }
  std::stable_partition(all_.begin(), all_.end(), [](const Template &entry) {
    return !entry.name.ends_with("_dst");
  });
}

std::optional<double> verify::splatOf(mlir::Operation *op) {
  auto elements = op->getAttrOfType<mlir::DenseFPElementsAttr>("value");
  if (!elements || !elements.isSplat())
    return std::nullopt;
  llvm::APFloat value = elements.getSplatValue<llvm::APFloat>();
  bool inexact = false;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven,
                &inexact);
  return value.convertToDouble();
}

bool Comparison::sameConstant(double value, double first, double second,
                              bool isF32) {
  if (first == second)
    return value == (isF32 ? static_cast<float>(first) : first);
  bool isAlpha = first == Templates::kFirst.alpha,
       isBeta = first == Templates::kFirst.beta;
  if (isAlpha)
    alpha = value;
  if (isBeta)
    beta = value;
  return true;
}

/// The attributes that determine what the operation computes: the dialect's own.
static std::string attributesOf(mlir::Operation *op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (mlir::NamedAttribute attribute : op->getAttrs())
    if (!attribute.getName().getValue().contains('.'))
      os << attribute.getName().getValue() << '=' << attribute.getValue()
         << ' ';
  return text;
}

bool Comparison::agree(Value value, Value first, Value second) {
  if (first == templates_.x())
    return bind(x, value);
  if (first == templates_.gradient())
    return bind(gradient, value);
  mlir::Operation *op = value.getDefiningOp(), *a = first.getDefiningOp(),
                  *b = second.getDefiningOp();
  if (!op || op->getName().getStringRef() != a->getName().getStringRef() ||
      op->getNumOperands() != a->getNumOperands())
    return false;
  if (std::optional<double> number = splatOf(op)) {
    bool isF32 = Builder::typeOf(value).element.bits == 32;
    return sameConstant(*number, *splatOf(a), *splatOf(b), isF32);
  }
  if (attributesOf(op) != attributesOf(a))
    return false;
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    if (!agree(op->getOperand(i), a->getOperand(i), b->getOperand(i)))
      return false;
  return true;
}

llvm::SmallVector<EltwiseMatch, 2> verify::matchEltwise(Value result,
                                                        bool backward) {
  static const Templates kForward(false), kBackward(true);
  const Templates &templates = backward ? kBackward : kForward;
  llvm::SmallVector<EltwiseMatch, 2> matches;
  if (!mlir::isa<mlir::RankedTensorType>(result.getType()))
    return matches;
  for (const Template &entry : templates.all()) {
    Comparison comparison(templates);
    if (!comparison.agree(result, entry.results[0], entry.results[1]))
      continue;
    matches.push_back({{entry.name.str(), comparison.alpha, comparison.beta},
                       comparison.x,
                       comparison.gradient});
  }
  return matches;
}
