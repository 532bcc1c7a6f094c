/// Tolerance rules: the one judge of check ops, run --expect, verify and
/// compare. A rule has a name that parses
/// (`dtype`, `ulp:4`, `close:1e-3,1e-5`, ...) and judges two arrays of one
/// element type. Formulas, constants and their reasons: docs/rules.md.
///
///   Rule rule = cantFail(Rule::parse("dtype"));
///   Verdict v = cantFail(rule.judge({.type = bf16, .got = g, .expected = e, .n = n}));
///   if (!v.passed) os << v.text();
#pragma once

#include "assay/numerics/ElementType.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <memory>
#include <string>
#include <vector>

namespace assay::numerics {

/// The inputs of a rule. got and expected hold n elements of `type`, row-major.
struct Judgement {
  ElementType type;
  const void *got = nullptr;
  const void *expected = nullptr;
  int64_t n = 0;
  llvm::ArrayRef<int64_t> shape =
      {}; ///< for the text of an index; empty: the flat index is shown
  /// Rule `bound`: the allowed |got - expected| of each element (n of them;
  /// complex: of the modulus), or one for all.
  llvm::ArrayRef<double> bounds = {};
  /// Rule `shadow`: the true value of each element as f64 (n of them; complex:
  /// 2 n, parts interleaved).
  llvm::ArrayRef<double> shadow = {};
  /// Rule `dtype`: rms of the whole expected tensor when the arrays are a part
  /// of it; negative: it is taken from `expected`.
  double expectedRms = -1;
  int maxPoints = 1; ///< how many of the worst points to keep
};

/// One element: the result, the expected value, the error and the
/// bound.
struct JudgedPoint {
  int64_t index = -1; ///< flat
  std::string got, expected;
  double error =
      0; ///< |got - expected|; infinite when a NaN or Inf has no counterpart
  double bound = 0; ///< the error that the rule allowed here
  double fraction =
      0; ///< error / bound; infinite for an error where none is allowed
  uint64_t ulp = 0; ///< distance in the tensor's own type; kUlpMax for a
                    ///< non-finite mismatch
};

struct Verdict {
  bool passed = true;
  int64_t checked = 0;
  int64_t failing = 0;
  std::string rule;                ///< "dtype", "close:0.001,1e-05"
  std::vector<JudgedPoint> points; ///< by falling fraction; the first is the
                                   ///< worst element, also when all passed
  llvm::SmallVector<int64_t, 6> shape;

  const JudgedPoint *worst() const {
    return points.empty() ? nullptr : &points.front();
  }
  /// One line: "3 of 100 elements fail rule dtype; worst at [1, 2]: got 1.5,
  /// expected 1, error 0.5, bound 0.0156 (32 times the bound), 64 ulp"; for a
  /// pass "100 elements pass rule dtype; worst at ...".
  std::string text() const;
};

struct PairAccumulator;

enum class RuleKind : uint8_t {
  Bound,
  Dtype,
  Shadow,
  Ulp,
  Close,
  Exact,
  Benchdnn,
  Xray,
  Stablehlo
};

class Rule {
public:
  /// By name: bound, dtype, shadow, exact, ulp:N, close:RTOL,ATOL,
  /// benchdnn[:TRH], xray[:MAXERR], stablehlo[:TOL], dtype[:FACTOR] (FACTOR
  /// multiplies the constants). Errors: InvalidArgument, listing the names.
  static llvm::Expected<Rule> parse(llvm::StringRef text);
  static Rule dtype();
  static Rule exact();
  static Rule ulp(uint64_t distance);
  static Rule close(double rtol, double atol);
  static Rule bound();

  RuleKind kind() const { return kind_; }
  /// The factor in the name of dtype and shadow.
  double factor() const { return a_; }
  /// Text that parses back to the same rule.
  std::string name() const;

  /// Judges every element. The arrays may be the same. n = 0 passes with
  /// checked = 0 (the caller says that nothing was looked at). Errors:
  /// InvalidArgument when the rule needs bounds or a shadow that were not
  /// given.
  llvm::Expected<Verdict> judge(const Judgement &pair) const;

  /// The slope for PairOptions, with which the sums of the pair pass let
  /// passesBySums decide.
  double slopeFor(ElementType type) const;
  /// True when the sums of the pair pass alone prove that every element passes;
  /// false says nothing: judge() looks at the elements.
  /// `expectedRms` replaces the rms of the sums' trusted side where it is not
  /// negative (as in Judgement).
  bool passesBySums(const PairAccumulator &sums, double expectedRms = -1) const;

private:
  Rule(RuleKind kind, double a = 0, double b = 0) : kind_(kind), a_(a), b_(b) {}
  RuleKind kind_;
  double a_, b_; // Ulp: distance; Close: rtol, atol; Dtype: factor; Benchdnn,
                 // Xray, Stablehlo: threshold
  friend class RuleSet;
};

/// c(dtype) of rule `dtype` for floats and complex (of its parts): |got -
/// expected| <= c * (|expected| + rms(expected)). 0 for integers and i1, which
/// must be equal.
double dtypeConstant(ElementType type);

/// A rule per tensor, from a JSON file:
///   {"default": "dtype",
///    "rules": [{"match": "^logits$", "dtype": "bf16", "rule":
///    "close:1e-2,1e-3"}, {"dtype": "f32", "rule": "ulp:64"}]}
/// `match` is a regular expression on the tensor's name (searched, not
/// anchored), `dtype` an element type as StableHLO spells it; both optional;
/// the first entry that fits decides, else `default` (itself optional: dtype).
class RuleSet {
public:
  explicit RuleSet(Rule rule) : default_(rule) {}
  /// A rule name, or the path of a JSON file (recognised by its ending .json,
  /// or when no rule has that name but the file exists). Errors:
  /// InvalidArgument naming the entry, NotFound.
  static llvm::Expected<RuleSet> parse(llvm::StringRef nameOrPath);
  static llvm::Expected<RuleSet> fromJson(const llvm::json::Value &json);

  const Rule &ruleFor(llvm::StringRef tensorName, ElementType type) const;
  /// The name of the only rule, or "dtype + 3 entries".
  std::string name() const;
  /// Whether any of its rules is of that kind.
  bool uses(RuleKind kind) const;
  /// The same rules with `other` instead of those of that kind.
  RuleSet replaced(RuleKind kind, Rule other) const;

private:
  struct Entry {
    std::string match, dtype;
    Rule rule;
  };
  Rule default_;
  std::vector<Entry> entries_;
};

} // namespace assay::numerics
