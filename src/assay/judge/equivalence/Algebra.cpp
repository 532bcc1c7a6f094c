// Elements: sums, products, inverses, functions, and the laws by name.
#include "assay/judge/equivalence/Algebra.h"
#include "assay/dialect/Stablehlo.h"
#include "assay/numerics/FloatFormats.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

#include <cmath>

using namespace assay;
using namespace assay::judge;

static constexpr std::pair<const char *, const char *> kLaws[] = {
#define ASSAY_LAW(id, name, words) {name, words},
#include "assay/judge/equivalence/Laws.def"
};

llvm::ArrayRef<std::pair<const char *, const char *>> judge::lawTable() {
  return kLaws;
}

llvm::Expected<LawSet> LawSet::parse(llvm::StringRef text) {
  if (text == "all")
    return all();
  if (text.empty())
    return defaults();
  if (text == "none")
    return LawSet(0);
  uint64_t on = 0, off = 0;
  llvm::SmallVector<llvm::StringRef> words;
  text.split(words, ',');
  for (llvm::StringRef word : words) {
    bool without = word.consume_front("-");
    uint64_t bit = 0;
    std::string names;
    for (auto [i, law] : llvm::enumerate(kLaws)) {
      if (word == law.first)
        bit = uint64_t{1} << i;
      names += (i ? ", " : "") + std::string(law.first);
    }
    if (!bit)
      return makeError(ErrorCode::InvalidArgument,
                       "no law is named '{0}': all, none, {1}; -NAME is the "
                       "defaults but it",
                       word, names);
    (without ? off : on) |= bit;
  }
  return LawSet((on ? on : defaults().bits_) & ~off);
}

Algebra::Algebra(AlgebraOptions options)
    : options_(std::move(options)), one_(number(1)), half_(number(0.5)) {
  logs_[one_.x[0]] = Element(); // log(1)
}

uint64_t Algebra::keyOf(llvm::StringRef name) {
  return llvm::xxh3_64bits(llvm::arrayRefFromStringRef(name));
}

Element Algebra::number(double value) const {
  Element e;
  if (std::isnan(value))
    e.kind = ElementKind::NaN;
  else if (std::isinf(value))
    e.kind = value > 0 ? ElementKind::PlusInfinity : ElementKind::MinusInfinity;
  else if (value != 0)
    for (int level = 0; level < levels(); ++level)
      e.x[level] = fieldOf(level, value);
  return e;
}

Element Algebra::constant(double value) const {
  if (!options_.constants.empty())
    if (auto found = options_.constants.find(value);
        found != options_.constants.end())
      return found->second;
  return number(value);
}

Element Algebra::argument(double value) const {
  if (!std::isfinite(value) || value == 0 || options_.isLiteral)
    return number(value);
  Element e;
  uint64_t word = mixWords(std::bit_cast<uint64_t>(std::fabs(value)),
                           mixWords(options_.seed, 0xa5));
  for (int level = 0; level < levels(); ++level) {
    e.x[level] = hashToField(level, mixWords(word, 17 + level));
    if (value < 0)
      e.x[level] = negMod(level, e.x[level]);
  }
  return e;
}

bool Algebra::isNumber(const Element &e, double value) const {
  return sameNumber(e, number(value));
}

Element Algebra::add(const Element &a, const Element &b) const {
  Element sum;
  for (int level = 0; level < levels(); ++level)
    sum.x[level] = addMod(level, a.x[level], b.x[level]);
  sum.lost = a.lost | b.lost;
  return sum;
}

Element Algebra::negate(const Element &a) const {
  Element result = a;
  for (int level = 0; level < levels(); ++level)
    result.x[level] = negMod(level, a.x[level]);
  return result;
}

Element Algebra::multiply(const Element &a, const Element &b) const {
  Element product;
  for (int level = 0; level < levels(); ++level)
    product.x[level] = mulMod(level, a.x[level], b.x[level]);
  product.lost = a.lost | b.lost;
  return product;
}

Element Algebra::inverse(const Element &a) const {
  Element result;
  for (int level = 0; level < levels(); ++level)
    result.x[level] = invMod(level, a.x[level]);
  result.lost = a.lost;
  return result;
}

void Algebra::inverses(llvm::MutableArrayRef<Element> elements) const {
  // Montgomery's trick: products of all elements before each; one inverse, of the whole.
  std::vector<uint64_t> before(elements.size());
  for (int level = 0; level < levels(); ++level) {
    uint64_t product = toField(level, 1);
    for (size_t i = 0; i < elements.size(); ++i) {
      before[i] = product;
      if (elements[i].x[level])
        product = mulMod(level, product, elements[i].x[level]);
    }
    uint64_t inverse = invMod(level, product);
    for (size_t i = elements.size(); i-- > 0;) {
      uint64_t x = elements[i].x[level];
      if (!x)
        continue;
      elements[i].x[level] = mulMod(level, inverse, before[i]);
      inverse = mulMod(level, inverse, x);
    }
  }
}

