// The meaning of constants that only one program has: rounded constants of the
// other program (0.1 in f32 for 0.1 in f64), and f(a), a + b, a - b, a b, a / b
// of its constants, rounded to their own type. A root of a constant is one,
// too.
#include "assay/judge/equivalence/Constants.h"
#include "assay/numerics/Convert.h"
#include "assay/numerics/FloatFormats.h"
#include "assay/program/Types.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>
#include <set>

using namespace assay;
using namespace assay::judge;
using numerics::ElementType;
using numerics::FloatFormat;

namespace {
struct Constant {
  double value;
  ElementType type;
};
constexpr size_t kMostConstants = 96;
} // namespace

static bool has(llvm::ArrayRef<Constant> all, double value) {
  return llvm::any_of(all, [&](const Constant &c) { return c.value == value; });
}

static double roundedTo(ElementType type, double value) {
  alignas(16) std::byte bytes[16];
  double back;
  ElementType f64 = ElementType::floating(FloatFormat::F64);
  numerics::convertArray(f64, &value, type, bytes, 1);
  numerics::convertArray(type, bytes, f64, &back, 1);
  return back;
}

static double doubleOf(llvm::APFloat number) {
  bool loses;
  number.convert(llvm::APFloat::IEEEdouble(),
                 llvm::APFloat::rmNearestTiesToEven, &loses);
  return number.convertToDouble();
}

/// A function of a constant whose value is a new number: sqrt(2). Null: none.
static double (*functionOf(mlir::Operation *op))(double) {
  return llvm::StringSwitch<double (*)(double)>(op->getName().getStringRef())
      .Case("stablehlo.sqrt", [](double x) { return std::sqrt(x); })
      .Case("stablehlo.rsqrt", [](double x) { return 1 / std::sqrt(x); })
      .Case("stablehlo.exponential", [](double x) { return std::exp(x); })
      .Case("stablehlo.log", [](double x) { return std::log(x); })
      .Default(nullptr);
}

/// The one number that a value repeats, if it is such a function of it.
static std::optional<Constant> computedBy(mlir::Operation *op) {
  double (*function)(double) = functionOf(op);
  if (!function)
    return std::nullopt;
  mlir::Operation *maker = op->getOperand(0).getDefiningOp();
  while (maker && (maker->getName().getStringRef() == "stablehlo.reshape" ||
                   maker->getName().getStringRef() ==
                       "stablehlo.broadcast_in_dim"))
    maker = maker->getOperand(0).getDefiningOp();
  auto dense = maker ? maker->getAttrOfType<mlir::DenseElementsAttr>("value")
                     : mlir::DenseElementsAttr();
  auto type = dense ? program::elementTypeOf(dense.getElementType())
                    : std::nullopt;
  if (!type || !type->isFloat() || !dense.isSplat())
    return std::nullopt;
  double of = doubleOf(dense.getSplatValue<llvm::APFloat>());
  return Constant{roundedTo(*type, function(of)), *type};
}

static std::vector<Constant> constantsOf(const program::Plan &plan) {
  std::vector<Constant> found;
  auto add = [&](double value, ElementType type) {
    if (std::isfinite(value) && value != 0 && !has(found, value))
      found.push_back({value, type});
  };
  auto visit = [&](mlir::Operation *op) {
    if (std::optional<Constant> made = computedBy(op))
      add(made->value, made->type);
    auto dense = op->getAttrOfType<mlir::DenseElementsAttr>("value");
    if (!dense || dense.getNumElements() == 0 ||
        (!dense.isSplat() && dense.getNumElements() > 16))
      return;
    auto type = program::elementTypeOf(dense.getElementType());
    if (!type || (!type->isFloat() && !type->isComplex()))
      return;
    int64_t count = dense.isSplat() ? 1 : dense.getNumElements();
    if (type->isFloat()) {
      for (const llvm::APFloat &element :
           llvm::make_range(dense.value_begin<llvm::APFloat>(),
                            dense.value_begin<llvm::APFloat>() + count))
        add(doubleOf(element), *type);
      return;
    }
    auto pairs = dense.value_begin<std::complex<llvm::APFloat>>();
    for (const std::complex<llvm::APFloat> &pair :
         llvm::make_range(pairs, pairs + count)) {
      add(doubleOf(pair.real()), type->part());
      add(doubleOf(pair.imag()), type->part());
    }
  };
  for (const std::unique_ptr<program::FunctionPlan> &function : plan.functions)
    function->op->walk(visit);
  if (found.size() > kMostConstants)
    found.resize(kMostConstants);
  return found;
}

static std::string text(double x) {
  return llvm::formatv("{0}", llvm::format("%.9g", x)).str();
}

