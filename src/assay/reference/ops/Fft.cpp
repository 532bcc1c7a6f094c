// fft: FFT, IFFT, RFFT, IRFFT over the last one to three dimensions, of any
// length. Lines are transformed in f64, those of f64 in long double (binary128
// for f64 shadows), so that a result is rounded once. A recursive mixed-radix
// split (Cooley and Tukey 1965) turns a length p * m into p transforms of
// length m and m butterflies of size p; a prime length is summed directly.
// Source: StableHLO specification, fft.
#include "assay/dialect/Stablehlo.h"
#include "assay/numerics/Convert.h"
#include "assay/reference/Ops.h"
#include "assay/reference/Strided.h"

#include <cmath>
#include <complex>
#include <quadmath.h>

namespace assay::reference {

using numerics::FloatFormat;

namespace {

template <typename Real> struct Z {
  Real re = 0, im = 0;
  friend Z operator+(Z a, Z b) { return {a.re + b.re, a.im + b.im}; }
  friend Z operator*(Z a, Z b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
};

// exp(sign * 2 pi i * t / n), with the angle reduced to the first octant, so
// that symmetric points agree exactly.
template <typename Real> Z<Real> root(int64_t t, int64_t n, int sign) {
  t %= n;
  if (4 * t == n)
    return {0, Real(sign)};
  if (2 * t == n)
    return {-1, 0};
  if (4 * t == 3 * n)
    return {0, Real(-sign)};
  if constexpr (std::is_same_v<Real, __float128>) {
    constexpr __float128 kPi = __float128(3.14159265358979311600e+00) +
                               __float128(1.22464679914735317636e-16) +
                               __float128(-2.99476980971833966e-33);
    __float128 angle = 2 * kPi * t / n;
    return {cosq(angle), sign * sinq(angle)};
  } else {
    long double angle = 2 * 3.14159265358979323846264338327950288L * t / n;
    return {static_cast<Real>(std::cos(angle)),
            static_cast<Real>(sign * std::sin(angle))};
  }
}

template <typename Real> class Transform {
public:
  Transform(int64_t n, int sign) : n_(n), scratch_(static_cast<size_t>(n)) {
    for (int64_t t = 0; t < n; ++t)
      roots_.push_back(root<Real>(t, n, sign));
  }
  void run(std::vector<Z<Real>> &line) {
    std::vector<Z<Real>> out(line.size());
    split(line.data(), 1, out.data(), n_);
    line = std::move(out);
  }

private:
  // Sets out[0..n) to the transform of in[0], in[stride], ...; the recursion
  // depth is the number of prime factors of n.
  void split(const Z<Real> *in, int64_t stride, Z<Real> *out, int64_t n) {
    if (n == 1) {
      *out = *in;
      return;
    }
    int64_t p = 2;
    while (p * p <= n && n % p != 0)
      ++p;
    if (n % p != 0)
      p = n;
    int64_t m = n / p, step = n_ / n;
    for (int64_t r = 0; r < p; ++r)
      split(in + r * stride, stride * p, out + r * m, m);
    for (int64_t q = 0; q < m; ++q) {
      for (int64_t s = 0; s < p; ++s) {
        Z<Real> sum;
        for (int64_t r = 0; r < p; ++r)
          sum = sum + out[r * m + q] * roots_[r * (q + s * m) % n * step];
        scratch_[s] = sum;
      }
      for (int64_t s = 0; s < p; ++s)
        out[q + s * m] = scratch_[s];
    }
  }
  int64_t n_;
  std::vector<Z<Real>> roots_, scratch_;
};

// Transforms dimension d of a dense complex array of `shape`.
template <typename Real>
void transformDimension(std::vector<Z<Real>> &data,
                        llvm::ArrayRef<int64_t> shape, size_t d, int sign,
                        bool scale) {
  int64_t n = shape[d];
  if (n == 0 || data.empty())
    return;
  Transform<Real> transform(n, sign);
  int64_t stride = 1;
  for (size_t i = d + 1; i < shape.size(); ++i)
    stride *= shape[i];
  std::vector<Z<Real>> line(static_cast<size_t>(n));
  for (int64_t start = 0; start < static_cast<int64_t>(data.size()) / n;
       ++start) {
    int64_t base = start / stride * stride * n + start % stride;
    for (int64_t i = 0; i < n; ++i)
      line[i] = data[base + i * stride];
    transform.run(line);
    for (int64_t i = 0; i < n; ++i)
      data[base + i * stride] =
          scale ? Z<Real>{line[i].re / n, line[i].im / n} : line[i];
  }
}

struct Problem {
  stablehlo::FftType type;
  TensorType operand, result;
  size_t dims;        // number of trailing dimensions that are transformed
  int64_t lastLength; // length of the last dimension on the real side
};

/// The element type in which tensors store a Real; long double has none, so
/// f64.
template <typename Real>
using Stored =
    std::conditional_t<std::is_same_v<Real, long double>, double, Real>;
template <typename Real> constexpr FloatFormat storedFormat() {
  return std::is_same_v<Real, __float128> ? FloatFormat::F128
                                          : FloatFormat::F64;
}

template <typename Real> std::vector<Z<Real>> load(const Tensor &operand) {
  std::vector<Z<Stored<Real>>> stored(static_cast<size_t>(operand.size()));
  numerics::convertArray(operand.elementType(), operand.bytes(),
                         ElementType::complex(storedFormat<Real>()),
                         stored.data(), operand.size());
  if constexpr (std::is_same_v<Real, Stored<Real>>) {
    return stored;
  } else {
    std::vector<Z<Real>> data;
    for (Z<Stored<Real>> z : stored)
      data.push_back({z.re, z.im});
    return data;
  }
}

/// `values`: real numbers, or the parts of complex ones, according to `type`.
template <typename Real>
void store(llvm::ArrayRef<Real> values, ElementType type, Tensor &result) {
  std::vector<Stored<Real>> stored(values.begin(), values.end());
  numerics::convertArray(
      type.isComplex() ? ElementType::complex(storedFormat<Real>())
                       : ElementType::floating(storedFormat<Real>()),
      stored.data(), type, result.mutableBytes(), result.size());
}

template <typename Real>
llvm::Error runFft(const Problem &p, StepContext &context) {
  llvm::Expected<Tensor> operand = context.dense(0);
  if (!operand)
    return operand.takeError();
  bool forward =
      p.type == stablehlo::FftType::FFT || p.type == stablehlo::FftType::RFFT;
  int sign = forward ? -1 : 1;
  Shape shape = p.operand.shape;
  size_t rank = shape.size(), last = rank - 1;
  std::vector<Z<Real>> data = load<Real>(*operand);

  if (p.type == stablehlo::FftType::IRFFT) {
    // Transform the other dimensions first, then complete the last one by
    // symmetry.
    for (size_t d = rank - p.dims; d < last; ++d)
      transformDimension(data, shape, d, sign, true);
    int64_t half = shape[last], n = p.lastLength,
            lines = half == 0 ? 0 : static_cast<int64_t>(data.size()) / half;
    std::vector<Z<Real>> full(static_cast<size_t>(lines * n));
    for (int64_t l = 0; l < lines; ++l)
      for (int64_t i = 0; i < n; ++i) {
        Z<Real> z = data[l * half + (i < half ? i : n - i)];
        bool realOnly = i == 0 || 2 * i == n;
        full[l * n + i] = {z.re, realOnly ? Real(0) : i < half ? z.im : -z.im};
      }
    data = std::move(full);
    shape[last] = n;
    transformDimension(data, shape, last, sign, true);
    std::vector<Real> real(data.size());
    for (size_t i = 0; i < data.size(); ++i)
      real[i] = data[i].re;
    store<Real>(real, p.result.element, context.out(0));
    return llvm::Error::success();
  }
  transformDimension(data, shape, last, sign, !forward);
  if (p.type == stablehlo::FftType::RFFT) {
    int64_t n = shape[last], half = p.result.shape[last],
            lines = n == 0 ? 0 : static_cast<int64_t>(data.size()) / n;
    std::vector<Z<Real>> kept(static_cast<size_t>(lines * half));
    for (int64_t l = 0; l < lines; ++l)
      std::copy_n(data.begin() + l * n, half, kept.begin() + l * half);
    data = std::move(kept);
    shape[last] = half;
  }
  for (size_t d = rank - p.dims; d < last; ++d)
    transformDimension(data, shape, d, sign, !forward);
  store<Real>({&data.data()->re, 2 * data.size()}, p.result.element,
              context.out(0));
  return llvm::Error::success();
}

} // namespace

llvm::Expected<std::unique_ptr<Step>> fft(const StepSpec &spec) {
  Ints lengths = intsOf(spec.op, "fft_length");
  Problem problem{mlir::cast<stablehlo::FftOp>(spec.op).getFftType(),
                  spec.operands[0], spec.results[0], lengths.size(),
                  lengths.empty() ? 0 : lengths.back()};
  switch (spec.results[0].element.format) {
  case FloatFormat::F128:
    return program::makeStep([problem](StepContext &context) {
      return runFft<__float128>(problem, context);
    });
  case FloatFormat::F64:
    return program::makeStep([problem](StepContext &context) {
      return runFft<long double>(problem, context);
    });
  default:
    return program::makeStep([problem](StepContext &context) {
      return runFft<double>(problem, context);
    });
  }
}

} // namespace assay::reference
