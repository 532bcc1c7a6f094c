// Judges a pair of arrays by a rule: blocks of both sides are decoded to f64
// (PairPrepare.cpp), each element gets an error and a bound, and the elements
// with the largest fractions error / bound are kept. Blocks with equal bytes
// pass without being decoded, except under `shadow`. Formulas: docs/rules.md.
#include "assay/numerics/Convert.h"
#include "assay/numerics/Dispatch.h"
#include "assay/numerics/FailingElements.h"
#include "assay/numerics/PairBlock.h"
#include "assay/numerics/Rules.h"
#include "assay/numerics/Text.h"
#include "assay/numerics/Ulp.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace assay::numerics {

using namespace detail;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

namespace {
/// One run of Rule::judge.
class Judge {
public:
  /// `failing`: receives the first kMostFailing elements that fail.
  Judge(const Judgement &pair, RuleKind kind, double a, double b,
        Verdict &verdict, std::vector<int64_t> *failing = nullptr)
      : pair_(pair), kind_(kind), a_(a), b_(b), verdict_(verdict),
        failing_(failing), bytes_(pair.type.storageBytes()),
        exactType_(!pair.type.isFloat() && !pair.type.isComplex()) {}
  void run();

private:
  void prepareScale();
  void judgeBlock(int64_t first, int n);
  bool skipBlock();
  void judgeComplex(int64_t index);
  void judgeFinite(int64_t index, double error, double expected);
  double boundFor(int64_t index, double expected) const;
  void record(int64_t index, double error, double bound, double fraction);
  double shadowError(int64_t index, const std::byte *side) const;
  const std::byte *got(int64_t i) const {
    return static_cast<const std::byte *>(pair_.got) + i * bytes_;
  }
  const std::byte *expected(int64_t i) const {
    return static_cast<const std::byte *>(pair_.expected) + i * bytes_;
  }

  const Judgement &pair_;
  RuleKind kind_;
  double a_, b_;
  Verdict &verdict_;
  std::vector<int64_t> *failing_;
  int64_t bytes_;
  bool exactType_;
  double constant_ = 0, scale_ = 0,
         floor_ = 0; // dtype: c, rms, flush allowance; shadow: scale_ is the
                     // rms of its errors
  PairBlock block_;
};
} // namespace

/// sqrt(mean(x^2)) over the finite elements (complex: moduli).
static double rmsOf(ElementType type, const void *data, int64_t n) {
  ElementType part = type.part();
  int64_t parts = type.isComplex() ? 2 * n : n, bytes = part.storageBytes(),
          finite = 0;
  alignas(64) double values[kPairBlock];
  double total = 0;
  for (int64_t first = 0; first < parts; first += kPairBlock) {
    auto count = static_cast<int>(std::min<int64_t>(kPairBlock, parts - first));
    toDoubles(part, static_cast<const std::byte *>(data) + first * bytes,
              values, count);
    OneSums sums;
    sumOne(values, count, 0, sums);
    if (!(sums.squares < kInfinity)) {
      count =
          static_cast<int>(std::remove_if(values, values + count,
                                          [](double x) { return x - x != 0; }) -
                           values);
      sumOne(values, count, 0, sums);
    }
    total += sums.squares;
    finite += count;
  }
  double mean = finite == 0 ? 0 : total / static_cast<double>(finite);
  return std::sqrt(type.isComplex() ? 2 * mean : mean);
}

/// |side - shadow| of one element.
double Judge::shadowError(int64_t index, const std::byte *side) const {
  double parts[2] = {};
  ElementType part = pair_.type.part();
  if (!pair_.type.isComplex()) {
    toDoubles(part, side, parts, 1);
    return std::fabs(parts[0] - pair_.shadow[index]);
  }
  toDoubles(part, side, parts, 2);
  return std::hypot(parts[0] - pair_.shadow[2 * index],
                    parts[1] - pair_.shadow[2 * index + 1]);
}

void Judge::prepareScale() {
  if (kind_ == RuleKind::Dtype && !exactType_) {
    FloatFormat format = pair_.type.format;
    constant_ = a_ * dtypeConstant(pair_.type);
    scale_ = pair_.expectedRms >= 0
                 ? pair_.expectedRms
                 : rmsOf(pair_.type, pair_.expected, pair_.n);
    // Allow flushing to zero where its error is negligible; elsewhere one step
    // of the smallest numbers.
    floor_ = formatInfo(format).exponentBits >= 8 ? minNormal(format)
                                                  : minPositive(format);
  }
  if (kind_ == RuleKind::Shadow && !exactType_) {
    double squares = 0;
    int64_t finite = 0;
    for (int64_t i = 0; i < pair_.n; ++i) {
      double error = shadowError(i, expected(i));
      if (error - error != 0)
        continue;
      squares += error * error;
      ++finite;
    }
    scale_ = finite ? std::sqrt(squares / static_cast<double>(finite)) : 0;
  }
}