/// The meaning of a constant, also as text, and the constants in it.
struct Sense {
  Element element;
  std::string words;
  std::vector<double> of;
};
using Meaning = std::optional<Sense>;

/// `c` as the reciprocal of another constant.
static Meaning reciprocalOf(const Constant &c, llvm::ArrayRef<Constant> others,
                            const Algebra &algebra) {
  for (const Constant &y : others)
    if (roundedTo(c.type, 1 / y.value) == c.value)
      return Sense{algebra.inverse(algebra.number(y.value)),
                   "1 / " + text(y.value), {y.value}};
  return std::nullopt;
}

/// The meaning of `c` in terms of the other program's constants; empty: only
/// itself.
static Meaning meaningOf(const Constant &c, llvm::ArrayRef<Constant> others,
                         const Algebra &algebra) {
  for (const Constant &other : others) {
    if (roundedTo(c.type, other.value) == c.value)
      return Sense{algebra.number(other.value), text(other.value) + " rounded",
                   {other.value}};
    if (other.type == c.type &&
        roundedTo(c.type, std::sqrt(other.value)) == c.value)
      return Sense{algebra.sqrt(algebra.number(other.value)),
                   "sqrt(" + text(other.value) + ")", {other.value}};
  }
  std::vector<Constant> terms(others.begin(), others.end());
  for (double simple : {1.0, 2.0})
    if (!has(terms, simple))
      terms.push_back({simple, c.type});
  // In a narrow type most numbers are some sum or product of others.
  bool isNarrow = numerics::formatInfo(c.type.format).precision() <= 12;
  for (const Constant &x : terms)
    for (const Constant &y : terms) {
      if (isNarrow && x.value != 1)
        continue;
      Element ex = algebra.number(x.value), ey = algebra.number(y.value);
      auto made = [&](const Element &element, const char *sign) {
        return Sense{element, text(x.value) + sign + text(y.value),
                     {x.value, y.value}};
      };
      if (roundedTo(c.type, x.value * y.value) == c.value)
        return made(algebra.multiply(ex, ey), " * ");
      if (roundedTo(c.type, x.value / y.value) == c.value)
        return made(algebra.multiply(ex, algebra.inverse(ey)), " / ");
      if (isNarrow)
        continue;
      if (roundedTo(c.type, x.value + y.value) == c.value)
        return made(algebra.add(ex, ey), " + ");
      if (roundedTo(c.type, x.value - y.value) == c.value)
        return made(algebra.add(ex, algebra.negate(ey)), " - ");
    }
  return std::nullopt;
}

/// Whether a constant has few bits: sums and products of such are exact, and a
/// chance hit would be likely.
static bool isShort(const Constant &c) {
  int exponent,
      bits = std::min(12, numerics::formatInfo(c.type.format).precision() / 2);
  double mantissa = std::ldexp(std::frexp(std::fabs(c.value), &exponent), bits);
  return mantissa == std::floor(mantissa);
}

std::map<double, Element>
judge::sharedConstants(const program::Plan &a, const program::Plan &b,
                       const Algebra &algebra, ConstantReading reading,
                       std::vector<std::string> &notes) {
  std::vector<Constant> all[2] = {constantsOf(a), constantsOf(b)};
  std::map<double, Element> meanings;
  std::set<double> roots; // a constant that others stand for stays itself
  for (int side : {0, 1})
    for (const Constant &c : all[side]) {
      if (isShort(c) || meanings.count(c.value) || roots.count(c.value))
        continue;
      // The other side's constant must not itself stand for this one. A number
      // that both have may also stand for one that only the other side has (0.1
      // for a division by 10): then it does in both.
      bool isInBoth = has(all[1 - side], c.value),
           isRelated = reading == ConstantReading::Related;
      std::vector<Constant> others;
      for (const Constant &other : all[1 - side])
        if (!meanings.count(other.value) && other.value != c.value &&
            (isRelated || !isInBoth || !has(all[side], other.value)))
          others.push_back(other);
      if (others.empty())
        continue;
      Meaning meaning;
      if (reading != ConstantReading::Plain)
        meaning = reciprocalOf(c, others, algebra);
      if (!meaning)
        meaning = meaningOf(c, others, algebra);
      if (meaning) {
        meanings[c.value] = meaning->element;
        roots.insert(meaning->of.begin(), meaning->of.end());
        notes.push_back(llvm::formatv("constant {0} of the {1} program is {2}",
                                      llvm::format("%.9g", c.value),
                                      side ? "second" : "first",
                                      meaning->words)
                            .str());
      }
    }
  return meanings;
}
