/// Numbers of the algebraic shadow and what operations do to them. An element
/// accompanies one float of a program: a number in each field of the chain
/// (Field.h), or, like the value, NaN or an infinity. Sums, products and
/// quotients are exact; other functions are fixed pseudo-random functions with
/// stated laws (Laws.def); decisions follow the value.
#pragma once

#include "assay/judge/equivalence/Field.h"
#include "assay/numerics/ElementType.h"
#include "assay/support/Error.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"

#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace mlir {
class Operation;
}

namespace assay::judge {

enum class ElementKind : uint8_t { Finite, NaN, PlusInfinity, MinusInfinity };

struct Element {
  uint64_t x[kLevels] = {};
  ElementKind kind = ElementKind::Finite;
  uint8_t lost = 0;   ///< bit i: open in field i, where not every law of a
                      ///< function holds (roots, exp nested deep, log, sine)
  uint8_t format = 0; ///< numerics::FloatFormat that it was last rounded to
  uint8_t unused[5] = {};

  friend bool sameNumber(const Element &a, const Element &b) {
    return a.kind == b.kind &&
           (a.kind != ElementKind::Finite || a.x[0] == b.x[0]);
  }
};
static_assert(sizeof(Element) == 32);
/// A number that may equal another one by an unknown law.
inline Element opened(Element e) {
  e.lost = (1 << kLevels) - 1;
  return e;
}

/// Each law by name (Laws.def), on or off.
enum class Law : uint8_t {
#define ASSAY_LAW(id, name, words) id,
#include "assay/judge/equivalence/Laws.def"
};
class LawSet {
public:
  bool has(Law law) const { return bits_ >> static_cast<int>(law) & 1; }
  /// "all", "none", or names separated by commas; "-NAME": the defaults without
  /// NAME. Errors: InvalidArgument with the names.
  static llvm::Expected<LawSet> parse(llvm::StringRef text);
  uint64_t bits() const { return bits_; }
  static LawSet all() { return LawSet(~uint64_t{0}); }
  /// All but `zero`.
  static LawSet defaults() {
    return LawSet(~(uint64_t{1} << static_cast<int>(Law::Zero)));
  }

private:
  explicit LawSet(uint64_t bits) : bits_(bits) {}
  uint64_t bits_;
};
/// The names of Laws.def, with their texts.
llvm::ArrayRef<std::pair<const char *, const char *>> lawTable();

/// For values that no argument reaches: which results are the numbers of their
/// values, rounded as by a compiler that computes them; the others stay exact.
enum class FoldedConstants : uint8_t {
  None,
  Functions, ///< all but sums, products and quotients
  All
};

struct AlgebraOptions {
  uint64_t seed = 0;
  LawSet laws = LawSet::defaults();
  int levels = kLevels;
  bool precisionMayChange = false;
  FoldedConstants folds = FoldedConstants::Functions;
  bool hasLog = true; ///< exp remembers its arguments
  /// An argument's number is its value, and numbers within 1e-5 of a
  /// decision are near a tie, however small.
  bool isLiteral = false;
  /// A decision near a tie is made as if both sides were equal.
  bool settlesTies = false;
  /// Constants that stand for others (Constants.h): value to number.
  std::map<double, Element> constants;
};

/// One operand of an elementwise operation, or its result: `count` numbers
/// (complex: parts interleaved).
struct Numbers {
  numerics::ElementType type;
  const double *values = nullptr;
  const Element *elements = nullptr;
};

enum class Rule : uint8_t; ///< of an elementwise operation

class Algebra {
public:
  explicit Algebra(AlgebraOptions options);

  /// A value as a number.
  Element number(double value) const;
  /// The same for a constant of the program, which may stand for another.
  Element constant(double value) const;
  /// The number of an argument's element: random, the same for the same value,
  /// odd; zero for zero.
  Element argument(double value) const;
  bool isNumber(const Element &e, double value) const;

  Element add(const Element &a, const Element &b) const;
  Element negate(const Element &a) const;
  Element multiply(const Element &a, const Element &b) const;
  Element inverse(const Element &a) const;
  /// Replaces each a by 1/a, with one inversion for all.
  void inverses(llvm::MutableArrayRef<Element> elements) const;
  Element exp(const Element &a);
  Element log(const Element &a);
  Element sqrt(const Element &a) const;
  Element power(const Element &a, uint64_t exponent) const;
  /// A function without laws, of one or more numbers. `key`: its name.
  Element function(uint64_t key, llvm::ArrayRef<Element> in) const;
  static uint64_t keyOf(llvm::StringRef name);

  /// out[i] of one elementwise operation. Returns false where it has no rule.
  /// Threads: re-entrant.
  bool apply(mlir::Operation *op, llvm::ArrayRef<Numbers> operands,
             const Numbers &result, int64_t count, Element *out);

  /// Whether an operation's rule looks at the values of its operands.
  static bool readsValues(mlir::Operation *op);

  const AlgebraOptions &options() const { return options_; }
  int levels() const { return options_.levels; }
  /// Whether values are nearly, but not quite, equal: some units of a type apart.
  /// Such a decision is counted.
  bool noteNear(double a, double b, numerics::FloatFormat format);
  /// The same for a whole number that is made of `a`.
  bool noteNearWhole(double a, numerics::FloatFormat format);
  /// Notes the ties of a comparison. Where they are settled, its results are
  /// those of equals.
  void compare(mlir::Operation *op, llvm::ArrayRef<double> a,
               llvm::ArrayRef<double> b, numerics::FloatFormat format,
               llvm::function_ref<void(size_t at, bool holds)> settle);
  int64_t nearTies() const { return nearTies_; }

private:
  struct Call;
  struct Fraction {
    Element above, below;
  };
  void applyReal(const Call &call);
  template <typename Compute>
  void eachFinite(const Call &call, const Compute &compute);
  template <int Levels> void ring(const Call &call);
  void quotients(const Call &call);
  void rememberPower(const Element &power, const Element &base,
                     double exponent) const;
  Fraction fraction(const Call &call, int64_t i);
  bool applyComplex(const Call &call);
  Element real(const Call &call, int64_t i);
  Element hyperbolic(const Call &call, const Element &x);
  Element cbrt(const Element &a) const;
  Element oddOrEven(Rule rule, uint64_t key, const Element &x) const;
  Element transcendental(const Call &call, int64_t i);
  Element choice(const Call &call, int64_t i);
  Element converted(const Call &call, int64_t i);
  Element whole(const Call &call, int64_t i);
  Fraction raised(const Call &call, int64_t i);
  void complexNumber(const Call &call, int64_t i, Element *out);

  AlgebraOptions options_;
  Element one_, half_;
  mutable std::mutex mutex_;
  /// Logarithms that are known because exp made the number; and which numbers
  /// are powers, with their exponents.
  std::unordered_map<uint64_t, Element> logs_;
  mutable std::unordered_map<uint64_t, std::pair<Element, double>> powers_;
  std::atomic<int64_t> nearTies_ = 0;
};

} // namespace assay::judge