/// The error allowed at an element; `expected` is its modulus.
double Judge::boundFor(int64_t index, double expected) const {
  switch (kind_) {
  case RuleKind::Bound:
    return pair_.bounds.size() == 1 ? pair_.bounds[0] : pair_.bounds[index];
  case RuleKind::Dtype:
    return exactType_ ? 0 : constant_ * (expected + scale_) + floor_;
  case RuleKind::Close:
    return b_ + a_ * expected;
  case RuleKind::Benchdnn:
    return exactType_        ? 0
           : expected > 1e-5 ? a_ * expected
                             : std::max(a_, 0x1p-23);
  case RuleKind::Xray:
    return a_;
  case RuleKind::Stablehlo:
    return exactType_ ? 0 : a_;
  case RuleKind::Shadow:
  case RuleKind::Ulp:
  case RuleKind::Exact:
    break;
  }
  return 0;
}

void Judge::record(int64_t index, double error, double bound, double fraction) {
  verdict_.failing += fraction > 1;
  if (failing_ && fraction > 1 && failing_->size() < kMostFailing)
    failing_->push_back(index);
  std::vector<JudgedPoint> &points = verdict_.points;
  auto worse = [&](const JudgedPoint &other) {
    return fraction != other.fraction ? fraction > other.fraction
                                      : error > other.error;
  };
  bool full = static_cast<int>(points.size()) >= std::max(1, pair_.maxPoints);
  if (full && !worse(points.back()))
    return;
  auto place = std::find_if(points.begin(), points.end(), worse);
  JudgedPoint point;
  point.index = index;
  point.error = error;
  point.bound = bound;
  point.fraction = fraction;
  points.insert(place, point);
  if (full)
    points.pop_back();
}

/// Judges a pair of finite members; expected and error are moduli for complex
/// elements.
void Judge::judgeFinite(int64_t index, double error, double expected) {
  if (kind_ == RuleKind::Ulp) {
    auto distance = static_cast<double>(
        ulpDistance(pair_.type, got(index), this->expected(index)));
    record(index, error, a_,
           distance == 0 ? 0
           : a_ == 0     ? kInfinity
                         : distance / a_);
    return;
  }
  if (kind_ == RuleKind::Dtype && pair_.type.format == FloatFormat::F8E8M0FNU) {
    // Powers of two: the neighbour is a factor of two away, so only the
    // distance in ULP is meaningful.
    record(index, error, 1,
           static_cast<double>(
               ulpDistance(pair_.type, got(index), this->expected(index))));
    return;
  }
  double bound = boundFor(index, expected);
  if (kind_ == RuleKind::Shadow && !exactType_) {
    double truth =
        pair_.type.isComplex()
            ? std::hypot(pair_.shadow[2 * index], pair_.shadow[2 * index + 1])
            : pair_.shadow[index];
    error = shadowError(index, got(index));
    bound = a_ * (shadowError(index, this->expected(index)) + scale_) +
            ulpOf(truth, pair_.type.format);
    if (!(error - error ==
          0)) // the truth is not finite, so it cannot judge
      error = 0, bound = kInfinity;
  }
  record(index, error, bound,
         error == 0   ? 0
         : bound == 0 ? kInfinity
                      : error / bound);
}

/// Judges a pair with a non-finite member, or any complex pair under a rule
/// that judges parts. Non-finite parts that are the same on both sides count as
/// equal; parts that differ fail under every rule.
void Judge::judgeComplex(int64_t index) {
  double g[2] = {}, e[2] = {};
  int parts = pair_.type.isComplex() ? 2 : 1;
  toDoubles(pair_.type.part(), got(index), g, parts);
  toDoubles(pair_.type.part(), expected(index), e, parts);
  for (int p = 0; p < parts; ++p) {
    if (g[p] - g[p] == 0 && e[p] - e[p] == 0)
      continue;
    bool same = g[p] == e[p] || (g[p] != g[p] && e[p] != e[p]);
    if (!same) {
      record(index, kInfinity, 0, kInfinity);
      return;
    }
    g[p] = e[p] = 0;
  }
  if (kind_ == RuleKind::Stablehlo) { // part by part, like
                                      // check.expect_almost_eq
    double error = std::max(std::fabs(g[0] - e[0]), std::fabs(g[1] - e[1]));
    record(index, error, a_, error == 0 ? 0 : a_ == 0 ? kInfinity : error / a_);
    return;
  }
  if (parts == 1)
    record(index, 0, kInfinity, 0);
  else
    judgeFinite(index, std::hypot(g[0] - e[0], g[1] - e[1]),
                std::hypot(e[0], e[1]));
}

/// For rules whose bound is slope * |expected| + offset: true if no element of
/// the block fails or beats the worst fraction so far.
bool Judge::skipBlock() {
  bool full =
      static_cast<int>(verdict_.points.size()) >= std::max(1, pair_.maxPoints);
  bool byParts = kind_ == RuleKind::Stablehlo && pair_.type.isComplex();
  if (exactType_ || !full || byParts ||
      pair_.type.format == FloatFormat::F8E8M0FNU)
    return false;
  double slope = 0, offset = a_;
  if (kind_ == RuleKind::Dtype)
    slope = constant_, offset = constant_ * scale_ + floor_;
  else if (kind_ == RuleKind::Close)
    slope = a_, offset = b_;
  else if (kind_ != RuleKind::Xray && kind_ != RuleKind::Stablehlo)
    return false;
  // Slightly smaller, so that rounding here never hides an element from the
  // exact comparison.
  double fraction =
      std::min(1.0, verdict_.points.back().fraction) * (1 - 1e-12);
  return !anyBeyond(block_, slope * fraction, offset * fraction);
}