Element Algebra::power(const Element &a, uint64_t exponent) const {
  Element result;
  for (int level = 0; level < levels(); ++level)
    result.x[level] = powMod(level, a.x[level], exponent);
  result.lost = a.lost;
  return result;
}

Element Algebra::function(uint64_t key, llvm::ArrayRef<Element> in) const {
  Element result;
  for (int level = 0; level < levels(); ++level) {
    uint64_t word = mixWords(key, options_.seed + 1);
    for (const Element &e : in)
      word = mixWords(word + static_cast<uint64_t>(e.kind) * 0x51ed270b,
                      e.x[level]);
    result.x[level] = hashToField(level, mixWords(word, 3 + level));
  }
  for (const Element &e : in)
    result.lost |= e.lost;
  return result;
}

Element Algebra::exp(const Element &a) {
  if (!options_.laws.has(Law::Exp))
    return function(keyOf("exponential"), a);
  static const uint64_t key = keyOf("exponential");
  Element result;
  int last = levels() - 1;
  for (int level = 0; level < last; ++level) {
    result.x[level] = expMod(level, a.x[level + 1]);
    result.lost |= (a.lost >> (level + 1) & 1) << level;
  }
  result.x[last] = function(key, a).x[last];
  result.lost |= 1 << last;
  if (options_.hasLog && options_.laws.has(Law::Log)) {
    std::lock_guard<std::mutex> lock(mutex_);
    logs_[result.x[0]] = a;
  }
  return result;
}

Element Algebra::log(const Element &a) {
  static const uint64_t key = keyOf("log");
  if (!options_.laws.has(Law::Log))
    return function(key, a);
  std::lock_guard<std::mutex> lock(mutex_);
  auto logOf = [&](const Element &x) {
    auto known = logs_.find(x.x[0]);
    return known == logs_.end() ? function(key, x) : known->second;
  };
  auto power = powers_.find(a.x[0]);
  bool isPower = power != powers_.end() && !logs_.count(a.x[0]);
  return opened(isPower ? multiply(number(power->second.second),
                                   logOf(power->second.first))
                        : logOf(a));
}

void Algebra::rememberPower(const Element &power, const Element &base,
                            double exponent) const {
  if (!options_.hasLog || !options_.laws.has(Law::Log))
    return;
  std::lock_guard<std::mutex> lock(mutex_);
  powers_.try_emplace(power.x[0], base, exponent);
}

Element Algebra::sqrt(const Element &a) const {
  if (!options_.laws.has(Law::Sqrt)) {
    static const uint64_t key = keyOf("sqrt");
    return function(key, a);
  }
  Element result;
  for (int level = 0; level < levels(); ++level)
    result.x[level] = sqrtMod(level, a.x[level]);
  rememberPower(result, a, 0.5);
  return opened(result);
}

bool Algebra::noteNear(double a, double b, numerics::FloatFormat format) {
  constexpr double kUnits = 8;
  double near = format == numerics::FloatFormat::None
                    ? 0
                    : std::ldexp(kUnits,
                                 -numerics::formatInfo(format).precision());
  double size = std::max({std::fabs(a), std::fabs(b),
                          options_.isLiteral ? 1.0 : 0.0});
  bool isNear = std::isfinite(a) && std::isfinite(b) && a != b &&
                std::fabs(a - b) <= std::max(1e-5, near) * size;
  nearTies_ += isNear;
  return isNear;
}

bool Algebra::noteNearWhole(double a, numerics::FloatFormat format) {
  constexpr double kMostWhole = 4e6; // above, an f32 has few other numbers
  return std::fabs(a) < kMostWhole && noteNear(a, std::nearbyint(a), format);
}

void Algebra::compare(mlir::Operation *op, llvm::ArrayRef<double> a,
                      llvm::ArrayRef<double> b, numerics::FloatFormat format,
                      llvm::function_ref<void(size_t, bool)> settle) {
  using Direction = stablehlo::ComparisonDirection;
  Direction direction =
      mlir::cast<stablehlo::CompareOp>(op).getComparisonDirection();
  bool holds = direction == Direction::EQ || direction == Direction::GE ||
               direction == Direction::LE;
  for (size_t i = 0; i < std::max(a.size(), b.size()); ++i)
    if (noteNear(a[i % a.size()], b[i % b.size()], format) &&
        options_.settlesTies)
      settle(i, holds);
}
