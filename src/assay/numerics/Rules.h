/// Tolerance rules: check operations, run --expect, verify and compare are all
/// judged by them. A rule has a name that can be parsed
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
      {}; ///< for printing an index; empty: the flat index is printed
  /// Rule `bound`: the allowed |got - expected| of each element (n bounds;
  /// complex: of the modulus), or a single bound for all.
  llvm::ArrayRef<double> bounds = {};
  /// Rule `shadow`: the true value of each element as f64 (n values; complex: 2
  /// n values, parts interleaved).
  llvm::ArrayRef<double> shadow = {};
  /// Rule `dtype`: rms of the whole expected tensor when the arrays are a part
  /// of it; if negative, the rms of `expected` is used.
  double expectedRms = -1;
  int maxPoints = 1; ///< how many of the worst points to keep
};

/// One judged element: the result, the expected value, the error and the bound.
struct JudgedPoint {
  int64_t index = -1; ///< flat index
  std::string got, expected;
  double error =
      0; ///< |got - expected|; infinite when a NaN or Inf has no counterpart
  double bound = 0; ///< the error that the rule allows here
  double fraction =
      0; ///< error / bound; infinite for an error where the bound is 0
  uint64_t ulp = 0; ///< distance in the tensor's own type; kUlpMax for a
                    ///< non-finite mismatch
};

struct Verdict {
  bool passed = true;
  int64_t checked = 0;
  int64_t failing = 0;
  std::string rule;                ///< "dtype", "close:0.001,1e-05"
  std::vector<JudgedPoint> points; ///< by descending fraction; the first is the
                                   ///< worst element, even if all passed
  llvm::SmallVector<int64_t, 6> shape;

  const JudgedPoint *worst() const {
    return points.empty() ? nullptr : &points.front();
  }
  /// One line: "3 of 100 elements fail rule dtype; worst at [1, 2]: got 1.5,
  /// expected 1, error 0.5, bound 0.0156 (32 times the bound), 64 ulp"; if all
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
  /// Makes a rule from its name: bound, dtype, shadow, exact, ulp:N,
  /// close:RTOL,ATOL, benchdnn[:TRH], xray[:MAXERR], stablehlo[:TOL],
  /// dtype[:FACTOR] (FACTOR multiplies the constants). Errors: InvalidArgument,
  /// listing the names.
  static llvm::Expected<Rule> parse(llvm::StringRef text);
  static Rule dtype();
  static Rule exact();
  static Rule ulp(uint64_t distance);
  static Rule close(double rtol, double atol);
  static Rule bound();

  RuleKind kind() const { return kind_; }
  /// The factor in the name of rules dtype and shadow.
  double factor() const { return a_; }
  /// Text that parses to the same rule.
  std::string name() const;

  /// Judges every element. The arrays may be the same. n = 0 passes with
  /// checked = 0 (the caller reports that nothing was checked). Errors:
  /// InvalidArgument when the rule needs bounds or a shadow that are missing.
  llvm::Expected<Verdict> judge(const Judgement &pair) const;

  /// The slope for PairOptions that passesBySums needs.
  double slopeFor(ElementType type) const;
  /// True when the sums of the pair pass alone prove that every element passes.
  /// False proves nothing: judge() must check the elements. If `expectedRms` is
  /// not negative, it replaces the rms of the sums' trusted side (as in
  /// Judgement).
  bool passesBySums(const PairAccumulator &sums, double expectedRms = -1) const;

private:
  Rule(RuleKind kind, double a = 0, double b = 0) : kind_(kind), a_(a), b_(b) {}
  RuleKind kind_;
  double a_, b_; // Ulp: distance; Close: rtol, atol; Dtype: factor; Benchdnn,
                 // Xray, Stablehlo: threshold
  friend class RuleSet;
};

/// The constant c(dtype) of rule `dtype` for floats and complex numbers (by
/// their parts): |got - expected| <= c * (|expected| + rms(expected)). 0 for
/// integers and i1, which must be equal.
double dtypeConstant(ElementType type);

/// A rule per tensor, from a JSON file:
///   {"default": "dtype",
///    "rules": [
///      {"match": "^logits$", "dtype": "bf16", "rule": "close:1e-2,1e-3"},
///      {"dtype": "f32", "rule": "ulp:64"}]}
/// `match` is a regular expression that is searched in the tensor's name (not
/// anchored), `dtype` a StableHLO element type; both are optional. The first
/// matching entry decides, else `default` (optional, dtype if missing).
class RuleSet {
public:
  explicit RuleSet(Rule rule) : default_(rule) {}
  /// Parses a rule name, or reads a JSON file (recognised by the extension
  /// .json, or when no rule has that name but the file exists). Errors:
  /// InvalidArgument naming the entry, NotFound.
  static llvm::Expected<RuleSet> parse(llvm::StringRef nameOrPath);
  static llvm::Expected<RuleSet> fromJson(const llvm::json::Value &json);

  const Rule &ruleFor(llvm::StringRef tensorName, ElementType type) const;
  /// The name of the only rule, or "dtype + 3 entries".
  std::string name() const;
  /// Whether any of its rules has this kind.
  bool uses(RuleKind kind) const;
  /// The same rules, with rules of this kind replaced by `other`.
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
