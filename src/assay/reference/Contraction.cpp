// The sums of products behind dot_general and convolution, with one kernel for
// each way of summing. All kernels take rows that are contiguous in k. The f64
// kernels keep eight partial sums in a fixed order, so that the bits do not
// depend on the processor's vector width.
#include "assay/reference/Contraction.h"
#include "assay/numerics/Convert.h"
#include "assay/numerics/Dispatch.h"
#include "assay/support/TargetClones.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <vector>

namespace assay::reference {

using numerics::FloatFormat;
using numerics::Quad;

using Eight = double __attribute__((vector_size(64), aligned(8), may_alias));

// Passed by reference: how a vector is passed by value depends on the
// instruction set, so a clone that does not inline this function would disagree
// with it.
static double sumOf(const Eight &v) {
  return ((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7]));
}

// Computes two rows times four columns at a time, over panels of 64 columns
// that stay in the L2 cache.
ASSAY_CLONES static void sumF64(const void *lhsBytes, const void *rhsBytes,
                                void *sumBytes, int64_t m, int64_t n, int64_t k,
                                ElementType) {
  auto *lhs = static_cast<const double *>(lhsBytes),
       *rhs = static_cast<const double *>(rhsBytes);
  auto *sums = static_cast<double *>(sumBytes);
  constexpr int64_t kPanel = 64;
  int64_t k8 = k & ~int64_t{7};
  for (int64_t panel = 0; panel < n; panel += kPanel)
    for (int64_t i = 0; i < m; i += 2) {
      const double *a0 = lhs + i * k, *a1 = i + 1 < m ? a0 + k : a0;
      for (int64_t j = panel; j < std::min(n, panel + kPanel); j += 4) {
        const double *b[4];
        for (int64_t c = 0; c < 4; ++c)
          b[c] = rhs + std::min(j + c, n - 1) * k;
        Eight s0[4] = {}, s1[4] = {};
        for (int64_t t = 0; t < k8; t += 8) {
          Eight x0 = *reinterpret_cast<const Eight *>(a0 + t),
                x1 = *reinterpret_cast<const Eight *>(a1 + t);
          for (int c = 0; c < 4; ++c) {
            Eight y = *reinterpret_cast<const Eight *>(b[c] + t);
            s0[c] += x0 * y;
            s1[c] += x1 * y;
          }
        }
        for (int64_t c = 0; c < std::min<int64_t>(4, n - j); ++c) {
          double r0 = sumOf(s0[c]), r1 = sumOf(s1[c]);
          for (int64_t t = k8; t < k; ++t) {
            r0 += a0[t] * b[c][t];
            r1 += a1[t] * b[c][t];
          }
          sums[i * n + j + c] = r0;
          if (i + 1 < m)
            sums[(i + 1) * n + j + c] = r1;
        }
      }
    }
}

namespace {
// An unevaluated sum high + low of two doubles, |low| <= ulp(high) / 2.
struct DoubleDouble {
  double high = 0, low = 0;
  void addProduct(double a, double b) {
    double product = a * b, error = std::fma(a, b, -product);
    double sum = high + product, part = sum - high;
    low += ((high - (sum - part)) + (product - part)) + error;
    high = sum;
  }
};
} // namespace

static void sumDoubleDouble(const void *lhsBytes, const void *rhsBytes,
                            void *sumBytes, int64_t m, int64_t n, int64_t k,
                            ElementType) {
  auto *lhs = static_cast<const double *>(lhsBytes),
       *rhs = static_cast<const double *>(rhsBytes);
  auto *sums = static_cast<double *>(sumBytes);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      DoubleDouble sum;
      for (int64_t t = 0; t < k; ++t)
        sum.addProduct(lhs[i * k + t], rhs[j * k + t]);
      double total = sum.high + sum.low;
      // With an infinity or NaN among the terms, the error terms are NaN; then
      // the plain sum is the result.
      sums[i * n + j] = std::isnan(total) ? sum.high : total;
    }
}

template <typename T>
static void sumPlain(const void *lhsBytes, const void *rhsBytes, void *sumBytes,
                     int64_t m, int64_t n, int64_t k, ElementType) {
  auto *lhs = static_cast<const T *>(lhsBytes),
       *rhs = static_cast<const T *>(rhsBytes);
  auto *sums = static_cast<T *>(sumBytes);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      T sum = 0;
      for (int64_t t = 0; t < k; ++t)
        sum += lhs[i * k + t] * rhs[j * k + t];
      sums[i * n + j] = sum;
    }
}

using Sixteen =
    uint32_t __attribute__((vector_size(64), aligned(4), may_alias));

static uint32_t sumOf(const Sixteen &v) {
  uint32_t sum = 0;
  for (int lane = 0; lane < 16; ++lane)
    sum += v[lane];
  return sum;
}

