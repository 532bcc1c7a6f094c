// The loop over inputs: passes blocks of codes to the reference's own loop and
// compares the results with the truth.
#include "Measure.h"
#include "assay/dialect/Register.h"
#include "assay/numerics/Convert.h"
#include "assay/support/Random.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/FormatVariadic.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <thread>

namespace assay::accuracy {

using numerics::FloatFormat;

static const ElementType kDouble = ElementType::floating(FloatFormat::F64);
/// The precision of the arbitrary-precision numbers: many more bits than any
/// result has.
static constexpr long kBits = 192;
/// The relative error that `quick` may have: 64 units in double's last place.
static constexpr double kQuickError = 0x1p-46;

void Errors::add(const Errors &other) {
  inputs += other.inputs;
  notRounded += other.notRounded;
  special += other.special;
  exact += other.exact;
  modulus = std::max(modulus, other.modulus);
  if (other.ulps > ulps) {
    ulps = other.ulps;
    at = other.at;
  }
}

llvm::Expected<Loop> Loop::make(const std::string &op, ElementType type) {
  static mlir::MLIRContext *context = [] {
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    auto *made = new mlir::MLIRContext(registry);
    made->loadAllAvailableDialects();
    return made;
  }();
  std::string text =
      llvm::formatv("func.func @main(%x: tensor<{0}>) -> tensor<{0}> {{ %y = "
                    "\"{1}\"(%x) : (tensor<{0}>) -> tensor<{0}> func.return %y "
                    ": tensor<{0}> }",
                    numerics::toString(type), op);
  auto module = parseProgramText(text, op, *context);
  if (!module)
    return module.takeError();
  mlir::Operation *operation = &(*module)
                                    ->lookupSymbol<mlir::func::FuncOp>("main")
                                    .getBody()
                                    .front()
                                    .front();
  auto function = reference::ElementwiseFunction::make(operation, {type}, type);
  if (!function)
    return function.takeError();
  Loop loop;
  loop.function_ = std::move(*function);
  return loop;
}

void Loop::operator()(const void *in, void *out, int64_t count) const {
  function_.evaluate({in}, {1}, out, count);
}

namespace {

/// Maps codes of a float to integers in the order of its numbers. Both zeros
/// become 0; infinity follows the largest number.
int64_t position(uint64_t code, int bits) {
  uint64_t sign = uint64_t{1} << (bits - 1);
  auto magnitude = static_cast<int64_t>(code & (sign - 1));
  return (code & sign) != 0 ? -magnitude : magnitude;
}

/// Compares the result `got` with the correctly rounded `want`, both as codes,
/// and adds it to the errors. True: it is the worst result so far, or the first
/// special value that differs.
bool addResult(Errors &errors, uint64_t got, uint64_t want, int bits,
               uint64_t infinity) {
  int64_t a = position(got, bits), b = position(want, bits);
  auto nan = [&](int64_t x) {
    return static_cast<uint64_t>(std::abs(x)) > infinity;
  };
  if (got == want || (nan(a) && nan(b)))
    return false;
  if (nan(a) || nan(b) || a == b) {
    return errors.special++ == 0;
  }
  ++errors.notRounded;
  uint64_t distance = static_cast<uint64_t>(std::max(a, b)) -
                      static_cast<uint64_t>(std::min(a, b));
  if (distance <= errors.ulps)
    return false;
  errors.ulps = distance;
  return true;
}

/// The part of measureCodes for one thread.
class CodeSweep {
public:
  CodeSweep(const RealFunction &function, const Loop &loop, const Loop &wide,
            ElementType type)
      : function_(function), loop_(loop), wide_(wide), type_(type),
        bits_(type.bits), codes_(kBlock * 4), results_(kBlock * 4),
        low_(kBlock * 4), high_(kBlock * 4), x_(kBlock), y_(kBlock) {
    double limit = HUGE_VAL;
    numerics::convertArray(kDouble, &limit, type_, codes_.data(), 1);
    infinity_ = codeAt(codes_, 0);
  }
  void run(uint64_t first, uint64_t stride, int64_t count);
  Errors errors;

  static constexpr int64_t kBlock = 4096;

private:
  using Bytes = std::vector<std::byte>;
  uint64_t codeAt(const Bytes &bytes, int64_t i) const {
    uint64_t code = 0;
    std::memcpy(&code, bytes.data() + i * bits_ / 8,
                static_cast<size_t>(bits_ / 8));
    return code;
  }
  uint64_t exactCode(double x);