void Judge::judgeBlock(int64_t first, int n) {
  bool identical = kind_ != RuleKind::Shadow &&
                   std::memcmp(got(first), expected(first), n * bytes_) == 0;
  if (identical) {
    if (verdict_.points.empty())
      record(first, 0, boundFor(first, 0), 0);
    return;
  }
  preparePair(pair_.type, got(first), expected(first), n, /*identical=*/true,
              block_);
  if (block_.subtract)
    subtractPair(block_);
  if (skipBlock())
    return;
  bool byParts = pair_.type.isComplex() && kind_ == RuleKind::Stablehlo;
  for (int i = 0; i < n; ++i) {
    double g = block_.target[i], e = block_.bench[i];
    if (byParts || g - g != 0 || e - e != 0)
      judgeComplex(first + i);
    else
      judgeFinite(first + i, std::fabs(block_.difference[i]), std::fabs(e));
  }
}

void Judge::run() {
  prepareScale();
  for (int64_t first = 0; first < pair_.n; first += kPairBlock)
    judgeBlock(first, static_cast<int>(
                          std::min<int64_t>(kPairBlock, pair_.n - first)));
  verdict_.checked = pair_.n;
  verdict_.passed = verdict_.failing == 0;
  for (JudgedPoint &point : verdict_.points) {
    point.got = printElement(pair_.type, got(point.index));
    point.expected = printElement(pair_.type, expected(point.index));
    point.ulp =
        ulpDistance(pair_.type, got(point.index), expected(point.index));
  }
}

/// Checks that the data which a rule needs besides the arrays are given.
/// Errors: InvalidArgument if not.
static llvm::Error checkGiven(RuleKind kind, const Judgement &pair) {
  auto elements = static_cast<size_t>(pair.n);
  if (kind == RuleKind::Bound && pair.bounds.size() != 1 &&
      pair.bounds.size() != elements)
    return makeError(ErrorCode::InvalidArgument,
                     "rule 'bound' needs a derived bound for each of the {0} "
                     "elements and has {1}; use rule 'dtype' for "
                     "programs whose operations have no bound",
                     pair.n, pair.bounds.size());
  size_t truths = elements * (pair.type.isComplex() ? 2 : 1);
  if (kind == RuleKind::Shadow && pair.shadow.size() != truths &&
      pair.type.part().isFloat())
    return makeError(ErrorCode::InvalidArgument,
                     "rule 'shadow' needs a true value for each of the {0} "
                     "elements and has {1}; run with a shadow",
                     truths, pair.shadow.size());
  return llvm::Error::success();
}

llvm::Expected<Verdict> Rule::judge(const Judgement &pair) const {
  if (llvm::Error error = checkGiven(kind_, pair))
    return error;
  Verdict verdict;
  verdict.rule = name();
  verdict.shape.assign(pair.shape.begin(), pair.shape.end());
  Judge(pair, kind_, a_, b_, verdict).run();
  return verdict;
}

/// ATOL of close:RTOL,ATOL, parsed from the rule's name.
static double atolOf(const Rule &rule) {
  double atol = 0;
  if (rule.kind() == RuleKind::Close)
    (void)llvm::StringRef(rule.name()).rsplit(',').second.getAsDouble(atol);
  return atol;
}

llvm::Expected<std::vector<int64_t>> failingElements(const Rule &rule,
                                                     const Judgement &pair) {
  if (llvm::Error error = checkGiven(rule.kind(), pair))
    return error;
  std::vector<int64_t> failing;
  Verdict verdict;
  Judge(pair, rule.kind(), rule.factor(), atolOf(rule), verdict, &failing)
      .run();
  return failing;
}

static std::string printShort(double value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.6g", value);
  return text;
}

std::string Verdict::text() const {
  if (checked == 0)
    return "no elements to judge by rule " + rule;
  std::string text;
  llvm::raw_string_ostream os(text);
  if (passed)
    os << checked
       << (checked == 1 ? " element passes rule " : " elements pass rule ")
       << rule;
  else
    os << failing << " of " << checked
       << (checked == 1 ? " element" : " elements")
       << (failing == 1 ? " fails" : " fail") << " rule " << rule;
  const JudgedPoint *point = worst();
  if (!point)
    return text;
  std::string index = shape.empty() && checked > 1
                          ? printIndex(point->index, checked)
                          : printIndex(point->index, shape);
  os << "; worst at " << index << ": got " << point->got << ", expected "
     << point->expected << ", error " << printShort(point->error) << ", bound "
     << printShort(point->bound);
  if (point->fraction != 0)
    os << " (" << printShort(point->fraction) << " times the bound)";
  if (point->ulp == kUlpMax)
    os << ", not comparable in ulp";
  else
    os << ", " << point->ulp << " ulp";
  return text;
}

} // namespace assay::numerics