// For results of 32 bits or fewer, which wrap in the same way at every step.
// Computes one row times four columns at a time.
ASSAY_CLONES static void sumI32(const void *lhsBytes, const void *rhsBytes,
                                void *sumBytes, int64_t m, int64_t n, int64_t k,
                                ElementType) {
  auto *lhs = static_cast<const uint32_t *>(lhsBytes),
       *rhs = static_cast<const uint32_t *>(rhsBytes);
  auto *sums = static_cast<uint32_t *>(sumBytes);
  int64_t k16 = k & ~int64_t{15};
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; j += 4) {
      const uint32_t *a = lhs + i * k, *b[4];
      for (int64_t c = 0; c < 4; ++c)
        b[c] = rhs + std::min(j + c, n - 1) * k;
      Sixteen s[4] = {};
      for (int64_t t = 0; t < k16; t += 16) {
        Sixteen x = *reinterpret_cast<const Sixteen *>(a + t);
        for (int c = 0; c < 4; ++c)
          s[c] += x * *reinterpret_cast<const Sixteen *>(b[c] + t);
      }
      for (int64_t c = 0; c < std::min<int64_t>(4, n - j); ++c) {
        uint32_t sum = sumOf(s[c]);
        for (int64_t t = k16; t < k; ++t)
          sum += a[t] * b[c][t];
        sums[i * n + j + c] = sum;
      }
    }
}

// Rounds every product and every partial sum to the type `step`; operands and
// sums are f64.
static void sumPerStep(const void *lhsBytes, const void *rhsBytes,
                       void *sumBytes, int64_t m, int64_t n, int64_t k,
                       ElementType step) {
  auto *lhs = static_cast<const double *>(lhsBytes),
       *rhs = static_cast<const double *>(rhsBytes);
  auto *sums = static_cast<double *>(sumBytes);
  numerics::dispatch<numerics::FloatTypes>(step, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    auto round = [](double x) {
      return numerics::convertElement<double>(numerics::convertElement<T>(x));
    };
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        double sum = 0;
        for (int64_t t = 0; t < k; ++t)
          sum = round(sum + round(lhs[i * k + t] * rhs[j * k + t]));
        sums[i * n + j] = sum;
      }
  });
}

llvm::Expected<Contraction> Contraction::make(ElementType lhs, ElementType rhs,
                                              ElementType result, bool perStep,
                                              bool isShadow) {
  auto has = [&](FloatFormat format) {
    return lhs.format == format || rhs.format == format ||
           result.format == format;
  };
  bool isComplex = lhs.isComplex() || rhs.isComplex();
  bool isFloat =
      isComplex || lhs.isFloat() || rhs.isFloat() || result.isFloat();
  Contraction c;
  c.result_ = result;
  c.step_ = result.part();
  FloatFormat wide =
      has(FloatFormat::F128) ? FloatFormat::F128 : FloatFormat::F64;
  auto isNarrow = [](ElementType type) {
    return type.isInteger() && !type.quantization && type.bits <= 32;
  };
  if (!isFloat && isNarrow(lhs) && isNarrow(rhs) && isNarrow(result)) {
    c.compute_ = ElementType::integer(32);
    c.kernel_ = sumI32;
  } else if (!isFloat) {
    c.compute_ = ElementType::integer(64);
    c.kernel_ = sumPlain<uint64_t>;
  } else {
    c.compute_ =
        isComplex ? ElementType::complex(wide) : ElementType::floating(wide);
    if (wide == FloatFormat::F128)
      c.kernel_ = sumPlain<Quad>;
    else if (isShadow)
      c.kernel_ = sumF64;
    else if (perStep && result.part().isFloat())
      c.kernel_ = sumPerStep;
    else
      c.kernel_ = has(FloatFormat::F64) ? sumDoubleDouble : sumF64;
  }
  c.sums_ = c.compute_;
  return c;
}

void Contraction::multiply(const void *lhs, const void *rhs, void *result,
                           int64_t m, int64_t n, int64_t k,
                           int64_t resultStride) const {
  int64_t width = compute_.storageBytes(), resultWidth = result_.storageBytes();
  std::vector<std::byte> sums(
      static_cast<size_t>(std::max<int64_t>(1, m * n * width)));
  if (!compute_.isComplex()) {
    kernel_(lhs, rhs, sums.data(), m, n, k, step_);
  } else {
    // (a + bi)(c + di): with rows read as 2k reals, the real part is [a, -b] .
    // [c, d] and the imaginary part is [b, a] . [c, d].
    auto split = [&](auto zero) {
      using Part = decltype(zero);
      auto *z = static_cast<const Part *>(lhs);
      std::vector<Part> real(static_cast<size_t>(2 * m * k)),
          imaginary(real.size());
      for (int64_t i = 0; i < m * k; ++i) {
        real[2 * i] = z[2 * i];
        real[2 * i + 1] = -z[2 * i + 1];
        imaginary[2 * i] = z[2 * i + 1];
        imaginary[2 * i + 1] = z[2 * i];
      }
      std::vector<Part> re(static_cast<size_t>(m * n)), im(re.size());
      kernel_(real.data(), rhs, re.data(), m, n, 2 * k, step_);
      kernel_(imaginary.data(), rhs, im.data(), m, n, 2 * k, step_);
      auto *out = reinterpret_cast<Part *>(sums.data());
      for (int64_t i = 0; i < m * n; ++i) {
        out[2 * i] = re[i];
        out[2 * i + 1] = im[i];
      }
    };
    if (compute_.format == FloatFormat::F128)
      split(Quad(0));
    else
      split(0.0);
  }
  for (int64_t i = 0; i < m; ++i)
    numerics::convertArray(
        sums_, sums.data() + i * n * width, result_,
        static_cast<std::byte *>(result) + i * resultStride * resultWidth, n);
}

} // namespace assay::reference