  const RealFunction &function_;
  const Loop &loop_, &wide_;
  ElementType type_;
  int bits_;
  uint64_t infinity_ = 0;
  Bytes codes_, results_, low_, high_;
  std::vector<double> x_, y_;
};

} // namespace

uint64_t CodeSweep::exactCode(double x) {
  ++errors.exact;
  Real in(53), out(kBits);
  mpfr_set_d(in, x, MPFR_RNDN);
  function_.exact(out, in);
  if (bits_ == 32)
    return std::bit_cast<uint32_t>(mpfr_get_flt(out, MPFR_RNDN));
  // After rounding to odd, a second rounding to fewer than 51 bits gives the
  // correct result.
  double value = mpfr_get_d(out, MPFR_RNDZ);
  if (mpfr_number_p(out) && mpfr_cmp_d(out, value) != 0)
    value = std::bit_cast<double>(std::bit_cast<uint64_t>(value) | 1);
  std::byte code[8] = {};
  numerics::convertArray(kDouble, &value, type_, code, 1);
  uint64_t bits;
  std::memcpy(&bits, code, 8);
  return bits;
}

void CodeSweep::run(uint64_t first, uint64_t stride, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    uint64_t code = first + static_cast<uint64_t>(i) * stride;
    std::memcpy(codes_.data() + i * bits_ / 8, &code,
                static_cast<size_t>(bits_ / 8));
  }
  loop_(codes_.data(), results_.data(), count);
  numerics::convertArray(type_, codes_.data(), kDouble, x_.data(), count);
  if (function_.quick)
    for (int64_t i = 0; i < count; ++i)
      y_[i] = function_.quick(x_[i]);
  else
    wide_(x_.data(), y_.data(), count);
  std::vector<double> &bound = x_; // the inputs are in codes_ too
  auto bounds = [&](double side, Bytes &out) {
    for (int64_t i = 0; i < count; ++i)
      bound[i] =
          y_[i] + side * (std::abs(y_[i]) * kQuickError + function_.absolute);
    numerics::convertArray(kDouble, bound.data(), type_, out.data(), count);
  };
  bounds(-1, low_);
  bounds(1, high_);
  for (int64_t i = 0; i < count; ++i) {
    uint64_t want = codeAt(low_, i), got = codeAt(results_, i);
    bool sure = want == codeAt(high_, i);
    if (sure && got == want)
      continue;
    double x;
    numerics::convertArray(type_, codes_.data() + i * bits_ / 8, kDouble, &x,
                           1);
    if (!sure)
      want = exactCode(x);
    if (addResult(errors, got, want, bits_, infinity_))
      errors.at = llvm::formatv("{0:e8}", x);
  }
  errors.inputs += count;
}

llvm::Expected<Errors> measureCodes(const RealFunction &function,
                                    ElementType type, uint64_t stride,
                                    int threads) {
  llvm::Expected<Loop> loop = Loop::make(function.op, type);
  if (!loop)
    return loop.takeError();
  llvm::Expected<Loop> wide = Loop::make(function.op, kDouble);
  if (!wide)
    return wide.takeError();
  uint64_t total = ((uint64_t{1} << type.bits) + stride - 1) / stride;
  std::vector<CodeSweep> sweeps;
  for (int t = 0; t < threads; ++t)
    sweeps.emplace_back(function, *loop, *wide, type);
  auto part = [&](size_t t) {
    uint64_t block = CodeSweep::kBlock;
    for (uint64_t begin = t * block; begin < total;
         begin += static_cast<uint64_t>(threads) * block)
      sweeps[t].run(begin * stride, stride,
                    static_cast<int64_t>(std::min(block, total - begin)));
  };
  std::vector<std::thread> others;
  for (size_t t = 1; t < sweeps.size(); ++t)
    others.emplace_back(part, t);
  part(0);
  for (std::thread &thread : others)
    thread.join();
  Errors errors;
  for (const CodeSweep &sweep : sweeps)
    errors.add(sweep.errors);
  return errors;
}

llvm::Expected<Errors> measureDouble(const RealFunction &function,
                                     int64_t samples) {
  llvm::Expected<Loop> loop = Loop::make(function.op, kDouble);
  if (!loop)
    return loop.takeError();
  Errors errors;
  CounterRandom random(1, 0);
  Real in(53), out(kBits);
  uint64_t infinity = std::bit_cast<uint64_t>(double{HUGE_VAL});
  for (int64_t i = 0; i < samples; ++i) {
    // Every second input has a moderate size, where the functions are not yet
    // at their limits.
    double x = std::bit_cast<double>(random.bits(static_cast<uint64_t>(i)));
    if (i % 2 == 1)
      x = std::ldexp(std::copysign(1 + random.uniform(i), x),
                     static_cast<int>(random.bits(i) % 24) - 12);
    double got;
    (*loop)(&x, &got, 1);
    mpfr_set_d(in, x, MPFR_RNDN);
    function.exact(out, in);
    double want = mpfr_get_d(out, MPFR_RNDN);
    if (function.absolute > 0 && std::abs(got - want) <= 1e-15)
      continue; // close to a zero of the function
    if (addResult(errors, std::bit_cast<uint64_t>(got),
                  std::bit_cast<uint64_t>(want), 64, infinity))
      errors.at = llvm::formatv("{0:e17}", x);
  }
  errors.inputs = errors.exact = samples;
  return errors;
}

/// |got - exact| / (eps |exact|), where eps is the distance from 1 to the next
/// number.
static double modulusError(mpc_srcptr exact, const double (&got)[2],
                           double eps) {
  Real difference(kBits), size(kBits), part(kBits);
  mpfr_sub_d(difference, mpc_realref(exact), got[0], MPFR_RNDN);
  mpfr_sub_d(part, mpc_imagref(exact), got[1], MPFR_RNDN);
  mpfr_hypot(difference, difference, part, MPFR_RNDN);
  mpc_abs(size, exact, MPFR_RNDN);
  mpfr_div(difference, difference, size, MPFR_RNDN);
  return mpfr_get_d(difference, MPFR_RNDN) / eps;
}

template <typename T>
static llvm::Expected<Errors> measureComplexOf(const ComplexFunction &function,
                                               ElementType type,
                                               int64_t samples) {
  llvm::Expected<Loop> loop = Loop::make(function.op, type);
  if (!loop)
    return loop.takeError();
  using Code = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  Errors errors;
  CounterRandom random(2, 0);
  mpc_t in, out;
  mpc_init2(in, 53);
  mpc_init2(out, kBits);
  const auto infinity = std::bit_cast<Code>(std::numeric_limits<T>::infinity());
  const double eps = std::numeric_limits<T>::epsilon();
  for (int64_t i = 0; i < samples; ++i) {
    T z[2], got[2];
    int range = i % 4 == 3 ? 160 : 52, least = i % 4 == 3 ? -140 : -30;
    for (int part = 0; part < 2; ++part) {
      uint64_t bits = random.bits(static_cast<uint64_t>(2 * i + part));
      auto size = static_cast<T>(1 + random.uniform(2 * i + part));
      z[part] = std::ldexp((bits >> 60) & 1 ? -size : size,
                           least + static_cast<int>((bits & 0xffff) % range));
    }
    (*loop)(z, got, 1);
    mpc_set_d_d(in, z[0], z[1], MPC_RNDNN);
    function.exact(out, in);
    T want[2];
    for (int part = 0; part < 2; ++part) {
      mpfr_srcptr value = part ? mpc_imagref(out) : mpc_realref(out);
      if constexpr (sizeof(T) == 4)
        want[part] = mpfr_get_flt(value, MPFR_RNDN);
      else
        want[part] = mpfr_get_d(value, MPFR_RNDN);
      if (want[part] == 0 && got[part] == 0 && !mpfr_zero_p(value))
        continue; // too small for the type, positive or negative
      if (addResult(errors, std::bit_cast<Code>(got[part]),
                    std::bit_cast<Code>(want[part]), 8 * sizeof(T), infinity))
        errors.at = llvm::formatv("({0:e17}, {1:e17})", z[0], z[1]);
    }
    if (std::isfinite(want[0]) && std::isfinite(want[1]) &&
        std::hypot(want[0], want[1]) >= std::numeric_limits<T>::min())
      errors.modulus =
          std::max(errors.modulus, modulusError(out, {got[0], got[1]}, eps));
  }
  mpc_clear(in);
  mpc_clear(out);
  errors.inputs = errors.exact = samples;
  return errors;
}

llvm::Expected<Errors> measureComplex(const ComplexFunction &function,
                                      ElementType type, int64_t samples) {
  return type.bits == 64 ? measureComplexOf<float>(function, type, samples)
                         : measureComplexOf<double>(function, type, samples);
}

} // namespace assay::accuracy
